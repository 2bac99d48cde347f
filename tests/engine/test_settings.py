"""The settings table, row by row: each bound is accepted and one beyond it refused, with field, range and reason."""

from dataclasses import fields
from typing import Any

import pytest

from engine.game import DRAW_STREETS, HOLDEM_STREETS, Game, Structure
from engine.refusals import Reason, Refusal
from engine.settings import (
    BotLevel,
    BotSeat,
    BotSpeed,
    BotStyle,
    Settings,
    Visibility,
    coverage,
    make_settings,
    rules_of,
    settings_refused,
    usual_buy_in,
)
from engine.units import Chips, Seat

HOLDEM, DRAW = Game.HOLDEM, Game.DRAW
OUT, CONFLICT = Reason.SETTING_OUT_OF_RANGE, Reason.SETTINGS_CONFLICT
Given = dict[str, Any]


def made(game: Game, **given: Any) -> Settings:
    settings = make_settings(game, given)
    assert isinstance(settings, Settings), settings
    assert settings_refused(settings) is None
    return settings


def refusal(game: Game, **given: Any) -> Refusal:
    answer = make_settings(game, given)
    assert isinstance(answer, Refusal), f"{given} was accepted"
    return answer


def check_range(game: Game, name: str, low: int, high: int, *, reason: Reason = OUT, **others: Any) -> None:
    """`name` takes both bounds, and one beyond each is refused with the field, the range and a reason."""
    for good in (low, high):
        assert getattr(made(game, **{name: good}, **others), name) == good
    for bad in (low - 1, high + 1):
        answer = refusal(game, **{name: bad}, **others)
        numbers = dict(answer.numbers)
        assert (answer.reason, numbers["field"]) == (reason, name)
        assert (numbers["min"], numbers["max"]) == (str(low), str(high))
        assert f"{name} {bad} refused" in answer.text
        assert str(low) in answer.text
        assert str(high) in answer.text


@pytest.mark.parametrize("game, high", [(HOLDEM, 9), (DRAW, 6)])
def test_seats(game: Game, high: int) -> None:
    """`seats`: 2-9 in hold'em, 2-6 in draw, 6 by default."""
    check_range(game, "seats", 2, high)
    assert made(game).seats == 6


def test_blinds() -> None:
    """`small_blind`, `big_blind`: 1 <= small <= big <= 10^9, 1 and 2 by default."""
    check_range(HOLDEM, "big_blind", 1, 10**9, small_blind=1)
    check_range(HOLDEM, "small_blind", 1, 50, reason=CONFLICT, big_blind=50)
    assert (made(HOLDEM).small_blind, made(HOLDEM).big_blind) == (1, 2)
    assert (made(HOLDEM, small_blind=50).big_blind, made(HOLDEM, big_blind=50).small_blind) == (100, 25)
    assert made(HOLDEM, big_blind=1).small_blind == 1


@pytest.mark.parametrize(
    "game, low, high, others",
    [(HOLDEM, 0, 50, {"small_blind": 25, "big_blind": 50}), (DRAW, 1, 20, {"small_bet": 20, "big_bet": 40})],
)
def test_ante(game: Game, low: int, high: int, others: Given) -> None:
    """`ante`: 0 to the big blind, or 1 to the small bet; 0 and 1 by default."""
    check_range(game, "ante", low, high, reason=CONFLICT, **others)
    assert made(game).ante == low


def test_bets() -> None:
    """`small_bet`, `big_bet`: small >= 1, big = 2 x small, <= 10^9; 2 and 4 by default."""
    check_range(DRAW, "small_bet", 1, 5 * 10**8)
    check_range(DRAW, "big_bet", 40, 40, reason=CONFLICT, small_bet=20)
    assert (made(DRAW).small_bet, made(DRAW).big_bet) == (2, 4)
    assert (made(DRAW, small_bet=20).big_bet, made(DRAW, big_bet=60).small_bet) == (40, 30)
    assert refusal(DRAW, big_bet=5).reason is CONFLICT


