"""Chance of the operating system's cryptographic source: a salon's decks and lots.

Law of this file: no seed, no other source. Whoever wants a known deck brings his own and never comes here.
"""

import os
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
