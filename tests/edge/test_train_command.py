"""`croupier train draw`: a table to keep, what is said of it, and what is refused."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bots.draw_solver.stakes import Stakes
from bots.draw_solver.table import load
from cluster.cli import app


def train(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["train", "draw", "--cap", "1", *arguments])


def test_json_tells_what_was_trained(tmp_path: Path) -> None:
    file = tmp_path / "some.table"
    result = train("--ante", "5", "--small-bet", "10", "--iterations", "4", "--out", str(file), "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    names = ("game", "ante", "small_bet", "big_bet", "raise_cap", "iterations", "file")
    assert [found[name] for name in names] == ["draw", 1, 2, 4, 1, 4, str(file)]
    assert found["exploitability_milli_small_bets"] > 0
    assert found["bytes"] == file.stat().st_size
    assert found["cpu_seconds"] > 0 < found["seconds"]
    table = load(file)
    assert (table.stakes, table.iterations) == (Stakes(1, 2, 4, 1), 4)


def test_people_read_the_same_in_lines() -> None:
    result = train("--iterations", "2")
    assert result.exit_code == 0, result.output
    assert "1 / 2 / 4, cap 1" in result.stdout
    assert "milli small bets a hand" in result.stdout
    assert "--out FILE" in result.stdout


@pytest.mark.parametrize(
    "arguments,wrong",
    [
        (("--out", "/"), "/ cannot be written"),
        (("--small-bet", "7000000001"), "a big bet of 14000000002 refused: in the smallest whole chips"),
        (("--ante", "0", "--small-bet", "0"), "a small bet of 0 refused: it is 1 or more"),
        (("--ante", "3"), "an ante of 3 refused: it is 1 to the small bet of 2"),
        (("--big-bet", "1"), "a big bet of 1 refused"),
        (("--cap", "11"), "a cap of 11 raises refused: it is 1 to 10"),
        (("--iterations", "2", "--out", "nowhere/some.table"), "nowhere/some.table cannot be written"),
        (("--iterations", "0"), "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_is_refused_at_once(arguments: tuple[str, ...], wrong: str) -> None:
    result = train(*arguments)
    assert result.exit_code == 2
    assert wrong in result.output
