"""After a hand: what was put off for its sake happens now, and the next one is scheduled.

Law of this file: `settle` is the one place where a hand's end meets the seats; between hands, whoever changes
who could be dealt in calls `schedule`.
"""

from typing import Final

from engine.button import present
from engine.draft import Draft
from engine.events import (
    AbsenceCause,
    BankGrew,
    NextHandScheduled,
    PlayerLeft,
    PlayPaused,
    SatIn,
    SatOut,
    ToppedUp,
)
from engine.limits import close_when_due
from engine.settings import chips_needed, least_stack
from engine.table import Player, Presence, Table
from engine.units import Chips, Millis, Seat

BANK_GROWTH: Final = Millis(1_000)
"""What a hand dealt in adds to a time bank (T1)."""
LEAST_WITH_PERSONS: Final = Millis(1_000)
"""The least time between hands while a person is seated, whatever the salon's setting."""
_SITTING_OUT: Final = Presence.SITTING_OUT
_SITTING_OUT_NEXT: Final = Presence.SITTING_OUT_NEXT
_WANTS_CHIPS: Final = (AbsenceCause.BUSTED, AbsenceCause.NOT_COVERED)


def between_hands(table: Table) -> Millis:
    """The time between two hands now: the setting, but at least a second while a person is seated.

    So a salon set to 0 for its bots slows down when a person joins it, and is as quick as before once he left.
    """
    setting = table.settings.between_hands
    if setting >= LEAST_WITH_PERSONS:
        return setting
    for player in table.players:
        if player is not None and player.level is None:
            return LEAST_WITH_PERSONS
    return setting


def settle(draft: Draft) -> None:
    """Do what was put off until the hand's end, then schedule the next hand, pause, or close.

    `play.py` calls it after HandEnded and after HandVoided, within the same decision.
    """
    table = draft.table
    hand = table.hand
    if hand is not None:
        _grow_banks(draft, hand.seats)
    closing = close_when_due(draft, over_at=Millis(draft.now + between_hands(table)))
    stacks, least = table.stacks, least_stack(table.settings)
    for seat, player in enumerate(table.players):
        if player is not None and (stacks[seat] < least or _waits_for_the_end(player)):
            _settle_seat(draft, Seat(seat), player)
    if not closing:
        _go_on(draft)


def schedule(draft: Draft) -> None:
    """Between hands: start the clock for the next hand, or stop it, by who could be dealt in now."""
    table = draft.table
    if table.in_hand or table.closing is not None:
        return
    waiting = len(present(table)) < 2
    if waiting and (table.next_hand_at or not table.paused):
        draft.emit(PlayPaused())
    elif not waiting and not table.next_hand_at:
        draft.emit(NextHandScheduled(Millis(draft.now + between_hands(table))))


def top_up(draft: Draft, seat: Seat, to: Chips) -> None:
    """Buy chips up to `to`, cut to the maximum buy-in, and end an absence that was for want of chips (B10, B11)."""
    table = draft.table
    stack = table.stacks[seat]
    amount = max(min(to, table.settings.max_buy_in) - stack, Chips(0))
    draft.emit(ToppedUp(seat, amount, stack + amount))
    player = table.players[seat]
    if (
        player is None
        or player.absence not in _WANTS_CHIPS
        or chips_needed(table.settings, table.stacks[seat])
    ):
        return
    draft.emit(SatIn(seat, post=False))


def sit_out(draft: Draft, seat: Seat, cause: AbsenceCause) -> None:
    """Let a seat be dealt out from now on; a person's is given up after `sit_out_evicts` (B5, B11)."""
    table = draft.table
    player = table.players[seat]
    person = player is not None and player.level is None
    evict_at = Millis(draft.now + table.settings.sit_out_evicts * 1_000 if person else 0)
    draft.emit(SatOut(seat, cause, evict_at, chips_needed(table.settings, table.stacks[seat])))


def _grow_banks(draft: Draft, seats: tuple[Seat, ...]) -> None:
    table = draft.table
    full = table.settings.time_bank
    for seat in seats:
        bank = table.banks[seat]
        if bank < full:
            draft.emit(BankGrew(seat, Millis(min(bank + BANK_GROWTH, full))))


def _waits_for_the_end(player: Player) -> bool:
    """Whether something was put off for the hand's sake."""
    return player.presence is _SITTING_OUT_NEXT or player.leaving is not None or player.top_up_to > 0


def _settle_seat(draft: Draft, seat: Seat, player: Player) -> None:
    table = draft.table
    if player.leaving is not None:
        draft.emit(PlayerLeft(seat, player.player, table.stacks[seat], player.leaving, draft.now))
        return
    if table.closing is None:
        _settle_top_up(draft, seat, player)
    if player.presence is _SITTING_OUT:
        return
    if player.presence is _SITTING_OUT_NEXT:
        sit_out(draft, seat, player.absence or AbsenceCause.ASKED)
    elif chips_needed(table.settings, table.stacks[seat]):
        sit_out(draft, seat, AbsenceCause.NOT_COVERED if table.stacks[seat] else AbsenceCause.BUSTED)


def _settle_top_up(draft: Draft, seat: Seat, player: Player) -> None:
    table = draft.table
    if player.top_up_to:
        top_up(draft, seat, player.top_up_to)
    elif player.level is not None and chips_needed(table.settings, table.stacks[seat]):
        top_up(draft, seat, player.first_buy_in)


def _go_on(draft: Draft) -> None:
    table = draft.table
    if len(present(table)) < 2:
        draft.emit(PlayPaused())
    else:
        draft.emit(NextHandScheduled(Millis(draft.now + between_hands(table))))
