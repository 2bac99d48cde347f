"""Recorded hands made up for tests: a line of JSON and a section of PHH, changed where a test wants it."""

import json
from typing import Any

from engine.replay.compare import Report, report_on
from engine.replay.jsonl import read_jsonl
from engine.replay.phh import read_phh
from engine.replay.recorded import RecordedHand, Unreadable

LINE: dict[str, Any] = {
    "id": "7",
    "game": "Hold'em",
    "limit": "No Limit",
    "stakes": [5, 10],
    "button": 3,
    "seats": [
        {"seat": 1, "stack": 100, "hole": ["As", "Ah"], "sitting_out": False},
        {"seat": 2, "stack": 100, "hole": ["Kd", "Kc"], "sitting_out": False},
        {"seat": 3, "stack": 100, "hole": ["7h", "2c"], "sitting_out": False},
    ],
    "posts": [[1, "sb", 5], [2, "bb", 10]],
    "actions": [
        ["preflop", 3, "fold", 0],
        ["preflop", 1, "call", 5],
        ["preflop", 2, "check", 0],
        *([street, seat, "check", 0] for street in ("flop", "turn", "river") for seat in (1, 2)),
    ],
    "draws": [],
    "board": ["2h", "3d", "9c", "Jd", "Qc"],
    "showdown": {},
}
OUTCOME: dict[str, Any] = {
    "uncalled_returned": {},
    "pots": [[20, [1, 2]]],
    "rake": 0,
    "won": {"1": 20},
    "finish": {"1": 110, "2": 90, "3": 100},
}
DRAW_LINE: dict[str, Any] = {
    "id": "8",
    "game": "5 Card Draw",
    "limit": "Limit",
    "stakes": [10, 20],
    "button": 2,
    "seats": [
        {"seat": 1, "stack": 100, "hole": ["As", "Ah", "Ad", "2c", "3c"], "sitting_out": False},
        {"seat": 2, "stack": 100, "hole": None, "sitting_out": False},
    ],
    "posts": [[2, "sb", 5], [1, "bb", 10]],
    "actions": [
        ["predraw", 2, "call", 5],
        ["predraw", 1, "check", 0],
        ["draw", 1, "discard", 2],
        ["draw", 2, "discard", 1],
        ["draw", 1, "bet", 20],
        ["draw", 2, "call", 20],
    ],
    "draws": [[1, "newhand", ["As", "Ah", "Ad", "Kc", "Kd"]]],
    "board": [],
    "showdown": {"2": ["Qs", "Qh", "Jd", "Jc", "9s"], "1": ["As", "Ah", "Ad", "Kc", "Kd"]},
}
PHH: dict[str, str] = {
    "variant": "'NT'",
    "antes": "[0, 0, 0]",
    "blinds_or_straddles": "[5, 10, 0]",
    "min_bet": "10",
    "starting_stacks": "[100, 100, 100]",
    "actions": (
        "['d dh p1 AsAh', 'd dh p2 KdKc', 'd dh p3 7h2c', 'p3 f', 'p1 cc', 'p2 cc', 'd db 2h3d9c', 'p1 cc',"
        " 'p2 cc', 'd db Jd', 'p1 cc', 'p2 cc', 'd db Qc', 'p1 cc', 'p2 cc', 'p1 sm AsAh', 'p2 sm']"
    ),
}


def line(kind: dict[str, Any] = LINE, **changes: Any) -> str:
    """A line with some fields changed; those that are changed to ... are left out."""
    return json.dumps({key: field for key, field in (kind | changes).items() if field is not ...})


def of_line(text: str) -> Report:
    (hand,) = read_jsonl("f", [text])
    return report_on(hand)


def phh(**changes: str) -> RecordedHand | Unreadable:
    """The hand with some fields changed, added, or left out ("")."""
    fields = PHH | changes
    return read_phh("f", "1", "".join(f"{name} = {field}\n" for name, field in fields.items() if field))


def of_phh(**changes: str) -> Report:
    return report_on(phh(**changes))
