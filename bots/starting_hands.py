"""Starting hands of hold'em: how good two hole cards are, as the share of all hands that are better.

The order is Bill Chen's formula (Lou Krieger, "Hold'em Excellence"): points for the higher card, twice for
a pair, for cards of a suit, and off for the gap between the two; ties go to the higher cards.
"""

from collections.abc import Sequence
from typing import Final

from bots.equity.combos import COMBOS
from bots.hand_classes import CLASSES, class_of, combos_of

_HIGH_CARD_POINTS: Final = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}
_GAP_POINTS: Final = (0.0, -1.0, -2.0, -4.0, -5.0)
_QUEEN: Final = 10


def percentile(cards: Sequence[int]) -> float:
    """The share, from 0 for aces to nearly 1, of the 1,326 starting hands that are better than these two."""
    return _BETTER[class_of(cards[0], cards[1])]


def chen_points(high: int, low: int, *, suited: bool) -> float:
    """The points of two card ranks (0 the deuce, 12 the ace; high >= low)."""
    points = _HIGH_CARD_POINTS.get(high, (high + 2) / 2)
    if high == low:
        return max(5.0, 2 * points)
    gap = high - low - 1
    points += _GAP_POINTS[min(gap, 4)] + (2.0 if suited else 0.0)
    return points + (1.0 if gap <= 1 and high < _QUEEN else 0.0)


def _shares_of_better() -> list[float]:
    """By class of hole cards."""
    shares, better = [0.0] * CLASSES, 0
    for number in sorted(range(CLASSES), key=_merit, reverse=True):
        shares[number] = better / len(COMBOS)
        better += len(combos_of(number))
    return shares


def _merit(number: int) -> tuple[float, int, int, bool]:
    """The points of a class, and what decides between equal ones."""
    row, column = divmod(number, 13)
    high, low, suited = max(row, column), min(row, column), row > column
    return chen_points(high, low, suited=suited), high, low, suited


_BETTER: Final = _shares_of_better()
