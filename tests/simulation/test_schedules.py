"""Schedules of the whole product under every kind of trouble: nothing is violated, and a seed replays exactly."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable

import pytest

from tests.simulation import troubles, weather
from tests.simulation.schedule import Outcome, Schedule, run

QUICK = 250
REPLAYED = range(20)


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    return [run(seed) for seed in range(QUICK)]


def test_nothing_is_violated_whatever_befalls(outcomes: list[Outcome]) -> None:
    assert violated(outcomes) == {}


def test_every_trouble_occurs_and_so_does_what_it_is_to_try(outcomes: list[Outcome]) -> None:
    counts = sum((outcome.counts for outcome in outcomes), Counter[str]())
    tried = (
        *("append Appended", "append Fenced", "log salon_outcome_unknown", "log host_given_up"),
        *("event HandEnded", "event HandVoided", "event TimedOut", "event SalonEnded"),
        *("answered request sent again", "request_id used twice", "answer Refused", "kill came to nothing"),
        *("update snapshot", "update commit", "message into a partition", "host never started"),
    )
    assert [kind for kind in (*troubles.KINDS, *weather.KINDS, *tried) if not counts[kind]] == []


def test_a_seed_replays_exactly_in_every_process(outcomes: list[Outcome]) -> None:
    """Whatever order Python gives to what it hashes, and wherever it puts it in memory."""
    script = "from tests.simulation.test_schedules import digests; print(digests())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert runs == {" ".join(outcomes[seed].digest for seed in REPLAYED)}


def test_it_runs_in_several_processes_from_the_command_line() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--schedules", "60", "--jobs", "2"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "60 schedules" in found
    assert "0 of them violated" in found


def test_two_seeds_are_two_schedules(outcomes: list[Outcome]) -> None:
    assert len({outcome.digest for outcome in outcomes}) == QUICK


def test_a_schedule_leaves_nothing_behind() -> None:
    schedule = Schedule(1)
    schedule.run()
    assert all(task.done() for task in schedule.ground.loop.tasks)
    assert schedule.ground.loop.is_closed()


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_nothing_is_violated_in_five_thousand_schedules() -> None:
    """`python -m tests.simulation --schedules 100000` runs as many as are asked for."""
    assert violated(run(seed) for seed in range(5_000)) == {}


def violated(outcomes: Iterable[Outcome]) -> dict[int, tuple[str, ...]]:
    return {outcome.seed: outcome.violations for outcome in outcomes if outcome.violations}


def digests() -> str:
    return " ".join(run(seed).digest for seed in REPLAYED)
