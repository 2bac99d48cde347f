"""The grace after an outage: the time that a turn could not be played in is given back, at most three times a turn."""

import pytest

from engine.commands import Call, Check, ExpireTurn, ExtendAbsences, GiveGrace
from engine.events import GraceGiven, SatOut, TimedOut
from engine.game import Game
from engine.play import LEAST_GRACE, MOST_GRACES
from engine.record import table_from_plain, table_to_plain
from engine.refusals import Reason
from engine.units import LEAST_OUTAGE, TIMER_SLACK, Millis
from engine.value import changed
from tests.engine.house import House

TURN_TIME, BANK = 20_000, 30_000


def asked() -> House:
    """Three players, and the first of them asked just now."""
    return House(seated=(1, 2, 3), turn_time=TURN_TIME, time_bank=BANK).deal()


def grace(house: House, away: int) -> GiveGrace:
    hand = house.table.hand
    assert hand is not None
    return GiveGrace(hand.hand, hand.turn, Millis(house.now - away))


def left(house: House) -> int:
    """What is left of the turn time, less than nothing while the bank runs."""
    hand = house.table.hand
    assert hand is not None
    return hand.deadline - house.now


@pytest.mark.parametrize(
    "played, away, expected",
    [
        (5_000, LEAST_OUTAGE, TURN_TIME - 5_000),
        (5_000, 3_600_000, TURN_TIME - 5_000),
        (25_000, 60_000, -5_000),
        (0, 60_000, TURN_TIME),
    ],
    ids=["as little as is noticed", "an hour", "the bank was running", "from the turn's first moment"],
)
def test_a_turn_goes_on_with_what_it_had_left(played: int, away: int, expected: int) -> None:
    """Design, Time: an absolute deadline, with the milliseconds that remained; the bank is what it was."""
    house = asked().wait(played + away)
    house.do(grace(house, away))
    assert left(house) == expected
    (event,) = house.events
    assert isinstance(event, GraceGiven)
    assert event.at == house.now
    assert house.table.hand is not None
    assert house.table.hand.bank == BANK


def test_who_had_hardly_any_time_left_gets_enough_to_come_back() -> None:
    house = House(seated=(1, 2, 3), turn_time=TURN_TIME, time_bank=0).deal().wait(TURN_TIME - 1 + 4_000)
    house.do(grace(house, 4_000))
    assert left(house) == LEAST_GRACE
    short = House(seated=(1, 2, 3), turn_time=3_000, time_bank=0).deal().wait(3_000 + 4_000)
    short.do(grace(short, 4_000))
    assert left(short) == 3_000


def test_the_bank_counts_as_time_to_come_back_in() -> None:
    house = asked().wait(TURN_TIME + BANK - 1_000 + 4_000)
    house.do(grace(house, 4_000))
    assert left(house) + BANK == LEAST_GRACE


def test_what_nobody_notices_is_not_given_back() -> None:
    house = asked().wait(10_000)
    refusal = house.refused(grace(house, LEAST_OUTAGE - 1))
    assert refusal.reason is Reason.NOT_READY
    assert house.refused(grace(house, -5)).reason is Reason.NOT_READY


def test_a_turn_that_ran_out_in_a_moments_outage_has_its_grace() -> None:
    house = House(seated=(1, 2, 3), turn_time=TURN_TIME, time_bank=0).deal().wait(TURN_TIME + TIMER_SLACK)
    house.do(grace(house, 1))
    assert left(house) == LEAST_GRACE
    late = House(seated=(1, 2, 3), turn_time=TURN_TIME, time_bank=0).deal().wait(TURN_TIME + TIMER_SLACK)
    late.refused(grace(late, 0))


def test_an_outage_from_before_the_turn_counts_from_its_start() -> None:
    house = asked().wait(6_000)
    house.do(grace(house, 3_600_000))
    assert left(house) == TURN_TIME


