"""Replaying: what is refused, what a hand without some of its cards gives, and how records are compared."""

from typing import Any

import pytest

from engine.replay.compare import Status, report_plain
from engine.replay.jsonl import read_jsonl
from engine.replay.recorded import RecordedHand
from engine.replay.stacked import stack
from tests.engine.replay.lines import DRAW_LINE, LINE, OUTCOME, line, of_line, of_phh

FOLDS = [["preflop", 3, "fold", 0], ["preflop", 1, "fold", 0]]


def preflop(*actions: tuple[int, str, int]) -> list[list[Any]]:
    return [["preflop", *action] for action in actions]


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"posts": [[1, "sb", 500], [2, "bb", 10]]}, "seat 1 posts 500 and has 100"),
        ({"posts": [[1, "sb", -5], [2, "bb", 10]]}, "seat 1 posts -5 and has 100"),
        ({"actions": preflop((1, "fold", 0))}, "seat 1 is to fold, and it is the turn of seat 3"),
        ({"actions": [["flop", 3, "fold", 0]]}, "seat 3 is to fold on the flop, and this is the preflop"),
        ({"actions": [*FOLDS, ["preflop", 2, "check", 0]]}, "seat 2 is to check, and the hand is over"),
        ({"actions": FOLDS[:1]}, "the recorded actions end while it is the turn of seat 1"),
        ({"actions": preflop((3, "check", 0))}, "check refused: 10 more to call; call, or fold"),
        ({"actions": preflop((3, "call", 7))}, "seat 3 is to call 7, and 10 is what a call puts in"),
        ({"actions": preflop((3, "raise_to", 15))}, "raise to 15 refused: the minimum is 20"),
        ({"actions": preflop((3, "discard", 1))}, "draw refused: cards are exchanged at the draw"),
    ],
)
def test_hand_that_breaks_the_rules_is_refused_with_the_reason(changes: dict[str, Any], why: str) -> None:
    """N5, N21: and nothing is said of its outcome."""
    report = of_line(line(**changes))
    assert report.status is Status.REFUSED
    assert why in report.detail
    assert (report.finish, report.won, report.returned) == (None, None, None)


def test_drawing_four_is_refused_with_the_reason() -> None:
    """D11: at most three cards."""
    actions = [[*action[:3], 4] if action[2] == "discard" else action for action in DRAW_LINE["actions"]]
    report = of_line(line(DRAW_LINE, actions=actions, draws=[], showdown={}))
    assert report.status is Status.REFUSED
    assert report.detail == "action 3, seat 1: draw of 4 cards refused: the maximum is 3"


@pytest.mark.parametrize(
    "seats, why",
    [
        (LINE["seats"][:2], "seat 3 plays and has no chips"),
        ([{**LINE["seats"][0], "seat": 100}, *LINE["seats"]], "a seat is not from 1 to 99"),
    ],
)
def test_seats_that_are_no_table_are_unsupported(seats: list[Any], why: str) -> None:
    report = of_line(line(seats=seats))
    assert (report.status, report.detail) == (Status.UNSUPPORTED, why)


def test_one_player_is_no_hand() -> None:
    report = of_line(line(seats=LINE["seats"][:1], posts=[], actions=[]))
    assert (report.status, report.detail) == (Status.UNSUPPORTED, "fewer than two players are dealt in")


def test_raise_that_nobody_can_answer_is_taken_and_its_excess_returned() -> None:
    """N8: in a replay."""
    seats = [{**seat, "stack": 10} if seat["seat"] == 2 else seat for seat in LINE["seats"]]
    actions = preflop((3, "fold", 0), (1, "raise_to", 60))
    report = of_line(line(seats=seats, actions=actions))
    assert (report.status, report.returned, report.won) == (Status.PLAYED, {1: 50}, {1: 20})


def test_blinds_in_draw_are_a_replay_configuration() -> None:
    """D9, D12: known cards are where they fell."""
    report = of_line(line(DRAW_LINE))
    assert (report.status, report.won, report.finish) == (Status.PLAYED, {1: 60}, {1: 130, 2: 70})


DRAWS: list[tuple[str, dict[str, Any], Any]] = [
    ("the new hand is told", {}, {1: 60}),
    (
        "discards and new cards are told",
        {"draws": [[1, "discard", 2, ["2c", "3c"]], [1, "dealt", ["Kc", "Kd"], ["As", "Ah", "Ad"]]]},
        {1: 60},
    ),
    ("only what is shown is told", {"draws": []}, {1: 60}),
    (
        "discards and new cards are told, and not shown",
        {
            "draws": [[1, "discard", 2, ["2c", "3c"]], [1, "dealt", ["Kc", "Kd"]]],
            "showdown": {"2": ["Qs", "Qh", "Jd", "Jc", "9s"]},
        },
        {1: 60},
    ),
    ("a hand at the showdown is unknown", {"showdown": {}}, None),
    ("new cards are unknown", {"draws": [], "showdown": {"2": ["Qs", "Qh", "Jd", "Jc", "9s"]}}, None),
]


