"""Real hands: thousands that people played come out as they were recorded, or differ for a reason that is listed."""

import json
import re
from pathlib import Path

import pytest

from engine.replay.compare import Report, Status, report_on, report_plain
from engine.replay.files import read_hands
from tests.engine.replay import shared_hands
from tests.engine.replay.shared_hands import (
    BROKEN_CHIPS,
    COUNTS,
    REFUSED,
    UNDECIDED,
    ids,
    reports,
    shared_file,
)

OUTCOME = ("finishing_stacks", "won", "finish", "pots", "uncalled_returned", "rake")
FILES = pytest.mark.parametrize("name", COUNTS)


@FILES
def test_no_recorded_hand_differs_or_is_unsupported(name: str) -> None:
    """N1-N21, A1-A5, P1-P10, D1-D18: the rules are those by which these hands were really played."""
    assert len(reports(name)) == COUNTS[name]
    assert ids(name, Status.MISMATCH) == set()
    assert ids(name, Status.UNSUPPORTED) == set()
    assert ids(name, Status.PLAYED) == set()


@FILES
def test_hands_that_break_the_rules_are_refused_with_the_reason(name: str) -> None:
    """D11: more than three cards are refused."""
    assert ids(name, Status.REFUSED) == set(REFUSED.get(name, {}))
    for report in reports(name):
        if report.status is Status.REFUSED:
            assert "draw of 4 cards refused: the maximum is 3" in report.detail
            assert (report.finish, report.won, report.returned) == (None, None, None)


@FILES
def test_only_listed_hands_differ_by_an_odd_chip(name: str) -> None:
    """P5: the record breaks a chip, and the engine gives it to the first winner left of the button."""
    odd = {report.id for report in reports(name) if "(P5)" in report.detail}
    assert odd == set(BROKEN_CHIPS.get(name, {}))


@FILES
def test_winnings_are_left_open_where_the_cards_do_not_decide(name: str) -> None:
    undecided = {report.id for report in reports(name) if report.status is Status.OK and report.won is None}
    assert undecided == set(UNDECIDED.get(name, {}))
    for report in reports(name):
        if report.id in undecided:
            assert report.finish is None
            assert report.returned is not None


@FILES
def test_nothing_but_status_and_detail_comes_from_the_recorded_outcome(name: str, tmp_path: Path) -> None:
    """The outcome cut out of the file, the engine says the same: it never decides by it."""
    bare = tmp_path / name
    bare.write_text(without_outcome(shared_file(name)), encoding="utf-8")
    replayed = [report_on(hand) for hand in read_hands(str(bare))]
    assert [engine_says(report) for report in replayed] == [engine_says(report) for report in reports(name)]
    assert {report.status for report in replayed} <= {Status.PLAYED, Status.REFUSED}


def engine_says(report: Report) -> dict[str, object]:
    plain = report_plain(report)
    return {key: plain[key] for key in ("id", "finish", "won", "returned")}


def without_outcome(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".phhs":
        return re.sub(r"(?m)^finishing_stacks = .*\n", "", text)
    records = [json.loads(line) for line in text.splitlines()]
    bare = [{key: field for key, field in record.items() if key not in OUTCOME} for record in records]
    return "\n".join(json.dumps(record) for record in bare)


@pytest.mark.parametrize("required, outcome", [("1", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_absent_hands_skip_with_a_reason_unless_they_are_required(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, required: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setattr(shared_hands, "HANDS", tmp_path)
    monkeypatch.setenv("CROUPIER_REQUIRE_SHARED", required)
    with pytest.raises(outcome, match=r"recorded hands"):
        shared_file("pluribus.phhs")
