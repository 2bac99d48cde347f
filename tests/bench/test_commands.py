"""`croupier bench commands`: the bare service sends what was recorded, players count what was answered, ratios are medians."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import cast

import pytest
from typer.testing import CliRunner

from cluster.bench.commands import BareService, Contest, Lane, Lap, Round, Side, SideFault, report
from cluster.bench.players import Player, PlayPlayer, Refused, Tally, UnaryPlayer
from cluster.bench.recording import Script, Step, save
from cluster.bench.tables import Guests
from cluster.cli import app
from cluster.codec.updates import framed
from croupier.v1.refusal_pb2 import Refusal
from croupier.v1.salon_pb2 import Answer, PlayResponse
from croupier.v1.turn_pb2 import LegalActions, TurnId, YourTurn
from croupier.v1.watch_pb2 import Commit, SalonUpdate

TOKENS = ("ann", "bob", "cid")
SALON = "a"
KINDS: dict[Lane, type[PlayPlayer | UnaryPlayer]] = {Lane.PLAY: PlayPlayer, Lane.UNARY: UnaryPlayer}
ANSWER = framed(PlayResponse.ANSWERS_FIELD_NUMBER, Answer(request_id="r", epoch=1, seq=2).SerializeToString())


def update(*, turn: bool) -> bytes:
    """An update that gives its viewer the turn, or not."""
    content = Commit(at_ms=1)
    if turn:
        turn_id, legal = TurnId(hand=1, turn=1), LegalActions(fold=True, call=2)
        content.your_turn.CopyFrom(YourTurn(turn_id=turn_id, legal=legal))
    message = SalonUpdate(salon_id=SALON, epoch=1, seq=2, commit=content)
    return framed(PlayResponse.UPDATES_FIELD_NUMBER, message.SerializeToString())


def turns(player: int) -> list[tuple[int, bytes]]:
    return [(number, update(turn=number == player)) for number in range(len(TOKENS))]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """One salon where the turn goes round: ann begins, bob, cid, ann and so on."""
    path = tmp_path / "recording"
    steps = [Step(ANSWER, turns(player)) for player in (1, 2, 0)]
    save(path, list(TOKENS), {SALON: Script(dict(turns(0)), steps)})
    return path


@pytest.fixture
async def service(recording: Path) -> AsyncIterator[BareService]:
    async with BareService(recording) as running:
        yield running


async def seated(service: BareService, lane: Lane) -> Side:
    tally = Tally()
    players: list[Player] = [
        KINDS[lane](service.address, token, number=number, tally=tally) for number, token in enumerate(TOKENS)
    ]
    side = Side(players, tally, service.cpu)
    await side.sit_down(Guests(TOKENS, ((SALON,),) * 3))
    return side


@pytest.mark.parametrize("lane", Lane)
async def test_bare_service_brings_each_command_to_all_who_watch(service: BareService, lane: Lane) -> None:
    """Three updates and an answer a command, in as many messages or, on Play, fewer; the bytes are the recorded ones."""
    side = await seated(service, lane)
    heard: list[tuple[int, bytes]] = []
    side.tally.heard = lambda stream, message: heard.append((stream, message))
    lap = await side.lap(0.2)
    await asyncio.sleep(0.2)
    await side.leave()
    done = len(side.tally.seconds)
    assert done > 3
    assert len(lap.latencies) <= done
    assert lap.cpu.keys() == {"clients", "echo"}
    for stream in range(len(TOKENS)):
        received = b"".join(message for number, message in heard if number == stream)
        parts = [update(turn=(at + 1) % 3 == stream) for at in range(done)]
        if lane is Lane.UNARY:
            assert received == b"".join(parts)
        else:
            assert received.replace(ANSWER, b"") == b"".join(parts)
            assert received.count(ANSWER) == len(range(stream, done, 3))


@pytest.mark.parametrize("lane", Lane)
async def test_nobody_acts_before_he_may_nor_after_the_lap(service: BareService, lane: Lane) -> None:
    side = await seated(service, lane)
    await asyncio.sleep(0.1)
    assert not side.tally.seconds
    await side.lap(0.1)
    done = len(side.tally.seconds)
    await asyncio.sleep(0.1)
    assert len(side.tally.seconds) == done > 0
    assert not any(player.busy for player in side.players)
    await side.leave()


class Resting:
    """A player who rests, and what he has been told."""

    busy = False

    def __init__(self, *, waiting: int, place: int) -> None:
        self.waiting = waiting
        self.places = {SALON: place}

    async def sit_down(self, salons: Sequence[str]) -> None:
        assert salons == (SALON,)

    def check(self) -> None:
        """His streams go on."""


async def resting(*told: tuple[int, int]) -> Side:
    """A side of players who have so many turns and were told of so many commits."""
    players = [cast(Player, Resting(waiting=waiting, place=place)) for waiting, place in told]
    side = Side(players, Tally(), dict)
    await side.sit_down(Guests(TOKENS[: len(told)], ((SALON,),) * len(told)))
    return side


async def test_side_is_quiet_when_a_player_has_the_turn_and_all_know() -> None:
    await (await resting((0, 5), (1, 5))).quiet()


@pytest.mark.parametrize("told", [((0, 5), (0, 5)), ((1, 5), (0, 4))])
async def test_side_is_not_quiet_between_hands_nor_while_updates_are_under_way(
    told: tuple[tuple[int, int], ...],
) -> None:
    side = await resting(*told)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(side.quiet(), 0.2)


class Quieted(Side):
    """A side that says whether it has been quiet."""

    quieted = False

    async def quiet(self) -> None:
        await super().quiet()
        self.quieted = True


async def test_cpu_is_read_when_the_side_is_quiet(service: BareService) -> None:
    """What begins after the last answer is the lap's work too."""
    plain = await seated(service, Lane.PLAY)
    looked: list[bool] = []

    def cpu() -> dict[str, int]:
        looked.append(side.quieted)
        return {"clients": len(looked)}

    side = Quieted(plain.players, plain.tally, cpu)
    await side.lap(0.1)
    assert looked == [False, True]
    await side.leave()


