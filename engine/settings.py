"""The settings of a salon: the table of the rules, with its ranges, defaults and the reasons for a refusal.

What follows from settings alone stands here too: the rules of a hand, coverage, the usual buy-in.
"""

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Final, TypeVar

from engine.game import DRAW_STREETS, HOLDEM_STREETS, Game, HandRules, Structure
from engine.refusals import Reason, Refusal, refuse
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


_NO_CHIPS: Final = Chips(0)
_ONE_CHIP: Final = Chips(1)
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
        return _NO_CHIPS
    return Chips(settings.ante + (1 + settings.raise_cap) * (settings.small_bet + settings.big_bet))


def least_stack(settings: Settings) -> Chips:
    """The least stack that is dealt in: a chip, or in draw without all-in the coverage."""
    return _ONE_CHIP if settings.all_in else coverage(settings)


def chips_needed(settings: Settings, stack: Chips) -> Chips:
    """What `stack` must be topped up to before it is dealt in; 0 if it is enough as it is (B11, draw coverage)."""
    if stack >= least_stack(settings):
        return _NO_CHIPS
    return coverage(settings) if stack else settings.min_buy_in


def usual_buy_in(settings: Settings) -> Chips:
    """What a bot, or whoever names no amount, buys in for: 100 big blinds or 50 big bets, or the nearest allowed."""
    if settings.game is Game.HOLDEM:
        usual = BUY_IN_BIG_BLINDS * settings.big_blind
    else:
        usual = BUY_IN_BIG_BETS * settings.big_bet
    return Chips(min(max(usual, settings.min_buy_in), settings.max_buy_in))


# The ranges and defaults

_MOST_CHIPS: Final = 10**9
_HOLDEM_ALONE: Final = frozenset({"small_blind", "big_blind"})
_DRAW_ALONE: Final = frozenset({"small_bet", "big_bet", "raise_cap"})
_NAMES: Final = frozenset(field.name for field in fields(Settings)) - {"game"}
_NAMES_OF: Final = {Game.HOLDEM: _NAMES - _DRAW_ALONE, Game.DRAW: _NAMES - _HOLDEM_ALONE}
_TITLES: Final = {Game.HOLDEM: "hold'em", Game.DRAW: "five-card draw"}

Choice = TypeVar("Choice", bound=StrEnum)


@value
class _Range:
    low: int
    high: int
    unit: str = "chips"
    why: str = ""
    """Why the bounds are these, where another setting makes them."""


class _Reader:
    """Takes settings out of what was given, one by one, and keeps the first refusal."""

    __slots__ = ("given", "refusal")

    def __init__(self, given: Mapping[str, object]) -> None:
        self.given = given
        self.refusal: Refusal | None = None

    def stop(self, refusal: Refusal) -> None:
        self.refusal = self.refusal or refusal

    def peek(self, name: str, default: int) -> int:
        asked = self.given.get(name)
        return asked if isinstance(asked, int) and not isinstance(asked, bool) else default

    def whole(self, name: str, span: _Range, *, default: int) -> int:
        asked = self.given.get(name)
        if asked is None:
            asked = default
        if isinstance(asked, int) and not isinstance(asked, bool) and span.low <= asked <= span.high:
            return asked
        bounds = (
            f"it must be {span.low}"
            if span.low == span.high
            else f"it must be from {span.low} to {span.high}"
        )
        why = f", {span.why}" if span.why else ""
        reason = Reason.SETTINGS_CONFLICT if span.why else Reason.SETTING_OUT_OF_RANGE
        text = f"{name} {asked!r} refused: {bounds} {span.unit}{why}"
        self.stop(refuse(reason, text, field=name, min=span.low, max=span.high))
        return default

    def limit(self, name: str, span: _Range) -> int:
        """A limit where None and 0 are none."""
        return self.whole(name, span, default=0) if self.given.get(name) else 0

    def switch(self, name: str, *, default: bool) -> bool:
        asked = self.given.get(name)
        if asked is None or isinstance(asked, bool):
            return default if asked is None else asked
        text = f"{name} {asked!r} refused: it must be on or off (true or false)"
        self.stop(refuse(Reason.SETTING_OUT_OF_RANGE, text, field=name))
        return default

    def choice(self, name: str, default: Choice) -> Choice:
        kinds = type(default)
        asked = self.given.get(name)
        if asked is None:
            return default
        for kind in kinds:
            if asked == kind:
                return kind
        choices = ", ".join(kinds)
        text = f"{name} {asked!r} refused: it must be one of {choices}"
        self.stop(refuse(Reason.SETTING_OUT_OF_RANGE, text, field=name, choices=choices))
        return default

    def bots(self, seats: int) -> tuple[BotSeat, ...]:
        asked = self.given.get("bots") or ()
        if not isinstance(asked, tuple | list) or not all(isinstance(bot, BotSeat) for bot in asked):
            text = "bots refused: it must be a list of bots, each with a level, a style and a seat"
            self.stop(refuse(Reason.SETTING_OUT_OF_RANGE, text, field="bots"))
            return ()
        bots: tuple[BotSeat, ...] = tuple(asked)
        named = [bot.seat for bot in bots if bot.seat]
        if len(bots) > seats:
            text = f"{len(bots)} bots refused: the salon has {seats} seats"
            self.stop(refuse(Reason.SETTINGS_CONFLICT, text, field="bots", min=0, max=seats))
        elif len(set(named)) != len(named) or not all(1 <= seat <= seats for seat in named):
            text = f"bots refused: a bot's seat must be from 1 to {seats}, or 0 for any, and no seat may have two"
            self.stop(refuse(Reason.SETTINGS_CONFLICT, text, field="bots", min=0, max=seats))
        return bots


