"""Dealing: the start of a hand, from the button to the posts (B0-B4, A2, C1). `play.py` deals the cards."""

from typing import Final

from engine import play
from engine.button import Deal, plan_deal
from engine.cards import is_full_deck
from engine.commands import LOTS, StartHand
from engine.draft import Draft
from engine.events import (
    AntePosted,
    Blind,
    BlindPosted,
    BlindsMissed,
    ButtonDrawn,
    DeckShuffled,
    HandStarted,
)
from engine.limits import closing_refused, time_is_up_at
from engine.refusals import Reason, Refusal, refuse
from engine.table import Table
from engine.units import Chips, HandNumber, Millis, Seat

_SMALL: Final = Blind.SMALL
_BIG: Final = Blind.BIG


def start_hand(draft: Draft, command: StartHand) -> Refusal | None:
    """Deal the next hand to whoever the blinds allow, once its time has come.

    Raises:
        ValueError: the deck or the lot is none: a bug of whoever shuffled, not of a player.
    """
    if not is_full_deck(command.deck) or not 0 <= command.lot < LOTS:
        raise ValueError(f"a hand needs each of the 52 cards once and a lot from 0 to {LOTS - 1}")
    table = draft.table
    refusal = closing_refused(table, "a hand") or _not_yet(table, draft.now)
    if refusal is not None:
        return refusal
    deal = plan_deal(table, command.lot)
    if deal is None:
        return refuse(Reason.NOT_READY, "a hand refused: fewer than two players can be dealt in")
    if deal.drawn:
        draft.emit(ButtonDrawn(deal.button))
    draft.emit(
        HandStarted(
            HandNumber(table.hand_number + 1),
            deal.button,
            deal.small_blind,
            deal.big_blind,
            deal.seats,
            tuple([table.stacks[seat] for seat in deal.seats]),
            draft.now,
        )
    )
    draft.emit(DeckShuffled(command.deck))
    for missed in deal.missed:
        draft.emit(BlindsMissed(missed.seat, missed.small, missed.big))
    _post(draft, deal)
    play.begin(draft)
    return None


def _not_yet(table: Table, now: Millis) -> Refusal | None:
    """A refusal while another hand is in progress, before the next one is due, and when the time is up (L1)."""
    if table.in_hand:
        return refuse(Reason.NOT_READY, f"a hand refused: hand {table.hand_number} is in progress")
    if not table.next_hand_at:
        return refuse(Reason.NOT_READY, "a hand refused: fewer than two players can be dealt in")
    if now < table.next_hand_at:
        left = table.next_hand_at - now
        return refuse(Reason.NOT_READY, f"a hand refused: the next one starts in {left} ms", left=left)
    if 0 < time_is_up_at(table) <= now:
        return refuse(Reason.SALON_CLOSING, "a hand refused: the salon's time is over")
    return None


def _post(draft: Draft, deal: Deal) -> None:
    """The forced bets, each as far as the stack goes: the ante, then a live blind, then a dead one (A2, B4)."""
    rules, stacks, seats = draft.table.rules, draft.table.stacks, deal.seats
    if rules.ante:
        for seat in seats:
            draft.emit(AntePosted(seat, min(rules.ante, stacks[seat])))
    if deal.small_blind in seats:
        _post_blind(draft, deal.small_blind, _SMALL, rules.small_blind)
    if deal.big_blind in seats:
        _post_blind(draft, deal.big_blind, _BIG, rules.big_blind)
    for seat in deal.live:
        _post_blind(draft, seat, _BIG, rules.big_blind)
    for seat in deal.dead:
        _post_blind(draft, seat, Blind.DEAD, rules.small_blind)


def _post_blind(draft: Draft, seat: Seat, blind: Blind, full: Chips) -> None:
    if amount := min(full, draft.table.stacks[seat]):
        draft.emit(BlindPosted(seat, blind, amount))
