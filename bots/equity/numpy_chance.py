"""Chance in numpy: many deals at once, each as likely as it ought to be."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bots.equity.numpy_cards import DECK, Bytes, Places, Sets

_NO_PLACE: Final = 255
PATIENCE: Final = 1 << 22
RARE: Final = 4096
"""As in `chance.h`: fewer deals than one in so many tries are given up, after the first millions."""
_FEWEST_TRIES: Final = 4096
"""That are made at once after the first ones have failed."""


def generator(seed: int) -> np.random.Generator:
    """The random numbers of a seed."""
    return np.random.Generator(np.random.SFC64(seed))


@dataclass(frozen=True, slots=True)
class Choices:
    """What one player may hold: sets of cards, and how likely each is (`weights` None: equally)."""

    sets: Sets
    weights: bytes | None

    def drawn(self, chance: np.random.Generator, size: int) -> Places:
        """Choose `size` times; a choice is its place in `sets`."""
        n = len(self.sets)
        if n == 1:
            return np.zeros(size, np.intp)
        places: Places = chance.integers(0, n, size, np.intp)
        if self.weights is None:
            return places
        keep, alias = _aliases(self.weights)
        return np.where(chance.random(size) < keep.take(places), places, alias.take(places))


@lru_cache(maxsize=32)
def _aliases(weights: bytes) -> tuple[NDArray[np.float64], Places]:
    """The alias method (Vose 1991): how often each place is kept, and which one is taken instead."""
    values = np.frombuffer(weights, np.float64)
    scaled = (values / values.sum() * len(values)).tolist()
    alias = list(range(len(scaled)))
    small = [place for place, share in enumerate(scaled) if share < 1]
    large = [place for place, share in enumerate(scaled) if share >= 1]
    while small and large:
        less, more = small.pop(), large[-1]
        alias[less] = more
        scaled[more] -= 1 - scaled[less]
        if scaled[more] < 1:
            small.append(large.pop())
    for place in small + large:
        scaled[place] = 1.0
    return np.array(scaled), np.array(alias, np.intp)


def choose(players: Sequence[Choices], size: int, chance: np.random.Generator) -> list[Places]:
    """A choice for each player in `size` deals; where two would share a card, the whole deal was drawn anew.

    Raises:
        RuntimeError: hardly a try is a possible deal.
    """
    if len(players) == 1:
        return [players[0].drawn(chance, size)]
    kept: list[list[Places]] = [[] for _ in players]
    found, tries, at_once = 0, 0, size
    while found < size:
        if tries > PATIENCE + RARE * found:
            raise RuntimeError("fewer than one try in 4,096 was a possible deal")
        places = [player.drawn(chance, at_once) for player in players]
        used, free = players[0].sets.take(places[0]), np.ones(at_once, np.bool_)
        for player, at in zip(players[1:], places[1:], strict=True):
            cards = player.sets.take(at)
            free &= (used & cards) == 0
            used |= cards
        good = np.flatnonzero(free)[: size - found]
        for parts, at in zip(kept, places, strict=True):
            parts.append(at.take(good))
        found += len(good)
        tries += at_once
        at_once = max(size, _FEWEST_TRIES)
    return [np.concatenate(parts) for parts in kept]


class Decks:
    """Many decks of the same cards, from each of which cards are taken, or drawn at random.

    Each is shuffled as by Fisher and Yates (Durstenfeld 1964): a card that goes leaves a hole, and the deck's last card
    moves there. No deck is kept, only what each step moved; a card is found by going through the steps again.
    """

    def __init__(self, cards: Bytes, decks: int, chance: np.random.Generator) -> None:
        self._cards = cards
        self._place_of = np.full(DECK, _NO_PLACE, np.uint8)
        self._place_of[cards] = np.arange(len(cards), dtype=np.uint8)
        self._decks = decks
        self._chance = chance
        self._left: int | Bytes = len(cards)
        self._moves: list[tuple[Bytes, np.uint8 | Bytes]] = []

    def take(self, cards: Bytes, where: NDArray[np.bool_] | None = None) -> None:
        """Take a given card from each deck, or from those of `where`; it must be there."""
        hole = self._place_of.take(cards, mode="clip")
        for earlier, last in self._moves:
            np.copyto(hole, earlier, where=hole == last)
        self._move(hole, where)

    def draw(self, where: NDArray[np.bool_] | None = None) -> Bytes:
        """Draw a card from each deck, or from those of `where`; what is given for others means nothing."""
        hole = self._holes()
        place = hole.copy()
        for earlier, last in reversed(self._moves):
            np.copyto(place, last, where=place == earlier)
        self._move(hole, where)
        return self._cards.take(place)

    def _holes(self) -> Bytes:
        if isinstance(self._left, int):
            return self._chance.integers(0, self._left, self._decks, np.uint16).astype(np.uint8)
        return self._chance.integers(0, np.maximum(self._left, 1), dtype=np.uint8)

    def _move(self, hole: Bytes, where: NDArray[np.bool_] | None) -> None:
        """Move the last card to the hole; nothing is at _NO_PLACE, so a move from and to it is none."""
        last = np.uint8(self._left - 1) if isinstance(self._left, int) else self._left - np.uint8(1)
        if where is None:
            self._moves.append((hole, last))
            self._left -= 1
            return
        nowhere = np.uint8(_NO_PLACE)
        self._moves.append((np.where(where, hole, nowhere), np.where(where, last, nowhere)))
        self._left = self._left - where.astype(np.uint8)
