"""Antes: what they count for, and what one does that a stack cannot cover."""

from engine.events import AntePosted, TurnStarted
from tests.engine.felt import draw_poker, holdem

LOW_BOARD = "2c3c7d8h9s"


def test_antes_are_no_part_of_a_rounds_bet() -> None:
    """A1: the call is of the big blind alone; the antes are in the pot, and in what comes back."""
    felt = holdem([100, 100, 100], blinds=(5, 10), ante=3)
    assert (felt.legal.call, felt.legal.call_to, felt.legal.raise_min) == (10, 10, 20)
    assert felt.hand.bets == [0, 5, 10, 0]
    assert felt.hand.contributions == [0, 8, 13, 3]
    felt.play("3:f 1:f")
    assert felt.returned == {2: 5}
    assert felt.pots == [(9 + 5 + 5, (2,))]


def test_short_stack_posts_the_ante_first() -> None:
    """A2: 12 chips for an ante of 8 and a big blind of 10 are 8 and 4."""
    felt = holdem([100, 12, 100], blinds=(5, 10), ante=8)
    assert felt.hand.bets[2] == 4
    assert felt.hand.contributions[2] == 12
    assert [post.amount for post in felt.of(AntePosted)] == [8, 8, 8]


def test_short_ante_makes_a_main_pot() -> None:
    """A3: short ante x players; the rest is a side pot of the others."""
    felt = holdem([100, 100, 3], blinds=(5, 10), ante=8, cards=["KsKd", "QsQd", "AsAd"], board=LOW_BOARD)
    felt.play("1:c 2:x 1:x 2:x 1:x 2:x 1:x 2:x")
    assert felt.pots == [(9, (1, 2, 3)), (30, (1, 2))]
    assert felt.won == {3: 9, 1: 30}


def test_all_in_from_the_ante_has_a_live_hand_and_is_not_asked() -> None:
    """A4: he is never to act, and may win what he is in for."""
    felt = holdem([100, 100, 8], blinds=(5, 10), ante=8, cards=["KsKd", "QsQd", "AsAd"], board=LOW_BOARD)
    felt.play("1:r40 2:f")
    assert 3 not in {turn.seat for turn in felt.of(TurnStarted)}
    assert felt.won[3] == 24


def test_all_in_from_the_ante_still_draws() -> None:
    """A4: in draw he exchanges cards like the others."""
    felt = draw_poker([3, 500, 500], ante=5, all_in=True)
    felt.play("2:b10 3:c 1:p 2:p 3:p")
    assert (felt.street, felt.turn) == ("postdraw", 2)


def test_no_betting_when_all_but_one_are_all_in_from_antes() -> None:
    """A4: in draw there is the draw alone; in hold'em the board runs out."""
    felt = draw_poker([3, 3, 500], ante=5, all_in=True)
    assert (felt.street, felt.turn) == ("draw", 1)
    assert felt.returned == {3: 2}
    felt.play("1:p 2:p 3:p")
    assert felt.turn == 0
    assert "BetMade" not in felt.kinds()
    assert len(holdem([3, 3, 500], ante=0, blinds=(5, 10)).play("3:f").hand.board) == 5


def test_blinds_are_posted_after_an_ante_all_in_and_come_back() -> None:
    """A5, N17: heads-up, ante 240, A has 166: B gets back 74 and his whole blind."""
    for stacks, back in (([166, 2000], 74 + 100), ([2000, 166], 74 + 240)):
        felt = holdem(stacks, blinds=(100, 240), ante=240)
        assert felt.turn == 0
        assert list(felt.returned.values()) == [back]
        assert felt.pots == [(332, (1, 2))]