def test_raise_cap() -> None:
    """`raise_cap`: 1-10 raises a round, 3 by default."""
    check_range(DRAW, "raise_cap", 1, 10)
    assert made(DRAW).raise_cap == 3


def test_all_in() -> None:
    """`all_in`: always on in hold'em; on or off in draw, off by default."""
    assert made(HOLDEM, all_in=True).all_in
    assert made(DRAW, all_in=True).all_in
    assert not made(DRAW).all_in
    assert dict(refusal(HOLDEM, all_in=False).numbers) == {"field": "all_in"}


@pytest.mark.parametrize(
    "game, low, high, usual, others",
    [
        (HOLDEM, 2, 2_000, (80, 400), {}),
        (HOLDEM, 50, 50_000, (2_000, 10_000), {"small_blind": 25, "big_blind": 50}),
        (DRAW, 4, 4_000, (100, 400), {"all_in": True}),
    ],
)
def test_buy_ins(game: Game, low: int, high: int, usual: tuple[int, int], others: Given) -> None:
    """`min_buy_in`, `max_buy_in`: 1 to 1,000 big blinds or bets, min <= max."""
    check_range(game, "min_buy_in", low, high, **others)
    check_range(game, "max_buy_in", low, high, **others)
    assert (made(game, **others).min_buy_in, made(game, **others).max_buy_in) == usual
    answer = refusal(game, min_buy_in=low + 5, max_buy_in=low + 4, **others)
    assert answer.reason is CONFLICT
    assert dict(answer.numbers) == {"field": "max_buy_in", "min": str(low + 5), "max": str(high)}
    assert "not under min_buy_in" in answer.text


def test_min_buy_in_covers_a_hand_of_draw() -> None:
    """`min_buy_in`: in draw without all-in at least the coverage, 1 + (1 + 3) x (2 + 4) = 25."""
    assert made(DRAW, min_buy_in=25).min_buy_in == 25
    answer = refusal(DRAW, min_buy_in=24)
    assert answer.reason is CONFLICT
    assert dict(answer.numbers) == {"field": "min_buy_in", "min": "25", "max": "4000"}
    assert "a hand can cost 25 chips" in answer.text
    assert refusal(DRAW, min_buy_in=4_001).reason is OUT
    assert dict(refusal(DRAW, max_buy_in=24).numbers)["field"] == "max_buy_in"


def test_hand_limit() -> None:
    """`hand_limit`: 1-10^6, required in draw (100 by default), none by default in hold'em."""
    check_range(DRAW, "hand_limit", 1, 10**6)
    for good in (1, 10**6):
        assert made(HOLDEM, hand_limit=good).hand_limit == good
    for bad in (-1, 10**6 + 1):
        assert dict(refusal(HOLDEM, hand_limit=bad).numbers) == {
            "field": "hand_limit",
            "min": "1",
            "max": "1000000",
        }
    assert (made(HOLDEM).hand_limit, made(HOLDEM, hand_limit=None).hand_limit, made(DRAW).hand_limit) == (
        0,
        0,
        100,
    )
    assert dict(refusal(DRAW, hand_limit=None).numbers)["field"] == "hand_limit"


@pytest.mark.parametrize("game", Game)
def test_time_limit(game: Game) -> None:
    """`time_limit`: 60-2,592,000 seconds, or none, the default."""
    for good in (60, 2_592_000):
        assert made(game, time_limit=good).time_limit == good
    for bad in (-1, 59, 2_592_001):
        numbers = dict(refusal(game, time_limit=bad).numbers)
        assert numbers == {"field": "time_limit", "min": "60", "max": "2592000"}
    assert (made(game).time_limit, made(game, time_limit=None).time_limit) == (0, 0)


@pytest.mark.parametrize("game", Game)
def test_turn_time_and_time_bank(game: Game) -> None:
    """`turn_time`, `time_bank`: 1,000-300,000 ms and 0-600,000 ms; 20,000 and 30,000 by default."""
    check_range(game, "turn_time", 1_000, 300_000)
    check_range(game, "time_bank", 0, 600_000)
    assert (made(game).turn_time, made(game).time_bank) == (20_000, 30_000)


