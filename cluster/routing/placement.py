"""Placement: salons leave draining nodes and go to new ones, spares wait where salons are, idle hosts end.

Crash contract: a round reads everything anew from Ray and Redis, and each of its steps is guarded there: two
rounds at once, or half of one, do no harm. What a round begins goes on while the next looks around.
"""

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Hashable, Sequence
from typing import Any, Final

import structlog
from redis.exceptions import RedisError

from cluster.clock import Clock
from cluster.routing.balance import filling, shift
from cluster.routing.directory import Directory
from cluster.routing.drains import NodeId
from cluster.routing.hosts import HostFault, Hosts
from cluster.routing.leases import Counted, HostName, Leases
from cluster.routing.load import Load, loads, room
from cluster.routing.moves import Moves
from engine.units import Millis
from engine.value import value

_A_ROUND: Final = 256
"""Salons of one host that are moved between hands at a time; no more wait for it."""
_LAST: Final = Millis(10_000)
"""Before a drain's deadline, when hands are no longer waited for,"""
_LAST_A_SALON: Final = Millis(20)
"""and for each salon that is still there,"""
_LAST_A_HOST: Final = Millis(1_000)
"""and for each host that must be started for them, divided by the cores that do it."""
_IDLE: Final = 60.0
"""Seconds for which a host that nobody needs is kept."""
_log = structlog.get_logger()


@value
class PlacementRules:
    """How salons are placed."""

    per_host: int = 1
    spares: int = 1
    """For how many more salons each node that has one keeps room in hosts that run, its fullest apart."""
    rebalance: int = 4
    """How many salons move to another node at a time because that has fewer; 0: none."""


class Placement:
    """The rounds of one caretaker. `clock` is the log's; `monotonic` gives seconds."""

    def __init__(
        self,
        hosts: Hosts,
        leases: Leases,
        directory: Directory,
        *,
        clock: Clock,
        rules: PlacementRules,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._hosts = hosts
        self._leases = leases
        self._directory = directory
        self._clock = clock
        self._rules = rules
        self._monotonic = monotonic
        self._moves = Moves(hosts, leases, directory)
        self._under_way: dict[Hashable, asyncio.Task[None]] = {}
        self._filling: set[NodeId] = set()
        self._asked = 0
        self._idle_since: dict[HostName, float] = {}

    async def round(self) -> None:
        """Look around once, and begin what has to be done. Raises HostFault, RedisError."""
        nodes = await self._hosts.nodes()
        if not nodes:
            return
        drains = self._leases.drains
        await drains.report({node.node: node.draining for node in nodes if node.draining is not None})
        census = await self._leases.census()
        known = {node.node for node in nodes} | {host.node for host in census}
        await drains.forget_all_but(known)
        await self._leases.forget_nodes_but(known)
        seen = loads(nodes, census, await drains.all())
        places = room(seen, census, self._rules.per_host)
        for load in seen:
            if load.draining is not None and places:
                self._empty(load, late=self._is_late(load, seen))
        await self._retire(seen)
        await self._keep_spares(seen, sum(not host.node for host in census))
        self._balance(seen)

    async def settled(self) -> None:
        """Wait until nothing that was begun is under way."""
        while self._under_way:
            await asyncio.wait(set(self._under_way.values()))

    async def close(self) -> None:
        """End what is under way: the next round, whosever it is, does it again."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Draining

    def _empty(self, load: Load, *, late: bool) -> None:
        """Let salons leave a draining node: between hands, unless it is `late`."""
        for host in load.open_hosts:
            if host.salons:
                move = self._moves.all if late else self._between_hands
                self._begin((host.host, late), move(host.host))

    def _is_late(self, load: Load, seen: Sequence[Load]) -> bool:
        """Whether so little time is left that hands are not waited for."""
        if not load.draining:
            return False
        staying = [each for each in seen if each.draining is None]
        homeless = max(0, load.salons - sum(each.places(self._rules.per_host) for each in staying))
        hosts = math.ceil(homeless / self._rules.per_host)
        cores = max(1, sum(each.node.cores for each in staying))
        last = _LAST + _LAST_A_SALON * load.salons + _LAST_A_HOST * hosts // cores
        return self._clock.now() >= load.draining - last

    async def _between_hands(self, host: HostName) -> None:
        await self._moves.between_hands(host, _A_ROUND)

    # Spares

    async def _retire(self, seen: Sequence[Load]) -> None:
        """End hosts without a salon: on draining nodes at once, elsewhere those that are too many for a while."""
        now = self._monotonic()
        idle: dict[HostName, float] = {}
        for load in seen:
            for host in self._needless(load):
                since = idle[host.host] = self._idle_since.get(host.host, now)
                if load.draining is None and now - since < _IDLE:
                    continue
                if await self._leases.retire(host.host):
                    _log.info("host_retired", host=host.host)
                    await self._directory.evacuate(host.host)
        self._idle_since = idle

    def _needless(self, load: Load) -> list[Counted]:
        """The empty hosts that the node could do without."""
        if load.draining is not None or not load.salons:
            return load.spares
        places, per_host = load.spare_places(self._rules.per_host), self._rules.per_host
        return load.spares[: max(0, (places - self._rules.spares) // per_host)]

    async def _keep_spares(self, seen: Sequence[Load], somewhere: int) -> None:
        """Start hosts that wait for salons, on nodes that have one; `somewhere` hosts start where nobody knows."""
        for load in seen:
            starting = sum(host.starting for host in load.hosts)
            places = load.spare_places(self._rules.per_host) + starting * self._rules.per_host
            if load.draining is None and load.salons and places < self._rules.spares:
                await self._start_spare(load, somewhere)

    async def _start_spare(self, load: Load, somewhere: int) -> None:
        node = load.node
        spare = await self._leases.spare(node.node, node.hosts - somewhere)
        if spare is not None:
            self._begin(spare, self._directory.start_spare(spare, node.node))

    # Balance

    def _balance(self, seen: Sequence[Load]) -> None:
        """Move some salons to the node that lacks most of its share; none while the product is being upgraded.

        Then a salon may need to stay, and whoever is asked lets its next hand wait.
        """
        if len({host.knows for load in seen for host in load.open_hosts}) > 1:
            return
        self._filling = filling(seen, self._filling)
        next_shift = shift(seen, self._filling, self._rules.rebalance)
        if next_shift is None:
            return
        source, target = (
            next(load for load in seen if load.node.node == node)
            for node in (next_shift.source, next_shift.target)
        )
        self._begin("balance", self._shift(source, target, next_shift.salons))

    async def _shift(self, source: Load, target: Load, most: int) -> None:
        if not target.places(self._rules.per_host):
            if not any(host.starting for host in target.hosts):
                await self._start_spare(target, 0)
            return
        hosts = [host.host for host in source.open_hosts if host.salons]
        self._asked += most
        first = self._asked % len(hosts)
        # Of those that play, the next hands wait: so no more are asked than are to go, and others the next time.
        for host in (hosts[first:] + hosts[:first])[:most]:
            if most:
                most -= await self._moves.between_hands(host, most, target.node.node)

    def _begin(self, key: Hashable, work: Coroutine[Any, Any, object]) -> None:
        """Do `work`, unless what has the same key is still under way."""
        if key in self._under_way:
            work.close()
            return
        task = self._under_way[key] = asyncio.get_running_loop().create_task(self._guarded(work))
        task.add_done_callback(lambda _: self._under_way.pop(key, None))

    async def _guarded(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except (HostFault, RedisError, OSError) as fault:
            _log.warning("placement_late", fault=repr(fault))
