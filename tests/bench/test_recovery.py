"""`croupier bench recovery`: every salon goes on where it was, or it is no measurement."""

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from cluster.bench.recovery import Recovered, report
from cluster.bench.sitter import Lost, Sitter
from cluster.bench.waking import Woken
from cluster.cli import app
from cluster.play_stream import PlayStream
from croupier.v1.refusal_pb2 import REASON_NOT_SEATED, REASON_RECOVERING, Refusal
from croupier.v1.salon_pb2 import Answer, PlayCommand


class Scripted:
    """A stream that answers one command after the other as it is told."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = list(answers)
        self.sent: list[PlayCommand] = []

    async def send(self, command: PlayCommand) -> Answer:
        self.sent.append(command)
        return self._answers.pop(0)


def done(seq: int, *, epoch: int = 1) -> Answer:
    return Answer(epoch=epoch, seq=seq)


def refused(reason: Any) -> Answer:
    return Answer(refusal=Refusal(reason=reason, text="not now"))


async def seated(*answers: Answer) -> tuple[Sitter, Scripted]:
    stream = Scripted([done(4), *answers])
    sitter = Sitter(cast(PlayStream, stream))
    await sitter.sit_down("a")
    return sitter, stream


async def test_command_is_sent_again_as_it_is_until_its_salon_answers() -> None:
    recovering = refused(REASON_RECOVERING)
    sitter, stream = await seated(recovering, recovering, done(5), done(6))
    assert len(await sitter.ask_all()) == 1
    await sitter.ask_all()
    _, first, second, third, last = stream.sent
    assert first == second == third
    assert first.HasField("sit_out")
    assert last.HasField("sit_in")
    assert last.sit_in.request_id != first.sit_out.request_id


@pytest.mark.parametrize("seq", [4, 6])
async def test_salon_that_lost_a_command_or_did_one_twice_ends_the_measurement(seq: int) -> None:
    sitter, _ = await seated(done(seq))
    with pytest.raises(Lost, match=f"commit {seq} after 4"):
        await sitter.ask_all()


async def test_salon_that_was_not_read_anew_ends_the_measurement() -> None:
    """One whose host was not killed after all would answer at once."""
    sitter, _ = await seated(done(5), done(6, epoch=2), done(7, epoch=2), done(8, epoch=2))
    await sitter.ask_all()
    await sitter.ask_all(anew=True)
    await sitter.ask_all()
    with pytest.raises(Lost, match="under epoch 2"):
        await sitter.ask_all(anew=True)


async def test_refusal_is_no_answer() -> None:
    sitter, _ = await seated(refused(REASON_NOT_SEATED))
    with pytest.raises(Lost, match="not now"):
        await sitter.ask_all()


def test_ratios_are_medians_of_the_rounds_own() -> None:
    rounds = [Recovered(0.5, 1.0, 2.0), Recovered(1.0, 2.0, 1.0), Recovered(0.9, 3.0, 3.0)]
    woken = [Woken(0.03, 0.01), Woken(0.04, 0.02), Woken(0.05, 0.01)]
    found = report(rounds, woken, salons=100)
    assert found["ratios"] == {
        "first_vs_ray_restart": 0.3,
        "last_vs_ray_restart": 1.0,
        "asleep_vs_awake": 3.0,
    }
    assert found["asleep_ms"] == {"median": 40.0, "most": 50.0}
    assert found["awake_ms"] == {"median": 10.0, "most": 20.0}
    assert found["last_seconds"] == {"median": 2.0, "most": 3.0, "rounds": [1.0, 2.0, 3.0]}
    assert found["salons"] == 100


@pytest.mark.integration
@pytest.mark.slow
def test_salons_answer_after_their_host_was_killed() -> None:
    brief = ["--rounds", "2", "--salons", "6"]
    result = CliRunner().invoke(app, ["bench", "recovery", "--json", *brief])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["salons"] == 6
    for name in ("first", "last", "ray_restart"):
        assert len(found[f"{name}_seconds"]["rounds"]) == 2
    assert found["first_seconds"]["median"] <= found["last_seconds"]["median"]
    assert found["asleep_ms"]["median"] > 0
    assert all(ratio > 0 for ratio in found["ratios"].values())