async def test_turn_that_is_told_of_again_is_acted_in_once(tmp_path: Path) -> None:
    """As with a grace, or when the salon has moved: a second action would come too late."""
    path = tmp_path / "recording"
    save(
        path,
        list(TOKENS),
        {SALON: Script(dict(turns(0)), [Step(ANSWER, turns(1) + turns(1)), Step(ANSWER, [])])},
    )
    async with BareService(path) as service:
        side = await seated(service, Lane.PLAY)
        side.go()
        await asyncio.sleep(0.2)
        await side.rest()
        assert len(side.tally.seconds) == 2
        await side.leave()


async def test_refused_command_ends_the_measurement(tmp_path: Path) -> None:
    refusal = Answer(request_id="r", refusal=Refusal(text="it is not your turn"))
    part = framed(PlayResponse.ANSWERS_FIELD_NUMBER, refusal.SerializeToString())
    path = tmp_path / "recording"
    save(path, list(TOKENS), {SALON: Script(dict(turns(0)), [Step(part, turns(1))])})
    async with BareService(path) as service:
        side = await seated(service, Lane.PLAY)
        with pytest.raises(Refused, match="not your turn"):
            await side.lap(0.1)
        await side.leave()


async def test_lap_with_hardly_an_answer_is_no_measurement(service: BareService) -> None:
    side = await seated(service, Lane.PLAY)
    with pytest.raises(SideFault, match="longer rounds or more salons"):
        await side.lap(0.0)
    await side.leave()


def lap(rate: int, milliseconds: float, cpu: float) -> Lap:
    return Lap(1.0, (milliseconds / 1000,) * rate, {"clients": cpu / 2, "gateway": cpu / 2}, 3.0, 500.0)


def test_ratios_are_medians_of_the_rounds_own() -> None:
    """The medians of the sides would say 0.5: it is the rounds that are compared."""
    contest = Contest(Lane.PLAY, 6, 12)
    for own, bare in ((10, 100), (50, 100), (90, 90)):
        contest.rounds.append(Round(lap(own, 6.0, 30.0), lap(bare, 2.0, 10.0)))
    contest.rounds[-1] = Round(lap(90, 2.0, 10.0), lap(90, 2.0, 10.0))
    found = report([contest])
    assert found["ratios"] == {"play_6": 0.5, "play_6_p50": 3.0, "play_6_p99": 3.0, "play_6_cpu": 3.0}
    figures = found["contests"]["play_6"]
    assert figures["round_ratios"] == [0.1, 0.5, 1.0]
    assert figures["croupier"]["commands"] == 150
    assert figures["bare"]["commands_per_second"] == 100.0
    assert figures["croupier"]["cpu_us"] == {"clients": 15.0, "gateway": 15.0}


@pytest.mark.parametrize(
    "arguments,why", [(("--streams", "5"), "6"), (("--lane", "fast"), "write play or unary")]
)
def test_wrong_command_line_says_what_would_be_right(arguments: tuple[str, ...], why: str) -> None:
    result = CliRunner().invoke(app, ["bench", "commands", *arguments])
    assert result.exit_code == 2
    assert why in result.output


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_real_hands_are_played_on_a_cluster_of_its_own() -> None:
    """Both lanes, with real Valkey, Ray and gRPC: accepted commands, and as many bytes a command on both sides."""
    brief = ["--rounds", "2", "--seconds", "2", "--streams", "6", "--salons", "3"]
    result = CliRunner().invoke(app, ["bench", "commands", "--json", *brief])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    names = {"play_6", "unary_6"}
    assert found["ratios"].keys() == {f"{name}{of}" for name in names for of in ("", "_p50", "_p99", "_cpu")}
    assert found["contests"].keys() == names
    for contest in found["contests"].values():
        own, bare = contest["croupier"], contest["bare"]
        assert min(own["commands"], bare["commands"]) > 0
        assert own["cpu_us"].keys() >= {"clients", "gateway", "hosts", "redis"}
        assert own["cpu_us"]["hosts"] > 0
        assert own["bytes"] == pytest.approx(bare["bytes"], rel=0.5)
