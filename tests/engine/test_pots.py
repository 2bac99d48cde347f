"""Pots: their layers, who can win them, and how they are split."""

from collections.abc import Sequence

import pytest

from engine.events import HandStarted, PotAwarded, UncalledBetReturned
from engine.game import Game
from engine.hand import Hand, Part
from engine.pots import pots, split, uncalled_bet
from engine.settings import rules_of
from engine.units import Chips, HandNumber, Millis, Seat
from tests.engine.felt import holdem, settings
from tests.engine.house import House

LOW_BOARD = "2c3c7d8h9s"


def hand_with(put_in: str) -> Hand:
    """A hand by what each seat put in: `f` after it folded, `+5` besides as a dead small blind."""
    parts = put_in.split()
    seats = tuple(Seat(seat) for seat in range(1, len(parts) + 1))
    rules = rules_of(settings(Game.HOLDEM))
    started = HandStarted(
        HandNumber(1), seats[-1], seats[0], seats[1], seats, tuple(Chips(0) for _ in seats), Millis(0)
    )
    hand = Hand(rules, started, len(seats))
    hand.dead = [Chips(0)] * (len(seats) + 1)
    hand.parts = [Part.OUT, *(Part.FOLDED if part.endswith("f") else Part.LIVE for part in parts)]
    for seat, part in zip(seats, parts, strict=True):
        live, _, dead = part.rstrip("f").partition("+")
        hand.dead[seat] = Chips(int(dead or 0))
        hand.contributions[seat] = Chips(int(live) + int(dead or 0))
    return hand


@pytest.mark.parametrize(
    "put_in, expected",
    [
        ("100 100 100", [(300, (1, 2, 3))]),
        ("100 60 100 30", [(120, (1, 2, 3, 4)), (90, (1, 2, 3)), (80, (1, 3))]),
        ("100 100 70f 30", [(120, (1, 2, 4)), (180, (1, 2))]),
        ("100 100 120f 30", [(120, (1, 2, 4)), (230, (1, 2))]),
        ("10 10+5 10 4", [(21, (1, 2, 3, 4)), (18, (1, 2, 3))]),
        ("10 10 0+5 10", [(5, (1, 2, 3, 4)), (30, (1, 2, 4))]),
        ("10 10f 0+5f 10", [(35, (1, 4))]),
    ],
    ids=[
        "one level, one pot",
        "a level for each live contribution",
        "folded money fills the layers from below",
        "what lies above the top live level goes to the top pot",
        "a dead small blind goes whole into the main pot",
        "a dead small blind is no level, even when it is all that is in",
        "folded dead money too",
    ],
)
def test_layers(put_in: str, expected: Sequence[tuple[int, tuple[int, ...]]]) -> None:
    """P1: layers at the contribution levels of live players."""
    assert list(pots(hand_with(put_in))) == list(expected)


def test_layer_whose_contributors_all_folded_merges_downward() -> None:
    """P2: no chip vanishes."""
    assert pots(hand_with("50 50 80f 80f 20")) == ((100, (1, 2, 5)), (180, (1, 2)))


def test_equal_eligibility_is_one_pot_and_none_is_empty() -> None:
    """P3: a fold between two levels leaves no second pot."""
    assert pots(hand_with("40 40 20f 10f 0f")) == ((110, (1, 2)),)
    assert pots(hand_with("0 10 10")) == ((20, (2, 3)),)


def test_folded_chips_never_split_a_pot() -> None:
    """P6: A and B live with 4 each, C 3, D 2, E 1 folded: one pot of 14, 7 and 7."""
    ((amount, eligible),) = pots(hand_with("4 4 3f 2f 1f"))
    assert (amount, eligible) == (14, (1, 2))
    assert split(amount, eligible) == (7, 7)


@pytest.mark.parametrize(
    "amount, winners, shares",
    [
        (1060, 3, (354, 353, 353)),
        (1061, 3, (354, 354, 353)),
        (7, 2, (4, 3)),
        (6, 2, (3, 3)),
        (1, 2, (1, 0)),
        (5, 1, (5,)),
    ],
)
def test_odd_chips_go_one_each(amount: int, winners: int, shares: tuple[int, ...]) -> None:
    """P5, W-T 73/74: clockwise from the first winner left of the button."""
    assert split(Chips(amount), tuple(Seat(seat) for seat in range(winners))) == shares


