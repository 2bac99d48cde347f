"""What a table does when the end of what happened at it is lost: it says so, and a hand in progress is void (V1)."""

import pytest

from engine.commands import AcceptLoss, CloseSalon
from engine.events import HandVoided, TailLost
from engine.game import Game
from engine.units import HandNumber
from tests.engine.house import OWNER, House


def loss(commits: int = 3, hand: int = 1) -> AcceptLoss:
    return AcceptLoss(commits, HandNumber(hand), "the store went back")


@pytest.mark.parametrize("game", list(Game))
def test_a_hand_whose_end_is_lost_is_void(game: Game) -> None:
    """V1: every contribution goes back, no card is shown, and the next hand is scheduled."""
    house = House(game, seated=(1, 2, 3), hand_limit=9)
    stacks = list(house.table.stacks)
    house.deal(0).do(loss())
    assert house.kinds() == ["TailLost", "HandVoided", "NextHandScheduled"]
    assert house.table.stacks == stacks
    assert house.table.hands_dealt == 0
    (said,) = house.of(TailLost)
    assert (said.commits, said.hand, said.at) == (3, 1, house.now)
    assert house.of(HandVoided)[0].why == "the store went back"


def test_between_hands_it_is_only_said() -> None:
    house = House(seated=(1, 2, 3)).deal().fold_out()
    house.do(loss())
    assert house.kinds() == ["TailLost"]


def test_of_a_salon_that_is_over_it_is_said_too() -> None:
    """Else its log would be one that has lost something for ever."""
    house = House(seated=(1,)).do(CloseSalon(OWNER))
    assert house.table.over
    house.do(loss())
    assert house.kinds() == ["TailLost"]
    assert house.table.over


def test_a_number_that_a_lost_hand_may_have_had_is_not_given_out_again() -> None:
    house = House(seated=(1, 2, 3)).deal().fold_out().do(loss(hand=7)).deal()
    assert house.table.hand_number == 8
    house.fold_out().do(loss(hand=2)).deal()
    assert house.table.hand_number == 9, "a greater one stays"