@pytest.mark.parametrize("what, changes, won", DRAWS, ids=[row[0] for row in DRAWS])
def test_draw_hands_are_stacked_from_what_is_told(what: str, changes: dict[str, Any], won: Any) -> None:
    """D12: replacements in the order of the declarations."""
    report = of_line(line(DRAW_LINE, **changes))
    assert (report.status, report.won) == (Status.PLAYED, won), what
    assert (report.finish is None) == (won is None)


@pytest.mark.parametrize(
    "changes, why",
    [
        (
            {"draws": [[1, "newhand", ["As", "Kh", "Ks", "Kc", "Kd"]]], "showdown": {}},
            "which it was not dealt",
        ),
        (
            {"draws": [[1, "newhand", ["As", "Ah", "Ad", "2c", "Kd"]]], "showdown": {}},
            "draws 2 cards and ends with 1",
        ),
        ({"draws": [[1, "discard", 2, ["2c", "9d"]]]}, "which it was not dealt"),
    ],
)
def test_cards_that_contradict_each_other_are_unsupported(changes: dict[str, Any], why: str) -> None:
    report = of_line(line(DRAW_LINE, **changes))
    assert report.status is Status.UNSUPPORTED
    assert why in report.detail


def test_too_many_cards_are_unsupported() -> None:
    """D15: 30 + 18 = 48 cards is the most of six players."""
    seats = [{"seat": seat, "stack": 100, "hole": None, "sitting_out": False} for seat in range(1, 10)]
    draws = [["draw", seat, "discard", 3] for seat in range(1, 10)]
    report = of_line(line(DRAW_LINE, seats=seats, actions=draws, draws=[], showdown={}))
    assert (report.status, report.detail) == (Status.UNSUPPORTED, "more than 52 cards are dealt")


def test_the_same_record_gives_the_same_deck() -> None:
    (first,), (second,) = (read_jsonl("f", [line(DRAW_LINE, showdown={})]) for _ in range(2))
    assert isinstance(first, RecordedHand)
    assert isinstance(second, RecordedHand)
    assert stack(first) == stack(second)
    assert sorted(stack(first).deck) == list(range(52))


UNDECIDED: list[dict[str, Any]] = [
    {"board": ["2h", "3d", "9c", "Jd"]},
    {"seats": [{**seat, "hole": None} if seat["seat"] == 2 else seat for seat in LINE["seats"]]},
    {
        "seats": [{**seat, "hole": None} if seat["seat"] == 2 else seat for seat in LINE["seats"]],
        "showdown": {"2": ["Kc"]},
    },
    {"verified": "pot-arithmetic only"},
]


@pytest.mark.parametrize("changes", UNDECIDED)
def test_hand_that_its_cards_do_not_decide_is_ok_on_pots_and_returns(changes: dict[str, Any]) -> None:
    record: dict[str, Any] = OUTCOME | changes
    report = of_line(line(**record))
    assert (report.status, report.won, report.finish, report.returned) == (Status.OK, None, None, {})
    assert "do not decide" in report.detail
    wrong = of_line(line(**record | {"pots": [[21, [1, 2]]]}))
    assert wrong.status is Status.MISMATCH


@pytest.mark.parametrize("pots, status", [([], Status.OK), ([[10, [2]]], Status.MISMATCH)])
def test_whole_blind_is_returned_in_a_record_without_pots(pots: list[Any], status: Status) -> None:
    """N17-N18: by the rule only what nobody matched comes back; what the seat gets is the same."""
    record: dict[str, Any] = {
        "uncalled_returned": {"2": 10},
        "pots": pots,
        "verified": "pot-arithmetic only",
        "won": {"2": 5},
    }
    report = of_line(line(actions=FOLDS, **record))
    assert (report.status, report.returned) == (status, {2: 5})
    assert "recorded 10 to seat 2" in report.detail


