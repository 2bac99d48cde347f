"""Hand classes: the 169 kinds of hole cards, by number, and how they meet.

A class is row * 13 + column of the usual chart, ranks from 0 for the deuce: pairs on the diagonal, suited where
the row is the higher rank, offsuit where the column is.
"""

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from typing import Final

from bots.equity.combos import COMBOS, offsuit, pair, suited
from engine.cards import RANKS

CLASSES: Final = 169


def class_of(one: int, other: int) -> int:
    """The class of two hole cards in any order."""
    high, low = (one >> 2, other >> 2) if one >= other else (other >> 2, one >> 2)
    return high * 13 + low if one & 3 == other & 3 else low * 13 + high


@cache
def combos_of(number: int) -> tuple[int, ...]:
    """The combos of a class: 6 of a pair, 4 suited, 12 offsuit."""
    row, column = divmod(number, 13)
    if row == column:
        return pair(row)
    return suited(row, column) if row > column else offsuit(column, row)


def name_of(number: int) -> str:
    """The class as players write it, such as "AKs", "72o" or "TT"."""
    row, column = divmod(number, 13)
    high, low = max(row, column), min(row, column)
    return RANKS[high] + RANKS[low] + ("" if row == column else "s" if row > column else "o")


@cache
def meetings_of(one: int, other: int) -> int:
    """How many combos of class `other` can be dealt beside one of class `one`."""
    first = {*COMBOS[combos_of(one)[0]]}
    return sum(first.isdisjoint(COMBOS[combo]) for combo in combos_of(other))


def patterns(one: int, other: int) -> dict[tuple[int, ...], int]:
    """How one combo of class `one` can meet combos of class `other`, up to an exchange of suits, with how many do.

    The key is the combo's two cards and those of the other, as card numbers.
    """
    first = COMBOS[combos_of(one)[0]]
    found: dict[tuple[int, ...], int] = {}
    for combo in combos_of(other):
        second = COMBOS[combo]
        if not {*first} & {*second}:
            key = min(_exchanged(second, suits) for suits in _keeping(first))
            found[(*first, *key)] = found.get((*first, *key), 0) + 1
    return found


def _exchanged(cards: Sequence[int], suits: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(card & ~3 | suits[card & 3] for card in cards))


@cache
def _keeping(cards: tuple[int, int]) -> tuple[tuple[int, ...], ...]:
    """The exchanges of suits that leave two cards as they are."""
    return tuple(suits for suits in permutations(range(4)) if _exchanged(cards, suits) == cards)
