"""Card sets: all sets of up to five cards, alike where only the suits have changed places.

A class is a set of such alike sets. There are 1, 13, 169, 1,755, 16,432 and 134,459 of none to five cards.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bots.equity.numpy_cards import DECK, set_of, subsets

Numbers = NDArray[np.float64]
"""Whole numbers below 2^53 in chances and counts, so that sums are exact in any order."""
Places = NDArray[np.int64]
CardRows = NDArray[np.uint8]
"""Sets of cards, a row each."""

FULL: Final = 5


@dataclass(frozen=True, slots=True)
class CardSets:
    """The classes of sets of `size` cards."""

    size: int
    keys: NDArray[np.uint64]
    """Ascending."""
    cards: CardRows
    """One set of each class, a row each."""
    count: Places
    """Sets in each class."""

    def find(self, cards: CardRows) -> Places:
        """The place of the class of each row's set."""
        return np.searchsorted(self.keys, _keys(cards))


@cache
def card_sets(size: int) -> CardSets:
    """The classes of a size, up to five; half a second for five."""
    every = np.ascontiguousarray(subsets(DECK, size).T)
    keys, first, count = np.unique(_keys(every), return_index=True, return_counts=True)
    return CardSets(size, keys, every[first], count)


@cache
def joined(size: int) -> Places:
    """For each class of a size below five, the classes that one card more makes of its set: 52 - size of them."""
    sets = card_sets(size)
    bits = np.bitwise_or.reduce(np.uint64(1) << sets.cards.astype(np.uint64), axis=1, initial=np.uint64(0))
    free = (bits[:, None] >> np.arange(DECK, dtype=np.uint64) & np.uint64(1)) == 0
    others = np.nonzero(free)[1].reshape(len(bits), DECK - size, 1).astype(np.uint8)
    same = np.broadcast_to(sets.cards[:, None, :], (len(bits), DECK - size, size))
    larger = np.concatenate([same, others], axis=2).reshape(-1, size + 1)
    return card_sets(size + 1).find(larger).reshape(len(bits), DECK - size)


def containing(labels: Places, kinds: int, weights: Numbers | None = None) -> list[Numbers]:
    """How many hands of each kind contain a set: for sizes none to four an array of classes by kinds.

    `labels` is the kind of each class of five cards; `weights` count a hand more than once, or not at all.
    """
    children = joined(FULL - 1)
    cells = np.arange(len(children))[:, None] * kinds + labels[children]
    worth = None if weights is None else weights[children].ravel()
    counted = np.bincount(cells.ravel(), worth, minlength=len(children) * kinds)
    found = [counted.reshape(len(children), kinds).astype(np.float64)]
    for size in range(FULL - 2, -1, -1):
        larger = found[-1]
        total = np.zeros((len(joined(size)), kinds))
        for places in joined(size).T:
            total += larger[places]
        # Each hand that contains the set is met once for every card that it has beside the set.
        found.append(total / (FULL - size))
    return found[::-1]


def _keys(cards: CardRows) -> NDArray[np.uint64]:
    """One number a row of cards, the same for sets that are alike: the ranks of each suit, the suits sorted."""
    if cards.shape[1] == 0:
        return np.zeros(len(cards), np.uint64)
    suits = set_of(cards.T)
    return np.sort(suits.view(np.uint16).reshape(-1, 4), axis=1).view(np.uint64).ravel()
