"""The settings of a salon as a value, and what follows from them: the rules of a hand, coverage, the buy-in.

How they are made, with their ranges and defaults, is in `settings_table.py`.
"""

from enum import StrEnum
from typing import Final

from engine.game import DRAW_STREETS, HOLDEM_STREETS, Game, HandRules, Structure
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


BUY_IN_BIG_BLINDS: Final = 100
"""What a bot, or whoever names no amount, buys in for in hold'em, as far as the salon allows."""
BUY_IN_BIG_BETS: Final = 50
"""The same in draw."""


def rules_of(settings: Settings) -> HandRules:
    """What the salon's hands are played by."""
    holdem = settings.game is Game.HOLDEM
    big = settings.big_blind
    return HandRules(
        game=settings.game,
        structure=Structure.NO_LIMIT if holdem else Structure.FIXED_LIMIT,
        streets=HOLDEM_STREETS if holdem else DRAW_STREETS,
        units=(big, big, big, big) if holdem else (settings.small_bet, Chips(0), settings.big_bet),
        hole_cards=2 if holdem else 5,
        small_blind=settings.small_blind,
        big_blind=big,
        ante=settings.ante,
        raise_cap=settings.raise_cap,
        all_in=settings.all_in,
    )


def coverage(settings: Settings) -> Chips:
    """The most that a hand can cost: what a stack must cover to be dealt in, 0 where all-in is an action."""
    if settings.all_in:
        return Chips(0)
    return Chips(settings.ante + (1 + settings.raise_cap) * (settings.small_bet + settings.big_bet))


def chips_needed(settings: Settings, stack: Chips) -> Chips:
    """What `stack` must be topped up to before it is dealt in; 0 if it is enough as it is (B11, draw coverage)."""
    if stack <= 0:
        return settings.min_buy_in
    need = coverage(settings)
    return Chips(0) if stack >= need else need


def usual_buy_in(settings: Settings) -> Chips:
    """What a bot, or whoever names no amount, buys in for: 100 big blinds or 50 big bets, or the nearest allowed."""
    if settings.game is Game.HOLDEM:
        usual = BUY_IN_BIG_BLINDS * settings.big_blind
    else:
        usual = BUY_IN_BIG_BETS * settings.big_bet
    return Chips(min(max(usual, settings.min_buy_in), settings.max_buy_in))
