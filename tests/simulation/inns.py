"""Hosts on the timeline: the production host, unchanged, in a process that may freeze and die.

One that Ray declared dead while it was only frozen, or out of reach, may wake up as a zombie.
"""

import asyncio
from typing import Any

from cluster.routing.drains import NodeId
from cluster.routing.hosts import (
    HostDied,
)
from cluster.routing.leases import HostName
from cluster.salons.host import Host
from cluster.salons.household import Household
from engine.units import Millis
from tests.simulation.ground import Ground
from tests.simulation.store import RemoteJournal, RemoteRedis

LEASE = Millis(3_000)
NOTICED = 0.007
"""Seconds until a caller hears of a process that died (measured with Ray)."""


class Inn:
    """A host's process: the actor that Ray would run."""

    def __init__(self, ground: Ground, name: HostName, node: NodeId) -> None:
        self.name = name
        self.node = node
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
        lags = {gateway: rng.uniform(0, 3) if late else NOTICED for gateway in self._ground.viewers}
        self._dead_at = {gateway: loop.now + lag for gateway, lag in lags.items()}
        calls, self.calls = self.calls, []
        for gateway, call in calls:
            loop.after(lags.get(gateway, NOTICED), settle, call, HostDied(self.name))

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
        household = Household(
            redis,
            RemoteJournal(ground.store, process),
            clock,
            ground.bots,
            ground.watched,
            ground.hand_start,
            LEASE,
            ground.idle,
            process.monotonic,
        )
        return household.host(self.name, self.node)


def settle(future: Any, outcome: Any) -> None:
    """Give a future its outcome, if it still wants one."""
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
        future.exception()  # whoever waited may be dead, and hears nothing
    else:
        future.set_result(outcome)
