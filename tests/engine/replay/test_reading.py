"""Reading recorded hands: what each format tells, and what it is told when it tells nothing that can be played."""

from pathlib import Path
from typing import Any

import pytest

from engine.events import AntePosted, BlindPosted
from engine.game import Structure
from engine.replay.compare import Status, report_on
from engine.replay.files import read_hands
from engine.replay.jsonl import read_jsonl
from engine.replay.phh import read_phhs
from engine.replay.recorded import RecordedHand, Unreadable
from tests.engine.replay.lines import DRAW_LINE, LINE, OUTCOME, PHH, line, of_line, of_phh, phh

Posts = list[tuple[int, str, int]]


def posts_of(hand: RecordedHand | Unreadable) -> Posts:
    assert isinstance(hand, RecordedHand), hand
    kinds: Posts = []
    for post in hand.posts:
        match post:
            case AntePosted():
                kinds.append((post.seat, "ante", post.amount))
            case BlindPosted():
                kinds.append((post.seat, post.blind.value, post.amount))
    return kinds


def read_line(**changes: Any) -> RecordedHand | Unreadable:
    (hand,) = read_jsonl("f", [line(**changes)])
    return hand


def seats(*stacks: int) -> list[dict[str, Any]]:
    """Seats 1 to n with nothing known of their cards."""
    return [
        {"seat": seat, "stack": stack, "hole": None, "sitting_out": False}
        for seat, stack in enumerate(stacks, 1)
    ]


@pytest.mark.parametrize("text", [line(), line(**OUTCOME), line(verified="exact")])
def test_line_is_played_with_or_without_its_outcome(text: str) -> None:
    report = of_line(text)
    assert report.status is (Status.OK if "won" in text else Status.PLAYED)
    assert (report.finish, report.won, report.returned) == ({1: 110, 2: 90, 3: 100}, {1: 20}, {})
    assert (report.file, report.id) == ("f", "7")


def test_phh_is_played_with_or_without_its_outcome() -> None:
    report = of_phh()
    assert (report.file, report.id, report.status) == ("f", "1", Status.PLAYED)
    assert (report.finish, report.won, report.returned) == ({1: 110, 2: 90, 3: 100}, {1: 20}, {})
    assert of_phh(finishing_stacks="[110, 90, 100]").status is Status.OK
    assert of_phh(finishing_stacks="[100, 100, 100]").status is Status.MISMATCH


POSTS: list[tuple[str, dict[str, Any], int, int, Posts]] = [
    ("as they are", {}, 1, 2, [(1, "small", 5), (2, "big", 10)]),
    (
        "B4: a small blind behind the big one is dead",
        {"button": 1, "posts": [[2, "bb", 10], [3, "sb", 5]]},
        0,
        2,
        [(2, "big", 10), (3, "dead", 5)],
    ),
    (
        "B4: both at once are a live big and a dead small blind",
        {"posts": [[1, "sb", 5], [2, "bb", 10], [3, "sb+bb", 15]]},
        1,
        2,
        [(1, "small", 5), (2, "big", 10), (3, "big", 10), (3, "dead", 5)],
    ),
    (
        "both at once from a short stack are the big blind first",
        {"posts": [[1, "sb", 5], [2, "bb", 10], [3, "sb+bb", 8]], "seats": seats(100, 100, 8)},
        1,
        2,
        [(1, "small", 5), (2, "big", 10), (3, "big", 8)],
    ),
    (
        "a dead post",
        {"posts": [[1, "sb", 5], [2, "bb", 10], [3, "dead", 5]]},
        1,
        2,
        [(1, "small", 5), (2, "big", 10), (3, "dead", 5)],
    ),
    (
        "N10: who had only the ante has the big blind all the same",
        {
            "posts": [[1, "ante", 3], [2, "ante", 3], [3, "ante", 3], [1, "sb", 5]],
            "seats": seats(100, 3, 100),
        },
        1,
        2,
        [(1, "ante", 3), (2, "ante", 3), (3, "ante", 3), (1, "small", 5)],
    ),
    (
        "A2: a blind that was all there was for the ante is an ante",
        {"posts": [[1, "sb", 4], [2, "ante", 6], [3, "ante", 6], [2, "bb", 10]], "seats": seats(4, 100, 100)},
        1,
        2,
        [(1, "ante", 4), (2, "ante", 6), (3, "ante", 6), (2, "big", 10)],
    ),
    (
        "A2: what such a blind has beyond the ante is a blind",
        {"posts": [[1, "sb", 8], [2, "ante", 6], [3, "ante", 6], [2, "bb", 10]], "seats": seats(8, 100, 100)},
        1,
        2,
        [(1, "ante", 6), (1, "small", 2), (2, "ante", 6), (3, "ante", 6), (2, "big", 10)],
    ),
    (
        "who has more and antes nothing antes nothing",
        {"posts": [[1, "sb", 5], [2, "ante", 6], [3, "ante", 6], [2, "bb", 10]]},
        1,
        2,
        [(1, "small", 5), (2, "ante", 6), (3, "ante", 6), (2, "big", 10)],
    ),
    (
        "no blinds",
        {"posts": [[1, "ante", 1], [2, "ante", 1], [3, "ante", 1]]},
        0,
        0,
        [(1, "ante", 1), (2, "ante", 1), (3, "ante", 1)],
    ),
]


