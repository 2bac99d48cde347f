"""The salon's limits and its end: hands, time, closing, abandonment, and the final standings (L1-L4).

Law of this file: nothing is paid out at the end; the standings are counted from what each player brought and took.
"""

from typing import Final

from engine.commands import CloseSalon, ExtendAbsences, Sweep
from engine.draft import Draft
from engine.events import EndCause, LeavingCause, PlayerLeft, SalonClosing, SalonEnded, SatOut, Standing
from engine.refusals import Reason, Refusal, refuse
from engine.table import Player, Table
from engine.units import LEAST_OUTAGE, NOBODY, OPERATOR, Millis, PlayerId, Seat

ABANDONED_AFTER: Final = Millis(24 * 3_600 * 1_000)
"""How long a salon without anybody seated lives on (L4)."""


def time_is_up_at(table: Table) -> Millis:
    """When the time limit is reached; 0 without one, and before the first deal (L1)."""
    if not table.settings.time_limit or not table.first_deal_at:
        return Millis(0)
    return Millis(table.first_deal_at + table.settings.time_limit * 1_000)


def not_the_owner(table: Table, by: PlayerId, what: str) -> Refusal | None:
    """A refusal for whoever is neither the salon's owner nor an operator."""
    if by in (OPERATOR, table.owner):
        return None
    return refuse(Reason.NOT_THE_OWNER, f"{what} refused: only the salon's owner or an operator may do that")


def closing_refused(table: Table, what: str) -> Refusal | None:
    """A refusal once no hand starts any more."""
    if table.closing is None:
        return None
    why = table.closing.value.replace("_", " ")
    text = f"{what} refused: the salon deals no more hands ({why})"
    return refuse(Reason.SALON_CLOSING, text, cause=table.closing.value, over_at=table.over_at)


def close_when_due(draft: Draft, *, over_at: Millis) -> bool:
    """After a hand: close if a limit was reached or closing was asked, with the time to reveal (L1-L3)."""
    table = draft.table
    cause = table.closing or _limit_reached(table, draft.now)
    if cause is not None:
        draft.emit(SalonClosing(cause, over_at))
    return cause is not None


def close_salon(draft: Draft, command: CloseSalon) -> Refusal | None:
    """L2: as if the limit were reached. A hand in progress is finished first."""
    table = draft.table
    refusal = not_the_owner(table, command.by, "closing the salon") or closing_refused(
        table, "closing the salon"
    )
    if refusal is not None:
        return refusal
    _close_now(draft, EndCause.CLOSED)
    return None


def sweep(draft: Draft, _command: Sweep) -> Refusal | None:
    """Do what time alone makes due now: evictions, then the limits and the salon's end (B5, L1-L4)."""
    for seat, player in seats_to_evict(draft.table):
        if player.evict_at <= draft.now:
            draft.emit(
                PlayerLeft(seat, player.player, draft.table.stacks[seat], LeavingCause.EVICTED, draft.now)
            )
    table = draft.table
    if table.closing is not None:
        if table.over_at and table.over_at <= draft.now:
            _end(draft, table.closing)
    elif not table.in_hand and 0 < time_is_up_at(table) <= draft.now:
        _close_now(draft, EndCause.TIME_LIMIT)
    elif table.empty_since and table.empty_since + ABANDONED_AFTER <= draft.now:
        _end(draft, EndCause.ABANDONED)
    if draft.events:
        return None
    return refuse(Reason.NOT_READY, "sweep refused: nothing is due yet")


def seats_to_evict(table: Table) -> list[tuple[Seat, Player]]:
    """The seats that time will take away, soonest or not; one whose top-up waits for the hand's end is spared."""
    return [
        (Seat(seat), player)
        for seat, player in enumerate(table.players)
        if player is not None and player.evict_at and not player.top_up_to
    ]


def extend_absences(draft: Draft, command: ExtendAbsences) -> Refusal | None:
    """Let the time for which seats are kept have stood still since the table could not be reached (B5, B11).

    The other clocks run on: a pause between hands and the time to reveal cost nobody a chip, and the salon's own limits,
    and the time in which a player brings back what he took away (B10), are not his to be made good.
    """
    kept_for = draft.table.settings.sit_out_evicts * 1_000
    for seat, player in seats_to_evict(draft.table):
        lost = draft.now - max(command.since, player.evict_at - kept_for)
        if lost >= LEAST_OUTAGE and player.absence is not None:
            draft.emit(SatOut(seat, player.absence, Millis(player.evict_at + lost), player.need))
    if draft.events:
        return None
    return refuse(Reason.NOT_READY, "extending absences refused: nobody who sits out lost any time")


def standings_of(table: Table) -> tuple[Standing, ...]:
    """Every player who ever sat, best first: stack + all taken away - all bought in; ties share a place."""
    results: list[tuple[int, PlayerId]] = []
    for account in table.accounts.values():
        seat = table.seat_of.get(account.player, NOBODY)
        stack = table.stacks[seat] if seat else 0
        results.append((stack + account.taken - account.bought, account.player))
    results.sort(key=lambda row: -row[0])
    scores = [result for result, _ in results]
    return tuple(
        Standing(
            place=scores.index(result) + 1,
            player=player,
            name=table.accounts[player].name,
            result=result,
            bot=table.accounts[player].bot,
        )
        for result, player in results
    )


def _limit_reached(table: Table, now: Millis) -> EndCause | None:
    if table.settings.hand_limit and table.hands_dealt >= table.settings.hand_limit:
        return EndCause.HAND_LIMIT
    if 0 < time_is_up_at(table) <= now:
        return EndCause.TIME_LIMIT
    return None


def _close_now(draft: Draft, cause: EndCause) -> None:
    """In a hand: after it. While the next hand is awaited: when it would have started. In a pause: at once."""
    table = draft.table
    if table.in_hand:
        draft.emit(SalonClosing(cause, Millis(0)))
    elif table.next_hand_at > draft.now:
        draft.emit(SalonClosing(cause, table.next_hand_at))
    else:
        _end(draft, cause)


def _end(draft: Draft, cause: EndCause) -> None:
    draft.emit(SalonEnded(cause, standings_of(draft.table), draft.now))
