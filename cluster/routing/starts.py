"""Starts: the hosts that this process is creating. Whoever needs one waits here, and a failed one is given up.

Crash contract: a host that is being created has a lease of a few seconds, which its creator renews. Where he
dies it lapses, and the caretaker gives the host up.
"""

import asyncio
from collections.abc import Callable, Collection
from typing import Any, Final

import structlog
from redis.exceptions import RedisError

from cluster.routing.drains import NodeId
from cluster.routing.hosts import HostFault, Hosts
from cluster.routing.leases import HostName, Leases

_SLICE: Final = 1.0
_log = structlog.get_logger()


class Starts:
    """Creates hosts. Of one event loop; `failed` is told of one that could not be created."""

    def __init__(self, hosts: Hosts, leases: Leases, failed: Callable[[HostName], None]) -> None:
        self._hosts = hosts
        self._leases = leases
        self._failed = failed
        self._starting: dict[HostName, asyncio.Task[bool]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def begin(self, host: HostName, *, without: Collection[NodeId] = (), node: NodeId | None = None) -> None:
        """Create the host, unless that is under way: on no node of `without`, or on `node` alone."""
        if host not in self._starting:
            task = self._starting[host] = self._spawn(self._create(host, without, node))
            task.add_done_callback(lambda _: self._starting.pop(host, None))

    def under_way(self, host: HostName) -> bool:
        """Whether this process is creating the host."""
        return host in self._starting

    async def over(self, host: HostName, patience: float) -> bool:
        """Whether nobody here is still creating the host, at the latest after `patience` seconds."""
        starting = self._starting.get(host)
        if starting is not None:
            await asyncio.wait({starting}, timeout=patience)
        return starting is None or starting.done()

    async def succeeded(self, host: HostName, patience: float) -> bool:
        """Whether the host is there, as far as this process was creating it."""
        starting = self._starting.get(host)
        if starting is not None:
            await asyncio.wait({starting}, timeout=patience)
        return starting is None or (starting.done() and not starting.cancelled() and starting.result())

    async def close(self) -> None:
        """Create nothing more; what Ray has been asked for may come all the same."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _create(self, host: HostName, without: Collection[NodeId], node: NodeId | None) -> bool:
        """Create a host, and keep the others waiting for it as long as this process does: a busy node takes long."""
        start = self._spawn(self._hosts.start(host, without=without, node=node))
        try:
            while not start.done():
                done, _ = await asyncio.wait({start}, timeout=_SLICE)
                if not done:
                    await self._keep_starting(host)
            await start
        except (HostFault, RedisError, OSError) as fault:
            _log.warning("host_not_started", host=host, fault=repr(fault))
            self._failed(host)
            return False
        return True

    async def _keep_starting(self, host: HostName) -> None:
        try:
            await self._leases.keep_starting(host)
        except (RedisError, OSError) as fault:
            # The next slice says it again; were Redis away for longer, the caretaker would know.
            _log.warning("host_not_kept_starting", host=host, fault=repr(fault))

    def _spawn(self, work: Any) -> "asyncio.Task[Any]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
