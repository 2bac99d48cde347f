"""Seats: joining, leaving, topping up; the owner's bots and kicks (B8, B10-B12, L2).

Law of this file: a seat that was dealt into the hand in progress is given up after it, every other one at once.
"""

from typing import Final

from engine import play
from engine.commands import AddBot, Join, Kick, Leave, RemoveBot, TopUpTo
from engine.draft import Draft
from engine.events import LeaveAsked, LeavingCause, PlayerLeft, PlayerSeated, TopUpAsked
from engine.limits import closing_refused, not_the_owner
from engine.presence import seated
from engine.refusals import Reason, Refusal, refuse
from engine.settings import BotLevel, BotStyle, usual_buy_in
from engine.settlement import schedule, top_up
from engine.table import Player, Table
from engine.units import NOBODY, Chips, Millis, PlayerId, Seat
from engine.value import value

REJOIN_WITHIN: Final = Millis(30 * 60 * 1_000)
"""For how long a player who left must bring what he took away (B10)."""
NAME_LONGEST: Final = 32


@value
class _Guest:
    """Somebody who wants a seat: a person, or with a level a bot."""

    player: PlayerId
    name: str
    seat: Seat
    buy_in: Chips = Chips(0)
    level: BotLevel | None = None
    style: BotStyle | None = None


def join(draft: Draft, command: Join) -> Refusal | None:
    """B12: the seat is taken and its chips count at once; the next hand that the blinds allow is dealt to it."""
    return _take_seat(draft, _Guest(command.player, command.name, command.seat, command.buy_in))


def add_bot(draft: Draft, command: AddBot) -> Refusal | None:
    """Seat a bot with the usual buy-in."""
    refusal = not_the_owner(draft.table, command.by, "adding a bot")
    if refusal is not None:
        return refusal
    bot = _Guest(command.player, command.name, command.seat, level=command.level, style=command.style)
    return _take_seat(draft, bot)


def leave(draft: Draft, command: Leave) -> Refusal | None:
    """At once, or after the hand that he was dealt into (B8)."""
    found = seated(draft.table, command.player, "leaving")
    if isinstance(found, Refusal):
        return found
    _give_up(draft, found[0], LeavingCause.ASKED)
    return None


def kick(draft: Draft, command: Kick) -> Refusal | None:
    """L2: a kick is a leave."""
    refusal = not_the_owner(draft.table, command.by, "a kick")
    if refusal is not None:
        return refusal
    found = _holder(draft.table, command.seat, "a kick")
    if isinstance(found, Refusal):
        return found
    _give_up(draft, command.seat, LeavingCause.KICKED)
    return None


def remove_bot(draft: Draft, command: RemoveBot) -> Refusal | None:
    """Take a bot away; in a hand it leaves as a player does."""
    refusal = not_the_owner(draft.table, command.by, "removing a bot")
    if refusal is not None:
        return refusal
    found = _holder(draft.table, command.seat, "removing a bot")
    if isinstance(found, Refusal):
        return found
    if found.level is None:
        text = f"removing a bot refused: a person holds seat {command.seat}; a kick makes him leave"
        return refuse(Reason.NOT_A_BOT, text, seat=command.seat)
    _give_up(draft, command.seat, LeavingCause.REMOVED)
    return None


def top_up_to(draft: Draft, command: TopUpTo) -> Refusal | None:
    """B10: at once between hands, else after the hand; more than the maximum buy-in is cut to it."""
    table = draft.table
    found = seated(table, command.player, "topping up")
    if isinstance(found, Refusal):
        return found
    seat, player = found
    refusal = closing_refused(table, "topping up") or _top_up_refused(table, seat, player, command.to)
    if refusal is not None:
        return refusal
    if table.in_hand:
        draft.emit(TopUpAsked(seat, command.to))
    else:
        top_up(draft, seat, command.to)
        schedule(draft)
    return None


def buy_in_range(table: Table, player: PlayerId, now: Millis) -> tuple[Chips, Chips]:
    """The least and the most that this player may buy in for now: who was here lately brings what he took (B10)."""
    least, most = table.settings.min_buy_in, table.settings.max_buy_in
    account = table.accounts.get(player)
    if account is None or not account.left_at or now - account.left_at >= REJOIN_WITHIN:
        return least, most
    if account.left_with > most:
        return account.left_with, account.left_with
    return max(least, account.left_with), most


