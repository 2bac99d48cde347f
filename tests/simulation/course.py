"""The course of a watch: what may be shown after what, and what of a commit the holder of a seat is shown."""

from typing import Final

from cluster.codec.messages import event_to_message, your_turn
from cluster.envelope import Epoch, Seq
from croupier.v1 import event_pb2, refusal_pb2, turn_pb2, watch_pb2
from engine.betting import legal_actions
from engine.events import Event, GraceGiven, HandEnded, HandVoided, TurnStarted
from engine.table import Table
from engine.units import NOBODY, PlayerId, Seat
from engine.view import sees
from tests.simulation.witness import Chronicle

LEAVES: Final = frozenset({refusal_pb2.REASON_NO_SPECTATORS, refusal_pb2.REASON_CODE_REQUIRED})
"""For what a watch may be ended for good: whoever had a seat gave it up, and may not look on."""
_TRIMMED_HANDS: Final = 2
_TRIMMED_COMMITS: Final = 256
"""A log keeps whole hands, and is folded after so many commits without one: who is further behind reads it anew."""


def misstep(
    chronicle: Chronicle,
    player: PlayerId,
    before: tuple[int, int] | None,
    update: watch_pb2.SalonUpdate,
) -> str:
    """Why an update may not follow `before`, the place of the last one on its stream; empty where it may.

    Of a snapshot: it goes back only where spectators are behind, for who gave up his seat, or where the log has lost
    the hand's start that had let them see so far; and it passes nothing over but where a new epoch began, the viewer's
    seat changed, or the log was trimmed or written anew meanwhile.
    """
    now = (update.epoch, update.seq)
    snapshot = update.HasField("snapshot")
    if before is None:
        return "" if snapshot else f"{now} before any snapshot"
    if not snapshot:
        return "" if now == (before[0], before[1] + 1) else f"{now} after {before}"
    if now < before:
        behind = chronicle.table.settings.spectator_delay and not update.snapshot.viewer
        goes_back = _seat_then(chronicle, player, before) or _is_lost_after(chronicle, before[1])
        return "" if behind and goes_back else f"a snapshot of {now} after {before}"
    explained = now[0] != before[0] or now == before or before[1] < chronicle.base
    if (
        explained
        or _is_reseated(chronicle, player, before[1], now[1])
        or _is_trimmed(chronicle, before[1], now[1])
    ):
        return ""
    return f"a snapshot of {now} after {before}, for no reason"


def seen(events: tuple[Event, ...], seat: Seat) -> list[event_pb2.Event]:
    """What the holder of a seat is shown of a commit's events; NOBODY for a spectator."""
    return [event_to_message(event) for event in events if sees(event, seat)]


def turn_of(table: Table, events: tuple[Event, ...], seat: Seat) -> turn_pb2.YourTurn | None:
    """The turn that the holder of a seat is offered with a commit's events, which led to `table`."""
    hand = table.hand
    if hand is None or hand.over or seat == NOBODY or hand.to_act != seat:
        return None
    if not any(isinstance(event, TurnStarted | GraceGiven) for event in events):
        return None
    return your_turn(legal_actions(table), hand.hand, hand.turn, deadline=hand.deadline, bank=hand.bank)


def is_shown_to(commit: watch_pb2.Commit, table: Table, events: tuple[Event, ...], seat: Seat) -> bool:
    """Whether a commit is shown as it is to be to the holder of a seat, or, where they are behind, to a spectator.

    Who has left is a spectator: what comes late to him he is shown as to all others.
    """
    late = table.settings.spectator_delay
    offered = commit.your_turn if commit.HasField("your_turn") else None
    return any(
        list(commit.events) == seen(events, viewer) and offered == turn_of(table, events, viewer)
        for viewer in ((seat, NOBODY) if late else (seat,))
    )


def may_be_viewer(viewer: Seat, table: Table, seat: Seat) -> bool:
    """Whether who holds `seat` may be shown the table as `viewer` sees it."""
    return viewer == seat or (viewer == NOBODY and bool(table.settings.spectator_delay))


def _seat_then(chronicle: Chronicle, player: PlayerId, place: tuple[int, int]) -> Seat:
    """The seat after a commit that the log may have lost since."""
    _, table = chronicle.written[Epoch(place[0]), Seq(place[1])]
    return table.seat_of.get(player, NOBODY)


def _is_lost_after(chronicle: Chronicle, seq: int) -> bool:
    return any(lost > seq for _, lost in (*chronicle.lost, *chronicle.forgotten.values()))


def _seat(chronicle: Chronicle, player: PlayerId, seq: int) -> Seat:
    return chronicle.tables[seq].seat_of.get(player, NOBODY)


def _is_reseated(chronicle: Chronicle, player: PlayerId, before: int, now: int) -> bool:
    return len({_seat(chronicle, player, seq) for seq in range(before, now + 1)}) > 1


def _is_trimmed(chronicle: Chronicle, before: int, now: int) -> bool:
    passed = [commit.events if commit else () for commit in chronicle.commits[before:now]]
    ends = sum(isinstance(event, HandEnded | HandVoided) for events in passed for event in events)
    return ends >= _TRIMMED_HANDS or len(passed) >= _TRIMMED_COMMITS
