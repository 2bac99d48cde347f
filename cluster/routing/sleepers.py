"""Sleepers: the salons that nobody runs and that time will make do something, and the one process that wakes them.

Crash contract: when a salon is to be woken stands in Redis before it is passivated, and goes only after it was
taken up again, so that one may be woken for nothing and none is forgotten. The waker is a role that one gateway
has at a time, by a lease; two at once do no harm.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from cluster.envelope import Accepted, Answer, Quarantined, Refused, SalonId, UnknownSalon
from cluster.journal.answering import answer_of
from cluster.redis_door import script
from cluster.routing.leases import Leases
from engine.units import Millis

_DUE: Final = "sleepers"
_ROLE: Final = "waker"
_LEASE: Final = Millis(3_000)
_EVERY: Final = 1.0
_AT_ONCE: Final = 32
_AGAIN: Final = Millis(5_000)
"""After which one is tried again that could not be taken up."""
_log = structlog.get_logger()


class Sleepers:
    """When which passivated salon is to be woken, in Redis."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._woken = script(redis, "sleeper_woken")

    async def lay_down(self, salon: SalonId, at: Millis, *, new: bool = False) -> None:
        """Let `salon` be woken at `at`, and at no other time; a `new` one that has a time already keeps it. Raises LogFault."""
        await answer_of(self._redis.zadd(_DUE, {salon: at}, nx=new))

    async def due(self, now: Millis, count: int) -> list[tuple[SalonId, Millis]]:
        """The first salons that are to be woken by `now`, and their times. Raises RedisError."""
        raw: Any = await self._redis.zrangebyscore(_DUE, "-inf", now, start=0, num=count, withscores=True)
        return [(SalonId(salon.decode()), Millis(int(at))) for salon, at in raw]

    async def woken(self, salon: SalonId, at: Millis) -> None:
        """`salon` was taken up again; a time that it was given since stays. Raises RedisError."""
        await self._woken([_DUE], [salon, at, ""])

    async def put_off(self, salon: SalonId, at: Millis, until: Millis) -> None:
        """`salon` could not be taken up; a time that it was given since stays. Raises RedisError."""
        await self._woken([_DUE], [salon, at, until])


class Waker:
    """Wakes what is due while it has the role. `wake` has a salon taken up, and says how that went."""

    def __init__(
        self,
        sleepers: Sleepers,
        leases: Leases,
        who: str,
        *,
        now: Callable[[], Millis],
        wake: Callable[[SalonId], Awaitable[Answer]],
    ) -> None:
        self._sleepers = sleepers
        self._leases = leases
        self._who = who
        self._now = now
        self._wake = wake

    async def run(self) -> None:
        """Wake until cancelled, whenever the role is this process's."""
        try:
            while True:
                await asyncio.sleep(_EVERY)
                try:
                    await self.look_around()
                except (RedisError, OSError) as fault:
                    _log.warning("nobody_woken", fault=repr(fault))
        finally:
            try:
                await self._leases.give_role(_ROLE, self._who)
            except (RedisError, OSError):
                _log.info("role_lapses_by_itself", role=_ROLE)

    async def look_around(self) -> None:
        """Wake those that are due, some at a time; whom no host can take is woken later, after the others. Raises RedisError."""
        if await self._leases.hold_role(_ROLE, self._who, _LEASE):
            due = await self._sleepers.due(self._now(), _AT_ONCE)
            await asyncio.gather(*(self._rouse(salon, at) for salon, at in due))

    async def _rouse(self, salon: SalonId, at: Millis) -> None:
        answer = await self._wake(salon)
        # A salon that is over, unknown or quarantined does nothing any more.
        if isinstance(answer, Accepted | Refused | UnknownSalon | Quarantined):
            await self._sleepers.woken(salon, at)
        else:
            await self._sleepers.put_off(salon, at, Millis(self._now() + _AGAIN))
