"""Presence and time: sitting out, coming back, time-outs, the time bank."""

import pytest

from engine.commands import AllIn, Call, Check, ExpireTurn, Fold, SitIn, SitOut, VoidHand
from engine.events import (
    AbsenceCause,
    BankGrew,
    BankUsed,
    CardsShown,
    Checked,
    Folded,
    LeavingCause,
    PlayerLeft,
    PlayPaused,
    SatIn,
    SatOut,
    SitOutAsked,
    TimedOut,
    TimeoutsCleared,
)
from engine.game import Game
from engine.refusals import Reason
from engine.table import Presence
from engine.units import Chips, Millis, PlayerId, Seat
from tests.engine.house import OPENED, House


def p(seat: int) -> PlayerId:
    return PlayerId(f"p{seat}")


def test_sitting_out_between_hands_is_at_once() -> None:
    """B5: not dealt from the next hand on."""
    house = House(seated=(1, 2, 3)).deal().fold_out().sit_out(1)
    assert house.of(SatOut) == [SatOut(Seat(1), AbsenceCause.ASKED, Millis(house.now + 600_000))]
    assert 1 not in house.deal().dealt


def test_asked_in_a_hand_he_plays_it_on() -> None:
    """B5: the seat is evicted from the hand's end on, not from when he asked."""
    house = House(seated=(1, 2, 3)).deal().sit_out(2)
    assert house.of(SitOutAsked) == [SitOutAsked(Seat(2))]
    house.wait(5_000).act(Call).act(Call)
    assert house.turn == 3
    house.fold_out()
    assert house.of(SatOut) == [SatOut(Seat(2), AbsenceCause.ASKED, Millis(house.now + 600_000))]


def test_a_change_of_mind_in_the_hand_is_in_time() -> None:
    """B5: who sits in again before the hand is over is dealt on."""
    house = House(seated=(1, 2, 3)).deal().sit_out(2).sit_in(2)
    assert house.of(SatIn) == [SatIn(Seat(2), post=False)]
    assert house.fold_out().of(SatOut) == []
    assert 2 in house.deal().dealt


def test_who_waits_beside_a_hand_sits_out_at_once() -> None:
    """B5: a newcomer has no hand to play on."""
    house = House(seated=(1, 2)).deal().join(4).sit_out(4)
    assert house.player(4).presence is Presence.SITTING_OUT


def test_sitting_out_twice_and_sitting_in_twice_are_refused() -> None:
    """B5: nothing would change."""
    house = House(seated=(1, 2, 3)).sit_out(1)
    assert house.refused(SitOut(p(1))).reason is Reason.ALREADY_SITTING_OUT
    house.deal()
    assert house.refused(SitIn(p(2))).reason is Reason.ALREADY_SITTING_IN
    assert house.refused(SitOut(p(9))).reason is Reason.NOT_SEATED


@pytest.mark.parametrize("seconds", [60, 86_400])
def test_a_seat_that_sits_out_is_given_up(seconds: int) -> None:
    """B5: an eviction is a leave; the chips are taken away."""
    house = House(seated=(1, 2, 3), sit_out_evicts=seconds).sit_out(1).deal()
    assert house.player(1).evict_at == OPENED + seconds * 1_000
    house.now = house.player(1).evict_at
    house.sweep()
    assert house.of(PlayerLeft) == [PlayerLeft(Seat(1), p(1), Chips(200), LeavingCause.EVICTED, house.now)]
    assert house.turn, "the hand of the others goes on"


def test_a_bot_that_sits_out_is_never_evicted() -> None:
    """B5: its owner seats it and removes it."""
    house = House(seated=(1, 2)).add_bot(3).sit_out(3)
    assert house.of(SatOut) == [SatOut(Seat(3), AbsenceCause.ASKED, Millis(0))]


def test_sitting_in_keeps_the_seat() -> None:
    """B5: the clock of the eviction stops."""
    house = House(seated=(1, 2, 3)).sit_out(1).wait(599_000).sit_in(1)
    assert house.player(1).evict_at == 0
    house.deal()
    assert house.player(1).presence is Presence.PRESENT


def test_two_who_become_one_pause_the_salon_and_two_again_resume_it() -> None:
    """B5, B0: fewer than two who could be dealt in."""
    house = House(seated=(1, 2)).sit_out(1)
    assert house.of(PlayPaused) == [PlayPaused()]
    assert house.alarm is not None
    assert house.alarm.command is not None, "an eviction, not a hand"
    house.sit_in(1)
    assert house.table.next_hand_at == house.now + 4_000


# Time runs out


def test_time_out_checks_if_it_is_free_else_folds() -> None:
    """B6: turn time, then the bank, then the clock acts."""
    house = House(seated=(1, 2, 3)).deal().expire()
    assert house.of(TimedOut) == [TimedOut(Seat(1))]
    assert house.of(Folded) == [Folded(Seat(1))]
    house.act(Call).expire()
    assert house.of(Checked) == [Checked(Seat(3))]


def test_at_the_draw_the_clock_stands_pat() -> None:
    """B6: three cards are nobody's choice but the player's."""
    house = House(Game.DRAW, seated=(1, 2)).deal().act(Check).act(Check).expire()
    assert "CardsDrawn" in house.kinds()
    assert house.of(Folded) == []