def _take_seat(draft: Draft, guest: _Guest) -> Refusal | None:
    table = draft.table
    what = "joining" if guest.level is None else "adding a bot"
    refusal = closing_refused(table, what) or _guest_refused(table, guest, what)
    if refusal is not None:
        return refusal
    seat = guest.seat or _free_seat(table)
    least, most = buy_in_range(table, guest.player, draft.now)
    stack = guest.buy_in or Chips(min(max(usual_buy_in(table.settings), least), most))
    if not least <= stack <= most:
        text = f"{what} with {stack} chips refused: the buy-in must be from {least} to {most}"
        return refuse(Reason.BUY_IN_OUT_OF_RANGE, text, min=least, max=most)
    account = table.accounts.get(guest.player)
    bank = table.settings.time_bank if account is None else account.bank
    draft.emit(
        PlayerSeated(
            seat, guest.player, guest.name, stack, bank, draft.now, level=guest.level, style=guest.style
        )
    )
    schedule(draft)
    return None


def _guest_refused(table: Table, guest: _Guest, what: str) -> Refusal | None:
    seats = table.settings.seats
    held = table.seat_of.get(guest.player)
    if held is not None:
        return refuse(Reason.ALREADY_SEATED, f"{what} refused: seat {held} is held already", seat=held)
    if (
        not guest.player
        or not guest.name.strip()
        or len(guest.name) > NAME_LONGEST
        or not guest.name.isprintable()
    ):
        text = f"{what} refused: a name has 1 to {NAME_LONGEST} printable characters"
        return refuse(Reason.NAME_REFUSED, text, min=1, max=NAME_LONGEST)
    if not 0 <= guest.seat <= seats:
        text = f"{what} at seat {guest.seat} refused: the seats are 1 to {seats}, or 0 for any"
        return refuse(Reason.NO_SUCH_SEAT, text, min=0, max=seats)
    if not _free_seat(table):
        return refuse(Reason.SALON_FULL, f"{what} refused: all {seats} seats are taken", seats=seats)
    if guest.seat and table.players[guest.seat] is not None:
        free = ", ".join(str(seat) for seat in range(1, seats + 1) if table.players[seat] is None)
        text = f"{what} at seat {guest.seat} refused: it is taken; free are {free}"
        return refuse(Reason.SEAT_TAKEN, text, seat=guest.seat, free=free)
    return None


def _free_seat(table: Table) -> Seat:
    """The lowest free seat, NOBODY if there is none."""
    free = (Seat(seat) for seat in range(1, table.settings.seats + 1) if table.players[seat] is None)
    return next(free, NOBODY)


def _holder(table: Table, seat: Seat, what: str) -> Player | Refusal:
    """Who holds a seat that the owner named, if he does not leave already."""
    seats = table.settings.seats
    if not 1 <= seat <= seats:
        text = f"{what} at seat {seat} refused: the seats are 1 to {seats}"
        return refuse(Reason.NO_SUCH_SEAT, text, min=1, max=seats)
    player = table.players[seat]
    if player is None:
        return refuse(Reason.NOT_SEATED, f"{what} refused: nobody holds seat {seat}", seat=seat)
    if player.leaving is not None:
        text = f"{what} refused: whoever holds seat {seat} leaves after this hand already"
        return refuse(Reason.LEAVING, text, seat=seat)
    return player


def _give_up(draft: Draft, seat: Seat, cause: LeavingCause) -> None:
    table = draft.table
    player = table.players[seat]
    if player is None:
        return
    if not table.plays(seat):
        draft.emit(PlayerLeft(seat, player.player, table.stacks[seat], cause, draft.now))
        schedule(draft)
        return
    draft.emit(LeaveAsked(seat, cause))
    play.resume(draft)


def _top_up_refused(table: Table, seat: Seat, player: Player, to: Chips) -> Refusal | None:
    """In a hand nobody knows what the stack will be, so that at least the minimum buy-in must be asked for."""
    most = table.settings.max_buy_in
    stack = table.stacks[seat]
    if table.in_hand:
        least = table.settings.min_buy_in
    elif stack >= most:
        text = f"topping up refused: your stack of {stack} is at the maximum buy-in of {most} or over it"
        return refuse(Reason.TOP_UP_OUT_OF_RANGE, text, stack=stack, min=0, max=most)
    else:
        least = max(player.need, Chips(stack + 1))
    if to >= least:
        return None
    text = f"topping up to {to} refused: it must be from {least} to {most}"
    return refuse(Reason.TOP_UP_OUT_OF_RANGE, text, stack=stack, min=least, max=most)
