"""Explanations over real gRPC: bots play on hosts of Ray, their log is in Redis, and who may read why is told."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from bots.explanation import text_of
from cluster.codec.messages import event_from_message, explanation_from_message
from cluster.codec.metadata import OPERATOR_KEY
from cluster.envelope import SalonId
from cluster.journal.redis_journal import Journal
from croupier.v1 import history_pb2, lobby_pb2, refusal_pb2, settings_pb2
from engine.events import CardsDrawn, CardsShown, Event
from engine.units import HandNumber
from tests.edge.running import Up, croupier, eventually
from tests.integration.gateways import Guest, Running, wrong
from tests.integration.site import until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
TOKEN = "an-operators-token-of-these-tests"
OPERATOR = (OPERATOR_KEY, TOKEN)
MOST_HANDS = 100


@pytest.fixture
async def gateway(ray_cluster: None, redis_url: str, store: Redis) -> AsyncIterator[Running]:
    running = Running(redis_url, operator_token=TOKEN)
    await running.start()
    yield running
    await running.stop()
    await running.kill_hosts()


async def opened(guest: Guest, game: str) -> str:
    """A salon in which three bots of different levels play hand after hand."""
    levels = (settings_pb2.BOT_LEVEL_EASY, settings_pb2.BOT_LEVEL_NORMAL, settings_pb2.BOT_LEVEL_HARD)
    return await guest.open(
        game,
        seats=3,
        bots=[settings_pb2.BotSeat(level=level) for level in levels],
        bot_speed=settings_pb2.BOT_SPEED_INSTANT,
        plays_unwatched=True,
        between_hands_ms=0,
        hand_limit=MOST_HANDS,
    )


async def finished(guest: Guest, salon: str, hand: int) -> None:
    """Wait for the end of a hand."""

    async def over() -> bool:
        hands = (
            await guest.call(guest.history.ListHands, history_pb2.ListHandsRequest(salon_id=salon))
        ).hands
        return bool(hands) and hands[0].hand >= hand

    await until(over)


async def hand_of(guest: Guest, salon: str, hand: int, *, explain: bool = True) -> history_pb2.HandRecord:
    request = history_pb2.GetHandRequest(salon_id=salon, hand=hand, explain=explain)
    record: history_pb2.HandRecord = (await guest.call(guest.history.GetHand, request)).record
    return record


def events_of(record: history_pb2.HandRecord) -> list[Event]:
    return [event for event in map(event_from_message, record.events) if event is not None]


@pytest.mark.parametrize("game", ["HOLDEM", "DRAW"])
async def test_bots_explain_what_they_did_to_those_who_saw_their_cards(
    gateway: Running, store: Redis, game: str
) -> None:
    told = kept = 0
    async with Guest(gateway.address, "Ann") as ann, Guest(gateway.address, "Olga") as olga:
        salon = await opened(ann, game)
        for hand in range(1, MOST_HANDS):
            if told and kept:
                break
            await finished(ann, salon, hand)
            record = await hand_of(ann, salon, hand)
            shown = {event.seat for event in events_of(record) if isinstance(event, CardsShown)}
            assert {each.seat for each in record.explanations} <= shown
            assert not (await hand_of(ann, salon, hand, explain=False)).explanations
            plain = olga.metadata
            olga.metadata = (*plain, OPERATOR)
            all_of = (await hand_of(olga, salon, hand)).explanations
            olga.metadata = plain
            kept_in_redis = await Journal(store).hand(SalonId(salon), HandNumber(hand))
            assert kept_in_redis is not None
            assert [explanation_from_message(each) for each in all_of] == [n.why for n in kept_in_redis.notes]
            assert list(record.explanations) == [each for each in all_of if each.seat in shown]
            for each in all_of:
                assert text_of(explanation_from_message(each))
                assert each.rule
            told += len(record.explanations)
            kept += len(all_of) - len(record.explanations)
            draws = [event.seat for event in events_of(record) if isinstance(event, CardsDrawn)]
            assert len(all_of) >= len(draws)
    assert told
    assert kept


async def test_a_wrong_operators_token_is_refused(gateway: Running) -> None:
    async with Guest(gateway.address, "Eve") as eve:
        eve.metadata = (*eve.metadata, (OPERATOR_KEY, TOKEN[:-1]))
        refused = await wrong(eve.call(eve.lobby.ListSalons, lobby_pb2.ListSalonsRequest()))
    assert refused.code is grpc.StatusCode.PERMISSION_DENIED
    assert refused.refusal.reason == refusal_pb2.REASON_NOT_THE_OWNER
    assert TOKEN[:-1] not in refused.text


FAST = ("-s", "bot_speed=instant", "-s", "between_hands_ms=1000", "-s", "plays_unwatched=on")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cluster whose operators have a token."""
    home = tmp_path_factory.mktemp("explain")
    house = Up(home, "--no-demo", CROUPIER_OPERATOR_TOKEN=TOKEN)
    try:
        house.start()
        yield home
        assert house.stop() == 0
    finally:
        house.tidy()


def test_history_explains_on_the_command_line(home: Path) -> None:
    answer = croupier(home, "create", "draw", "--bots", "easy,easy,normal", *FAST, "--json")
    assert answer.returncode == 0, answer.stderr
    salon = str(json.loads(answer.stdout)["salon_id"])

    def record(hand: str, *more: str, **environment: str) -> Any:
        answer = croupier(home, "history", salon, "--hand", hand, "--json", *more, **environment)
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)

    found: list[str] = []

    def explained() -> bool:
        """The newest hand that has gone to a showdown."""
        for each in json.loads(croupier(home, "history", salon, "--json").stdout)["hands"]:
            if record(each["hand"], "--explain")["explanations"]:
                found.append(each["hand"])
                return True
        return False

    eventually("a hand goes to a showdown", explained)
    (hand,) = found
    assert record(hand)["explanations"] == []
    few = record(hand, "--explain")["explanations"]
    every = record(hand, "--explain", "--as-operator", CROUPIER_OPERATOR_TOKEN=TOKEN)["explanations"]
    assert [each for each in every if each in few] == few
    told = croupier(home, "history", salon, "--hand", hand, "--explain")
    assert told.stdout.count("    why: ") == len(few)
    assert "ran: rules" in told.stdout


@pytest.mark.parametrize(
    "arguments,environment,code,complaint",
    [
        (("--explain",), {}, 2, "--hand"),
        (("--hand", "1", "--explain", "--format", "phh"), {}, 2, "--format"),
        (("--hand", "1", "--as-operator"), {}, 2, "--explain"),
        (("--hand", "1", "--explain", "--as-operator"), {}, 3, "CROUPIER_OPERATOR_TOKEN is not set"),
        (("--hand", "1", "--explain", "--as-operator"), {"CROUPIER_OPERATOR_TOKEN": "x" * 40}, 1, "operators' token"),
    ],
)  # fmt: skip
def test_what_cannot_be_explained_is_told(
    home: Path, arguments: tuple[str, ...], environment: dict[str, str], code: int, complaint: str
) -> None:
    answer = croupier(home, "create", "holdem", "--json")
    salon = str(json.loads(answer.stdout)["salon_id"])
    answer = croupier(home, "history", salon, *arguments, **environment)
    assert answer.returncode == code, answer.stdout + answer.stderr
    assert complaint in answer.stderr
    assert "Traceback" not in answer.stderr