def test_the_same_outage_is_not_made_good_twice() -> None:
    """Two notice it: whoever asks second finds that nothing was lost since."""
    house = asked().wait(10_000)
    house.do(grace(house, 8_000))
    house.wait(500).refused(grace(house, 8_500))


def test_a_turn_has_three_graces_and_the_next_one_three_again() -> None:
    house = asked()
    for _ in range(MOST_GRACES):
        house.wait(LEAST_OUTAGE).do(grace(house, LEAST_OUTAGE))
        assert left(house) == TURN_TIME
    house.wait(60_000)
    assert house.refused(grace(house, 60_000)).reason is Reason.NOT_READY
    house.act(Call).wait(LEAST_OUTAGE).do(grace(house, LEAST_OUTAGE))
    assert left(house) == TURN_TIME


def test_a_timer_that_was_set_before_the_grace_does_nothing() -> None:
    """B6: it is keyed by hand and turn, and comes too early now."""
    house = House(seated=(1, 2, 3), turn_time=TURN_TIME, time_bank=0).deal().wait(TURN_TIME + 4_000)
    hand = house.table.hand
    assert hand is not None
    expire = ExpireTurn(hand.hand, hand.turn)
    house.do(grace(house, 4_000))
    assert house.refused(expire).reason is Reason.NOT_READY
    house.wait(TURN_TIME + TIMER_SLACK).do(expire)
    assert house.of(TimedOut) != []


def test_a_turn_that_is_over_gets_no_grace() -> None:
    house = asked()
    old = grace(house, 60_000)
    house.act(Call).wait(60_000)
    assert house.refused(old).reason is Reason.STALE_TURN
    house.fold_out()
    assert house.refused(old).reason is Reason.STALE_TURN


def test_the_draw_is_a_turn_like_others() -> None:
    """D9: an outage at the draw."""
    house = House(Game.DRAW, seated=(1, 2), turn_time=TURN_TIME).deal().act(Check).act(Check)
    house.wait(60_000).do(grace(house, 60_000))
    assert left(house) == TURN_TIME


def test_a_table_from_before_there_were_graces_has_had_none() -> None:
    plain = table_to_plain(asked().table)
    del plain["hand"]["graces"]
    del plain["hand"]["graced_at"]
    table = table_from_plain(plain)
    assert table.hand is not None
    assert (table.hand.graces, table.hand.graced_at) == (0, 0)


# Seats that are kept


def absences(house: House, away: int) -> ExtendAbsences:
    return ExtendAbsences(Millis(house.now - away))


def evicted_in(house: House, seat: int) -> int:
    return house.player(seat).evict_at - house.now


@pytest.mark.parametrize(
    "sat_out_for, away, left",
    [
        (100_000, 60_000, 560_000),
        (100_000, 100_000, 600_000),
        (100_000, 500_000, 600_000),
        (900_000, 500_000, 200_000),
    ],
    ids=["a part of it", "all of it", "it began before", "it would be over"],
)
def test_a_seat_is_kept_for_as_much_longer_as_nobody_could_come_back_to_it(
    sat_out_for: int, away: int, left: int
) -> None:
    """B5, B11: nobody loses his seat because the table could not be reached."""
    house = House(seated=(1, 2, 3), sit_out_evicts=600).sit_out(1).wait(sat_out_for)
    before = house.player(1)
    house.do(absences(house, away))
    assert evicted_in(house, 1) == left
    assert house.player(1) == changed(before, evict_at=house.player(1).evict_at)
    assert [event.seat for event in house.of(SatOut)] == [1]


def test_who_sits_in_or_is_a_bot_needs_no_longer() -> None:
    house = House(seated=(1, 2)).add_bot(3).sit_out(3).wait(60_000)
    assert "nobody who sits out lost any time" in house.refused(absences(house, 60_000)).text


@pytest.mark.parametrize("away", [LEAST_OUTAGE - 1, 0, -5])
def test_a_moment_keeps_no_seat_longer(away: int) -> None:
    house = House(seated=(1, 2, 3)).sit_out(1).wait(60_000)
    house.refused(absences(house, away))
