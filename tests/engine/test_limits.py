"""Limits and ends: hands, time, closing, abandonment, standings, void hands."""

import pytest

from engine.alarms import Alarm, next_alarm
from engine.cards import FULL_DECK
from engine.commands import (
    AddBot,
    AllIn,
    Call,
    CloseSalon,
    Fold,
    Join,
    Leave,
    Reveal,
    SitIn,
    StartHand,
    Sweep,
    TopUpTo,
    VoidHand,
)
from engine.events import (
    CardsShown,
    EndCause,
    HandVoided,
    NextHandScheduled,
    SalonClosing,
    SalonEnded,
    Standing,
    ToppedUp,
)
from engine.game import Game
from engine.refusals import Reason
from engine.settings import BotLevel
from engine.units import OPERATOR, Chips, HandNumber, Millis, PlayerId, Seat
from engine.view import view_of
from tests.engine.house import OPENED, OWNER, House

MIXED = tuple(FULL_DECK[place * 7 % 52] for place in range(52))
"""A deck whose first hands differ."""
DAY = 24 * 3_600_000


def p(seat: int) -> PlayerId:
    return PlayerId(f"p{seat}")


def test_the_hand_limit_counts_hands_dealt() -> None:
    """L1: after the last one no hand starts."""
    house = House(seated=(1, 2, 3), hand_limit=2).deal().fold_out()
    assert house.of(NextHandScheduled)
    house.deal().fold_out()
    assert house.of(SalonClosing) == [SalonClosing(EndCause.HAND_LIMIT, Millis(house.now + 4_000))]
    assert house.of(NextHandScheduled) == []
    refusal = house.refused(StartHand(FULL_DECK, 0))
    assert refusal.reason is Reason.SALON_CLOSING


def test_the_time_limit_runs_from_the_first_deal() -> None:
    """L1: not from the salon's opening."""
    house = House(time_limit=60).wait(1_000_000).join(1).join(2).deal()
    house.wait(59_999).fold_out()
    assert house.of(SalonClosing) == []


def test_the_hand_in_progress_is_finished_when_time_is_up() -> None:
    """L1: a hand that started goes on; then the salon closes."""
    house = House(seated=(1, 2, 3), time_limit=60).deal().wait(60_000)
    assert house.refused(Sweep()).reason is Reason.NOT_READY
    house.act(Fold)
    assert house.turn == 2
    house.act(Fold)
    assert house.of(SalonClosing) == [SalonClosing(EndCause.TIME_LIMIT, Millis(house.now + 4_000))]


def test_no_hand_starts_once_time_is_over() -> None:
    """L1, W-T 79: reached while the next hand is awaited, that hand is not dealt."""
    house = House(seated=(1, 2, 3), time_limit=60).deal().wait(58_000).fold_out()
    due = house.table.next_hand_at
    limit = house.now + 2_000
    assert house.alarm == Alarm(Millis(limit), Sweep())
    house.now = Millis(due)
    assert house.refused(StartHand(FULL_DECK, 0)).reason is Reason.SALON_CLOSING
    house.now = Millis(limit)
    house.sweep()
    assert house.of(SalonClosing) == [SalonClosing(EndCause.TIME_LIMIT, due)]
    house.now = due
    house.sweep()
    assert house.table.over


def test_time_reached_in_a_pause_ends_the_salon_at_once() -> None:
    """L1: pauses are included in the time."""
    house = House(seated=(1, 2), time_limit=3_600).deal().fold_out().sit_out(1)
    house.now = Millis(house.table.first_deal_at + 3_600_000)
    house.sweep()
    assert house.kinds()[-1] == "SalonEnded"
    assert house.table.closing is EndCause.TIME_LIMIT


@pytest.mark.parametrize("by", [OWNER, OPERATOR])
def test_closing_in_a_hand_finishes_it(by: PlayerId) -> None:
    """L2: as if the limit were reached."""
    house = House(seated=(1, 2, 3)).deal().do(CloseSalon(by))
    assert house.events == (SalonClosing(EndCause.CLOSED, Millis(0)),)
    house.fold_out()
    assert house.of(SalonClosing) == [SalonClosing(EndCause.CLOSED, Millis(house.now + 4_000))]


def test_closing_between_hands_ends_when_the_next_would_have_started() -> None:
    """L2, L3: the time to reveal is kept."""
    house = House(seated=(1, 2, 3)).deal().fold_out()
    due = house.table.next_hand_at
    house.wait(1_000).do(CloseSalon(OWNER))
    assert house.events == (SalonClosing(EndCause.CLOSED, due),)


def test_closing_in_a_pause_ends_at_once() -> None:
    """L2: nobody waits for anything."""
    house = House(seated=(1,)).do(CloseSalon(OWNER))
    assert house.kinds() == ["SalonEnded"]


def test_only_the_owner_and_an_operator_close_and_only_once() -> None:
    """L2: a refusal says so."""
    house = House(seated=(1, 2, 3)).deal()
    assert house.refused(CloseSalon(p(1))).reason is Reason.NOT_THE_OWNER
    house.do(CloseSalon(OWNER))
    assert house.refused(CloseSalon(OWNER)).reason is Reason.SALON_CLOSING


CLOSED_TO = [
    Join(p(9), "P9"),
    AddBot(OWNER, p(9), "B9", BotLevel.EASY),
    TopUpTo(p(1), Chips(300)),
    SitIn(p(1)),
    StartHand(FULL_DECK, 0),
]