@pytest.mark.parametrize("game", Game)
def test_between_hands(game: Game) -> None:
    """`between_hands`: 0-60,000 ms, 0 only when every seat is a bot; 4,000 by default."""
    bots = (BotSeat(BotLevel.EASY),) * 3
    check_range(game, "between_hands", 0, 60_000, seats=3, bots=bots)
    for seated in ((), bots[:2]):
        answer = refusal(game, between_hands=0, seats=3, bots=seated)
        assert answer.reason is CONFLICT
        assert dict(answer.numbers) == {"field": "between_hands", "min": "1", "max": "60000"}
    assert made(game).between_hands == 4_000


@pytest.mark.parametrize("game", Game)
def test_timeouts_to_sit_out_and_sit_out_evicts(game: Game) -> None:
    """`timeouts_to_sit_out`, `sit_out_evicts`: 1-10 times, 60-86,400 seconds; 2 and 600 by default."""
    check_range(game, "timeouts_to_sit_out", 1, 10)
    check_range(game, "sit_out_evicts", 60, 86_400)
    assert (made(game).timeouts_to_sit_out, made(game).sit_out_evicts) == (2, 600)


@pytest.mark.parametrize("name", ["voluntary_reveal", "spectators", "plays_unwatched"])
def test_switches(name: str) -> None:
    """`voluntary_reveal`, `plays_unwatched`: on or off; on, and off, by default."""
    for good in (True, False):
        assert getattr(made(HOLDEM, **{name: good}), name) is good
    assert getattr(made(HOLDEM), name) is (name != "plays_unwatched")
    assert dict(refusal(HOLDEM, **{name: 1}).numbers) == {"field": name}


def test_plays_unwatched() -> None:
    """`plays_unwatched`: whether a salon of bots alone plays on; off by default."""
    assert not made(DRAW).plays_unwatched
    assert made(DRAW, plays_unwatched=True).plays_unwatched


def test_spectators_and_spectator_delay() -> None:
    """`spectators`, `spectator_delay`: on or off, 0-10 hands; on and 0 by default."""
    check_range(HOLDEM, "spectator_delay", 0, 10)
    assert (made(DRAW).spectators, made(DRAW).spectator_delay) == (True, 0)


def test_visibility() -> None:
    """`visibility`: public, the default, or by invitation."""
    for good in ("public", "invitation", Visibility.INVITATION):
        assert made(HOLDEM, visibility=good).visibility == good
    assert made(HOLDEM).visibility is Visibility.PUBLIC
    answer = refusal(HOLDEM, visibility="secret")
    assert dict(answer.numbers) == {"field": "visibility", "choices": "public, invitation"}


def test_bots() -> None:
    """`bots`: a level and a style a seat, none by default; `bot_speed` instant, fast or natural, the default."""
    bots = (BotSeat(BotLevel.HARD, BotStyle.TIGHT, Seat(2)), BotSeat(BotLevel.EASY))
    assert made(HOLDEM, seats=2, bots=bots).bots == bots
    for good in BotSpeed:
        assert made(DRAW, bot_speed=good.value).bot_speed is good
    assert (made(HOLDEM).bots, made(HOLDEM).bot_speed) == ((), BotSpeed.NATURAL)
    assert dict(refusal(HOLDEM, bot_speed="slow").numbers)["choices"] == "instant, fast, natural"


@pytest.mark.parametrize(
    "bots, reason",
    [
        ((BotSeat(BotLevel.EASY),) * 4, CONFLICT),
        ((BotSeat(BotLevel.EASY, seat=Seat(4)),), CONFLICT),
        ((BotSeat(BotLevel.EASY, seat=Seat(2)), BotSeat(BotLevel.HARD, seat=Seat(2))), CONFLICT),
        (("easy",), OUT),
        ("easy", OUT),
    ],
)
def test_bots_that_find_no_seat_are_refused(bots: object, reason: Reason) -> None:
    """`bots`: no more than seats, each at a seat of its own."""
    answer = refusal(HOLDEM, seats=3, bots=bots)
    assert (answer.reason, dict(answer.numbers)["field"]) == (reason, "bots")


