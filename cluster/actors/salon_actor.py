"""A host of salons as a Ray actor.

Law of this file: it has no logic of its own; it puts a host together from its settings, and hands calls on.
"""

import asyncio
import os
from collections.abc import Callable, Sequence

import ray

from cluster.actors.bot_jobs import RayExecutor
from cluster.chance import hand_start
from cluster.clock import RedisClock
from cluster.coalesced import Coalesced
from cluster.envelope import Envelope, SalonId
from cluster.garbage import Garbage
from cluster.journal.redis_journal import Journal
from cluster.lobby import Lobby, LobbyDesk
from cluster.redis_door import connect
from cluster.routing.drains import NodeId
from cluster.routing.hosts import Admitted, HostAnswer, NotHere, Refusing
from cluster.routing.leases import HostName, Leases
from cluster.routing.pulses import Pulses
from cluster.routing.sleepers import Sleepers
from cluster.salons.botplay import BotPlay
from cluster.salons.host import Host
from cluster.salons.house import House
from cluster.salons.table_trainer import shelf_at
from cluster.watching.presence import Presence
from engine.units import Millis
from engine.value import value


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

    def __init__(self, name: HostName, settings: HostSettings) -> None:
        self._name = name
        self._settings = settings
        self._host: Host | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> bool:
        """Take the lease; False where the host was given up before it began. Twice is once, after a fault it is tried anew."""
        if self._host is None:
            self._host = _host(self._name, self._settings)
        if not await self._host.start():
            return False
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
    desk = LobbyDesk(Lobby(redis))
    presence = Presence(redis, clock)
    journal = Journal(redis)
    bots = BotPlay(RayExecutor(), clock, shelf=shelf_at(settings.tables))

    node = NodeId(ray.get_runtime_context().get_node_id())
    sleepers = Sleepers(redis)

    def house(gone: Callable[[SalonId], None]) -> House:
        return House(
            name,
            journal,
            clock,
            hand_start,
            bots,
            presence.seems_watched,
            desk.changed,
            gone,
            idle=settings.idle,
            sleeps=sleepers.lay_down,
        )

    return Host(
        house,
        leases=Leases(redis),
        desk=desk,
        clock=clock,
        lease=settings.lease,
        node=node,
        pulses=Pulses(redis, clock),
    )