@pytest.mark.parametrize("command", CLOSED_TO, ids=lambda command: type(command).__name__)
def test_a_closing_salon_takes_nothing_for_hands_to_come(
    command: Join | AddBot | TopUpTo | SitIn | StartHand,
) -> None:
    """L3: but cards may be shown and seats given up."""
    house = House(seated=(1, 2, 3)).deal(0, MIXED).do(CloseSalon(OWNER)).fold_out()
    refusal = house.refused(command)
    assert refusal.reason is Reason.SALON_CLOSING
    assert "closed" in refusal.text


def test_nobody_buys_chips_when_no_hand_comes() -> None:
    """L3, B10, B11: neither a top-up that waited nor a busted bot."""
    house = House(seated=(1,), hand_limit=1).add_bot(2).deal(0, MIXED).top_up(1, 400).act(AllIn).act(Call)
    assert house.of(ToppedUp) == []
    assert house.of(SalonClosing)


def test_after_the_last_hand_there_is_time_to_reveal_then_the_salon_is_over() -> None:
    """L3, S8: and then every command is refused with that reason."""
    house = House(seated=(1, 2, 3), hand_limit=1).deal(0, MIXED)
    hand = house.table.hand
    assert hand is not None
    shown = Reveal(p(3), hand.hand, hand.cards[3][:1])
    house.fold_out().do(shown)
    assert len(house.of(CardsShown)) == 1
    alarm = house.alarm
    assert alarm == Alarm(Millis(house.now + 4_000), Sweep())
    house.now = Millis(alarm.at - 1)
    assert house.refused(Sweep()).reason is Reason.NOT_READY
    house.wait(1).sweep()
    assert house.table.over
    assert house.alarm is None
    for command in (shown, Join(p(9), "P9"), Leave(p(1)), Sweep(), CloseSalon(OWNER)):
        refusal = house.refused(command)
        assert refusal.reason is Reason.SALON_OVER
        assert "hand limit" in refusal.text


def test_a_salon_without_anybody_ends_after_a_day() -> None:
    """L4: 24 hours after it was opened, or after the last one left."""
    house = House()
    assert house.alarm == Alarm(Millis(OPENED + DAY), Sweep())
    house.wait(1_000).join(1).wait(1_000)
    assert next_alarm(house.table) is None
    house.leave(1)
    assert house.alarm == Alarm(Millis(house.now + DAY), Sweep())
    house.wait(DAY - 1)
    assert house.refused(Sweep()).reason is Reason.NOT_READY
    house.wait(1).sweep()
    assert house.of(SalonEnded)[0].cause is EndCause.ABANDONED


# Standings


def test_standings_count_what_every_player_won_and_lost() -> None:
    """L1, P9: stack + taken - bought, leavers and bots too; ties share a place."""
    house = House(seated=(1, 2, 3)).add_bot(4).deal().fold_out().leave(2).join(2).deal().fold_out().leave(1)
    house.do(CloseSalon(OWNER))
    house.now = house.table.over_at
    (ended,) = house.sweep().of(SalonEnded)
    rows = ended.standings
    assert sum(row.result for row in rows) == 0
    assert {row.player for row in rows} == {p(seat) for seat in (1, 2, 3, 4)}
    assert [row.result for row in rows] == sorted((row.result for row in rows), reverse=True)
    assert [row.bot for row in rows if row.player == p(4)] == [True]


def test_equal_results_share_a_place() -> None:
    """L1: and the place after them is left out."""
    house = House(seated=(1, 2, 3, 4, 5)).move_chips(1, 2, 10).do(CloseSalon(OWNER))
    house.now = house.table.over_at
    (ended,) = house.sweep().of(SalonEnded)
    assert [(row.place, row.result) for row in ended.standings] == [(1, 10), (2, 0), (2, 0), (2, 0), (5, -10)]
    assert ended.standings[0] == Standing(1, p(2), "P2", 10, bot=False)


# Void hands


def test_a_void_hand_gives_everything_back_and_counts_for_no_limit() -> None:
    """V1: no card is shown, and the next hand has another number."""
    house = House(seated=(1, 2, 3), hand_limit=1, time_limit=60).deal(0, MIXED).act(AllIn).act(Call)
    house.do(VoidHand("a salon that failed three times"))
    assert house.of(HandVoided)[0].hand == 1
    assert house.of(CardsShown) == []
    assert house.table.stacks[1:4] == [200, 200, 200]
    assert (house.table.hands_dealt, house.table.first_deal_at) == (0, 0)
    assert house.of(NextHandScheduled)
    house.deal().fold_out()
    assert (house.table.hand_number, house.table.hands_dealt) == (HandNumber(2), 1)
    assert house.of(SalonClosing)


def test_a_leaver_goes_with_what_a_void_hand_gave_back() -> None:
    """V1, B8: what waited for the hand's end happens then."""
    house = House(seated=(1, 2, 3)).deal().act(Call).leave(1).do(VoidHand("lost"))
    assert house.table.accounts[p(1)].taken == 200
    assert house.refused(VoidHand("again")).reason is Reason.NO_HAND


# Who watches


def test_a_spectator_sees_what_a_folded_player_sees() -> None:
    """V2, D18: nobody's private cards; who holds a seat sees his own besides, live."""
    house = House(Game.DRAW, seated=(1, 2, 3)).deal(0, MIXED).act(Fold)
    (folded,) = {1, 2, 3} - set(house.live)
    spectator = view_of(house.table, Seat(0))
    assert all(seat.cards == () for seat in spectator.seats)
    others = [seat for seat in view_of(house.table, Seat(folded)).seats if seat.seat != folded]
    assert others == [seat for seat in spectator.seats if seat.seat != folded]
    for live in house.live:
        own = view_of(house.table, Seat(live))
        assert [seat.seat for seat in own.seats if seat.cards] == [live]
