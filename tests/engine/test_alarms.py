"""Alarms: one timer a salon, set to whatever is due first."""

from engine.alarms import Alarm, next_alarm
from engine.cards import FULL_DECK
from engine.commands import ExpireTurn, StartHand, Sweep
from engine.units import Millis
from tests.engine.house import House

DAY = 24 * 3_600_000


def test_the_next_hand_is_an_alarm_without_a_command() -> None:
    """B0: the salon brings the deck and the lot."""
    house = House(seated=(1, 2))
    assert next_alarm(house.table) == Alarm(Millis(house.now + 4_000), None)


def test_a_lonely_player_needs_no_alarm() -> None:
    """Time changes nothing for who waits for company."""
    assert next_alarm(House(seated=(1,)).table) is None


def test_a_running_turn_is_due_after_its_bank_and_the_slack() -> None:
    """B6: keyed by hand and turn, so that twice is once."""
    house = House(seated=(1, 2)).deal()
    hand = house.table.hand
    assert hand is not None
    due = Millis(hand.deadline + hand.bank + 300)
    assert next_alarm(house.table) == Alarm(due, ExpireTurn(hand.hand, hand.turn))


def test_an_eviction_goes_before_a_turn_that_ends_later() -> None:
    """B5: a hand of others does not keep a seat."""
    house = House(seated=(1, 2, 3), sit_out_evicts=60).sit_out(1)
    house.wait(50_000).do(StartHand(FULL_DECK, 0))
    assert next_alarm(house.table) == Alarm(house.player(1).evict_at, Sweep())


def test_a_top_up_that_waits_for_the_hands_end_saves_the_seat() -> None:
    """B11: until it is settled there is nothing to evict for."""
    house = House(seated=(1, 2, 3), sit_out_evicts=60, turn_time=300_000).sit_out(1).deal()
    assert next_alarm(house.table) == Alarm(house.player(1).evict_at, Sweep())
    house.top_up(1, 300)
    alarm = next_alarm(house.table)
    assert alarm is not None
    assert isinstance(alarm.command, ExpireTurn)
    house.fold_out()
    assert house.table.stacks[1] == 300
    assert next_alarm(house.table) != alarm


def test_of_two_alarms_at_one_time_the_sweep_comes_first() -> None:
    """L1: no hand starts once time is over."""
    house = House(seated=(1, 2), time_limit=60).deal().wait(56_000).fold_out()
    assert house.table.next_hand_at == house.table.first_deal_at + 60_000
    assert next_alarm(house.table) == Alarm(house.table.next_hand_at, Sweep())


def test_every_alarm_that_fires_changes_the_alarm() -> None:
    """A timer that is obeyed at its time is never due again at once: no salon spins."""
    house = House(seated=(1, 2, 3), sit_out_evicts=60, time_limit=3_600)
    for _ in range(400):
        alarm = next_alarm(house.table)
        if alarm is None:
            break
        house.now = Millis(max(house.now, alarm.at))
        house.do(alarm.command or StartHand(FULL_DECK, 0))
        assert next_alarm(house.table) != alarm
    assert house.table.over


def obey(house: House) -> None:
    """Do whatever time makes due, until nothing is."""
    while (alarm := next_alarm(house.table)) is not None:
        house.now = Millis(max(house.now, alarm.at))
        house.do(alarm.command or StartHand(FULL_DECK, 0))


def test_a_table_where_nobody_acts_empties_down_to_one_who_waits() -> None:
    """B5, B6, L4: time-outs, sitting out, evictions; a day after the last one left the salon ends."""
    house = House(seated=(1, 2, 3))
    obey(house)
    (seat,) = house.table.seat_of.values()
    house.leave(seat)
    left = house.now
    obey(house)
    assert house.table.closing == "abandoned"
    assert house.now == left + DAY
