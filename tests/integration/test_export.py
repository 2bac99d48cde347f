"""Exports of finished hands from a running cluster: what a stranger gets, and what an operator gets."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.replay.compare import Status, report_on
from engine.replay.phh import read_phh, read_phhs
from tests.edge.running import Up, croupier, eventually

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

FAST = ("-s", "bot_speed=instant", "-s", "between_hands_ms=1000", "-s", "plays_unwatched=on")
CARD = re.compile(r"[2-9TJQKA][cdhs]")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("export")
    house = Up(home, "--no-demo")
    try:
        house.start()
        yield home
        assert house.stop() == 0
    finally:
        house.tidy()


@pytest.fixture(params=["holdem", "draw"], scope="module")
def salon(home: Path, request: pytest.FixtureRequest) -> str:
    """A salon in which three bots have finished some hands."""
    more = ("-s", "hand_limit=100") if request.param == "draw" else ()
    answer = croupier(
        home,
        "create",
        str(request.param),
        "--bots",
        "easy,easy,normal",
        *FAST,
        *more,
        "--json",
        "--name",
        "Owner",
    )
    assert answer.returncode == 0, answer.stderr
    salon = str(json.loads(answer.stdout)["salon_id"])

    def count() -> int:
        return len(json.loads(croupier(home, "history", salon, "--json").stdout)["hands"])

    eventually("three hands are finished", lambda: count() >= 3)
    return salon


def exported(home: Path, salon: str, *arguments: str) -> str:
    answer = croupier(home, "history", salon, *arguments)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_exported_hands_replay_and_hide_what_was_not_shown(home: Path, salon: str) -> None:
    seen = exported(home, salon, "--format", "phh", "--hand", "1")
    full = exported(home, salon, "--format", "phh", "--hand", "1", "--reveal-all")
    reports = [report_on(read_phh("", "", text)) for text in (seen, full)]
    assert [report.status for report in reports] == [Status.OK, Status.OK]
    assert reports[0].finish == reports[1].finish
    assert "??" in seen
    assert "??" not in full
    assert set(CARD.findall(seen)) < set(CARD.findall(full))


def test_all_listed_hands_are_exported_oldest_first(home: Path, salon: str) -> None:
    hands = list(read_phhs("", exported(home, salon, "--format", "phh", "--reveal-all", "--limit", "1000")))
    assert len(hands) >= 3
    assert {report_on(hand).status for hand in hands} == {Status.OK}
    text = exported(home, salon, "--format", "text", "--limit", "1000")
    numbers = [int(number) for number in re.findall(r"Croupier Hand #(\d+)", text)]
    assert numbers == sorted(numbers)
    assert numbers[0] == 1


def test_json_export_is_one_record_a_line(home: Path, salon: str) -> None:
    lines = exported(home, salon, "--format", "json", "--limit", "2").splitlines()
    assert all(json.loads(line)["events"] for line in lines)
    assert len(lines) == 2


def test_hand_that_is_not_kept_is_one_line_and_exits_with_1(home: Path, salon: str) -> None:
    for more in ((), ("--reveal-all",)):
        answer = croupier(home, "history", salon, "--format", "phh", "--hand", "999999", *more)
        assert answer.returncode == 1
        assert len(answer.stderr.strip().splitlines()) == 1


def test_operator_without_a_redis_is_told_what_to_name(tmp_path: Path) -> None:
    answer = croupier(tmp_path, "history", "salon", "--reveal-all")
    assert answer.returncode == 3
    assert "CROUPIER_REDIS_URL" in answer.stderr