@pytest.mark.parametrize("what, changes, small, big, posts", POSTS, ids=[row[0] for row in POSTS])
def test_posts_are_taken_as_recorded(
    what: str, changes: dict[str, Any], small: int, big: int, posts: Posts
) -> None:
    """A2, B3, B4: whose blind is live follows from where its seat sits."""
    hand = read_line(**changes)
    assert isinstance(hand, RecordedHand), what
    assert (hand.small_blind, hand.big_blind, posts_of(hand)) == (small, big, posts)


@pytest.mark.parametrize(
    "changes, full",
    [
        ({}, 10),
        ({"stakes": [6, 12]}, 10),
        ({"stakes": None}, 10),
        ({"seats": seats(100, 10, 100), "posts": [[1, "sb", 10], [2, "bb", 10]], "stakes": [10, 20]}, 20),
        ({"seats": seats(100, 10, 100), "stakes": None, "actions": [["preflop", 3, "call", 12]]}, 12),
        ({"seats": seats(100, 10, 100), "stakes": None, "actions": [["preflop", 1, "call", 7]]}, 12),
        ({"seats": seats(100, 9, 8), "stakes": None, "actions": [["preflop", 3, "call", 8]]}, 10),
        ({"seats": seats(100, 9, 100), "stakes": None, "actions": [["preflop", 3, "raise_to", 30]]}, 10),
    ],
)
def test_big_blind_is_as_posted_in_full_or_stated_or_called(changes: dict[str, Any], full: int) -> None:
    """N10: a short big blind is owed in full."""
    if "posts" not in changes and "seats" in changes:
        changes["posts"] = [[1, "sb", 5], [2, "bb", changes["seats"][1]["stack"]]]
    hand = read_line(**changes)
    assert isinstance(hand, RecordedHand)
    assert hand.rules.big_blind == full


@pytest.mark.parametrize(
    "button, order",
    [(3, (1, 2, 3)), (1, (2, 3, 1)), (2, (3, 1, 2)), (9, (1, 2, 3)), (None, (1, 2, 3))],
)
def test_order_starts_left_of_the_button_or_without_one_with_the_small_blind(
    button: int | None, order: tuple[int, ...]
) -> None:
    """B3: the button may be on an empty seat."""
    hand = read_line(button=button)
    assert isinstance(hand, RecordedHand)
    assert hand.order == order


def test_order_without_button_and_blinds_is_that_of_the_seats() -> None:
    hand = read_line(button=None, posts=[])
    assert isinstance(hand, RecordedHand)
    assert hand.order == (1, 2, 3)


def test_who_sits_out_is_dealt_in_only_with_a_part_in_the_hand() -> None:
    """B5: a player who sits out may yet be dealt in, and be folded."""
    away = [*seats(100, 100, 100), {"seat": 4, "stack": 70, "hole": None, "sitting_out": True}]
    hand = read_line(seats=away)
    assert isinstance(hand, RecordedHand)
    assert hand.order == (1, 2, 3)
    folded = [["preflop", 3, "fold", 0], ["preflop", 4, "fold", 0], ["preflop", 1, "fold", 0]]
    report = of_line(line(seats=away, actions=folded))
    assert report.finish == {1: 95, 2: 105, 3: 100, 4: 70}


