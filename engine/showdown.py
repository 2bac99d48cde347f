"""Showdown: who shows, who mucks, and who wins what.

Law of this file: private cards become public here and by a voluntary reveal alone, in an event that says so
(S1-S5, S8). A hand that is beaten by one already turned up is never shown by the server.
"""

from typing import Final

from engine.apply_hand import hand_of
from engine.betting import live_seats
from engine.draft import Draft
from engine.events import CardsMucked, CardsShown, PotAwarded, Shown, UncalledBetReturned
from engine.hand import Hand
from engine.pots import pots, split, uncalled_bet
from engine.ranking import rank
from engine.table import Table
from engine.units import Seat

_ALL_IN: Final = Shown.ALL_IN


def someone_is_all_in(table: Table, hand: Hand) -> bool:
    """Whether a live seat has an empty stack, by whatever action."""
    return any(not table.stacks[seat] for seat in live_seats(hand))


def return_uncalled_bet(draft: Draft) -> None:
    """Give back what nobody matched, before the pots are formed (N17)."""
    seat, amount = uncalled_bet(hand_of(draft.table))
    if amount:
        draft.emit(UncalledBetReturned(seat, amount))


def turn_up(draft: Draft) -> None:
    """Turn all live hands up at once: betting and drawing are over and someone is all-in (S3)."""
    hand = hand_of(draft.table)
    for seat in live_seats(hand):
        draft.emit(CardsShown(seat, hand.cards[seat], _ALL_IN))


def show_down(draft: Draft) -> None:
    """Show the live hands in order, and muck those beaten by one already shown (S1, S4).

    Nobody is all-in, so there is one pot, and the best hand always shows.
    """
    hand = hand_of(draft.table)
    best = -1
    for seat in _showing_order(hand):
        strength = _strength(hand, seat)
        if strength < best:
            draft.emit(CardsMucked(seat))
        else:
            draft.emit(CardsShown(seat, hand.cards[seat], Shown.SHOWDOWN))
            best = strength


def award(draft: Draft) -> None:
    """Pay the pots, the last side pot first and the main pot last (P7)."""
    hand = hand_of(draft.table)
    settled = pots(hand)
    # Whoever can win a side pot can win the main pot too.
    rivals = settled[0][1] if settled else ()
    strengths = {seat: _strength(hand, seat) for seat in rivals} if len(rivals) > 1 else {}
    for index in range(len(settled) - 1, -1, -1):
        amount, eligible = settled[index]
        winners = eligible
        if len(eligible) > 1:
            best = max([strengths[seat] for seat in eligible])
            winners = tuple([seat for seat in eligible if strengths[seat] == best])
        draft.emit(PotAwarded(index, amount, eligible, winners, split(amount, winners)))


def _showing_order(hand: Hand) -> tuple[Seat, ...]:
    """The last aggressor of the final round first, else the first live seat left of the button; then clockwise."""
    live = live_seats(hand)
    if hand.aggressor not in live:
        return live
    start = live.index(hand.aggressor)
    return live[start:] + live[:start]


def _strength(hand: Hand, seat: Seat) -> int:
    return rank(hand.cards[seat] + hand.board)
