"""Roads: the way of one gateway to every host. What Ray is to a directory, with the ways in which it fails.

As with Ray, a call to a dead host ends soon with HostDied; one to a frozen or unreachable host is not answered.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import Any

from cluster.envelope import Envelope, SalonId
from cluster.routing.drains import NodeId
from cluster.routing.hosts import (
    Admitted,
    HostAnswer,
    HostDied,
    HostFault,
    HostMissing,
    Node,
    NotHere,
    Refusing,
)
from cluster.routing.leases import HostName
from tests.simulation.ground import Ground
from tests.simulation.inns import NOTICED, Inn, settle
from tests.simulation.timeline import Process

_START_PATIENCE = 60.0
"""Seconds for a host to take its lease, as with Ray."""


class Road:
    """The way of one gateway to every host: `cluster.routing.hosts.Hosts`."""

    def __init__(self, ground: Ground, inns: dict[HostName, Inn], gateway: Process) -> None:
        self._ground = ground
        self._inns = inns
        self._gateway = gateway

    async def nodes(self) -> list[Node]:
        await self._travel(self._ground.weather.wire_lag())
        return [
            Node(node, "127.0.0.1", node, hosts, 2, self._ground.preempted.get(node))
            for node, hosts in self._ground.nodes.items()
        ]

    async def capacity(self, without: Collection[NodeId] = ()) -> int:
        ground = self._ground
        return sum(
            n for node, n in ground.nodes.items() if node not in ground.preempted and node not in without
        )

    def _free(self, without: Collection[NodeId], node: NodeId | None) -> NodeId:
        """The emptiest node that will do; any, where Ray would wait for one."""
        ground = self._ground
        on = Counter(inn.node for inn in self._inns.values() if not inn.process.dead)
        shut = {*without, *ground.preempted}
        fit = [at for at in ground.nodes if at not in shut and node in (None, at)]
        return max(fit or list(ground.nodes), key=lambda at: ground.nodes[at] - on[at])

    async def ready_to_leave(self, host: HostName, most: int) -> list[SalonId]:
        async def work(inn: Inn) -> list[SalonId]:
            return inn.host.ready_to_leave(most)

        answer: list[SalonId] = await self._ask(host, work, "ready_to_leave")
        return answer

    async def hand_over(self, host: HostName, salon: SalonId, to: HostName, *, mid_hand: bool) -> bool:
        answer: bool = await self._ask(
            host, lambda inn: inn.host.hand_over(salon, to, mid_hand=mid_hand), "hand_over", twice=True
        )
        self._ground.counts[f"handed over {answer}"] += 1
        return answer

    async def start(
        self, host: HostName, *, without: Collection[NodeId] = (), node: NodeId | None = None
    ) -> None:
        ground = self._ground
        await self._travel(ground.start_lag())
        if ground.weather.rng.random() < ground.unborn:
            ground.counts["host never started"] += 1
            raise HostFault(f"{host} did not start")
        inn = self._inns.get(host)
        if inn is None or inn.declared_dead:
            if inn is not None:
                ground.counts["host came again"] += 1
            inn = self._inns[host] = Inn(ground, host, self._free(without, node))
        try:
            async with asyncio.timeout(_START_PATIENCE):
                if not await self._ask(host, Inn.start, "start"):
                    raise HostDied(host, "it was given up before it began")
        except TimeoutError as error:
            raise HostFault(f"{host} did not start in {_START_PATIENCE} s") from error

    async def admit(self, host: HostName, salon: SalonId) -> Admitted | NotHere | Refusing:
        answer: Admitted | NotHere | Refusing = await self._ask(
            host, lambda inn: inn.host.admit(salon), "admit"
        )
        return answer

    async def deliver(
        self, host: HostName, batches: Sequence[Sequence[Envelope]], *, patient: bool
    ) -> list[list[HostAnswer]]:
        def work(inn: Inn) -> Coroutine[Any, Any, list[list[HostAnswer]]]:
            return inn.host.deliver(batches, patient=patient)

        answer: list[list[HostAnswer]] = await self._ask(host, work, "deliver", twice=True)
        return answer

    def kill(self, host: HostName) -> None:
        self._ground.loop.after(self._ground.weather.wire_lag() * 10, self._kill, host)

    def _kill(self, host: HostName) -> None:
        inn = self._inns.get(host)
        if inn is None or self._cut(host):
            return
        inn.declare_dead()
        if inn.process.frozen:
            self._ground.counts["kill came to nothing"] += 1
        elif self._ground.rng.random() < 0.3:
            # The node is out of reach of its head: its processes hear of it when it is not.
            self._ground.counts["kill came late"] += 1
            self._ground.loop.after(self._ground.rng.uniform(0.5, 7), inn.process.die)
        else:
            inn.process.die()

    # The wire

    async def _travel(self, seconds: float) -> None:
        future = self._ground.loop.create_future()
        self._ground.loop.after(seconds, settle, future, None)
        await future

    async def _ask(
        self,
        host: HostName,
        work: Callable[[Inn], Coroutine[Any, Any, Any]],
        kind: str,
        *,
        twice: bool = False,
    ) -> Any:
        ground = self._ground
        future = ground.loop.create_future()
        if ground.store.over:
            raise HostFault("the schedule is over")
        if ground.weather.strikes("message lost on the way there"):
            self._lost(future, host)
        else:
            ground.loop.after(ground.weather.wire_lag(), self._arrive, host, work, kind, future)
            if twice and ground.weather.strikes("message duplicated"):
                again = ground.loop.create_future()
                ground.loop.after(ground.weather.wire_lag(), self._arrive, host, work, kind, again)
        return await future

    def _arrive(
        self, host: HostName, work: Callable[[Inn], Coroutine[Any, Any, Any]], kind: str, future: Any
    ) -> None:
        ground = self._ground
        if self._cut(host):
            return
        inn = self._inns.get(host)
        if inn is None:
            ground.loop.after(ground.weather.wire_lag(), settle, future, HostMissing(host))
        elif inn.is_dead_to(self._gateway.name):
            ground.loop.after(NOTICED, settle, future, HostDied(host))
        else:
            ground.note(kind, host, None)
            inn.calls.append((self._gateway.name, future))
            task = inn.process.spawn(work(inn))
            task.add_done_callback(lambda done: self._reply(host, future, done), context=ground.loop.outside)

    def _reply(self, host: HostName, future: Any, done: "asyncio.Task[Any]") -> None:
        ground = self._ground
        inn = self._inns.get(host)
        waiting = (self._gateway.name, future)
        if inn is not None and waiting in inn.calls:
            inn.calls.remove(waiting)
        if self._cut(host) or ground.store.over:
            return
        if ground.weather.strikes("message lost on the way back"):
            self._lost(future, host)
        elif done.cancelled():
            ground.loop.after(NOTICED, settle, future, HostDied(host))
        elif done.exception() is not None:
            # What an actor's method raises is a fault to whoever called it.
            ground.loop.after(ground.weather.wire_lag(), settle, future, HostFault(repr(done.exception())))
        else:
            ground.loop.after(ground.weather.wire_lag(), settle, future, done.result())

    def _lost(self, future: Any, host: HostName) -> None:
        """Lost in silence, or with a word that the host is out of reach."""
        if self._ground.weather.rng.random() < 0.5:
            self._ground.loop.after(0.05, settle, future, HostFault(f"{host} is unavailable"))

    def _cut(self, host: HostName) -> bool:
        if (self._gateway.name, host) in self._ground.cut:
            self._ground.counts["message into a partition"] += 1
            return True
        return False
