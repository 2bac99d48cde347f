"""Eyes: viewers of a salon's feed, who hold every update to what the log says and the rules let them see."""

import asyncio
from collections.abc import Callable

from cluster.codec.messages import view_to_message
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import LogFault
from cluster.watching.admission import Ticket
from cluster.watching.watched import Watcher
from croupier.v1 import refusal_pb2, salon_pb2, watch_pb2
from engine.units import NOBODY, Millis, PlayerId, Seat
from engine.view import view_of
from tests.simulation.course import is_shown_to, may_be_viewer, misstep
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
            if not isinstance(watcher, Watcher):
                self._ground.violate(f"watching: {self._name} was not let in: {watcher.text}")
            elif not gate.process.dead:
                self._ground.loop.call_soon(gate.feed.unwatch, watcher, context=gate.process.context)

    def shown(self, stream: "_Stream", update: watch_pb2.SalonUpdate) -> None:
        """Hold an update of the current stream to the log."""
        if stream is not self._stream:
            return
        ground, name = self._ground, self._name
        place = (Epoch(update.epoch), Seq(update.seq))
        kind = update.WhichOneof("content") or "bare seq"
        ground.note(f"update {kind}", self.player, None)
        chronicle = ground.witness.salons[self.salon]
        if kind == "ended":
            stream.over = True
            ground.violate(f"watching: {name} was shown nothing more: {update.ended.text}")
            return
        if place not in chronicle.written:
            ground.violate(f"watching: {name} was shown {place}, which never was in the log")
            return
        # A gateway may begin from behind where another was.
        begins = not stream.began and kind == "snapshot"
        gone = chronicle.lost.union(chronicle.forgotten.values())
        wrong = misstep(chronicle, self.player, None if begins else self.place, update)
        if wrong and not (kind == "snapshot" and self.place in gone):
            ground.violate(f"watching: {name} was shown {wrong}")
        elif kind == "snapshot":
            self._snapshot(update)
        else:
            self._commit(update)
        self.place = place
        stream.began = True

    def _snapshot(self, update: watch_pb2.SalonUpdate) -> None:
        if self._ground.rng.random() > 0.3:
            return
        _, table = self._ground.witness.salons[self.salon].written[Epoch(update.epoch), Seq(update.seq)]
        seat: Seat = table.seat_of.get(self.player, NOBODY)
        view = view_of(table, Seat(update.snapshot.viewer))
        at = Millis(update.snapshot.at_ms)
        expected = view_to_message(view, self.salon, at, epoch=Epoch(update.epoch), seq=Seq(update.seq))
        if not may_be_viewer(view.viewer, table, seat) or update.snapshot != expected:
            self._ground.violate(f"watching: {self._name} was shown another table at {update.seq}")

    def _commit(self, update: watch_pb2.SalonUpdate) -> None:
        place = (Epoch(update.epoch), Seq(update.seq))
        commit, table = self._ground.witness.salons[self.salon].written[place]
        seat: Seat = table.seat_of.get(self.player, NOBODY)
        events = commit.events if commit else ()
        if not is_shown_to(update.commit, table, events, seat):
            self._ground.violate(f"secrets: {self._name} was shown other events at {update.seq}")


class _Stream:
    """What one watch shows: the feed's sink."""

    def __init__(self, eye: Eye) -> None:
        self.over = False
        self.began = False
        """Something was shown."""
        self._eye = eye

    def update(self, update: bytes) -> None:
        for each in salon_pb2.PlayResponse.FromString(update).updates:
            self._eye.shown(self, each)

    def ended(self, salon: SalonId, refusal: refusal_pb2.Refusal) -> None:
        self.over = True
