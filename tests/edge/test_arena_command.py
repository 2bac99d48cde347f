"""`croupier arena`: one JSON object or a table, a ledger to go on from, and errors that say what is right."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cluster.cli import app

EASY = ("--seats", "easy,normal", "--deals", "45", "--seed", "7")
CARELESS = "tests.bots.test_duplicate:Careless"


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["arena", *arguments])


def figures(*arguments: str) -> dict[str, Any]:
    """What is printed for programs, without what differs from run to run."""
    result = arena(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return steady(result.stdout)


def steady(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    for name in ("seconds", "hands_per_second", "workers"):
        del found[name]
    for seat in found["seats"]:
        seat["decisions"] = seat["decisions"]["count"]
    return found


def steady_blocks(ledger: bytes) -> list[tuple[int, Any]]:
    """The blocks' numbers and results."""
    blocks = [json.loads(line) for line in ledger.splitlines()[1:]]
    return [(block["block"], block["won"]) for block in blocks]


@pytest.mark.parametrize("game,unit", [("holdem", "bb/100"), ("draw", "small bets/100")])
def test_json_holds_each_seat_with_its_interval(game: str, unit: str) -> None:
    found = figures("--game", game, *EASY)
    assert {name: found[name] for name in ("game", "deals", "unit", "hands", "groups", "seed")} == {
        "game": game,
        "deals": 45,
        "unit": unit,
        "hands": 90,
        "groups": 45,
        "seed": 7,
    }
    assert [seat["bot"] for seat in found["seats"]] == ["easy", "normal"]
    for seat in found["seats"]:
        low, high = seat["ci95"]
        assert (low + high) / 2 == pytest.approx(seat["mean"], abs=0.01)
        assert high - low == pytest.approx(2 * 2.0154 * seat["sd"] / 45**0.5, rel=0.001)
    assert sum(seat["mean"] for seat in found["seats"]) == pytest.approx(0.0, abs=0.01)


def test_same_seed_prints_the_same_and_another_does_not() -> None:
    assert figures(*EASY) == figures(*EASY)
    assert figures(*EASY) != figures(*EASY[:-1], "8")


def test_table_shows_the_interval_and_how_it_was_played() -> None:
    result = arena("--game", "draw", "--seats", "easy,easy/tight,normal", "--deals", "20")
    assert result.exit_code == 0
    assert "easy/tight" in result.stdout
    assert (
        "20 deals, each with the same cards in 3 rotations of the seats: 60 hands of 100 small bets"
        in result.stdout
    )


def test_one_deal_has_no_interval() -> None:
    result = arena("--seats", "easy,easy", "--deals", "1", "--json")
    assert json.loads(result.stdout)["seats"][0]["ci95"] is None
    assert "one deal has no interval" in result.stderr


@pytest.mark.parametrize("more,count", [((), 2), (("--players", "4"), 4)])
def test_against_takes_all_other_seats(more: tuple[str, ...], count: int) -> None:
    found = figures("--seats", "easy", "--against", "tests.bots.test_duplicate:Caller", "--deals", "3", *more)
    assert [seat["bot"] for seat in found["seats"]] == [
        "easy",
        *["tests.bots.test_duplicate:Caller"] * (count - 1),
    ]


def test_wrong_decisions_of_a_foreign_bot_are_told() -> None:
    result = arena("--seats", f"easy,{CARELESS}", "--deals", "20", "--json")
    assert result.exit_code == 0
    careless = json.loads(result.stdout)["seats"][1]
    assert careless["faults"].keys() == {"crashed", "no_action", "illegal"}
    assert f"{CARELESS}: " in result.stderr
    assert "taken as check or fold" in result.stderr


def test_finished_match_is_not_played_again(tmp_path: Path) -> None:
    ledger = tmp_path / "match.jsonl"
    first = figures(*EASY, "--resume", str(ledger))
    written = ledger.read_bytes()
    assert figures(*EASY, "--resume", str(ledger)) == first == figures(*EASY)
    assert ledger.read_bytes() == written


@pytest.mark.parametrize("kept", [1, 2, 3], ids=["head", "one block", "two blocks"])
def test_interrupted_match_goes_on(tmp_path: Path, kept: int) -> None:
    """A kill in the middle of a line leaves that line for nothing."""
    ledger = tmp_path / "match.jsonl"
    first = figures(*EASY, "--resume", str(ledger))
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:kept]) + lines[kept][:30])
    assert figures(*EASY, "--resume", str(ledger)) == first
    assert sorted(steady_blocks(ledger.read_bytes())) == sorted(steady_blocks(b"".join(lines)))
    assert figures(*EASY, "--resume", str(ledger)) == first