@pytest.mark.parametrize(
    "antes, dead", [([[2, "ante", 10]], True), ([[1, "ante", 1], [2, "ante", 1], [3, "ante", 1]], False)]
)
def test_one_ante_is_for_all(antes: list[list[Any]], dead: bool) -> None:
    """A1: a big blind's ante for all is dead money, and a replay configuration."""
    hand = read_line(posts=[*antes, *LINE["posts"]])
    assert isinstance(hand, RecordedHand)
    assert hand.rules.big_blind_ante is dead


@pytest.mark.parametrize(
    "changes, units, structure",
    [
        ({}, (10, 10, 10, 10), Structure.NO_LIMIT),
        ({"limit": "Limit", "stakes": [10, 20]}, (10, 10, 20, 20), Structure.FIXED_LIMIT),
        ({"kind": DRAW_LINE}, (10, 0, 20), Structure.FIXED_LIMIT),
    ],
)
def test_bets_are_those_of_the_limit(
    changes: dict[str, Any], units: tuple[int, ...], structure: Structure
) -> None:
    """D1: fixed-limit hold'em and blinds in draw are replay configurations."""
    hand = read_line(**changes)
    assert isinstance(hand, RecordedHand)
    assert (hand.rules.units, hand.rules.structure) == (units, structure)


@pytest.mark.parametrize(
    "text, why",
    [
        ("{", "line 1 is no recorded hand: JSONDecodeError"),
        ("[]", "line 1 is no recorded hand: TypeError"),
        (line(posts=...), "KeyError: 'posts'"),
        (line(game="Omaha"), "Omaha No Limit is not played here"),
        (line(limit="Pot Limit"), "Hold'em Pot Limit is not played here"),
        (line(posts=[[1, "straddle", 20]]), "a post of the kind 'straddle' is not known"),
        (line(actions=[["preflop", 3, "tank", 0]]), "an action 'tank' is not known"),
        (line(board=["2h", "2h"]), "2h is dealt twice"),
        (line(board=["1h"]), "'1h' is no card"),
    ],
)
def test_line_that_cannot_be_played_is_unsupported_and_says_why(text: str, why: str) -> None:
    report = of_line(text)
    assert report.status is Status.UNSUPPORTED
    assert why in report.detail
    assert (report.finish, report.won, report.returned) == (None, None, None)


def test_empty_lines_are_no_hands() -> None:
    assert len(list(read_jsonl("f", ["", line(), " "]))) == 1


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"variant": "'PO'"}, "the variant PO is not played here"),
        ({"variant": ""}, "KeyError: 'variant'"),
        ({"antes": "[0, 0]"}, "another number of antes"),
        ({"starting_stacks": "[100, 99.5, 100]"}, "chips are whole numbers here"),
        ({"starting_stacks": "[100, inf, 100]"}, "this is no hand in PHH"),
        ({"actions": "['p1 jumps']"}, "the action 'p1 jumps' is not known"),
        ({"actions": "['x1 f']"}, "'x1' is no player"),
        ({"actions": "['d db 2h3d9cJdQcKs', 'p3 f']"}, "more than five cards"),
        ({"variant": "'NT"}, "this is no TOML"),
    ],
)
def test_phh_that_cannot_be_played_is_unsupported_and_says_why(changes: dict[str, str], why: str) -> None:
    report = of_phh(**changes)
    assert report.status is Status.UNSUPPORTED
    assert why in report.detail


PHH_POSTS: list[tuple[str, dict[str, str], int, int, Posts]] = [
    ("as they are", {}, 1, 2, [(1, "small", 5), (2, "big", 10)]),
    (
        "a straddle is acted after",
        {"blinds_or_straddles": "[5, 10, 20]"},
        1,
        3,
        [(1, "small", 5), (2, "big", 10), (3, "big", 20)],
    ),
    ("blinds alike", {"blinds_or_straddles": "[10, 10, 0]"}, 1, 2, [(1, "small", 10), (2, "big", 10)]),
    ("no small blind", {"blinds_or_straddles": "[10, 0, 0]"}, 0, 1, [(1, "big", 10)]),
    ("no blinds", {"blinds_or_straddles": "[0, 0, 0]"}, 0, 0, []),
    (
        "A2: short of the blind",
        {"antes": "[3, 3, 3]", "starting_stacks": "[100, 8, 2]"},
        1,
        2,
        [(1, "ante", 3), (2, "ante", 3), (3, "ante", 2), (1, "small", 5), (2, "big", 5)],
    ),
    (
        "own fields",
        {"blinds_or_straddles": "[10, 0, 10]", "_big_blind": "1", "_dead_blinds": "[0, 0, 5]"},
        3,
        1,
        [(1, "big", 10), (3, "small", 10), (3, "dead", 5)],
    ),
]