def test_odd_chip_goes_to_the_first_winner_left_of_the_button() -> None:
    """P5: the button is seat 4, and seats 2 and 4 split 5."""
    felt = holdem([100, 100, 100, 100], cards=["2c2d", "AsKd", "3c3d", "AhKc"], board="QsJdTc4h5s")
    felt.play("3:f 4:c 1:f 2:x" + " 2:x 4:x" * 3)
    assert felt.won == {2: 3, 4: 2}


def test_each_pot_is_split_on_its_own() -> None:
    """P5: two pots with an odd chip each give two odd chips to the same winner."""
    cards = ["", "", "AsKd", "AhKc", "2c2d"]
    felt = holdem([100, 100, 100, 100, 10], cards=cards, board="QsJdTc4h7s")
    felt.play("3:r20 4:c 5:a 1:f 2:c 2:b7 3:r20 4:c 2:f" + " 3:x 4:x" * 2)
    assert felt.pots == [(41, (3, 4, 5)), (77, (3, 4))]
    assert felt.won == {3: 21 + 39, 4: 20 + 38}


def test_eligibility_is_worked_out_at_settlement() -> None:
    """P4: who put in up to a level and has not folded; all-in players stay eligible when streets are checked."""
    felt = holdem([100, 100, 100, 20], cards=["JsJd", "KsKd", "QsQd", "AsAd"], board=LOW_BOARD)
    felt.play("3:r20 4:c 1:c 2:c 1:b30 2:c 3:f 1:x 2:x 1:x 2:x")
    assert felt.pots == [(80, (1, 2, 4)), (60, (1, 2))]
    assert felt.won == {4: 80, 2: 60}


def test_last_side_pot_is_awarded_first() -> None:
    """P7, W-L 149: the main pot, index 0, comes last."""
    felt = holdem([30, 60, 100, 100], cards=["AsAd", "KsKd", "QsQd", "JsJd"], board=LOW_BOARD)
    felt.play("3:r100 4:c 1:c 2:c")
    awards = felt.of(PotAwarded)
    assert [(pot.index, pot.amount, pot.winners) for pot in awards] == [
        (2, 80, (3,)),
        (1, 90, (2,)),
        (0, 120, (1,)),
    ]


def test_one_live_player_takes_everything() -> None:
    """P8: the hand is over, and no more cards are dealt."""
    felt = holdem([100, 100, 100]).play("3:c 1:c 2:x 1:b10 2:f 3:f")
    assert felt.pots == [(6, (1,))]
    assert felt.won == {1: 6}
    assert len(felt.hand.board) == 3


def test_chips_are_conserved_after_every_event() -> None:
    """P9: stacks and pots are all that was bought in; the felt holds it after every move."""
    felt = holdem([30, 60, 100, 100], ante=1).play("3:r99 4:c 1:c 2:c")
    assert sum(felt.stacks) == 290


def test_side_pot_with_one_eligible_player_left_is_won() -> None:
    """P10: the others folded; it is not returned, and needs no showdown of its own."""
    felt = holdem([100, 100, 100, 20], cards=["JsJd", "KsKd", "QsQd", "AsAd"], board=LOW_BOARD)
    felt.play("3:r20 4:c 1:c 2:c 1:b30 2:c 3:c 1:b50 2:f 3:f")
    assert felt.returned == {1: 50}
    assert felt.pots == [(80, (1, 4)), (90, (1,))]
    assert felt.won == {1: 90, 4: 80}


@pytest.mark.parametrize(
    "put_in, expected",
    [
        ("100 60 60f", (1, 40)),
        ("100 60 80f", (1, 20)),
        ("100 60 100f", (0, 0)),
        ("90 60 100f", (0, 0)),
        ("10+50 10 5f", (0, 0)),
        ("30+50 10 5f", (1, 20)),
    ],
)
def test_uncalled_bet(put_in: str, expected: tuple[int, int]) -> None:
    """N17: measured against any player; dead money does not count; nothing goes back to who folded."""
    assert uncalled_bet(hand_with(put_in)) == expected


def test_a_big_blind_that_nobody_called_over_a_dead_small_blind_leaves_no_pot() -> None:
    """P3, N18: all of it is uncalled and comes back, and a pot of nothing is none."""
    house = House(seated=(1, 2, 3, 4)).deal().fold_out()
    house.leave(house.table.big_blind).deal()
    assert house.table.small_blind not in house.dealt
    before = sum(house.table.stacks)
    house.fold_out()
    assert house.of(UncalledBetReturned) == [UncalledBetReturned(house.table.big_blind, Chips(2))]
    assert house.of(PotAwarded) == []
    assert sum(house.table.stacks) == before + 2
    assert house.table.hand is not None
    assert house.table.hand.pots == ()
