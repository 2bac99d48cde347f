"""Pulses: when each host was last heard of, kept for a day beyond its end.

A lease goes with its host; whoever takes a salon up after that asks here since when nobody could play in it.
"""

from typing import Final

from redis.asyncio import Redis

from cluster.clock import Clock
from cluster.journal.answering import answer_of
from engine.units import Millis

_PULSES: Final = "pulses"
_KEPT: Final = 24 * 3_600 * 1_000


class Pulses:
    """The hosts' last signs of life, in Redis."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis = redis
        self._clock = clock

    async def beat(self, host: str) -> None:
        """`host` lives now. Raises RedisError."""
        now = self._clock.now()
        await self._redis.zadd(_PULSES, {host: now})
        await self._redis.zremrangebyscore(_PULSES, "-inf", now - _KEPT)

    async def last(self, host: str) -> Millis:
        """When `host` was last heard of; 0 where that is not known. Raises LogFault."""
        at = await answer_of(self._redis.zscore(_PULSES, host))
        return Millis(int(at or 0))
