"""Chance of the operating system's cryptographic source: a salon's decks and lots.

Law of this file: no seed, no other source. Whoever wants a known deck brings his own and never comes here.
"""

import os
from typing import Final

from engine.cards import Card
from engine.commands import LOTS, StartHand

_CARDS: Final = 52
_DRAW_BYTES: Final = 2
_SPAN: Final = 1 << (8 * _DRAW_BYTES)
_LIMITS: Final = tuple(_SPAN - _SPAN % choices if choices else 0 for choices in range(_CARDS + 1))
"""Below the limit every remainder is equally likely; a draw at or above it is thrown away."""
_SPARE: Final = 16


def shuffled_deck() -> tuple[Card, ...]:
    """All 52 cards in an order of which every one is equally likely (Fisher-Yates, without the bias of a bare remainder)."""
    deck = list(range(_CARDS))
    pool = memoryview(os.urandom(_DRAW_BYTES * (_CARDS + _SPARE))).cast("H")
    at = 0
    for last in range(_CARDS - 1, 0, -1):
        limit = _LIMITS[last + 1]
        while True:
            if at == len(pool):
                pool, at = memoryview(os.urandom(_DRAW_BYTES * _SPARE)).cast("H"), 0
            drawn = pool[at]
            at += 1
            if drawn < limit:
                break
        other = drawn % (last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return tuple(map(Card, deck))


def lot() -> int:
    """A whole number from 0 to 2519, each equally likely (B0)."""
    limit = _SPAN - _SPAN % LOTS
    while True:
        drawn = int.from_bytes(os.urandom(_DRAW_BYTES), "little")
        if drawn < limit:
            return drawn % LOTS


def hand_start() -> StartHand:
    """The command that deals the next hand."""
    return StartHand(shuffled_deck(), lot())
