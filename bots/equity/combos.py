"""Combos: the 1,326 pairs of hole cards by number, and the classes of them that players have names for."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from engine.cards import Card, text_of

COMBOS: Final[tuple[tuple[int, int], ...]] = tuple((a, b) for b in range(52) for a in range(b))
"""The two cards of each combo by its number, the lower card first."""


def combo(one: int, other: int) -> int:
    """The number, 0 to 1325, of two different cards in any order.

    Raises:
        ValueError: the cards are one and the same, or no cards.
    """
    a, b = (one, other) if one < other else (other, one)
    if not 0 <= a < b < 52:
        raise ValueError(f"{one} and {other} are not two different cards of 0 to 51")
    return b * (b - 1) // 2 + a


def combo_text(number: int) -> str:
    """The two cards of a combo, the higher first, such as "AsKd"."""
    low, high = COMBOS[number]
    return text_of(Card(high)) + text_of(Card(low))


def combos_with(cards: Iterable[int]) -> frozenset[int]:
    """The combos that hold at least one of `cards`."""
    return frozenset().union(*(_WITH[card] for card in cards))


@cache
def pair(rank: int) -> tuple[int, ...]:
    """The six combos of a pocket pair; rank 0 is the deuce."""
    cards = range(4 * rank, 4 * rank + 4)
    return tuple(combo(a, b) for b in cards for a in cards if a < b)


@cache
def suited(high: int, low: int) -> tuple[int, ...]:
    """The four combos of two different ranks in one suit."""
    return tuple(combo(4 * high + suit, 4 * low + suit) for suit in range(4))


@cache
def offsuit(high: int, low: int) -> tuple[int, ...]:
    """The twelve combos of two different ranks in two suits."""
    return tuple(combo(4 * high + a, 4 * low + b) for a in range(4) for b in range(4) if a != b)


_WITH: Final = tuple(
    frozenset(number for number, cards in enumerate(COMBOS) if card in cards) for card in range(52)
)
