"""The two games as data: their streets, their cards, their betting structure.

What differs between the games is written here once; the code that plays a hand reads it from
`HandRules` and never asks which game it plays. Replay configurations (blinds in draw, fixed-limit
hold'em) are other `HandRules` of the same kind.
"""

from enum import StrEnum
from typing import Final

from engine.units import Chips
from engine.value import value

RULES_VERSION: Final = "1.0.0"


class Game(StrEnum):
    """A game of the product."""

    HOLDEM = "holdem"
    DRAW = "draw"


class Structure(StrEnum):
    """How much may be bet: any amount up to the stack, or exactly one unit."""

    NO_LIMIT = "no_limit"
    FIXED_LIMIT = "fixed_limit"


class Street(StrEnum):
    """A part of a hand between two deals: a betting round, or the draw."""

    PREFLOP = "preflop"
    FLOP = "flop"
    TURN = "turn"
    RIVER = "river"
    PREDRAW = "predraw"
    DRAW = "draw"
    POSTDRAW = "postdraw"


HOLDEM_STREETS: Final = (Street.PREFLOP, Street.FLOP, Street.TURN, Street.RIVER)
DRAW_STREETS: Final = (Street.PREDRAW, Street.DRAW, Street.POSTDRAW)
BOARD_CARDS: Final = {Street.FLOP: 3, Street.TURN: 1, Street.RIVER: 1}
"""How many community cards are dealt at a street's start (no burn cards)."""
MOST_DISCARDS: Final = 3


@value
class HandRules:
    """What a hand is played by; fixed for a salon's life.

    `units` has one number a street: the smallest full bet (no limit: the big blind) or the exact bet
    (fixed limit), 0 where nothing is bet.
    """

    game: Game
    structure: Structure
    streets: tuple[Street, ...]
    units: tuple[Chips, ...]
    hole_cards: int
    small_blind: Chips
    big_blind: Chips
    ante: Chips
    raise_cap: int
    """Raises a round after the bet; 0 for no cap."""
    all_in: bool
    """Whether all-in is an action of its own, and a bet or raise of less than a unit is allowed as one."""
    big_blind_ante: bool = False
    """Only in replays: one player antes for everybody, and his ante is dead money, no level of a pot."""
    unanswerable_raises: bool = False
    """Only in replays: a raise is taken even if nobody can answer it (N8); its excess comes back."""


def level(bet: int, unit: int) -> int:
    """The level of a fixed-limit round's bet: how many units it counts as, half a unit or more as a full one (D6)."""
    return (2 * bet + unit) // (2 * unit)