@pytest.mark.parametrize("what, changes, small, big, posts", PHH_POSTS, ids=[row[0] for row in PHH_POSTS])
def test_phh_posts_as_far_as_the_stacks_go(
    what: str, changes: dict[str, str], small: int, big: int, posts: Posts
) -> None:
    """A2, B4: the ante, then a live blind, then a dead one."""
    hand = phh(**changes)
    assert isinstance(hand, RecordedHand), what
    assert (hand.small_blind, hand.big_blind, posts_of(hand)) == (small, big, posts)


@pytest.mark.parametrize(
    "first, posts, order",
    [
        ("'p2 f'", [(1, "big", 10), (2, "small", 5)], (1, 2)),
        ("'p1 f'", [(1, "small", 5), (2, "big", 10)], (2, 1)),
    ],
)
def test_heads_up_phh_lists_blinds_in_reverse_unless_p1_acts_first(
    first: str, posts: Posts, order: tuple[int, ...]
) -> None:
    """B1: the button posts the small blind and acts first."""
    hand = phh(
        antes="[0, 0]",
        blinds_or_straddles="[5, 10]",
        starting_stacks="[100, 100]",
        actions=f"['d dh p1 AsAh', 'd dh p2 KdKc', {first}]",
    )
    assert isinstance(hand, RecordedHand)
    assert (posts_of(hand), hand.order, hand.button) == (posts, order, order[1])
    assert report_on(hand).status is Status.PLAYED


@pytest.mark.parametrize(
    "changes, dead",
    [
        ({"antes": "[0, 10, 0]"}, True),
        ({"antes": "[1, 1, 1]"}, False),
        ({"antes": "[1, 1, 1]", "ante_trimming_status": "false"}, True),
        ({"antes": "[1, 1, 1]", "ante_trimming_status": "true"}, False),
    ],
)
def test_phh_antes_that_are_not_trimmed_are_dead_money(changes: dict[str, str], dead: bool) -> None:
    """A1, A3: a big blind's ante for all is a replay configuration."""
    hand = phh(**changes)
    assert isinstance(hand, RecordedHand)
    assert hand.rules.big_blind_ante is dead


def test_fixed_limit_phh_is_a_replay_configuration() -> None:
    """D1: two units."""
    hand = phh(variant="'FT'", min_bet="", small_bet="10", big_bet="20")
    assert isinstance(hand, RecordedHand)
    assert hand.rules.units == (10, 10, 20, 20)


def test_comments_and_shows_without_cards_are_passed_over() -> None:
    actions = PHH["actions"].replace("'p3 f'", "'p3 f # a tank', '# a drink', ''")
    assert of_phh(actions=actions.replace("'p1 sm AsAh'", "'p1 sm -'")).won == {1: 20}


def test_sections_are_hands_and_a_bad_one_does_not_hide_the_others(tmp_path: Path) -> None:
    good = "".join(f"{name} = {field}\n" for name, field in PHH.items())
    read = list(read_phhs("f", f"[1]\n{good}\n['b']\nvariant = \n\n[3]\n{good}"))
    assert [hand.id for hand in read] == ["1", "b", "3"]
    assert [report_on(hand).status for hand in read] == [Status.PLAYED, Status.UNSUPPORTED, Status.PLAYED]
    assert report_on(next(read_phhs("f", good))).detail.startswith("this .phhs has no section")


@pytest.mark.parametrize(
    "name, text, id_, status",
    [
        ("one.phh", "".join(f"{name} = {field}\n" for name, field in PHH.items()), "one", Status.PLAYED),
        (
            "some.phhs",
            "[4]\n" + "".join(f"{name} = {field}\n" for name, field in PHH.items()),
            "4",
            Status.PLAYED,
        ),
        ("lines.jsonl", line() + "\n", "7", Status.PLAYED),
        ("hands.txt", "", "", Status.UNSUPPORTED),
        ("hands", "", "", Status.UNSUPPORTED),
    ],
)
def test_files_are_read_by_their_suffix(
    tmp_path: Path, name: str, text: str, id_: str, status: Status
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (hand,) = read_hands(str(path))
    report = report_on(hand)
    assert (report.file, report.id, report.status) == (str(path), id_, status)
