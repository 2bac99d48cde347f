"""The codec: what goes through protobuf comes back the same, and what cannot be read is named."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest

from bots.explanation import Explanation
from cluster.codec import commands as codec
from cluster.codec.commands import Caller, Malformed, command_of, request_id, salon_id
from cluster.codec.messages import (
    event_from_message,
    event_to_message,
    explanation_from_message,
    record_to_message,
    settings_asked,
    settings_from_message,
    settings_to_message,
    view_from_message,
    view_to_message,
)
from cluster.codec.mirror import Mirror
from cluster.codec.refusals import refusal_of, refusal_to_message
from cluster.envelope import (
    Broken,
    Epoch,
    Exhausted,
    Quarantined,
    Refused,
    RequestReused,
    SalonId,
    Seq,
    Unavailable,
    UnknownSalon,
)
from cluster.gateway.errors import code_of, status_of
from cluster.journal.hand_record import HandRecord, Note
from croupier.v1 import (
    event_pb2,
    history_pb2,
    lobby_pb2,
    refusal_pb2,
    salon_pb2,
    settings_pb2,
    turn_pb2,
    view_pb2,
)
from engine import commands
from engine.cards import parse_cards
from engine.events import DeckShuffled, Event
from engine.game import Game
from engine.legal import LegalActions
from engine.refusals import Reason, Refusal, refuse
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.units import Chips, HandNumber, Millis, PlayerId, Seat, Turn
from engine.value import value
from engine.view import TableView
from tests.gateway.samples import bare, sample

CALLER = Caller(PlayerId("ann"), "Ann", lambda salon, request: (PlayerId(f"bot-{salon}-{request}"), "Ada"))
SHOWN = [kind for kind in get_args(Event) if kind is not DeckShuffled]


@pytest.mark.parametrize("kind", SHOWN, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("make", [sample, bare])
def test_every_event_comes_back_as_it_went(kind: Any, make: Callable[[Any], Any]) -> None:
    event = make(kind)
    settings = getattr(event, "settings", None)
    if settings is not None:
        event = replace(event, settings=_whole(settings))
    wire = event_to_message(event).SerializeToString()
    assert event_from_message(event_pb2.Event.FromString(wire)) == event


def _whole(settings: Settings) -> Settings:
    """The settings without those that their game does not have, which are not sent."""
    if settings.game is Game.HOLDEM:
        return replace(settings, small_bet=Chips(0), big_bet=Chips(0), raise_cap=0)
    return replace(settings, small_blind=Chips(0), big_blind=Chips(0))


@pytest.mark.parametrize(
    "why",
    [
        Explanation(),
        Explanation(equity=0.0, error=0.0, pot_odds=0.0, lot=0.0),
        Explanation("rule", "22+", 0.4, 0.01, 600, 0.25, (("bet", 0.5), ("check", 0.5)), 0.7, "workers", "partial"),
    ],
)  # fmt: skip
def test_every_explanation_comes_back_as_it_went(why: Explanation) -> None:
    """A figure of 0 is another thing than none."""
    record = HandRecord(HandNumber(1), Millis(5), (), ())
    message = record_to_message(record, (), (Note(Seat(2), Turn(3), why),))
    (read,) = history_pb2.HandRecord.FromString(message.SerializeToString()).explanations
    assert explanation_from_message(read) == why
    assert (read.seat, read.turn) == (2, 3)


def test_the_deck_has_no_message() -> None:
    with pytest.raises(KeyError):
        event_to_message(DeckShuffled(()))


def test_an_event_of_a_later_version_is_passed_over() -> None:
    assert event_from_message(event_pb2.Event()) is None


@pytest.mark.parametrize("make", [sample, bare])
def test_a_view_comes_back_as_it_went(make: Callable[[Any], TableView]) -> None:
    view = make(TableView)
    history = tuple(replace(action, kind="raise") for action in view.history)
    view = replace(view, settings=_whole(view.settings), history=history)
    message = view_to_message(view, SalonId("s1"), Millis(5), epoch=Epoch(7), seq=Seq(9))
    again = view_pb2.SalonView.FromString(message.SerializeToString())
    assert view_from_message(again) == view
    assert (again.salon_id, again.at_ms, again.epoch, again.seq) == ("s1", 5, 7, 9)


@pytest.mark.parametrize("game", list(Game))
def test_answered_settings_can_be_asked_for_again(game: Game) -> None:
    settings = make_settings(game, {"ante": 1})
    assert isinstance(settings, Settings)
    message = settings_pb2.SalonSettings.FromString(settings_to_message(settings).SerializeToString())
    assert settings_from_message(message) == settings
    given = settings_asked(message)
    assert make_settings(given.pop("game"), given) == settings


def test_settings_that_are_not_asked_for_are_left_to_their_defaults() -> None:
    asked = settings_pb2.SalonSettings(game=settings_pb2.GAME_HOLDEM, ante=0, spectators=False)
    assert settings_asked(asked) == {"game": Game.HOLDEM, "ante": 0, "spectators": False}


def test_a_bot_without_a_style_is_balanced() -> None:
    bots = [settings_pb2.BotSeat(level=settings_pb2.BOT_LEVEL_HARD)]
    (bot,) = settings_asked(settings_pb2.SalonSettings(bots=bots))["bots"]
    assert (bot.level, bot.style, bot.seat) == (BotLevel.HARD, BotStyle.BALANCED, 0)


def test_a_field_without_its_twin_is_found_at_import() -> None:
    @value
    class Odd:
        """A value with a field too many."""

        nobody: int

    with pytest.raises(TypeError, match="nobody"):
        Mirror(Odd, turn_pb2.TurnId)


TURN = turn_pb2.TurnId(hand=3, turn=4)
AT = (PlayerId("ann"), HandNumber(3), Turn(4))
REQUESTS: list[tuple[Any, Any]] = [
    (salon_pb2.ActRequest(turn_id=TURN, fold=turn_pb2.Fold()), commands.Fold(*AT)),
    (salon_pb2.ActRequest(turn_id=TURN, check=turn_pb2.Check()), commands.Check(*AT)),
    (salon_pb2.ActRequest(turn_id=TURN, call=turn_pb2.Call()), commands.Call(*AT)),
    (salon_pb2.ActRequest(turn_id=TURN, bet_to=turn_pb2.BetTo(to=9)), commands.BetTo(*AT, Chips(9))),
    (salon_pb2.ActRequest(turn_id=TURN, raise_to=turn_pb2.RaiseTo(to=9)), commands.RaiseTo(*AT, Chips(9))),
    (salon_pb2.ActRequest(turn_id=TURN, all_in=turn_pb2.AllIn()), commands.AllIn(*AT)),
    (
        salon_pb2.ActRequest(turn_id=TURN, draw=turn_pb2.Draw(cards=["As", "2c"])),
        commands.Draw(*AT, parse_cards("As 2c")),
    ),
    (salon_pb2.ActRequest(turn_id=TURN, draw=turn_pb2.Draw()), commands.Draw(*AT, ())),
    (salon_pb2.JoinRequest(seat=2, buy_in=50), commands.Join(PlayerId("ann"), "Ann", Seat(2), Chips(50))),
    (salon_pb2.LeaveRequest(), commands.Leave(PlayerId("ann"))),
    (salon_pb2.SitOutRequest(), commands.SitOut(PlayerId("ann"))),
    (salon_pb2.SitInRequest(post=True), commands.SitIn(PlayerId("ann"), post=True)),
    (salon_pb2.TopUpRequest(to=70), commands.TopUpTo(PlayerId("ann"), Chips(70))),
    (
        salon_pb2.RevealRequest(hand=3, cards=["Td"]),
        commands.Reveal(PlayerId("ann"), HandNumber(3), parse_cards("Td")),
    ),
    (
        salon_pb2.AddBotRequest(salon_id="s1", request_id="r", level=settings_pb2.BOT_LEVEL_EASY, seat=4),
        commands.AddBot(
            PlayerId("ann"), PlayerId("bot-s1-r"), "Ada", BotLevel.EASY, BotStyle.BALANCED, Seat(4)
        ),
    ),
    (salon_pb2.RemoveBotRequest(seat=4), commands.RemoveBot(PlayerId("ann"), Seat(4))),
    (salon_pb2.KickRequest(seat=4), commands.Kick(PlayerId("ann"), Seat(4))),
    (lobby_pb2.CloseSalonRequest(), commands.CloseSalon(PlayerId("ann"))),
]


@pytest.mark.parametrize("request_, command", REQUESTS)
def test_every_request_is_the_command_it_asks_for(request_: Any, command: Any) -> None:
    assert command_of(request_, CALLER) == command


@pytest.mark.parametrize("kind", [salon_pb2.JoinRequest, salon_pb2.LeaveRequest, salon_pb2.TopUpRequest])
def test_a_request_may_name_the_hand_after_which_it_comes_too_late(kind: Any) -> None:
    assert codec.expected_hand(kind()) == 0
    assert codec.expected_hand(kind(expected_hand=7)) == 7
    assert isinstance(codec.expected_hand(kind(expected_hand=-1)), Malformed)


def test_the_hand_that_a_reveal_names_is_no_such_hand() -> None:
    assert codec.expected_hand(salon_pb2.RevealRequest(hand=3)) == 0


def test_every_command_of_a_player_or_an_owner_has_a_request() -> None:
    asked = {type(command) for _, command in REQUESTS}
    kinds = {
        *get_args(commands.TurnCommand),
        *get_args(commands.SeatCommand),
        *get_args(commands.OwnerCommand),
    }
    assert asked == kinds - {commands.OpenSalon}
    assert {type(request) for request, _ in REQUESTS} == codec.COMMAND_REQUESTS


@pytest.mark.parametrize(
    "request_, field",
    [
        (salon_pb2.ActRequest(turn_id=TURN), "action"),
        (salon_pb2.ActRequest(fold=turn_pb2.Fold()), "turn_id"),
        (salon_pb2.ActRequest(turn_id=turn_pb2.TurnId(hand=-1, turn=1), fold=turn_pb2.Fold()), "turn_id"),
        (salon_pb2.ActRequest(turn_id=TURN, draw=turn_pb2.Draw(cards=["1x"])), "draw.cards"),
        (salon_pb2.ActRequest(turn_id=TURN, draw=turn_pb2.Draw(cards=["A" * 10_000])), "draw.cards"),
        (salon_pb2.ActRequest(turn_id=TURN, draw=turn_pb2.Draw(cards=["As"] * 6)), "draw.cards"),
        (salon_pb2.RevealRequest(hand=1), "cards"),
        (salon_pb2.AddBotRequest(), "level"),
        (salon_pb2.AddBotRequest(level=settings_pb2.BOT_LEVEL_EASY, style=99), "style"),  # type: ignore[arg-type]  # a later client's
    ],
)
def test_what_cannot_be_read_names_its_field(request_: Any, field: str) -> None:
    fault = command_of(request_, CALLER)
    assert isinstance(fault, Malformed)
    assert fault.field == field
    assert len(fault.text) < 200


@pytest.mark.parametrize("text", ["", "A", "a-b", "a" * 33, "../x", "é", "a\n"])
def test_no_salon_has_such_an_id(text: str) -> None:
    assert isinstance(salon_id(text), Malformed)


@pytest.mark.parametrize("text", ["", "1", "x" * 36, "0f8fad5bd9cb469fa16570867728950e", "0f8fad5b" * 1_000])
def test_a_request_id_is_a_uuid(text: str) -> None:
    assert isinstance(request_id(text), Malformed)


def test_a_request_id_has_one_spelling() -> None:
    spelled = "0F8FAD5B-D9CB-469F-A165-70867728950E"
    assert request_id(spelled) == spelled.lower()


def test_every_reason_of_the_engine_is_on_the_wire() -> None:
    for reason in Reason:
        assert refusal_to_message(refuse(reason, "text")).reason == refusal_pb2.Reason.Value(
            f"REASON_{reason.name}"
        )


def test_a_refusal_carries_its_numbers_and_what_would_be_legal() -> None:
    legal = LegalActions(fold=True, raise_min=Chips(4), raise_max=Chips(9))
    refusal = Refusal(Reason.AMOUNT_OUT_OF_RANGE, "raise to 3 refused", (("min", "4"),), legal)
    message = refusal_to_message(refusal)
    assert dict(message.metadata) == {"min": "4"}
    assert (message.legal.fold, message.legal.raise_min, message.legal.raise_max) == (True, 4, 9)


@pytest.mark.parametrize(
    "answer, reason, code",
    [
        (Refused(refuse(Reason.SALON_FULL, "full")), "SALON_FULL", "RESOURCE_EXHAUSTED"),
        (Refused(refuse(Reason.STALE_TURN, "late")), "STALE_TURN", "FAILED_PRECONDITION"),
        (Refused(refuse(Reason.NOT_THE_OWNER, "no")), "NOT_THE_OWNER", "PERMISSION_DENIED"),
        (Unavailable(200, "it moves"), "RECOVERING", "UNAVAILABLE"),
        (Exhausted(5_000), "CLUSTER_FULL", "RESOURCE_EXHAUSTED"),
        (Broken("abc"), "FAULT", "INTERNAL"),
        (Quarantined("why"), "QUARANTINED", "UNAVAILABLE"),
        (UnknownSalon(), "UNKNOWN_SALON", "NOT_FOUND"),
        (RequestReused(), "REQUEST_ID_REUSED", "INVALID_ARGUMENT"),
    ],
)
def test_every_answer_that_is_no_acceptance_has_its_status(answer: Any, reason: str, code: str) -> None:
    refusal = refusal_of(answer)
    assert refusal is not None
    assert refusal_pb2.Reason.Name(refusal.reason) == f"REASON_{reason}"
    assert code_of(refusal).name == code
    assert status_of(refusal).code.name == code
    assert ("retry_after_ms" in str(refusal)) == isinstance(answer, Unavailable | Exhausted)
