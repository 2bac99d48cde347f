"""Alarms: the earliest thing that time makes due at a table, for the one timer that its salon keeps."""

from engine.commands import ExpireTurn, Sweep
from engine.limits import ABANDONED_AFTER, seats_to_evict, time_is_up_at
from engine.table import Table
from engine.units import TIMER_SLACK, Millis
from engine.value import value


@value
class Alarm:
    """At `at` (or later) `command` is due; None is "start a hand", for which the salon brings deck and lot."""

    at: Millis
    command: ExpireTurn | Sweep | None


def next_alarm(table: Table) -> Alarm | None:
    """The alarm that is due first, None if time changes nothing. Of two at one time a sweep goes before a hand."""
    if table.over:
        return None
    due_at = sweep_at(table)
    alarm = _play_alarm(table)
    if due_at and (alarm is None or due_at <= alarm.at):
        return Alarm(due_at, Sweep())
    return alarm


def _play_alarm(table: Table) -> Alarm | None:
    """The running turn's end, or the next hand's start."""
    hand = table.hand
    if hand is not None and not hand.over:
        if not hand.to_act:
            return None
        at = Millis(hand.deadline + hand.bank + TIMER_SLACK)
        return Alarm(at, ExpireTurn(hand.hand, hand.turn))
    return Alarm(table.next_hand_at, None) if table.next_hand_at else None


def sweep_at(table: Table) -> Millis:
    """When the first eviction, limit or end is due at a table that is not over; 0 for never."""
    due = [player.evict_at for _, player in seats_to_evict(table)]
    if table.closing is not None:
        due.append(table.over_at)
    elif table.empty_since:
        due.append(Millis(table.empty_since + ABANDONED_AFTER))
    if table.closing is None and not table.in_hand:
        due.append(time_is_up_at(table))
    return min((at for at in due if at), default=Millis(0))
