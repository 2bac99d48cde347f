"""Hosts on the timeline, and the way to them: what Ray is to a directory, with the ways in which it fails.

The production host runs unchanged in a process that may freeze and die. As with Ray, a call to a dead host ends
soon with HostDied; one to a frozen or unreachable host is not answered; a host that was declared dead while it was
only frozen may wake up as a zombie.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from cluster.envelope import Envelope, SalonId
from cluster.lobby import Lobby, LobbyDesk
from cluster.routing.hosts import Admitted, HostAnswer, HostDied, HostFault, HostMissing, NotHere, Refusing
from cluster.routing.leases import HostName, Leases
from cluster.salons.host import Host
from cluster.salons.house import House
from engine.units import Millis
from tests.simulation.ground import Ground
from tests.simulation.store import RemoteJournal, RemoteRedis
from tests.simulation.timeline import Process

LEASE = Millis(3_000)
_START_PATIENCE = 60.0
"""Seconds for a host to take its lease, as with Ray."""
_NOTICED = 0.007
"""Seconds until a caller hears of a process that died (measured with Ray)."""


class Inn:
    """A host's process: the actor that Ray would run."""

    def __init__(self, ground: Ground, name: HostName) -> None:
        self.name = name
        self.declared_dead = False
        """Ray holds it for dead, rightly or not."""
        self.calls: list[tuple[str, asyncio.Future[Any]]] = []
        """Which gateways wait for an answer."""
        self._dead_at: dict[str, float] = {}
        self.process = ground.process(name)
        self.process.on_death.append(self._died)
        self._ground = ground
        self.host = self._host()
        self._keeping: asyncio.Task[None] | None = None

    async def start(self) -> bool:
        """Take the lease, as the actor does; twice is once."""
        if not await self.host.start():
            return False
        if self._keeping is None:
            self._keeping = self.process.spawn(self._keep())
        return True

    def declare_dead(self, *, late: bool = False) -> None:
        """Let Ray tell all who call it that it died, each of them at once or some time `late`."""
        if self.declared_dead:
            return
        self.declared_dead = True
        loop, rng = self._ground.loop, self._ground.rng
        lags = {gateway: rng.uniform(0, 3) if late else _NOTICED for gateway in self._ground.viewers}
        self._dead_at = {gateway: loop.now + lag for gateway, lag in lags.items()}
        calls, self.calls = self.calls, []
        for gateway, call in calls:
            loop.after(lags.get(gateway, _NOTICED), settle, call, HostDied(self.name))

    def is_dead_to(self, gateway: str) -> bool:
        """Whether Ray has told a gateway that it died."""
        return self.process.dead or (
            self.declared_dead and self._dead_at.get(gateway, 0) <= self._ground.loop.now
        )

    def _died(self) -> None:
        self._ground.note("host died", self.name, None)
        self.declare_dead()

    async def _keep(self) -> None:
        try:
            await self.host.run()
        finally:
            if not self._ground.store.over:
                self.process.die()

    def _host(self) -> Host:
        ground, process = self._ground, self.process
        redis: Any = RemoteRedis(ground.store, process)
        clock = ground.clock(redis, process)
        desk = LobbyDesk(Lobby(redis))
        journal = RemoteJournal(ground.store, process)

        def house(gone: Callable[[SalonId], None]) -> House:
            return House(
                self.name, journal, clock, ground.hand_start, ground.bots, ground.watched, desk.changed, gone
            )

        return Host(
            house, leases=Leases(redis), desk=desk, clock=clock, lease=LEASE, monotonic=process.monotonic
        )


class Road:
    """The way of one gateway to every host: `cluster.routing.hosts.Hosts`."""

    def __init__(self, ground: Ground, inns: dict[HostName, Inn], gateway: Process) -> None:
        self._ground = ground
        self._inns = inns
        self._gateway = gateway

    async def capacity(self) -> int:
        return self._ground.room

    async def start(self, host: HostName) -> None:
        ground = self._ground
        await self._travel(ground.start_lag())
        if ground.weather.rng.random() < ground.unborn:
            ground.counts["host never started"] += 1
            raise HostFault(f"{host} did not start")
        inn = self._inns.get(host)
        if inn is None or inn.declared_dead:
            if inn is not None:
                ground.counts["host came again"] += 1
            inn = self._inns[host] = Inn(ground, host)
        try:
            async with asyncio.timeout(_START_PATIENCE):
                if not await self._ask(host, Inn.start, "start"):
                    raise HostDied(f"{host} was given up before it began")
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
            ground.loop.after(_NOTICED, settle, future, HostDied(host))
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
            ground.loop.after(_NOTICED, settle, future, HostDied(host))
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


def settle(future: Any, outcome: Any) -> None:
    """Give a future its outcome, if it still wants one."""
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
        future.exception()  # whoever waited may be dead, and hears nothing
    else:
        future.set_result(outcome)
