"""Troubles: what befalls hosts, gateways, wires and the store in one schedule, drawn from its chance.

Each begins at some time and is over at some later one; when the schedule's quiet end comes all are over, and what was
frozen, cut off or gone is there again.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

from cluster.routing.drains import NO_DEADLINE, ORDERED
from engine.units import Millis
from tests.simulation.gatehouse import Gatehouse
from tests.simulation.ground import Ground
from tests.simulation.inns import Inn

KINDS: Final = (
    "host crashed",
    "host crashed between two steps",
    "host frozen",
    "host frozen for long",
    "host taken for dead",
    "zombie revived",
    "gateway crashed",
    "gateway crashed between two steps",
    "gateway frozen",
    "gateway and host cut off",
    "host cut off from the store",
    "gateway cut off from the store",
    "host's lease hangs",
    "node drained",
    "node preempted",
    "store refused connections",
    "store silent",
    "store failed over",
    "store's clock put",
    "tail lost",
)
"""What may befall; a zombie is a host that was declared dead while it was frozen."""
_RAY_NOTICES: Final = 5.0
"""Seconds of silence after which Ray may hold a process for dead."""
_CLOCKS_DIFFER: Final = 8_000
"""Milliseconds by which a replica's clock is ahead, at most; behind, it may give out an epoch below one that was lost."""


