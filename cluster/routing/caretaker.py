"""The caretaker: a role that one gateway has at a time, by a lease in Redis. It finds dead hosts, and places salons.

Crash contract: each step is idempotent and guarded, so that a caretaker that dies half-way is taken up by the
next, and two at once (a lease that lapsed in a pause) do nothing that one would not. When Redis was away, or
this process, or its clock was put ahead (a replica's may be, after a failover), every lease has lapsed and no host
is dead: nobody is given up before all could renew again.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

import structlog
from redis.exceptions import RedisError

from cluster.routing.directory import Directory
from cluster.routing.hosts import HostFault
from cluster.routing.leases import Leases
from cluster.routing.placement import Placement
from engine.units import Millis

_ROLE: Final = "caretaker"
ROLE_LEASE: Final = Millis(3_000)
"""How long the role is kept for a caretaker that says nothing."""
_EVERY: Final = 0.5
_GAP: Final = 2.0
"""Seconds between two sweeps after which something was away,"""
_STEP: Final = 1.0
"""and by which Redis' clock goes on too far or too little between them where it was put; less takes no host's lease."""
_log = structlog.get_logger()


class Caretaker:
    """Sweeps while it has the role; `who` is this process's name, `lease` that of a host."""

    def __init__(
        self,
        leases: Leases,
        directory: Directory,
        who: str,
        *,
        lease: Millis,
        placement: Placement | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leases = leases
        self._directory = directory
        self._who = who
        self._lease = lease / 1000
        self._placement = placement
        self._round: asyncio.Task[None] | None = None
        self._monotonic = monotonic
        self._last, self._clock = float("-inf"), Millis(0)
        self._steady_since = monotonic()
        """Since when one sweep has followed the other."""

    async def run(self) -> None:
        """Sweep until cancelled, whenever the role is this process's."""
        try:
            while True:
                try:
                    await self.sweep()
                except (RedisError, OSError) as fault:
                    _log.warning("sweep_failed", fault=repr(fault))
                await asyncio.sleep(_EVERY)
        finally:
            if self._round:
                self._round.cancel()
            if self._placement:
                await self._placement.close()
            await self._resign()

    async def sweep(self) -> None:
        """Give up the hosts whose lease lapsed, and move the salons of all that were given up. Raises RedisError."""
        mine = await self._leases.hold_role(_ROLE, self._who, ROLE_LEASE)
        # Also where the role is another's: who takes it over has seen for himself that nothing was away.
        steady = self._steady(await self._leases.now())
        if not mine:
            return
        self._place()
        lapsed = await self._leases.lapsed()
        if steady:
            for host in lapsed:
                if await self._leases.condemn(host, only_if_lapsed=True):
                    _log.warning("host_silent", host=host)
        moves = [
            asyncio.ensure_future(self._directory.evacuate(host)) for host in await self._leases.condemned()
        ]
        if moves:
            # A move may wait for a process to start: it goes on while the next sweep looks for others.
            await asyncio.wait(moves, timeout=_EVERY)

    def _place(self) -> None:
        """Begin a round of the placement, unless the last one still waits for Ray; the role must not wait for it."""
        if self._placement and (self._round is None or self._round.done()):
            self._round = asyncio.get_running_loop().create_task(self._placed(self._placement))

    async def _placed(self, placement: Placement) -> None:
        try:
            await placement.round()
        except (HostFault, RedisError, OSError) as fault:
            _log.warning("round_failed", fault=repr(fault))

    def _steady(self, clock: Millis) -> bool:
        """Whether sweeps have followed each other, by both clocks, for as long as a lease: who lives has renewed his since."""
        now = self._monotonic()
        gap = now - self._last
        if gap > _GAP or abs((clock - self._clock) / 1000 - gap) > _STEP:
            self._steady_since = now
        self._last, self._clock = now, clock
        return now - self._steady_since >= self._lease

    async def _resign(self) -> None:
        try:
            await self._leases.give_role(_ROLE, self._who)
        except (RedisError, OSError):
            _log.info("role_lapses_by_itself", role=_ROLE)
