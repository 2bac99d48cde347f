"""Seams: tables as they stand between two events of one command, and what only a bug of the caller asks."""

import pytest

from engine import record, seating
from engine.alarms import next_alarm
from engine.apply import apply, evolve
from engine.apply_hand import hand_of
from engine.apply_table import hand_voided, player_at
from engine.button import plan_deal
from engine.cards import FULL_DECK, parse_cards
from engine.commands import Leave, Reveal, StartHand, VoidHand
from engine.draft import Draft
from engine.events import BlindsMissed, Event, HandStarted, HandVoided, LeavingCause, PotAwarded
from engine.record import table_to_plain
from engine.refusals import Reason
from engine.table import Dues, Table
from engine.units import HandNumber, Millis, PlayerId, Seat
from engine.view import PotView, standing_pots
from tests.engine.house import House


def table_after(log: list[Event], kind: type[Event]) -> Table:
    """The table at the first event of a kind, whatever came with it in one command."""
    table: Table | None = None
    for event in log:
        table = apply(table, event)
        if isinstance(event, kind):
            return table
    raise AssertionError(f"no {kind.__name__} in the log")


def test_a_hand_without_a_turn_yet_has_no_alarm() -> None:
    """B6: a replica in the middle of a deal waits for the turn, whose timer it is."""
    assert next_alarm(table_after(House(seated=(1, 2)).deal().log, HandStarted)) is None


def test_an_awarded_pot_stands_until_the_hand_is_over() -> None:
    """P7: whoever folds the events one by one sees the pots that are paid so far."""
    table = table_after(House(seated=(1, 2)).deal().fold_out().log, PotAwarded)
    assert standing_pots(table) == (PotView(hand_of(table).pots[0][0], hand_of(table).pots[0][1]),)


def test_what_is_known_to_be_there_and_is_not_is_a_bug() -> None:
    """An event of a hand or a seat that the table does not have is no event of its log."""
    table = House(seated=(1, 2)).table
    with pytest.raises(LookupError, match="no hand"):
        hand_of(table)
    with pytest.raises(LookupError, match="seat 5"):
        player_at(table, Seat(5))


def test_an_empty_seat_cannot_be_given_up() -> None:
    draft = Draft(House(seated=(1, 2)).table.copy(), Millis(0))
    seating._give_up(draft, Seat(5), LeavingCause.KICKED)
    assert draft.events == []


def test_no_hand_is_planned_for_one_player() -> None:
    """B0: neither by the plan nor by the command, however the salon came to ask."""
    assert plan_deal(House(seated=(1,)).table, 0) is None
    house = House(seated=(1, 2))
    house.move_chips(2, 1, house.table.stacks[2]).wait(10_000)
    assert house.refused(StartHand(FULL_DECK, 0)).reason is Reason.NOT_READY


def test_a_deck_has_every_card_once() -> None:
    """C1: also as text."""
    with pytest.raises(ValueError, match="names a card twice"):
        parse_cards("AsKd As")


def test_a_card_is_revealed_once_in_a_command() -> None:
    """S8: named twice it is refused."""
    house = House(seated=(1, 2)).deal().fold_out()
    card = hand_of(house.table).cards[1][0]
    refusal = house.refused(Reveal(PlayerId("p1"), HandNumber(1), (card, card)))
    assert refusal.reason is Reason.CARD_NAMED_TWICE


def test_who_missed_a_blind_in_a_void_hand_and_left_is_forgotten() -> None:
    """V1, B3c: dues go back to those alone who are still there."""
    house = House(seated=(1, 2, 3, 4)).deal().fold_out()
    away = house.player(house.table.big_blind % 4 + 1).player
    house.sit_out(house.table.seat_of[away]).deal()
    assert [missed.big for missed in house.of(BlindsMissed)] == [True]
    house.do(Leave(away)).do(VoidHand("a test"))
    assert away not in house.table.seat_of
    assert [house.player(seat).dues for seat in house.table.seat_of.values()] == [Dues.NOTHING] * 3
    assert table_to_plain(house.replayed()) == table_to_plain(house.table)


def test_dues_and_voids_without_a_deal_before_them_change_what_they_name() -> None:
    """V1: there is nothing to go back to."""
    table = House(seated=(1, 2)).table.copy()
    before = table_to_plain(table)
    hand_voided(table, HandVoided(HandNumber(1), "a test", Millis(0)))
    evolve(table, BlindsMissed(Seat(1), small=True, big=True))
    assert table_to_plain(table) == before


def test_a_plain_value_that_may_be_missing_is_plain() -> None:
    """Records: no field is one today; the first that is needs nothing here."""
    assert record._codec(int | None) == (None, None)
