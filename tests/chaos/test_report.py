"""The report: good only where nothing is violated, nothing late, and every floor reached."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.findings import Findings, Law
from tests.chaos.recovery import Happened
from tests.chaos.report import Asked, Report
from tests.chaos.schedule import Kind


def report(**changes: Any) -> Report:
    """Of a run of a fifth of the full size, in which each kind came three times, and all was well."""
    happened = tuple(Happened(kind, "it", 1.0, 2.0, 3.0, 4.0, None, True) for kind in Kind for _ in range(3))
    given: dict[str, Any] = {
        "asked": Asked(39, 4.0, 7, 40),
        "happened": happened,
        "seconds": 240.0,
        "acknowledged": 10_000,
        "returned": (("gateway", 3.0), ("node", 4.0)),
        "findings": found(),
    }
    return Report(**{**given, **changes})


def found(**changes: int) -> Findings:
    counts = {"commands done": 10_000, "updates": 1, "watches": 1, "hands ended": 1}
    return Findings(Counter(counts | {name.replace("_", " "): count for name, count in changes.items()}))


def violated() -> Findings:
    findings = found()
    findings.violate(Law.TWICE, "a request was done twice")
    return findings


def one_that(
    whole: float, *, healed: float = 2.0, within: float | None = None, kind: Kind = Kind.RESET
) -> tuple[Happened, ...]:
    return (*report().happened, Happened(kind, "it", 1.0, healed, 3.0, whole, within))


def asleep_for_good() -> tuple[Happened, ...]:
    """No frozen host was there when it was to go on."""
    return tuple(
        Happened(each.kind, "it", 1.0, 2.0, 3.0, 4.0, None, each.kind is not Kind.FREEZE_HOST)
        for each in report().happened
    )


def test_a_run_in_which_all_was_well_is_good() -> None:
    assert report().good
    assert report().unmet == []
    assert "nothing is wrong" in report().text()


@pytest.mark.parametrize(
    "changes,says",
    [
        ({"findings": violated()}, "a request was done twice"),
        ({"broken": ("nobody plays",)}, "BROKEN nobody plays"),
        ({"seconds": 239.0}, "UNMET minutes"),
        (
            {"findings": found(commands_done=9_000), "acknowledged": 9_000},
            "UNMET commands done: 9000 of 9750",
        ),
        ({"acknowledged": 10_001}, "UNMET commands done: 10000 of 10001"),
        ({"findings": found(updates=0)}, "UNMET updates: 0 of 1"),
        ({"findings": found(watches=0)}, "UNMET watches: 0 of 1"),
        ({"findings": found(commands_without_a_definite_answer=1)}, "definite answer: 1 of none"),
        ({"findings": found(hands_in_progress_at_the_end=2)}, "hands in progress at the end: 2 of none"),
        (
            {"happened": asleep_for_good(), "asked": Asked(40, 4.0, 7, 40)},
            "UNMET woken of freeze host: 0 of 1",
        ),
        ({"happened": report().happened[3:]}, "UNMET cut: 0 of 1"),
        ({"happened": one_that(33.0)}, "late: reset"),
        (
            {"happened": one_that(9.0, healed=8.5, within=8.0, kind=Kind.KILL_CARETAKER)},
            "late: kill caretaker",
        ),
    ],
)
def test_whatever_is_wrong_is_said_and_makes_it_bad(changes: dict[str, Any], says: str) -> None:
    bad = report(**changes)
    assert not bad.good
    assert says in bad.text()
    assert "SOMETHING IS WRONG" in bad.text()


def test_a_run_that_was_broken_off_may_leave_hands() -> None:
    assert report(findings=found(hands_in_progress_at_the_end=2), broken=("it hangs",)).unmet == []


def test_a_drain_without_a_deadline_may_take_its_time() -> None:
    assert report(happened=one_that(40.0, healed=35.0, kind=Kind.DRAIN)).good


def test_it_is_kept_for_people_and_for_programs(tmp_path: Path) -> None:
    report(findings=violated()).write(tmp_path)
    plain = json.loads((tmp_path / "report.json").read_text())
    assert plain["violations"]["twice"] == 1
    assert plain["faults"][0] == {
        "kind": "cut", "victim": "it", "at": 1.0, "healed": 2.0, "first": 3.0, "whole": 4.0,
        "within": None, "woken": True, "late": False,
    }  # fmt: skip
    assert (tmp_path / "report.txt").read_text() == report(findings=violated()).text()