def test_time_outs_in_a_row_sit_a_player_out_and_end_his_hand_at_once() -> None:
    """B6: `timeouts_to_sit_out` in a row; for the rest of the hand he is checked or folded without a turn."""
    house = House(seated=(1, 2, 3)).deal().act(Call).act(Call).act(Check)
    assert house.turn == 2
    house.expire().act(Check).act(Check)  # the flop: 2 is checked by the clock
    house.expire()  # the turn: again, and that is two in a row
    assert house.table.absent[2]
    house.act(Check).act(Check)  # the river: 2 is not asked
    assert house.turn == 3
    house.act(Check).act(Check)
    assert house.of(SatOut) == [SatOut(Seat(2), AbsenceCause.TIMED_OUT, Millis(house.now + 600_000))]
    assert 2 not in house.deal().dealt


def test_any_own_action_resets_the_count() -> None:
    """B6: in a row means in a row."""
    house = House(seated=(1, 2, 3)).deal().act(Call).act(Call).act(Check)
    house.expire().act(Check).act(Check)
    assert house.turn == 2
    house.act(Check)
    assert house.of(TimeoutsCleared) == [TimeoutsCleared(Seat(2))]
    house.act(Check).act(Check).expire()
    assert (house.table.timeouts[2], house.table.absent[2]) == (1, False)


def test_who_came_back_starts_a_new_count() -> None:
    """B6: after sitting out for time-outs, or asking to stay while they last."""
    house = House(seated=(1, 2, 3)).deal().act(Call).act(Call).act(Check)
    house.expire().act(Check).act(Check).expire()
    assert (house.table.timeouts[2], house.table.absent[2]) == (2, True)
    assert house.sit_in(2).table.timeouts[2] == 0
    house = House(seated=(1, 2, 3), timeouts_to_sit_out=1).deal().expire().fold_out()
    assert house.table.timeouts[1] == 0
    assert not house.sit_in(1).deal().table.absent[1]


def test_a_player_timed_out_may_come_back_after_the_hand_without_missing_one() -> None:
    """B6: the rest of the hand is lost, the next one is not."""
    house = House(seated=(1, 2, 3), timeouts_to_sit_out=1).deal().act(Call).expire()
    assert house.player(2).presence is Presence.SITTING_OUT_NEXT
    house.sit_in(2).fold_out()
    assert house.of(SatOut) == []
    assert 2 in house.deal().dealt
    assert not house.table.absent[2]


def test_a_bot_is_never_sat_out_by_the_clock() -> None:
    """B6: it misses the rest of the hand and is dealt into the next one."""
    house = House(timeouts_to_sit_out=1, seated=(2, 3)).add_bot(1).deal().expire()
    assert house.table.absent[1]
    house.fold_out()
    assert house.of(SatOut) == []
    assert 1 in house.deal().dealt


def test_the_timer_fires_a_little_after_the_deadline() -> None:
    """B6: at deadline + bank + 300 ms, charged to nobody; before that it is refused."""
    house = House(seated=(1, 2, 3)).deal()
    hand = house.table.hand
    assert hand is not None
    alarm = house.alarm
    assert alarm is not None
    assert (alarm.at, alarm.command) == (hand.deadline + 30_000 + 300, ExpireTurn(hand.hand, hand.turn))
    house.now = alarm.at
    house.wait(-1)
    assert house.refused(ExpireTurn(hand.hand, hand.turn)).reason is Reason.NOT_READY
    house.act(Fold)
    assert house.of(BankUsed) == [BankUsed(Seat(1), Millis(0))]
    house.wait(1)
    assert house.refused(ExpireTurn(hand.hand, hand.turn)).reason is Reason.STALE_TURN


def test_who_is_all_in_stays_live_present_or_not() -> None:
    """B7: sitting out, or gone from the table, he shows down."""
    house = House(seated=(1, 2)).deal().act(AllIn).sit_out(1).act(Call)
    assert {show.seat for show in house.of(CardsShown)} == {1, 2}


# The time bank


def test_a_turn_takes_from_the_bank_only_what_it_takes_longer() -> None:
    """T1: used by itself after `turn_time`."""
    house = House(seated=(1, 2, 3)).deal().wait(20_000).act(Call)
    assert house.of(BankUsed) == []
    house.wait(20_000 + 12_345).act(Call)
    assert house.of(BankUsed) == [BankUsed(Seat(2), Millis(30_000 - 12_345))]


def test_a_bank_grows_a_second_for_every_hand_dealt_in_up_to_the_setting() -> None:
    """T1: full at first; only who used some of it gains."""
    house = House(seated=(1, 2, 3)).deal().wait(20_000 + 1_500).act(Call)
    assert house.table.banks[1] == 28_500
    house.fold_out()
    assert house.of(BankGrew) == [BankGrew(Seat(1), Millis(29_500))]
    house.deal().fold_out()
    assert house.table.banks[1] == 30_000
    assert house.deal().fold_out().of(BankGrew) == []


def test_who_is_not_dealt_in_gains_nothing() -> None:
    """T1: a hand dealt in, not a hand watched."""
    house = House(seated=(1, 2, 3)).deal().expire().fold_out().sit_out(1)
    assert house.table.banks[1] == 1_000
    house.deal().fold_out()
    assert house.table.banks[1] == 1_000


def test_a_void_hand_adds_nothing_to_a_bank() -> None:
    """T1, V1: as if not dealt."""
    house = House(seated=(1, 2, 3)).deal().expire().do(VoidHand("quarantined"))
    assert (house.table.banks[1], house.of(BankGrew)) == (0, [])


def test_a_bank_is_kept_over_leaving() -> None:
    """T1: one store a player and salon."""
    house = House(seated=(1, 2, 3)).deal().expire().fold_out().leave(1).wait(3_600_000).join(1)
    assert house.table.banks[1] == 1_000
    assert house.leave(1).join(1).table.banks[1] == 1_000
    assert house.replayed().banks == house.table.banks
