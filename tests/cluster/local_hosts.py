"""Hosts in this process, over a real Redis: what Ray does for a directory, without Ray, and with faults by hand."""

import asyncio
from collections.abc import Collection, Sequence

from redis.asyncio import Redis

from cluster.chance import hand_start
from cluster.clock import RedisClock
from cluster.envelope import Envelope, SalonId
from cluster.journal.redis_journal import Journal
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
from cluster.salons.host import Host
from cluster.salons.household import Household
from cluster.versions import KNOWN, Versions
from cluster.watching.presence import Presence
from engine.units import Millis
from tests.cluster.bench import CallingBots


class LocalHosts:
    """Hosts that live and die at a word. `room` is how many fit: one more waits in silence, as with Ray."""

    def __init__(self, store: Redis, room: int = 10, lease: int = 60_000) -> None:
        self._store = store
        self._lease = Millis(lease)
        self.units: dict[NodeId, int] = {NodeId("n1"): room}
        """The nodes, and how many hosts each may run."""
        self.draining: dict[NodeId, Millis] = {}
        """The nodes that Ray drains."""
        self.knows: dict[NodeId, Versions] = {}
        """What is known on nodes that are not of this release."""
        self.where: dict[HostName, NodeId] = {}
        self.started: list[HostName] = []
        self.admissions: list[tuple[HostName, SalonId]] = []
        self.running: dict[HostName, Host] = {}
        self.dead: set[HostName] = set()
        self.killed: list[HostName] = []
        self.calls: list[list[str]] = []
        """The salons of each delivery."""
        self.lost_answers = 0
        """How many deliveries are executed and not answered."""
        self.starting = asyncio.Event()
        """While it is clear, no host starts."""
        self.starting.set()
        self.unborn = 0
        """How many hosts never start."""
        self.lost_admissions = 0
        """How many times a salon is not loaded, and nobody says why."""
        self.lost_hand_overs = 0
        """How many times a salon goes, and nobody hears of it."""
        self.bug: Exception | None = None
        """What a delivery raises."""
        self.talking = asyncio.Event()
        """While it is clear, no delivery is answered."""
        self.talking.set()
        self._left = asyncio.Event()
        self.idle = Millis(0)
        """How long a salon is idle before it leaves; 0 for never."""

    @property
    def room(self) -> int:
        """How many hosts fit, on whatever node."""
        return sum(self.units.values())

    @room.setter
    def room(self, hosts: int) -> None:
        self.units = {NodeId("n1"): hosts}

    async def nodes(self) -> list[Node]:
        return [
            Node(node, "127.0.0.1", node, hosts, 2, self.draining.get(node))
            for node, hosts in self.units.items()
        ]

    async def capacity(self, without: Collection[NodeId] = ()) -> int:
        return sum(
            hosts for node, hosts in self.units.items() if node not in self.draining and node not in without
        )

    def on(self, node: str) -> set[HostName]:
        """The hosts that run on a node."""
        return {host for host, at in self.where.items() if at == node and host in self.running}

    def _free(self, without: Collection[NodeId], node: NodeId | None) -> NodeId | None:
        """The emptiest node where one more host fits, as Ray would choose it."""
        left = {
            at: hosts - len(self.on(at))
            for at, hosts in self.units.items()
            if at not in without and at not in self.draining and node in (None, at)
        }
        return max((at for at in left if left[at] > 0), key=lambda at: left[at], default=None)

    async def start(
        self, host: HostName, *, without: Collection[NodeId] = (), node: NodeId | None = None
    ) -> None:
        self.started.append(host)
        await self.starting.wait()
        if self.unborn:
            self.unborn -= 1
            raise HostFault("it does not start")
        while host not in self.running and (place := self._free(without, node)) is None:
            self._left.clear()
            await self._left.wait()
        if host not in self.running:
            assert place is not None
            self.where[host] = place
            self.running[host] = made = self._host(host, place)
            await made.start()

    async def admit(self, host: HostName, salon: SalonId) -> Admitted | NotHere | Refusing:
        found = self._found(host)
        self.admissions.append((host, salon))
        if self.lost_admissions:
            self.lost_admissions -= 1
            raise HostFault("it did not load the salon")
        return await found.admit(salon)

    async def deliver(
        self, host: HostName, batches: Sequence[Sequence[Envelope]], *, patient: bool
    ) -> list[list[HostAnswer]]:
        found = self._found(host)
        self.calls.append([batch[0].salon for batch in batches])
        await self.talking.wait()
        if self.bug:
            raise self.bug
        answers = await found.deliver(batches, patient=patient)
        if self.lost_answers:
            self.lost_answers -= 1
            raise HostFault("the answer was lost")
        return answers

    async def ready_to_leave(self, host: HostName, most: int) -> list[SalonId]:
        return self._found(host).ready_to_leave(most)

    async def hand_over(self, host: HostName, salon: SalonId, to: HostName, *, mid_hand: bool) -> bool:
        went = await self._found(host).hand_over(salon, to, mid_hand=mid_hand)
        if went and self.lost_hand_overs:
            self.lost_hand_overs -= 1
            raise HostFault("the answer was lost")
        return went

    def kill(self, host: HostName) -> None:
        self.killed.append(host)
        self.die(host)

    def die(self, host: HostName) -> None:
        """Let the host's process end."""
        self.dead.add(host)
        if host in self.running:
            self.running.pop(host).stop()
            self._left.set()

    async def stop(self) -> None:
        for host in list(self.running):
            self.die(host)
        await asyncio.sleep(0)

    def _found(self, host: HostName) -> Host:
        if host in self.dead:
            raise HostDied(host)
        if host not in self.running:
            raise HostMissing(host)
        return self.running[host]

    def _host(self, name: HostName, node: NodeId) -> Host:
        clock = RedisClock(self._store)
        knows = self.knows.get(node, KNOWN)
        household = Household(
            self._store,
            Journal(self._store, knows),
            clock,
            CallingBots(),
            Presence(self._store, clock).seems_watched,
            hand_start,
            self._lease,
            self.idle,
            knows=knows,
        )
        return household.host(name, node)