@pytest.mark.parametrize(
    "arguments,said",
    [
        (("--seats", "easy,easy", "--deals", "45", "--seed", "7"), "its seats is easy,normal, not easy,easy"),
        ((*EASY[:-1], "8"), "its seed is 7, not 8"),
        ((*EASY, "--deals", "46"), "its deals is 45, not 46"),
        ((*EASY, "--stack-bb", "50"), "its stack is 100, not 50"),
        ((*EASY, "--style", "loose"), "its style is balanced, not loose"),
        ((*EASY, "--game", "draw"), "its game is holdem, not draw"),
    ],
)
def test_ledger_of_another_match_is_refused(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    ledger = tmp_path / "match.jsonl"
    figures(*EASY, "--resume", str(ledger))
    written = ledger.read_bytes()
    result = arena(*arguments, "--resume", str(ledger))
    assert result.exit_code == 2
    assert said in result.stderr
    assert ledger.read_bytes() == written


def test_ledger_of_other_code_is_refused(tmp_path: Path) -> None:
    ledger = tmp_path / "match.jsonl"
    figures(*EASY, "--resume", str(ledger))
    head, *blocks = ledger.read_text().splitlines(keepends=True)
    older = json.dumps(json.loads(head) | {"code": "older"}) + "\n"
    ledger.write_text("".join([older, *blocks]))
    result = arena(*EASY, "--resume", str(ledger))
    assert result.exit_code == 2
    assert "code of the bots or of the engine has changed" in result.stderr


@pytest.mark.parametrize(
    "text", ["no ledger\n", "[]\n", '{"arena": 2}\n', "unfinished", "my diary\nline two"]
)
def test_file_that_is_no_ledger_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    ledger = tmp_path / "notes.txt"
    ledger.write_text(text)
    result = arena(*EASY, "--resume", str(ledger))
    assert result.exit_code == 2
    assert "is no file of finished blocks" in result.stderr
    assert ledger.read_text() == text


@pytest.mark.parametrize(
    "arguments,code,said",
    [
        (("--seats", "hard,medium"), 2, "'medium' is no bot"),
        (("--seats", "hard"), 2, "at least 2 bots"),
        (("--seats", "hard,easy", "--players", "3"), 2, "names 2 bots"),
        (("--seats", "hard,easy", "--against", "a:B", "--players", "2"), 2, "has no seat to fill"),
        (("--seats", "easy,easy,easy,easy,easy,easy,easy", "--game", "draw"), 2, "from 2 to 6 players"),
        (("--seats", "hard,easy", "--deals", "0"), 2, "deals"),
        (("--seats", "hard,easy", "--stack-bb", "5000"), 2, "stacks of 5000 big blinds"),
        (("--seats", "hard,easy", "--game", "chess"), 2, "chess"),
        (("--seats", "hard", "--against", "no.such:Bot"), 3, "no.such:Bot cannot be imported"),
        (("--seats", "hard,easy", "--resume", "/no/such/place"), 2, "cannot be written"),
        (("--seats", "hard,easy", "--resume", "/dev/null"), 2, "is no file of finished blocks"),
    ],
)
def test_bad_input_is_one_clear_error(arguments: tuple[str, ...], code: int, said: str) -> None:
    result = arena(*arguments)
    assert result.exit_code == code, result.output
    assert said in " ".join(result.stderr.replace("│", " ").split())
    assert not result.stdout


@pytest.mark.integration
@pytest.mark.timeout(300)  # a Ray starts, on whatever machine
def test_workers_print_the_same_figures(tmp_path: Path) -> None:
    """On a real Ray, foreign bots too; the ledger that they leave is a full one."""
    arguments = ("--seats", f"easy,normal,{CARELESS}", "--deals", "90", "--seed", "3")
    ledger = tmp_path / "match.jsonl"
    program = [sys.executable, "-m", "cluster.cli", "arena", *arguments, "--json"]
    run = subprocess.run(
        [*program, "--workers", "2", "--resume", str(ledger)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    here = figures(*arguments)
    assert steady(run.stdout) == here
    assert figures(*arguments, "--resume", str(ledger)) == here
    assert len(ledger.read_text().splitlines()) == 6