WRONG_KIND: list[tuple[str, object]] = [
    ("seats", "6"),
    ("seats", True),
    ("seats", 6.0),
    ("ante", "1"),
    ("spectators", "on"),
]


@pytest.mark.parametrize("name, value", WRONG_KIND)
def test_a_value_of_another_kind_is_refused(name: str, value: object) -> None:
    """A refusal names the field, whatever was given."""
    assert dict(refusal(HOLDEM, **{name: value}).numbers)["field"] == name


@pytest.mark.parametrize(
    "game, name",
    [
        (DRAW, "small_blind"),
        (DRAW, "big_blind"),
        (HOLDEM, "small_bet"),
        (HOLDEM, "raise_cap"),
        (DRAW, "rake"),
    ],
)
def test_what_a_game_does_not_have_is_refused(game: Game, name: str) -> None:
    """A setting of the other game, or of none, is no setting."""
    answer = refusal(game, **{name: 2})
    assert (answer.reason, dict(answer.numbers)) == (OUT, {"field": name})


def test_every_setting_has_a_row() -> None:
    """The table above is complete: `make_settings` takes every field by name in one of the games."""
    for field in fields(Settings):
        if field.name == "game":
            continue
        given = {field.name: getattr(made(HOLDEM), field.name)}
        assert any(isinstance(make_settings(game, given), Settings) for game in Game) or field.name in (
            "small_bet",
            "big_bet",
            "raise_cap",
        )


def test_the_rules_of_a_hand_follow_from_the_settings() -> None:
    """Games: streets, units, cards and structure."""
    holdem = rules_of(made(HOLDEM, small_blind=5, big_blind=10, ante=1))
    assert (holdem.streets, holdem.units, holdem.hole_cards) == (HOLDEM_STREETS, (10, 10, 10, 10), 2)
    assert (holdem.structure, holdem.small_blind, holdem.big_blind, holdem.ante) == (
        Structure.NO_LIMIT,
        5,
        10,
        1,
    )
    assert (holdem.raise_cap, holdem.all_in) == (0, True)
    draw = rules_of(made(DRAW, small_bet=10, raise_cap=4))
    assert (draw.streets, draw.units, draw.hole_cards) == (DRAW_STREETS, (10, 0, 20), 5)
    assert (draw.structure, draw.big_blind, draw.ante) == (Structure.FIXED_LIMIT, 0, 1)
    assert (draw.raise_cap, draw.all_in) == (4, False)


@pytest.mark.parametrize(
    "given, cover", [({}, 25), ({"small_bet": 10, "ante": 5, "raise_cap": 10}, 335), ({"all_in": True}, 0)]
)
def test_coverage_is_the_most_that_a_hand_can_cost(given: Given, cover: int) -> None:
    """Draw coverage: ante + (1 + raise_cap) x (small + big bet)."""
    assert coverage(made(DRAW, **given)) == cover
    assert coverage(made(HOLDEM)) == 0


@pytest.mark.parametrize(
    "game, given, buy_in",
    [
        (HOLDEM, {}, 200),
        (HOLDEM, {"max_buy_in": 90}, 90),
        (HOLDEM, {"min_buy_in": 300}, 300),
        (DRAW, {}, 200),
        (DRAW, {"max_buy_in": 50}, 50),
    ],
)
def test_usual_buy_in_is_the_nearest_that_the_salon_allows(game: Game, given: Given, buy_in: int) -> None:
    """`bots`: 100 big blinds or 50 big bets, or the nearest that the salon allows."""
    assert usual_buy_in(made(game, **given)) == Chips(buy_in)
