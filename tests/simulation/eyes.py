"""Eyes: viewers of a salon's feed, who hold every update to what the log says and the rules let them see."""

import asyncio
from collections.abc import Callable

from cluster.codec.messages import event_to_message, view_to_message
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import LogFault
from cluster.watching.admission import Ticket
from cluster.watching.watched import Watcher
from croupier.v1 import event_pb2, refusal_pb2, salon_pb2, watch_pb2
from engine.events import Event
from engine.units import NOBODY, Millis, PlayerId, Seat
from engine.view import sees, view_of
from tests.simulation.gatehouse import Gatehouse
from tests.simulation.ground import Ground


class Eye:
    """One viewer of one salon, over as many gateways as it takes."""

    def __init__(
        self, ground: Ground, salon: SalonId, player: PlayerId, gates: Callable[[], list[Gatehouse]]
    ) -> None:
        self.salon = salon
        self.player = player
        self.place: tuple[Epoch, Seq] | None = None
        """The last update."""
        self.stays = False
        """He goes on to no other gateway, which would show him all anew."""
        self.closed = False
        self.ended = False
        """He may not watch (any more)."""
        self._ground = ground
        self._gates = gates
        self._stream: _Stream | None = None
        self._name = f"{player} in {salon}"

    async def live(self) -> None:
        """Watch, and watch again wherever the gateway is gone."""
        rng = self._ground.rng
        while not self.closed:
            await asyncio.sleep(rng.uniform(0.01, 0.4))
            gates = self._gates()
            if gates and not self.closed:
                await self._watch(rng.choice(gates))

    async def _watch(self, gate: Gatehouse) -> None:
        """One watch, from its opening until its stream breaks or the viewer goes on to another gateway."""
        stream = self._stream = _Stream(self)
        ticket = Ticket(self.player)
        opening = gate.process.spawn(gate.feed.watch(self.salon, ticket, stream, resume=self.place))
        leaves = self._ground.loop.now + self._ground.rng.uniform(1, 30)
        while (self.stays or self._ground.loop.now < leaves) and not (
            gate.process.dead or stream.over or self.closed
        ):
            await asyncio.sleep(0.25)
            if opening.done() and (opening.cancelled() or isinstance(opening.exception(), LogFault)):
                break
        self._stream = None
        if opening.done() and not opening.cancelled() and opening.exception() is None:
            watcher = opening.result()
            if isinstance(watcher, Watcher) and not gate.process.dead:
                self._ground.loop.call_soon(gate.feed.unwatch, watcher, context=gate.process.context)

    def shown(self, stream: "_Stream", update: watch_pb2.SalonUpdate) -> None:
        """Hold an update of the current stream to the log."""
        if stream is not self._stream:
            return
        ground, name = self._ground, self._name
        place = (Epoch(update.epoch), Seq(update.seq))
        kind = update.WhichOneof("content") or "bare seq"
        ground.note(f"update {kind}", self.player, None)
        written = ground.witness.salons[self.salon].written
        if kind == "ended":
            stream.over = self.ended = True
            return
        self.ended = False
        if place not in written:
            ground.violate(f"watching: {name} was shown {place}, which never was in the log")
            return
        if kind == "snapshot":
            self._snapshot(update)
        elif self.place is None or (self.place[0], self.place[1] + 1) != place:
            ground.violate(f"watching: {name} was shown {place} after {self.place}")
        else:
            self._commit(update)
        self.place = place

    def _snapshot(self, update: watch_pb2.SalonUpdate) -> None:
        if self._ground.rng.random() > 0.3:
            return
        _, table = self._ground.witness.salons[self.salon].written[Epoch(update.epoch), Seq(update.seq)]
        seat: Seat = table.seat_of.get(self.player, NOBODY)
        view = view_of(table, Seat(update.snapshot.viewer))
        at = Millis(update.snapshot.at_ms)
        expected = view_to_message(view, self.salon, at, epoch=Epoch(update.epoch), seq=Seq(update.seq))
        if update.snapshot.viewer not in (seat, NOBODY) or update.snapshot != expected:
            self._ground.violate(f"watching: {self._name} was shown another table at {update.seq}")

    def _commit(self, update: watch_pb2.SalonUpdate) -> None:
        place = (Epoch(update.epoch), Seq(update.seq))
        commit, table = self._ground.witness.salons[self.salon].written[place]
        seat: Seat = table.seat_of.get(self.player, NOBODY)
        events = commit.events if commit else ()
        shown = list(update.commit.events)
        # Who has left is a spectator: what comes late to him he is shown as to all others.
        if shown not in (_seen(events, seat), _seen(events, NOBODY)):
            self._ground.violate(f"secrets: {self._name} was shown other events at {update.seq}")


def _seen(events: tuple[Event, ...], seat: Seat) -> list[event_pb2.Event]:
    return [event_to_message(event) for event in events if sees(event, seat)]


class _Stream:
    """What one watch shows: the feed's sink."""

    def __init__(self, eye: Eye) -> None:
        self.over = False
        self._eye = eye

    def update(self, update: bytes) -> None:
        for each in salon_pb2.PlayResponse.FromString(update).updates:
            self._eye.shown(self, each)

    def ended(self, salon: SalonId, refusal: refusal_pb2.Refusal) -> None:
        self.over = True
