"""Showdown: the order of showing, what stays unseen, and who wins."""

import pytest

from engine.events import CardsShown, PotAwarded, Shown
from tests.engine.felt import draw_poker, holdem

LIMPED = "3:c 1:c 2:x "
CHECKED = "1:x 2:x 3:x "
LOW_BOARD = "2c3c7d8h9s"
RISING = ["JsJd", "QsQd", "KsKd"]
"""Each seat's hand beats those before it, so that all are shown in seat order."""


@pytest.mark.parametrize(
    "river, order",
    [
        (CHECKED, [1, 2, 3]),
        ("1:x 2:b10 3:c 1:c", [2, 3]),
        ("1:b10 2:c 3:r20 1:c 2:c", [3]),
    ],
    ids=["checked", "a bet called", "the last raise"],
)
def test_last_aggressor_of_the_final_round_shows_first(river: str, order: list[int]) -> None:
    """S1, W-T 72: if it was checked, the first live seat left of the button; then clockwise."""
    felt = holdem([100, 100, 100], cards=RISING, board=LOW_BOARD).play(LIMPED + CHECKED + CHECKED + river)
    assert felt.shown == order
    assert {show.why for show in felt.of(CardsShown)} == {Shown.SHOWDOWN}


def test_aggressor_of_an_earlier_round_does_not_count() -> None:
    """S1: the final round was checked."""
    felt = holdem([100, 100, 100], cards=RISING, board=LOW_BOARD)
    felt.play(LIMPED + CHECKED + "1:x 2:x 3:b10 1:c 2:c " + CHECKED)
    assert felt.shown == [1, 2, 3]


def test_order_in_draw_is_by_the_second_round() -> None:
    """S1: the first round's bettor does not show first when the second is checked."""
    felt = draw_poker([500, 500], cards=["2c3d5h7s9c", "AsAdKhKsQd"])
    felt.play("1:x 2:b10 1:c 1:p 2:p 1:x 2:x")
    assert felt.shown == [1, 2]


def test_pots_are_announced_from_the_last_side_pot() -> None:
    """S2, W-L 149: to the main pot."""
    felt = holdem([30, 100, 100], cards=RISING, board=LOW_BOARD).play("3:r100 1:c 2:c")
    names = felt.kinds()
    last = names.index("HandEnded")
    assert names[last - 3 : last] == ["StreetStarted", "PotAwarded", "PotAwarded"]
    assert [pot.index for pot in felt.of(PotAwarded)] == [1, 0]


def test_all_hands_are_turned_up_before_the_rest_of_the_board() -> None:
    """S3, W-T 70: betting is over and someone is all-in; nobody mucks."""
    felt = holdem([100, 60, 100], cards=["KsKd", "QsQd", "AsAd"], board=LOW_BOARD)
    felt.play(LIMPED + "1:b58 2:c 3:c 1:x 3:b10 1:c 1:x 3:x")
    assert felt.shown == [1, 2, 3]
    assert felt.mucked == []
    assert {show.why for show in felt.of(CardsShown)} == {Shown.ALL_IN}
    early = holdem([60, 100], cards=["KsKd", "QsQd"], board=LOW_BOARD).play("2:r100 1:f")
    assert early.shown == []
    early = holdem([60, 100], cards=["KsKd", "QsQd"], board=LOW_BOARD).play("2:a 1:c")
    names = early.kinds()
    assert names.index("UncalledBetReturned") < names.index("CardsShown") < names.index("StreetStarted")
    assert early.shown == [1, 2]


def test_no_hand_is_turned_up_while_two_can_bet() -> None:
    """S3: a third player's all-in turns nothing up yet."""
    felt = holdem([100, 60, 100]).play("3:r60 1:c 2:c")
    assert felt.shown == []
    felt.play("1:b40 3:c")
    assert felt.shown == [1, 2, 3]
    assert len(felt.hand.board) == 5


def test_all_hands_are_turned_up_after_a_last_call_for_the_whole_stack() -> None:
    """S3: all-in is live with an empty stack, by whatever action, in draw with all-in off too."""
    felt = draw_poker([121, 500], cards=["2c3d5h7s9c", "AsAdKhKsQd"])
    felt.play("1:b10 2:r20 1:r30 2:r40 1:c 1:p 2:p 1:b20 2:r40 1:r60 2:r80")
    assert felt.legal.raise_max == 0
    felt.play("1:c")
    assert felt.shown == [1, 2]
    assert felt.mucked == []


def test_in_draw_hands_are_turned_up_only_when_drawing_is_over() -> None:
    """S3, D17: all-in in the first round; the cards stay hidden through the draw."""
    felt = draw_poker([41, 20, 500], all_in=True).play("1:b10 2:a 3:r30 1:r40 3:c 1:p 2:p")
    assert felt.shown == []
    felt.play("3:p")
    assert felt.shown == [1, 2, 3]


def test_beaten_hand_is_mucked() -> None:
    """S4: by one already turned up in the order of S1; no turn is given, and a winner always shows."""
    felt = holdem([100, 100, 100], cards=["QsQd", "KsKd", "JsJd"], board=LOW_BOARD)
    felt.play(LIMPED + CHECKED * 3)
    assert (felt.shown, felt.mucked) == ([1, 2], [3])
    assert felt.hand.shown[3] == ()
    assert felt.won == {2: 6}


def test_equal_hand_is_shown() -> None:
    """S4: it wins a part of the pot."""
    felt = holdem([100, 100, 100], cards=["AsKd", "2d2h", "AhKc"], board="QsJdTc4h5s")
    felt.play(LIMPED + CHECKED * 3)
    assert (felt.shown, felt.mucked) == ([1, 3], [2])


def test_sole_survivor_shows_nothing() -> None:
    """S5: nor do those who folded."""
    felt = holdem([100, 100, 100]).play("3:r6 1:f 2:f")
    assert (felt.shown, felt.mucked) == ([], [])
    assert felt.hand.shown == [()] * 4


def test_identical_hands_split() -> None:
    """S6: the board plays."""
    felt = holdem([100, 100, 100], cards=["2c2d", "3c3d", "4c4d"], board="AsKdQhJsTs")
    felt.play(LIMPED + CHECKED * 3)
    assert felt.won == {1: 2, 2: 2, 3: 2}


def test_wheel_loses_to_a_six_high_straight() -> None:
    """S7: A-2-3-4-5 is the lowest straight."""
    felt = holdem([100, 100], cards=["6d9c", "AdKc"], board="2c3c4d5hKs").play("2:c 1:x" + " 1:x 2:x" * 3)
    assert felt.won == {1: 4}
