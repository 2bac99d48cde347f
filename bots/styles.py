"""Styles: how bots of one level differ, as multipliers of the level's own numbers."""

from typing import Final, NamedTuple

from engine.settings import BotStyle


class Temper(NamedTuple):
    """What a style changes: 1.0 leaves the level as it is."""

    looseness: float
    """How many hands are played, and how little a call needs."""
    aggression: float
    """How readily a bet or raise is preferred to a check or call."""
    bluff: float
    """How often a hand that cannot win at showdown is bet."""


TEMPERS: Final[dict[BotStyle, Temper]] = {
    BotStyle.TIGHT: Temper(looseness=0.75, aggression=0.9, bluff=0.6),
    BotStyle.BALANCED: Temper(looseness=1.0, aggression=1.0, bluff=1.0),
    BotStyle.LOOSE: Temper(looseness=1.35, aggression=1.15, bluff=1.5),
}
