"""Five-card draw coverage: who cannot pay for a whole hand sits out, and is told what to top up to."""

import pytest

from engine.commands import AllIn, Check, Fold, SitIn, TopUpTo
from engine.events import AbsenceCause, NextHandScheduled, PlayPaused, SatIn, SatOut, ToppedUp
from engine.game import Game
from engine.refusals import Reason
from engine.units import Chips, Millis, PlayerId, Seat
from tests.engine.house import House

COVER = 25
"""1 + (1 + 3) x (2 + 4), by the default settings."""


def p(seat: int) -> PlayerId:
    return PlayerId(f"p{seat}")


def draw_salon(stack: int, *, all_in: bool = False) -> House:
    """Three players, of whom the one in seat 2 has `stack` chips; the first hand's button is 1."""
    house = House(Game.DRAW, seated=(1, 2, 3), all_in=all_in)
    return house.move_chips(2, 3, house.table.stacks[2] - stack)


@pytest.mark.parametrize("stack, dealt", [(COVER, (2, 3, 1)), (COVER - 1, (3, 1))])
def test_who_cannot_cover_a_hand_is_not_dealt_in(stack: int, dealt: tuple[int, ...]) -> None:
    """Five-card draw coverage: ante + (1 + raise_cap) x (small + big bet)."""
    assert draw_salon(stack).deal().dealt == dealt


def test_an_uncovered_player_sits_out_and_is_told_what_to_top_up_to() -> None:
    """Five-card draw coverage: after the hand that cost him too much; he keeps the seat."""
    house = draw_salon(COVER).deal().act(Fold)
    house.fold_out()
    assert house.of(SatOut) == [
        SatOut(Seat(2), AbsenceCause.NOT_COVERED, Millis(house.now + 600_000), Chips(COVER))
    ]
    assert house.table.stacks[2] == COVER - 1
    assert sorted(house.deal().dealt) == [1, 3]


def test_a_top_up_to_the_coverage_is_enough() -> None:
    """Five-card draw coverage: less is refused with the amount, sitting in without it too."""
    house = draw_salon(COVER).deal().fold_out()
    refusal = house.refused(SitIn(p(2)))
    assert refusal.reason is Reason.NOT_COVERED
    assert dict(refusal.numbers)["need"] == str(COVER)
    assert "top up to 25" in refusal.text
    assert dict(house.refused(TopUpTo(p(2), Chips(COVER - 1))).numbers)["min"] == str(COVER)
    house.top_up(2, COVER)
    assert house.events == (ToppedUp(Seat(2), Chips(1), Chips(COVER)), SatIn(Seat(2), post=False))
    assert 2 in house.deal().dealt


def test_fewer_than_two_covered_players_make_the_salon_wait() -> None:
    """Five-card draw coverage, B0: a top-up lets it go on, with a new button."""
    house = House(Game.DRAW, seated=(1, 2))
    house.move_chips(2, 1, house.table.stacks[2] - COVER).deal().act(Fold)
    assert house.of(PlayPaused) == [PlayPaused()]
    house.top_up(2, 100)
    assert house.of(NextHandScheduled)
    assert "ButtonDrawn" in house.deal().kinds()


def test_no_side_pot_can_arise_among_covered_players() -> None:
    """Five-card draw coverage: all-in is no action where it is off."""
    house = draw_salon(COVER).deal()
    assert house.refused(house.move(AllIn)).reason is Reason.ILLEGAL_ACTION


@pytest.mark.parametrize("stack", [1, COVER - 1])
def test_with_all_in_on_any_stack_is_dealt_in(stack: int) -> None:
    """A4, D6: side pots do what coverage does elsewhere."""
    assert 2 in draw_salon(stack, all_in=True).deal().dealt


def test_an_uncovered_bot_tops_up_by_itself() -> None:
    """B11: to its first buy-in, in draw as soon as it is uncovered."""
    house = House(Game.DRAW, seated=(1, 3)).add_bot(2)
    house.move_chips(2, 3, house.table.stacks[2] - COVER).deal().act(Fold)
    house.fold_out()
    assert house.of(ToppedUp) == [ToppedUp(Seat(2), Chips(176), Chips(200))]
    assert house.of(SatOut) == []


def test_a_top_up_asked_in_a_hand_saves_from_sitting_out() -> None:
    """B10, B11: it is settled before anybody is found uncovered."""
    house = draw_salon(COVER).deal().top_up(2, 100).act(Fold)
    house.fold_out()
    assert house.of(SatOut) == []
    assert house.table.stacks[2] == 100


def test_a_covered_player_of_a_hand_never_runs_out_of_chips() -> None:
    """Five-card draw coverage: a hand checked through costs the ante alone."""
    house = draw_salon(COVER).deal()
    while house.turn and house.table.hand and house.table.hand.street == 0:
        house.act(Check)
    assert house.table.stacks[2] == COVER - 1
