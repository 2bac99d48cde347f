"""The recorded hands beside the project, and how those differ from their records that do.

None of them stands here: they are read where they lie, and the tests that need them skip where they do not,
unless CROUPIER_REQUIRE_SHARED=1 says that they must be there.
"""

import os
from functools import cache
from pathlib import Path

import pytest

from engine.replay.compare import Report, Status, report_on
from engine.replay.files import read_hands

HANDS = Path(__file__).parents[4] / "shared" / "hands"
COUNTS = {
    "pluribus.phhs": 3_811,
    "wsop.phhs": 4,
    "bovada.jsonl": 776,
    "pokerstars.jsonl": 512,
    "5carddraw.jsonl": 33,
}
HALF_CHIPS = "half chips: an odd chip goes to the first winner left of the button (P5)"
FOUR_CARDS = "four cards drawn: at most three are (D11)"
NO_BOARD = "all-in, and the rest of the board is not recorded"
NO_CARDS = "the cards of a hand at the showdown are not recorded"
WHOLE_BLIND = (
    "a walk whose record gives the whole big blind back, and not what nobody matched (N17); it lists no pot"
)
NO_POT = "a walk whose record lists no pot, and claims no more than arithmetic"

REFUSED: dict[str, dict[str, str]] = {
    "5carddraw.jsonl": {"R5-81962116-233": FOUR_CARDS, "35839693667": FOUR_CARDS},
}
"""Hands that break the rules, by file and id, with the rule."""

BROKEN_CHIPS: dict[str, dict[str, str]] = {
    "pluribus.phhs": {"24": HALF_CHIPS, "781": HALF_CHIPS, "2284": HALF_CHIPS},
}
"""Hands that agree with the record but for chips that only the record breaks."""

UNDECIDED: dict[str, dict[str, str]] = {
    "bovada.jsonl": {"2647092083": NO_BOARD},
    "pokerstars.jsonl": {
        "90721705235": NO_BOARD,
        "3406008447": WHOLE_BLIND,
        "3406117852": WHOLE_BLIND,
        "86570393931": NO_POT,
    },
    "5carddraw.jsonl": {"2692986516": NO_CARDS, "R5-81962116-235": NO_CARDS},
}
"""Hands whose winner their records do not decide: pots and returns alone are compared."""


def shared_file(name: str) -> Path:
    """A file of recorded hands; the test skips where it is absent, or fails where it is required."""
    path = HANDS / name
    if not path.exists():
        if os.environ.get("CROUPIER_REQUIRE_SHARED") == "1":
            pytest.fail(f"the recorded hands are required here and not found at {path}")
        pytest.skip(
            f"the recorded hands stand beside the project, at ../shared/hands/{name}, and are not there"
        )
    return path


@cache
def reports(name: str) -> tuple[Report, ...]:
    """The replay of every hand of a file."""
    return tuple(report_on(hand) for hand in read_hands(str(shared_file(name))))


def ids(name: str, status: Status) -> set[str]:
    """The hands of a file that came out so."""
    return {report.id for report in reports(name) if report.status is status}
