"""Straights as sets of card ranks, for seeing what is missing of one."""

from collections.abc import Iterable
from typing import Final

STRAIGHTS: Final = (0b1_0000_0000_1111, *(0b11111 << low for low in range(9)))
"""The ten straights as bit masks of card ranks, bit 0 the deuce; A-2-3-4-5 first."""


def rank_mask(cards: Iterable[int]) -> int:
    """The card ranks of `cards` as a bit mask."""
    mask = 0
    for card in cards:
        mask |= 1 << (card >> 2)
    return mask
