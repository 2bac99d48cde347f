"""A watched salon: its replica, its watchers, and what each of them is shown of the next step.

Law of this file: nothing here waits. A sink takes an update or drops itself.
"""

from typing import Protocol

from cluster.codec.updates import encoded, ended_update, snapshot_update, step_update
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import Entry
from cluster.watching.admission import Ticket, denied
from cluster.watching.replica import Missing, Replica, Step
from croupier.v1 import refusal_pb2
from engine.events import TailLost
from engine.units import Millis, PlayerId


class Sink(Protocol):
    """Where a watcher's updates go. Must not wait, and must not raise; what it cannot hold it drops, and itself."""

    def update(self, update: bytes) -> None:
        """Take the next SalonUpdate."""

    def ended(self, salon: SalonId, refusal: refusal_pb2.Refusal) -> None:
        """The watch is over; its last update said why too."""


class Watcher:
    """One viewer of one salon, and the last update he was shown."""

    __slots__ = ("epoch", "invited", "player", "salon", "seated", "seq", "sink")

    def __init__(self, salon: SalonId, ticket: Ticket, sink: Sink) -> None:
        self.salon = salon
        self.player = ticket.player
        self.invited = ticket.invited
        self.sink = sink
        self.seated = False
        self.epoch = Epoch(0)
        self.seq = Seq(0)

    def show(self, step: Step, update: bytes) -> None:
        """Show the watcher a step."""
        self.epoch, self.seq = step.epoch, step.seq
        self.sink.update(update)


class Watched:
    """A salon that somebody watches."""

    def __init__(self, replica: Replica) -> None:
        self.replica = replica
        self.watchers: set[Watcher] = set()

    def welcome(self, watcher: Watcher, resume: tuple[Epoch, Seq] | None, now: Millis) -> None:
        """Take a watcher in: show him what he missed since `resume`, or a snapshot."""
        self.watchers.add(watcher)
        watcher.seated = self.replica.seated(watcher.player)
        missed = self.replica.steps_after(*resume, watcher.player) if resume else None
        if resume is None or missed is None:
            self._snapshot(watcher, now)
            return
        watcher.epoch, watcher.seq = resume
        for step in missed:
            updates = _Encoder(self.replica.salon)
            watcher.show(step, updates.live(step, watcher.player) if watcher.seated else updates.public(step))

    def take(self, entry: Entry, now: Millis) -> None:
        """Take the log's next entry in and show it. Raises Missing or LogCorrupt."""
        if after_loss(entry):
            raise Missing("the log has lost what the replica has of it")
        epoch = self.replica.live.epoch
        step, released = self.replica.advance(entry)
        updates = _Encoder(self.replica.salon)
        for watcher in list(self.watchers):
            if watcher.player in step.moved:
                self._reseat(watcher, now)
            elif not watcher.seated:
                self._show_released(watcher, released, updates, now)
            elif step.epoch != epoch:
                self._snapshot(watcher, now)
            else:
                watcher.show(step, updates.live(step, watcher.player))

    def replaced(self, replica: Replica, now: Millis) -> None:
        """Go on with another replica: the log was read anew."""
        self.replica = replica
        for watcher in list(self.watchers):
            self._reseat(watcher, now)

    def end(self, watcher: Watcher, refusal: refusal_pb2.Refusal) -> None:
        """Tell a watcher why he is shown nothing more."""
        self.watchers.discard(watcher)
        watcher.sink.update(ended_update(watcher.salon, watcher.epoch, watcher.seq, refusal))
        watcher.sink.ended(watcher.salon, refusal)

    def end_all(self, refusal: refusal_pb2.Refusal) -> None:
        """Tell every watcher."""
        for watcher in list(self.watchers):
            self.end(watcher, refusal)

    def _show_released(
        self, watcher: Watcher, released: list[Step], updates: "_Encoder", now: Millis
    ) -> None:
        """Show a spectator the steps that he has not seen, in a snapshot he was shown meanwhile."""
        if not watcher.seq:
            self._snapshot(watcher, now)
            return
        for step in released:
            if step.epoch != watcher.epoch:
                self._snapshot(watcher, now)
            elif step.seq > watcher.seq:
                watcher.show(step, updates.public(step))

    def _reseat(self, watcher: Watcher, now: Millis) -> None:
        """The watcher's seat may be another now, or none: what he is shown begins anew."""
        watcher.invited = watcher.invited or watcher.seated
        watcher.seated = self.replica.seated(watcher.player)
        refusal = denied(self.replica.live.table, Ticket(watcher.player, watcher.invited))
        if refusal is None:
            self._snapshot(watcher, now)
        else:
            self.end(watcher, refusal)

    def _snapshot(self, watcher: Watcher, now: Millis) -> None:
        """Show everything; nothing yet to a spectator for whom the log holds nothing old enough."""
        scene = self.replica.scene(watcher.player)
        if scene is None:
            watcher.seq = Seq(0)
            return
        watcher.epoch, watcher.seq = scene.epoch, scene.seq
        player = watcher.player if watcher.seated else None
        watcher.sink.update(snapshot_update(watcher.salon, scene, player, now))


def after_loss(entry: Entry) -> bool:
    """Whether the table before the entry is not the one that was told of: the log must be read anew."""
    return any(isinstance(event, TailLost) for event in entry.events)


class _Encoder:
    """The updates of one entry, each encoded when the first viewer needs it."""

    def __init__(self, salon: SalonId) -> None:
        self._salon = salon
        self._events: dict[Seq, bytes] = {}
        """What everybody sees, of each step,"""
        self._public: dict[Seq, bytes] = {}
        """and the update with nothing else."""

    def public(self, step: Step) -> bytes:
        """What everybody sees."""
        if step.seq not in self._public:
            self._public[step.seq] = step_update(self._salon, step, self._seen_by_all(step), None)
        return self._public[step.seq]

    def live(self, step: Step, player: PlayerId) -> bytes:
        """What the holder of a seat sees."""
        asked = step.asked if step.asked and step.asked.player == player else None
        if player in step.private:
            return step_update(self._salon, step, encoded(step.seen_by(player)), asked)
        if asked is None:
            return self.public(step)
        return step_update(self._salon, step, self._seen_by_all(step), asked)

    def _seen_by_all(self, step: Step) -> bytes:
        if step.seq not in self._events:
            self._events[step.seq] = encoded(step.public)
        return self._events[step.seq]