DIFFERENT: list[tuple[dict[str, Any], str]] = [
    ({"won": {"2": 20}}, "won 20 to seat 1, recorded 20 to seat 2"),
    ({"won": {"1": 18}}, "won 20 to seat 1, recorded 18 to seat 1"),
    ({"won": {"1": 19}, "rake": 2}, "recorded 19 to seat 1 and the rake of 2"),
    ({"pots": [[20, [1]]]}, "pots 20 for [1, 2], recorded 20 for [1]"),
    ({"uncalled_returned": {"1": 1}}, "returned nothing, recorded 1 to seat 1"),
    ({"finish": {"1": 110, "2": 90, "3": 99}}, "seat 3 ends with 100, recorded 99"),
    ({"finish": {"1": 109.5, "2": 90, "3": 100}}, "seat 1 ends with 110, recorded 219/2"),
]


@pytest.mark.parametrize("changes, detail", DIFFERENT)
def test_every_difference_is_a_mismatch_that_is_told(changes: dict[str, Any], detail: str) -> None:
    report = of_line(line(**OUTCOME | changes))
    assert report.status is Status.MISMATCH
    assert detail in report.detail


AGREEING: list[dict[str, Any]] = [
    OUTCOME,
    {"won": {"1": 18, "2": 0}, "rake": 2, "finish": {"1": 108, "2": 90, "3": 100}},
    {"rake": 2, "finish": {"1": 108, "2": 90, "3": 100}},
    {"pots": [[20, [2, 1]]]},
    {"finish": {"1": 110, "2": 90, "3": 100}},
]


@pytest.mark.parametrize("outcome", AGREEING)
def test_record_agrees_if_what_was_won_and_the_rake_do(outcome: dict[str, Any]) -> None:
    assert of_line(line(**outcome)).status is Status.OK


def test_odd_chip_is_not_broken() -> None:
    """P5: it goes to the first winner left of the button."""
    seats = [{**seat, "hole": ["5h", "2c"]} if seat["seat"] == 3 else seat for seat in LINE["seats"]]
    seats[0] = {**seats[0], "hole": ["4s", "4h"]}
    seats[1] = {**seats[1], "hole": ["4d", "4c"]}
    board = ["Ah", "Kd", "Qc", "Jd", "Ts"]
    posts = [[1, "sb", 5], [2, "bb", 10], [3, "dead", 5]]
    half = {"finish": {"1": 102.5, "2": 102.5, "3": 95}}
    report = of_line(line(seats=seats, board=board, posts=posts, **half))
    assert (report.status, report.won) == (Status.OK, {1: 13, 2: 12})
    assert "seat 1 has 103, recorded 102.5" in report.detail
    assert "(P5)" in report.detail
    worse = of_line(line(seats=seats, board=board, posts=posts, finish={"1": 102.5, "2": 102.5, "3": 94}))
    assert worse.status is Status.MISMATCH


def test_report_is_one_object_with_seats_as_keys() -> None:
    assert report_plain(of_line(line(**OUTCOME))) == {
        "file": "f",
        "id": "7",
        "status": "ok",
        "finish": {"1": 110, "2": 90, "3": 100},
        "won": {"1": 20},
        "returned": {},
        "detail": "",
    }
    assert report_plain(of_line("{"))["won"] is None


HIDDEN = (
    "['d dh p1 AsAh', 'd dh p2 {cards}', 'd dh p3 ????', 'p3 f', 'p1 cc', 'p2 cc', 'd db {board}', 'p1 cc', 'p2 cc',"
    " 'd db Jd', 'p1 cc', 'p2 cc', 'd db Qc', 'p1 cc', 'p2 cc', 'p1 sm AsAh', 'p2 sm']"
)


@pytest.mark.parametrize("cards", ["????", "Kc??"])
def test_mucked_hand_of_unknown_cards_cannot_win(cards: str) -> None:
    """S4: it was beaten by a hand that was shown."""
    report = of_phh(actions=HIDDEN.format(cards=cards, board="2h3d9c"))
    assert (report.status, report.won) == (Status.PLAYED, {1: 20})


def test_mucked_hand_that_nothing_beats_decides_nothing() -> None:
    """S4: every hand is as good as a royal flush on the board."""
    actions = HIDDEN.format(cards="????", board="KdTdAd").replace("'d db Qc'", "'d db Qd'")
    report = of_phh(actions=actions)
    assert (report.status, report.won) == (Status.PLAYED, None)


def test_mucked_hand_with_an_unknown_board_decides_nothing() -> None:
    report = of_phh(actions=HIDDEN.format(cards="????", board="2h3d??"))
    assert (report.status, report.won) == (Status.PLAYED, None)


def test_shown_card_beside_an_unknown_one_decides_nothing() -> None:
    actions = HIDDEN.format(cards="????", board="2h3d9c").replace("'p2 sm'", "'p2 sm Kc??'")
    assert of_phh(actions=actions).won is None
