"""Chance of the operating system's cryptographic source: a salon's decks and lots, and its bots' own.

Law of this file: no seed, no other source. Whoever wants a known deck brings his own and never comes here.
"""

import os
import random
from operator import lt, mod
from struct import Struct
from typing import Final

from engine.cards import FULL_DECK, Card
from engine.commands import LOTS, StartHand

_DRAW_BYTES: Final = 2
_SPAN: Final = 1 << (8 * _DRAW_BYTES)
_DRAWS: Final = Struct(f"{len(FULL_DECK)}H")
_LEFT: Final = tuple(range(len(FULL_DECK), 0, -1))
"""From how many cards each card of a deck is taken."""
_LIMITS: Final = tuple(_SPAN - _SPAN % cards for cards in _LEFT)
"""Below its limit every remainder of a draw is equally likely."""
_LEAST_LIMIT: Final = min(_LIMITS)
_POOL: Final = 4096
_FRACTION: Final = 53
"""Bits of a float from 0 to 1,"""
_STEP: Final = 2.0**-_FRACTION
"""and the least that two of them differ by."""


def shuffled_deck() -> tuple[Card, ...]:
    """All 52 cards in an order of which every one is equally likely.

    Card after card is taken out of those that are left, by a remainder of a draw. If one draw of a deck is at or
    above its limit (one deck in 50) all are thrown away, so that no remainder is likelier than another.
    """
    while True:
        draws = _DRAWS.unpack(os.urandom(_DRAWS.size))
        if max(draws) < _LEAST_LIMIT or all(map(lt, draws, _LIMITS)):
            return tuple(map(list(FULL_DECK).pop, map(mod, draws, _LEFT)))


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


class PooledChance(random.SystemRandom):
    """The bots' chance: read from the operating system some hundred decisions at a time, and used once. Of one thread."""

    def __init__(self) -> None:
        self._pool = b""
        self._at = 0
        super().__init__()

    def random(self) -> float:
        """A float from 0 to below 1."""
        return self.getrandbits(_FRACTION) * _STEP

    def getrandbits(self, k: int, /) -> int:
        """A whole number of `k` bits."""
        size = (k + 7) // 8
        if self._at + size > len(self._pool):
            self._pool, self._at = os.urandom(max(_POOL, size)), 0
        taken = self._pool[self._at : self._at + size]
        self._at += size
        return int.from_bytes(taken, "little") >> (8 * size - k)