class Troubles:
    """One schedule's troubles. `open_gate` starts a gateway in the place of one that is gone."""

    def __init__(
        self,
        ground: Ground,
        inns: dict[Any, Inn],
        gates: list[Gatehouse],
        open_gate: Callable[[], Gatehouse],
    ) -> None:
        self._ground = ground
        self._rng = ground.rng
        self._inns = inns
        self._gates = gates
        self._open_gate = open_gate
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, span: float) -> None:
        """Let some of them come in the next `span` seconds."""
        most = self._rng.choice((0, 1, 2, 3, 5, 8))
        kinds = (
            (self._host_crashes, 3),
            (self._host_freezes, 3),
            (self._host_is_taken_for_dead, 5),
            (self._gateway_crashes, 2),
            (self._gateway_freezes, 1),
            (self._wire_is_cut, 2),
            (self._store_is_cut, 1),
            (self._lease_hangs, 3),
            (self._node_drains, 14),
            (self._store_is_down, 1),
            (self._store_is_silent, 1),
            (self._store_fails_over, 3),
        )
        works = self._rng.choices([work for work, _ in kinds], [weight for _, weight in kinds], k=most)
        for work in works:
            at = self._rng.uniform(0, span)
            self._tasks.append(self._ground.loop.create_task(self._later(at, work)))

    async def end(self) -> None:
        """Let all of them be over."""
        ground = self._ground
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        ground.weather.settle()
        ground.unborn = 0.0
        ground.nodes = dict.fromkeys(ground.nodes, 50)
        ground.preempted.clear()
        ground.store.redis.hashes.pop(ORDERED, None)
        ground.cut.clear()
        store = ground.store
        store.cut.clear()
        store.half_cut.clear()
        store.down = store.silent = store.failing_over = False
        for inn in list(self._inns.values()):
            inn.process.defuse()
            self._thaw(inn)
        for gate in list(self._gates):
            gate.process.defuse()
            gate.process.thaw()
            if gate.process.dead:
                self._replace(gate)

    async def _later(self, at: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        await asyncio.sleep(at)
        await work()

    def _count(self, what: str) -> None:
        self._ground.note(what, "", None)

    def _host(self) -> Inn | None:
        living = [inn for inn in self._inns.values() if not inn.process.dead and not inn.process.frozen]
        return self._rng.choice(living) if living else None

    def _gate(self) -> Gatehouse | None:
        living = [gate for gate in self._gates if not gate.process.dead and not gate.process.frozen]
        return self._rng.choice(living) if living else None

    # Hosts

    async def _host_crashes(self) -> None:
        inn = self._host()
        if inn is None:
            return
        if self._rng.random() < 0.5:
            self._count("host crashed")
            inn.process.die()
        else:
            self._count("host crashed between two steps")
            inn.process.die_after(self._rng.randint(1, 60))

    async def _host_freezes(self) -> None:
        inn = self._host()
        if inn is None:
            return
        long = self._rng.random() < 0.5
        span = self._rng.uniform(3, 15) if long else self._rng.uniform(0.05, 3)
        self._count("host frozen for long" if long else "host frozen")
        inn.process.freeze()
        noticed = self._rng.random() < 0.5
        try:
            if span > _RAY_NOTICES and noticed:
                await asyncio.sleep(_RAY_NOTICES)
                inn.declare_dead(late=self._rng.random() < 0.5)
            await asyncio.sleep(span - _RAY_NOTICES if span > _RAY_NOTICES and noticed else span)
        finally:
            self._thaw(inn)

    async def _host_is_taken_for_dead(self) -> None:
        """It goes on, and so does its lease, until its raylet hears that it is dead (seen for 6.5 s)."""
        inn = self._host()
        if inn is None or inn.declared_dead:
            return
        self._count("host taken for dead")
        inn.declare_dead(late=self._rng.random() < 0.7)
        self._ground.loop.after(self._rng.uniform(0.5, 7), inn.process.die)

    def _thaw(self, inn: Inn) -> None:
        if not inn.process.frozen or inn.process.dead:
            return
        inn.process.thaw()
        if inn.declared_dead:
            self._count("zombie revived")
            # Its raylet learns that it is dead, and takes its processes with it.
            self._ground.loop.after(self._rng.uniform(0.05, 2), inn.process.die)

    # Gateways

    async def _gateway_crashes(self) -> None:
        gate = self._gate()
        if gate is None:
            return
        if self._rng.random() < 0.5:
            self._count("gateway crashed")
            gate.process.die()
        else:
            self._count("gateway crashed between two steps")
            gate.process.die_after(self._rng.randint(1, 60))
        await asyncio.sleep(self._rng.uniform(0.1, 4))
        if gate.process.dead:
            self._replace(gate)

    def _replace(self, gate: Gatehouse) -> None:
        if gate in self._gates:
            self._gates[self._gates.index(gate)] = self._open_gate()

    async def _gateway_freezes(self) -> None:
        gate = self._gate()
        if gate is None:
            return
        self._count("gateway frozen")
        gate.process.freeze()
        try:
            await asyncio.sleep(self._rng.uniform(0.1, 8))
        finally:
            gate.process.thaw()

    async def _node_drains(self) -> None:
        """By an operator's order, or because Ray says so; with a deadline, at which it may be gone, or without."""
        ground, rng = self._ground, self._rng
        node = rng.choice(list(ground.nodes))
        deadline = Millis(ground.millis() + rng.randint(500, 15_000)) if rng.random() < 0.6 else NO_DEADLINE
        if rng.random() < 0.5:
            self._count("node drained")
            drains = ground.store.redis.hashes.setdefault(ORDERED, {})
            drains[node] = str(deadline)
            return
        self._count("node preempted")
        ground.preempted[node] = deadline
        if deadline and rng.random() < 0.5:
            await asyncio.sleep((deadline - ground.millis()) / 1_000)
            for inn in list(self._inns.values()):
                if inn.node == node:
                    inn.process.die()

    # Wires

    async def _wire_is_cut(self) -> None:
        inn, gate = self._host(), self._gate()
        if inn is None or gate is None:
            return
        self._count("gateway and host cut off")
        wire = (gate.name, inn.name)
        self._ground.cut.add(wire)
        await asyncio.sleep(self._rng.uniform(0.1, 8))
        self._ground.cut.discard(wire)

    async def _store_is_cut(self) -> None:
        inn, gate = self._host(), self._gate()
        if self._rng.random() < 0.6 and inn is not None:
            self._count("host cut off from the store")
            process = inn.process
        elif gate is not None:
            self._count("gateway cut off from the store")
            process = gate.process
        else:
            return
        self._ground.store.cut.add(process)
        await asyncio.sleep(self._rng.uniform(0.1, 8))
        self._ground.store.cut.discard(process)

    async def _lease_hangs(self) -> None:
        """A host cannot say that it lives, and goes on writing."""
        inn = self._host()
        if inn is None:
            return
        self._count("host's lease hangs")
        self._ground.store.half_cut.add(inn.process)
        await asyncio.sleep(self._rng.uniform(2, 9))
        self._ground.store.half_cut.discard(inn.process)

    # The store

    async def _store_is_down(self) -> None:
        self._count("store refused connections")
        self._ground.store.down = True
        await asyncio.sleep(self._rng.uniform(0.05, 6))
        self._ground.store.down = False

    async def _store_is_silent(self) -> None:
        self._count("store silent")
        self._ground.store.silent = True
        await asyncio.sleep(self._rng.uniform(0.05, 6))
        self._ground.store.silent = False

    async def _store_fails_over(self) -> None:
        """What is on its way gets no answer, and for a while there is nobody.

        Mostly the replica is a little behind: the ends of some logs are lost, and leases and counts are old; its clock may be ahead.
        """
        self._count("store failed over")
        store = self._ground.store
        behind = self._rng.random() < 0.7
        if behind:
            store.keep()
            await asyncio.sleep(self._rng.uniform(0.01, 1))
        store.failing_over = True
        await asyncio.sleep(self._rng.uniform(0.001, 0.05))
        store.failing_over, store.down = False, True
        for salon in store.fail_over() if behind else ():
            self._ground.note("tail lost", salon, None)
        if self._rng.random() < 0.3:
            self._count("store's clock put")
            self._ground.ahead += self._rng.randint(1, _CLOCKS_DIFFER)
        await asyncio.sleep(self._rng.uniform(0.05, 3))
        store.down = False