@value
class _Stakes:
    small_blind: int = 0
    big_blind: int = 0
    ante: int = 0
    small_bet: int = 0
    big_bet: int = 0
    raise_cap: int = 0
    all_in: bool = True


def _holdem_stakes(reader: _Reader) -> _Stakes:
    small = reader.peek("small_blind", 0)
    big = reader.whole("big_blind", _Range(1, _MOST_CHIPS), default=max(2 * small, 2))
    small = reader.whole("small_blind", _Range(1, big, why="the big blind"), default=max(big // 2, 1))
    ante = reader.whole("ante", _Range(0, big, why="the big blind"), default=0)
    if not reader.switch("all_in", default=True):
        text = "all_in off refused: in no-limit hold'em all-in is always an action"
        reader.stop(refuse(Reason.SETTING_OUT_OF_RANGE, text, field="all_in"))
    return _Stakes(small_blind=small, big_blind=big, ante=ante)


def _draw_stakes(reader: _Reader) -> _Stakes:
    half = max(reader.peek("big_bet", 4) // 2, 1)
    small = reader.whole("small_bet", _Range(1, _MOST_CHIPS // 2), default=min(half, _MOST_CHIPS // 2))
    twice = _Range(2 * small, 2 * small, why="twice the small bet")
    big = reader.whole("big_bet", twice, default=2 * small)
    ante = reader.whole("ante", _Range(1, small, why="the small bet"), default=1)
    cap = reader.whole("raise_cap", _Range(1, 10, "raises a round"), default=3)
    all_in = reader.switch("all_in", default=False)
    return _Stakes(ante=ante, small_bet=small, big_bet=big, raise_cap=cap, all_in=all_in)


def _buy_ins(reader: _Reader, stakes: _Stakes) -> tuple[int, int]:
    unit = stakes.big_blind or stakes.big_bet
    low, top, why = unit, 1_000 * unit, ""
    usual_low, usual_high = (40, 200) if stakes.big_blind else (25, 100)
    if not stakes.all_in:
        low = stakes.ante + (1 + stakes.raise_cap) * (stakes.small_bet + stakes.big_bet)
        why = f"since a hand can cost {low} chips: ante + (1 + raise_cap) x (small bet + big bet)"
    highest = min(reader.peek("max_buy_in", top), top)
    default = max(min(usual_low * unit, highest), low)
    span = _Range(low, top, why=why if reader.peek("min_buy_in", low) < low else "")
    lowest = reader.whole("min_buy_in", span, default=default)
    least = lowest if reader.given.get("min_buy_in") else low
    asked = reader.peek("max_buy_in", top)
    why = "not under min_buy_in" if low <= asked < least else why if asked < low else ""
    highest = reader.whole("max_buy_in", _Range(least, top, why=why), default=max(usual_high * unit, lowest))
    return lowest, highest


def _hand_limit(reader: _Reader, game: Game) -> int:
    span = _Range(1, 10**6, "hands")
    if game is Game.HOLDEM:
        return reader.limit("hand_limit", span)
    if "hand_limit" in reader.given and reader.given["hand_limit"] is None:
        text = "hand_limit none refused: five-card draw needs one from 1 to 1000000 hands"
        reader.stop(refuse(Reason.SETTING_OUT_OF_RANGE, text, field="hand_limit", min=1, max=10**6))
    return reader.whole("hand_limit", span, default=100)


def _between_hands(reader: _Reader, *, only_bots: bool) -> int:
    between = reader.whole("between_hands", _Range(0, 60_000, "ms"), default=4_000)
    if not between and not only_bots:
        text = "between_hands 0 refused: it must be from 1 to 60000 ms unless a bot has every seat"
        reader.stop(refuse(Reason.SETTINGS_CONFLICT, text, field="between_hands", min=1, max=60_000))
    return between


def make_settings(game: Game, given: Mapping[str, object]) -> Settings | Refusal:
    """The settings of a salon from what its creator gave, by name; what he left out takes its default.

    None is "not given", but for `hand_limit` and `time_limit`, where it means none, as 0 does. A default that
    another setting rules out gives way to it: with `small_blind` 50 alone, `big_blind` is 100. The refusal is
    that of the first setting that is out of its range, or cannot work with the others.
    """
    unknown = sorted(given.keys() - _NAMES_OF[game])
    if unknown:
        text = f"{unknown[0]} refused: {_TITLES[game]} has no such setting"
        return refuse(Reason.SETTING_OUT_OF_RANGE, text, field=unknown[0])
    reader = _Reader(given)
    seats = reader.whole("seats", _Range(2, 9 if game is Game.HOLDEM else 6, "players"), default=6)
    stakes = _holdem_stakes(reader) if game is Game.HOLDEM else _draw_stakes(reader)
    min_buy_in, max_buy_in = _buy_ins(reader, stakes)
    bots = reader.bots(seats)
    settings = Settings(
        game=game,
        seats=seats,
        small_blind=Chips(stakes.small_blind),
        big_blind=Chips(stakes.big_blind),
        ante=Chips(stakes.ante),
        small_bet=Chips(stakes.small_bet),
        big_bet=Chips(stakes.big_bet),
        raise_cap=stakes.raise_cap,
        all_in=stakes.all_in,
        min_buy_in=Chips(min_buy_in),
        max_buy_in=Chips(max_buy_in),
        hand_limit=_hand_limit(reader, game),
        time_limit=reader.limit("time_limit", _Range(60, 2_592_000, "seconds")),
        turn_time=Millis(reader.whole("turn_time", _Range(1_000, 300_000, "ms"), default=20_000)),
        time_bank=Millis(reader.whole("time_bank", _Range(0, 600_000, "ms"), default=30_000)),
        between_hands=Millis(_between_hands(reader, only_bots=len(bots) == seats)),
        timeouts_to_sit_out=reader.whole("timeouts_to_sit_out", _Range(1, 10, "times"), default=2),
        sit_out_evicts=reader.whole("sit_out_evicts", _Range(60, 86_400, "seconds"), default=600),
        voluntary_reveal=reader.switch("voluntary_reveal", default=True),
        spectators=reader.switch("spectators", default=True),
        spectator_delay=reader.whole("spectator_delay", _Range(0, 10, "hands"), default=0),
        visibility=reader.choice("visibility", Visibility.PUBLIC),
        bots=bots,
        bot_speed=reader.choice("bot_speed", BotSpeed.NATURAL),
        plays_unwatched=reader.switch("plays_unwatched", default=False),
    )
    return reader.refusal or settings


def settings_refused(settings: Settings) -> Refusal | None:
    """Why a salon may not be opened with these settings, however they were made; None if it may."""
    given = {name: getattr(settings, name) for name in _NAMES_OF[settings.game]}
    made = make_settings(settings.game, given)
    return made if isinstance(made, Refusal) else None
