"""The catalogue: every hand of five as a holding, and what it may become, counted over all cards."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from bots.draw_solver.card_sets import FULL, CardRows, Numbers, Places, card_sets, containing, joined
from bots.draw_solver.holding import DRAWS, HOLDINGS, Cards, read
from bots.equity.numpy_cards import DECK, strengths_of

_UNSEEN: Final = DECK - FULL


class Catalogue:
    """The 134,459 classes of five cards as holdings."""

    def __init__(self) -> None:
        hands = card_sets(FULL)
        self.cards = hands.cards
        """One hand of each class, a row each."""
        self.count = hands.count
        """Hands of each class."""
        self.strength = strengths_of(np.ascontiguousarray(hands.cards.T)).astype(np.int64)
        self.place = np.zeros(len(hands.count), np.int64)
        """Its holding."""
        self.sensible = np.zeros((DRAWS, HOLDINGS))
        """(draws, holdings): 1 where it may be sensible to draw so many, else 0."""
        self._read()

    def _read(self) -> None:
        """Read every class, and keep only arrays of it: as objects they are large."""
        keeps: list[list[Cards]] = [[] for _ in range(DRAWS)]
        which: list[list[int]] = [[] for _ in range(DRAWS)]
        for at, cards in enumerate(self.cards.tolist()):
            holding = read(cards)
            self.place[at] = holding.place
            for draws, keep in enumerate(holding.keeps):
                if keep is not None:
                    keeps[draws].append(keep)
                    which[draws].append(at)
        self._keeping = tuple(
            (np.array(some), np.array(kept, np.uint8)) for some, kept in zip(which, keeps, strict=True)
        )
        for draws, (some, _) in enumerate(self._keeping):
            self.sensible[draws, self.place[some]] = 1

    @property
    def dealt(self) -> Numbers:
        """(holdings,): how many of all hands each holding is."""
        found: Numbers = np.bincount(self.place, self.count, HOLDINGS).astype(np.float64)
        return found

    def keeping(self, draws: int) -> tuple[Places, CardRows, CardRows]:
        """The classes that may draw so many, the cards they keep and those they discard, a row each."""
        which, kept = self._keeping[draws]
        gone = (self.cards[which][:, :, None] != kept[:, None, :]).all(axis=2)
        return which, kept, self.cards[which][gone].reshape(len(which), draws)


@cache
def catalogue() -> Catalogue:
    """The catalogue; it takes a second or two at the first time."""
    return Catalogue()


def finals(draws: int, shares: Numbers) -> Numbers:
    """How often each class of five cards is the final hand of one who draws so many.

    `shares` says how often each holding draws so many; the sum is the number of hands that do.
    """
    hands = catalogue()
    worth = shares[hands.place] * hands.count
    found = {size: np.zeros(len(card_sets(size).keys)) for size in range(FULL - draws, FULL + 1)}
    for size, places, which, sign in _parts(draws):
        found[size] += sign * np.bincount(places, worth[which], len(found[size]))
    for size in range(FULL - draws, FULL):
        # A set grows to a hand in as many orders as it lacks cards, and each order is met once.
        grown = np.repeat(found[size] / (FULL - size), DECK - size)
        found[size + 1] += np.bincount(joined(size).ravel(), grown, len(found[size + 1]))
    return found[FULL] / comb(_UNSEEN, draws)


def outcomes(draws: int, labels: Places, kinds: int) -> Numbers:
    """(holdings, kinds): how often a holding that draws so many ends as each kind of hand.

    `labels` is the kind of each class of five cards. Whatever another player holds is not taken into account.
    """
    hands = catalogue()
    counted = np.zeros((HOLDINGS, kinds))
    sets = containing(labels, kinds) if draws else []
    for size, places, which, sign in _parts(draws):
        holding, count = hands.place[which], hands.count[which]
        if size == FULL:
            cells = holding * kinds + labels[places]
            counted += sign * np.bincount(cells, count, counted.size).reshape(counted.shape)
        else:
            wide = len(sets[size])
            times = np.bincount(holding * wide + places, count, HOLDINGS * wide)
            counted += sign * (times.reshape(HOLDINGS, wide) @ sets[size])
    found: Numbers = counted / (np.maximum(hands.dealt, 1) * comb(_UNSEEN, draws))[:, None]
    return found


def _parts(draws: int) -> Iterator[tuple[int, Places, Places, int]]:
    """What draws of so many are counted from: the size of sets, their classes, whose they are, and with which sign.

    The draws that meet no discard are all draws, less those that meet one, more those that meet two, and so on; all
    draws to some cards are all hands that contain them.
    """
    which, kept, gone = catalogue().keeping(draws)
    for met in range(draws + 1):
        for chosen in combinations(range(draws), met):
            sets = np.concatenate([kept, gone[:, list(chosen)]], axis=1)
            size = sets.shape[1]
            yield size, card_sets(size).find(sets), which, (-1) ** met
