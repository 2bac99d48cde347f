"""`croupier replay`: a summary for people, one object a hand for programs, and an exit code for scripts."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cluster.cli import app
from tests.engine.replay.lines import OUTCOME, line

KEYS = ["file", "id", "status", "finish", "won", "returned", "detail"]


@pytest.fixture
def hands(tmp_path: Path) -> Path:
    """One hand that agrees, one without an outcome, and one that breaks the rules."""
    path = tmp_path / "hands.jsonl"
    early = line(id="early", actions=[["preflop", 1, "fold", 0]])
    path.write_text("\n".join((line(**OUTCOME), line(id="bare"), early)), encoding="utf-8")
    return path


def test_json_is_one_object_a_hand(hands: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(hands), "--json"])
    objects = [json.loads(text) for text in result.stdout.splitlines()]
    assert [list(one) for one in objects] == [KEYS] * 3
    assert [(one["id"], one["status"]) for one in objects] == [
        ("7", "ok"),
        ("bare", "played"),
        ("early", "refused"),
    ]
    assert objects[0]["finish"] == {"1": 110, "2": 90, "3": 100}
    assert objects[2]["finish"] is None
    assert {one["file"] for one in objects} == {str(hands)}
    assert result.exit_code == 0


def test_summary_counts_and_names_the_hands_that_are_not_ok(hands: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(hands), str(hands)])
    assert result.exit_code == 0
    assert "early: refused: seat 1 is to fold" in result.stdout.replace("action 1: ", "")
    assert "bare" not in result.stdout


@pytest.mark.parametrize("text", [line(**OUTCOME | {"won": {"2": 20}}), "no hand"])
def test_difference_or_an_unreadable_hand_exits_with_1(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, encoding="utf-8")
    for more in ([], ["--json"]):
        assert CliRunner().invoke(app, ["replay", str(path), *more]).exit_code == 1


def test_file_that_is_not_there_is_one_line_and_exits_with_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(tmp_path / "none.phh")])
    assert result.exit_code == 2
    assert "none.phh cannot be read: No such file" in result.stderr
