"""Presence: sitting out and coming back (B4, B5, B6, B11).

A bot is never sat out by the clock: it misses the rest of the hand and is dealt into the next one.
"""

from engine.commands import SitIn, SitOut
from engine.draft import Draft
from engine.events import AbsenceCause, SatIn, SitOutAsked
from engine.limits import closing_refused
from engine.refusals import Reason, Refusal, refuse
from engine.settings import chips_needed, coverage
from engine.settlement import schedule, sit_out
from engine.table import Dues, Player, Presence, Table
from engine.units import NOBODY, PlayerId, Seat


def seated(table: Table, player: PlayerId, what: str) -> tuple[Seat, Player] | Refusal:
    """The seat of a player who holds one and has not given it up."""
    seat = table.seat_of.get(player, NOBODY)
    holder = table.players[seat]
    if holder is None:
        return refuse(Reason.NOT_SEATED, f"{what} refused: you hold no seat here; join the salon first")
    if holder.leaving is not None:
        return refuse(Reason.LEAVING, f"{what} refused: you have left, your seat is free after this hand")
    return seat, holder


def sit_out_command(draft: Draft, command: SitOut) -> Refusal | None:
    """B5: at once, but a hand that the player was dealt into is played on."""
    found = seated(draft.table, command.player, "sitting out")
    if isinstance(found, Refusal):
        return found
    seat, player = found
    if player.presence is not Presence.PRESENT:
        return refuse(
            Reason.ALREADY_SITTING_OUT, "sitting out refused: you sit out already, or will after this hand"
        )
    if draft.table.plays(seat):
        draft.emit(SitOutAsked(seat))
    else:
        sit_out(draft, seat, AbsenceCause.ASKED)
        schedule(draft)
    return None


def sit_in_command(draft: Draft, command: SitIn) -> Refusal | None:
    """Come back, or change whether a newcomer posts the big blind or waits for it (B4)."""
    table = draft.table
    found = seated(table, command.player, "sitting in")
    if isinstance(found, Refusal):
        return found
    seat, player = found
    refusal = closing_refused(table, "sitting in") or _chips_refused(table, seat, player)
    if refusal is not None:
        return refusal
    if player.presence is Presence.PRESENT and not _changes_posting(player, post=command.post):
        return refuse(
            Reason.ALREADY_SITTING_IN, "sitting in refused: you are in already, and dealt in when it is due"
        )
    draft.emit(SatIn(seat, command.post))
    schedule(draft)
    return None


def _changes_posting(player: Player, *, post: bool) -> bool:
    return player.dues is (Dues.NEWCOMER if post else Dues.NEWCOMER_POSTS)


def _chips_refused(table: Table, seat: Seat, player: Player) -> Refusal | None:
    """A refusal for who sits out and has too few chips to be dealt in."""
    stack = table.stacks[seat]
    need = chips_needed(table.settings, stack)
    if player.presence is not Presence.SITTING_OUT or not need:
        return None
    numbers = {"stack": stack, "need": need, "max": table.settings.max_buy_in}
    if not stack:
        text = f"sitting in refused: you have no chips; top up to {need} or more first"
        return refuse(Reason.NO_CHIPS, text, **numbers)
    text = f"sitting in refused: {stack} chips do not cover a hand of up to {coverage(table.settings)}; top up to {need}"
    return refuse(Reason.NOT_COVERED, text, **numbers)
