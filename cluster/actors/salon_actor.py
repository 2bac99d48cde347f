"""A host of salons as a Ray actor.

Law of this file: it has no logic of its own; it puts a host together from its settings, and hands calls on.
"""

import asyncio
import os
import threading
from collections.abc import Sequence
from typing import Final

import ray
import structlog

from cluster.actors.bot_jobs import RayExecutor
from cluster.chance import hand_start
from cluster.clock import RedisClock
from cluster.coalesced import Coalesced
from cluster.envelope import Envelope, SalonId
from cluster.garbage import Garbage
from cluster.journal.redis_journal import Journal
from cluster.redis_door import connect
from cluster.routing.drains import NodeId
from cluster.routing.hosts import Admitted, HostAnswer, NotHere, Refusing
from cluster.routing.leases import HostName
from cluster.salons.botplay import BotPlay
from cluster.salons.host import Host
from cluster.salons.household import Household
from cluster.salons.table_trainer import shelf_at
from cluster.watching.presence import Presence
from engine.units import Millis
from engine.value import value

_START_PATIENCE: Final = 120.0
_log = structlog.get_logger()


@value
class HostSettings:
    """What a host is started with."""

    redis_url: str
    lease: Millis
    tables: str = ""
    """The directory for tables of draw, on the machine of the host; empty to play by the packaged one alone."""
    idle: Millis = Millis(120_000)
    """How long a salon is idle before nobody runs it."""


class SalonActor:
    """A host as a Ray actor. Its methods run on one event loop; a salon's commands are in order in one call only."""

    def __init__(self, name: HostName, settings: HostSettings, patience: float = _START_PATIENCE) -> None:
        """`patience`: seconds to begin, after which the process ends: nobody could start it, nor kill it."""
        self._name = name
        self._settings = settings
        self._host: Host | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._end = threading.Timer(patience, self._never_began)
        self._end.daemon = True
        self._end.start()

    async def start(self) -> bool:
        """Take the lease; False where the host was given up before it began. Twice is once, after a fault it is tried anew."""
        if self._host is None:
            self._host = _host(self._name, self._settings)
        if not await self._host.start():
            return False
        self._end.cancel()
        if not self._tasks:
            loop = asyncio.get_running_loop()
            self._tasks = [loop.create_task(work) for work in (self._keep(self._host), Garbage().run())]
        return True

    async def pid(self) -> int:
        """The process that this is."""
        return os.getpid()

    async def admit(self, salon: SalonId) -> Admitted | NotHere | Refusing:
        """Load a salon that is this host's."""
        return await self._host.admit(salon) if self._host else NotHere()

    async def deliver(self, batches: Sequence[Sequence[Envelope]], patient: bool) -> list[list[HostAnswer]]:  # noqa: FBT001 - Ray's calls are positional
        """Answer envelopes, one salon's together."""
        if self._host is None:
            return [[NotHere()] * len(batch) for batch in batches]
        return await self._host.deliver(batches, patient=patient)

    async def ready_to_leave(self, most: int) -> list[SalonId]:
        """Which of so many salons have no hand; the others start no other for a moment."""
        return self._host.ready_to_leave(most) if self._host else []

    async def hand_over(self, salon: SalonId, to: HostName, mid_hand: bool) -> bool:  # noqa: FBT001 - as above
        """Give a salon to another host, or keep it."""
        return self._host is not None and await self._host.hand_over(salon, to, mid_hand=mid_hand)

    def _never_began(self) -> None:
        _log.warning("host_never_began", host=self._name)
        os._exit(0)

    async def _keep(self, host: Host) -> None:
        """Keep the lease as long as the host is wanted, and end the process then: nothing of it may go on."""
        try:
            await host.run()
        finally:
            os._exit(0)


def _host(name: HostName, settings: HostSettings) -> Host:
    """The host of this process."""
    redis = Coalesced(connect(settings.redis_url))
    clock = RedisClock(redis)
    household = Household(
        redis,
        Journal(redis),
        clock,
        BotPlay(RayExecutor(), clock, shelf=shelf_at(settings.tables)),
        Presence(redis, clock).seems_watched,
        hand_start,
        settings.lease,
        settings.idle,
    )
    return household.host(name, NodeId(ray.get_runtime_context().get_node_id()))
