"""The caretaker: a role that one gateway has at a time, by a lease in Redis. It finds dead hosts.

Crash contract: each step is idempotent and guarded, so that a caretaker that dies half-way is taken up by the
next, and two at once (a lease that lapsed in a pause) do nothing that one would not.
"""

import asyncio
from typing import Final

import structlog
from redis.exceptions import RedisError

from cluster.directory import Directory
from cluster.leases import Leases
from cluster.log import LogFault
from engine.units import Millis

_ROLE: Final = "caretaker"
_LEASE: Final = Millis(3_000)
_EVERY: Final = 0.5
_log = structlog.get_logger()


class Caretaker:
    """Sweeps while it has the role; `who` is this process's name."""

    def __init__(self, leases: Leases, directory: Directory, who: str) -> None:
        self._leases = leases
        self._directory = directory
        self._who = who

    async def run(self) -> None:
        """Sweep until cancelled, whenever the role is this process's."""
        try:
            while True:
                try:
                    await self.sweep()
                except (RedisError, LogFault, OSError) as fault:
                    _log.warning("sweep_failed", fault=repr(fault))
                await asyncio.sleep(_EVERY)
        finally:
            await self._resign()

    async def sweep(self) -> None:
        """Give up the hosts whose lease lapsed, and move the salons of all that were given up. Raises RedisError, LogFault."""
        if not await self._leases.hold_role(_ROLE, self._who, _LEASE):
            return
        for host in await self._leases.lapsed():
            if await self._leases.condemn(host, only_if_lapsed=True):
                _log.warning("host_silent", host=host)
        condemned = await self._leases.condemned()
        await asyncio.gather(*(self._directory.evacuate(host) for host in condemned))

    async def _resign(self) -> None:
        try:
            await self._leases.give_role(_ROLE, self._who)
        except (RedisError, OSError):
            _log.info("role_lapses_by_itself", role=_ROLE)
