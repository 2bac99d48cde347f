"""Five-card draw in numpy: sampled, and exact against one opponent."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bots.equity.kernels import TO_DRAW, DrawOpponent
from bots.equity.numpy_cards import (
    CATEGORY,
    DECK,
    KEY,
    KEY_START,
    Bytes,
    Places,
    Strengths,
    set_of,
    strengths5,
    strengths_of,
    subsets,
)
from bots.equity.numpy_chance import PATIENCE, RARE, Choices, Decks, choose, generator
from bots.equity.numpy_outcomes import outcomes
from bots.equity.numpy_spots import DrawSeats, Opponent, deck_without, draw_seats, own_cards

_BLOCK: Final = 16384
_FINALS: Final = 1 << 16
"""Final hands that an exact result has in hand at once."""


def draw_sample(
    kept: bytes, opponents: Sequence[DrawOpponent], dead: bytes, seed: int, samples: int, /
) -> list[int]:
    """See `kernels.Kernel`."""
    seats = draw_seats(kept, opponents, dead)
    chance = generator(seed)
    picky = any(one.goes_on is not None for one in seats.opponents)
    n = 1 + len(opponents)
    counts = np.zeros((n, n), np.int64)
    found = tries = 0
    while found < samples:
        if tries > PATIENCE + RARE * found:
            raise RuntimeError("fewer than one try in 4,096 was a possible deal")
        size = _BLOCK if picky else min(_BLOCK, samples - found)
        strengths, goes_on = _dealt(seats, chance, size)
        good = np.flatnonzero(goes_on)[: samples - found]
        counts += outcomes(strengths[:, good])
        found += len(good)
        tries += size
    whole: list[int] = counts.ravel().tolist()
    return whole


def _dealt(seats: DrawSeats, chance: np.random.Generator, size: int) -> tuple[Strengths, NDArray[np.bool_]]:
    """The strengths of each player, a row each, in `size` deals; and whether all opponents go on in them."""
    decks = Decks(deck_without(seats.known), size, chance)
    choices = [
        Choices(one.sets, None if one.weights is None else one.weights.tobytes()) for one in seats.opponents
    ]
    hands = [
        one.kept.take(places, axis=1)
        for one, places in zip(seats.opponents, choose(choices, size, chance), strict=True)
    ]
    for hand in hands:
        for cards in hand:
            drawn = cards == TO_DRAW
            if not drawn.any():
                decks.take(cards)
            elif not drawn.all():
                decks.take(cards, ~drawn)
    for hand in hands:
        for cards in hand:
            drawn = cards == TO_DRAW
            if drawn.all():
                cards[:] = decks.draw()
            elif drawn.any():
                np.copyto(cards, decks.draw(drawn), where=drawn)
    own = [np.full(size, card) for card in seats.kept] + [decks.draw() for _ in range(seats.draws)]
    strengths = np.stack([strengths_of(hand) for hand in (np.stack(own), *hands)])
    goes_on = np.ones(size, np.bool_)
    for one, reached in zip(seats.opponents, strengths[1:], strict=True):
        if one.goes_on is not None:
            goes_on &= chance.random(size) < one.goes_on[CATEGORY.take(reached)]
    return strengths, goes_on


def draw_exact(kept: bytes, opponent: DrawOpponent, dead: bytes, /) -> list[float]:
    """See `kernels.Kernel`. Where sets of kept cards differ in size, each weighs as much by all its draws together."""
    seats = draw_seats(kept, [opponent], dead)
    one = seats.opponents[0]
    own = _OwnDraws(seats.kept, deck_without(seats.known))
    wins = ties = met = 0.0
    for hands, weights in _finals(one, seats.known):
        strengths = strengths_of(hands)
        if one.goes_on is not None:
            weights = weights * one.goes_on[CATEGORY.take(strengths)]
        more, equal = own.against(hands, strengths)
        wins += float(more @ weights)
        ties += float(equal @ weights)
        met += float(weights.sum())
    losses = met * comb(DECK - seats.known.bit_count() - 5, seats.draws) - wins - ties
    return [wins, ties, losses, ties]


def _finals(one: Opponent, known: int) -> Iterator[tuple[Bytes, NDArray[np.float64]]]:
    """All final hands of an opponent, a column each, and the weight of each; some at a time."""
    deck = deck_without(known)
    counts = one.counts
    mixed = (counts != counts[0]).any()
    weights = np.ones(len(counts)) if one.weights is None else one.weights
    for many in np.unique(counts).tolist():
        entries = np.flatnonzero(counts == many)
        kept, weight = one.kept[:many, entries], weights[entries]
        if mixed:
            weight = weight / comb(len(deck) - many, 5 - many)
        draws = deck[subsets(len(deck), 5 - many)]
        kept_sets, draw_sets = set_of(kept), set_of(draws)
        size = min(draws.shape[1], _FINALS)
        for start in range(0, draws.shape[1], size):
            part = draw_sets[start : start + size]
            for first in range(0, len(entries), _FINALS // size):
                some = slice(first, first + _FINALS // size)
                rows, columns = np.nonzero((kept_sets[some, None] & part) == 0)
                cards = (
                    kept[:, some].take(rows, axis=1),
                    draws[:, start : start + size].take(columns, axis=1),
                )
                yield np.concatenate(cards), weight[some].take(rows)


class _OwnDraws:
    """All draws to the own kept cards: how many that do not meet given cards are stronger than a given strength.

    By inclusion and exclusion: all, less those with one of the cards, and those with two of them again, and less those
    with three.
    """

    def __init__(self, kept: Bytes, deck: Bytes) -> None:
        self._draws = 5 - len(kept)
        drawn = deck[subsets(len(deck), self._draws)]
        n = drawn.shape[1]
        strengths = strengths_of(np.concatenate([np.repeat(kept[:, None], n, axis=1), drawn]))
        self._levels = np.unique(strengths)
        at = np.searchsorted(self._levels, strengths)
        # By how many of the cards met: how many draws with just these are at least of each level.
        self._at_least = [self._counted(drawn, at, met) for met in range(self._draws)]
        # The one draw with all the cards met; 0, which is below all strengths, where it cannot come.
        self._strength = np.zeros(comb(DECK, self._draws), np.uint16)
        self._strength[_index(np.sort(drawn, axis=0))] = strengths

    def _counted(self, drawn: Bytes, at: Places, met: int) -> NDArray[np.int32]:
        levels = len(self._levels)
        counts = np.zeros(comb(DECK, met) * (levels + 1), np.int64)
        for cards in combinations(np.sort(drawn, axis=0), met):
            places = _index(np.array(cards)) if met else np.zeros(len(at), np.intp)
            counts += np.bincount(places * (levels + 1) + at, minlength=len(counts))
        table = counts.reshape(-1, levels + 1)
        return table[:, ::-1].cumsum(axis=1, dtype=np.int32)[:, ::-1].copy()

    def against(self, hands: Bytes, strengths: Strengths) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each hand: with how many of the draws that share no card with it we win, and tie."""
        hands = np.sort(hands, axis=0)
        above = np.searchsorted(self._levels, strengths, side="right")
        from_equal = np.searchsorted(self._levels, strengths, side="left")
        won, not_lost = np.zeros(len(strengths), np.int64), np.zeros(len(strengths), np.int64)
        for met, at_least in enumerate(self._at_least):
            sign = -1 if met % 2 else 1
            for cards in combinations(hands, met):
                places = _index(np.array(cards)) if met else np.zeros(len(strengths), np.intp)
                won += sign * at_least[places, above]
                not_lost += sign * at_least[places, from_equal]
        sign = -1 if self._draws % 2 else 1
        for cards in combinations(hands, self._draws):
            places = _index(np.array(cards)) if self._draws else np.zeros(len(strengths), np.intp)
            ours = self._strength.take(places)
            won += sign * (ours > strengths)
            not_lost += sign * (ours >= strengths)
        return won, not_lost - won


def _index(cards: Bytes) -> Places:
    """The place of each column of ascending cards among all such sets: the combinatorial number system."""
    index = np.zeros(cards.shape[1], np.intp)
    for i, row in enumerate(cards, start=1):
        index += _WAYS[i].take(row)
    return index


_WAYS: Final = {i: np.array([comb(n, i) for n in range(DECK)], np.intp) for i in range(1, 4)}


def draw_outcomes(kept: bytes, dead: bytes, /) -> list[int]:
    """See `kernels.Kernel`."""
    own, known = own_cards(kept, dead)
    deck = deck_without(known)
    drawn = deck[subsets(len(deck), 5 - len(own))]
    keys = np.full(drawn.shape[1], KEY_START + KEY[own].sum(dtype=np.uint64))
    for cards in drawn:
        keys += KEY.take(cards)
    joined = np.bitwise_or.reduce(set_of(own[:, None]))
    strengths = strengths5(keys, lambda at: set_of(drawn[:, at]) | joined)
    result: list[int] = np.bincount(CATEGORY.take(strengths), minlength=9).tolist()
    return result
