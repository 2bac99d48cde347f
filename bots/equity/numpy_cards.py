"""Cards in numpy: the strengths of many hands at once, looked up in the tables.

A card has a key, which holds its rank's weight in the high 32 bits and a counter of four bits a suit in the low 16,
and a set, which is one bit of 64: 16 * suit + rank. Keys are added and sets joined. A sum of keys starts at KEY_START,
so that five cards of a suit set the highest bit of its counter.
"""

from collections.abc import Callable
from functools import partial
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bots.equity.tables import CATEGORY_SIZES, load

Bytes = NDArray[np.uint8]
Keys = NDArray[np.uint64]
Sets = NDArray[np.uint64]
Strengths = NDArray[np.uint16]
Places = NDArray[np.intp]

DECK: Final = 52
KEY_START: Final = np.uint64(0x3333)
_FLUSH: Final = np.uint64(0x8888)
_TABLES: Final = load()
_DISPLACE7: Final = np.frombuffer(_TABLES.displace7, "<u2").astype(np.uint16)
_STRENGTH7: Final = np.frombuffer(_TABLES.strength7, "<u2").astype(np.uint16)
_SUITED: Final = np.frombuffer(_TABLES.flush, "<u2").astype(np.uint16)
_DISPLACE5: Final = np.frombuffer(_TABLES.displace5, "<u2").astype(np.uint16)
_STRENGTH5: Final = np.frombuffer(_TABLES.strength5, "<u2").astype(np.uint16)

KEY: Final = np.array(
    [(_TABLES.weights[card >> 2] << 32) + (1 << 4 * (card & 3)) for card in range(DECK)], np.uint64
)
SET: Final = np.array([1 << 16 * (card & 3) + (card >> 2) for card in range(DECK)], np.uint64)
CATEGORY: Final = np.concatenate([[0], np.repeat(np.arange(9), CATEGORY_SIZES)]).astype(np.uint8)
"""The category of each strength; a strength of 0 has none."""


def strengths7(keys: Keys, sets_at: Callable[[Places], Sets]) -> Strengths:
    """The strengths of hands of seven by the sums of their keys.

    `sets_at` gives the sets of the hands at some places of `keys`, and is asked about flushes only.
    """
    slots = (keys >> np.uint64(32)).astype(np.uint16)
    slots += _DISPLACE7.take((keys >> np.uint64(51)).astype(np.intp), mode="clip")
    return _with_flushes(_STRENGTH7.take(slots), keys, sets_at)


def strengths5(keys: Keys, sets_at: Callable[[Places], Sets]) -> Strengths:
    """The strengths of hands of five, as `strengths7`."""
    slots = (keys >> np.uint64(32)).astype(np.uint16)
    slots += _DISPLACE5.take((keys >> np.uint64(54)).astype(np.intp), mode="clip")
    slots &= np.uint16(8191)
    return _with_flushes(_STRENGTH5.take(slots, mode="clip"), keys, sets_at)


def _with_flushes(strengths: Strengths, keys: Keys, sets_at: Callable[[Places], Sets]) -> Strengths:
    flushes = np.flatnonzero(keys & _FLUSH)
    if flushes.size:
        sets = sets_at(flushes)
        suits = [(sets >> np.uint64(16 * suit) & np.uint64(0x1FFF)).astype(np.intp) for suit in range(4)]
        strengths[flushes] = np.max([_SUITED.take(suit) for suit in suits], axis=0)
    return strengths


def strengths_of(hands: Bytes) -> Strengths:
    """The strengths of hands of five to seven cards, a column each; six cards are six times five."""
    if len(hands) == 6:
        fives = [strengths_of(np.delete(hands, left_out, axis=0)) for left_out in range(6)]
        best: Strengths = np.max(fives, axis=0)
        return best
    keys, sets = key_of(hands), set_of(hands)
    return (strengths7 if len(hands) == 7 else strengths5)(keys, sets.take)


def key_of(hands: Bytes) -> Keys:
    """The keys of hands of any size, a column each."""
    keys = np.full(hands.shape[1], KEY_START)
    for cards in hands:
        keys += KEY.take(cards)
    return keys


def set_of(hands: Bytes) -> Sets:
    """The sets of hands of any size, a column each."""
    sets = np.zeros(hands.shape[1], np.uint64)
    for cards in hands:
        sets |= SET.take(cards)
    return sets


def subsets(n: int, size: int) -> Bytes:
    """All sets of `size` of the numbers from 0 to n - 1, a column each, ordered by the highest, then the next.

    So the sets of numbers below m are the first ones, for any m.
    """
    found = np.zeros((0, 1), np.uint8)
    for chosen in range(1, size + 1):
        parts = [
            np.vstack(
                [found[:, : comb(highest, chosen - 1)], np.full(comb(highest, chosen - 1), highest, np.uint8)]
            )
            for highest in range(n)
        ]
        found = np.concatenate(parts, axis=1) if parts else np.zeros((chosen, 0), np.uint8)
    return found


def histogram(size: int) -> NDArray[np.uint64]:
    """How many of all hands of five or seven cards have each strength.

    The highest two or three cards are joined to all sets of lower ones, which are the first of a table.
    """
    strengths = strengths7 if size == 7 else strengths5
    low = subsets(DECK, (size + 1) // 2)
    low_keys, low_sets = key_of(low), set_of(low)
    high = subsets(DECK, size // 2)
    high_keys, high_sets = key_of(high) - KEY_START, set_of(high)
    counts = np.zeros(len(CATEGORY), np.int64)
    for lowest, key, joined in zip(high[0].tolist(), high_keys, high_sets, strict=True):
        n = comb(lowest, len(low))
        if n:
            found = strengths(low_keys[:n] + key, partial(_joined, low_sets, joined))
            counts += np.bincount(found, minlength=len(counts))
    return counts.astype(np.uint64)


def _joined(sets: Sets, other: np.uint64, at: Places) -> Sets:
    return sets.take(at) | other
