"""The settings of a salon: the table of rules.md, with its ranges, defaults and the reasons for a refusal."""

from enum import StrEnum

from engine.game import Game
from engine.units import Chips, Millis, Seat
from engine.value import value


class BotLevel(StrEnum):
    """How strong a bot plays."""

    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"


class BotStyle(StrEnum):
    """How a bot of its level plays."""

    TIGHT = "tight"
    BALANCED = "balanced"
    LOOSE = "loose"


class BotSpeed(StrEnum):
    """How long a bot takes over a decision, by public facts alone."""

    INSTANT = "instant"
    FAST = "fast"
    NATURAL = "natural"


class Visibility(StrEnum):
    """Who finds a salon: everybody in the lobby, or whoever has its code."""

    PUBLIC = "public"
    INVITATION = "invitation"


@value
class BotSeat:
    """A bot that a salon is opened with; seat 0 is any free one."""

    level: BotLevel
    style: BotStyle = BotStyle.BALANCED
    seat: Seat = Seat(0)


@value
class Settings:
    """What a salon is created with; fixed for its life, but for its bots. Zero means none in a limit."""

    game: Game
    seats: int
    small_blind: Chips
    big_blind: Chips
    ante: Chips
    small_bet: Chips
    big_bet: Chips
    raise_cap: int
    all_in: bool
    min_buy_in: Chips
    max_buy_in: Chips
    hand_limit: int
    time_limit: int
    """Seconds from the first deal."""
    turn_time: Millis
    time_bank: Millis
    between_hands: Millis
    timeouts_to_sit_out: int
    sit_out_evicts: int
    """Seconds."""
    voluntary_reveal: bool
    spectators: bool
    spectator_delay: int
    """Whole hands."""
    visibility: Visibility
    bots: tuple[BotSeat, ...]
    bot_speed: BotSpeed
    plays_unwatched: bool
