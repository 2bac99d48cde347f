"""Presence: which salons are being watched, and by which gateways. A hint with a time limit, never the truth."""

from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from cluster.clock import Clock
from cluster.envelope import SalonId
from cluster.journal.salon_keys import key
from cluster.redis_door import script
from engine.units import Millis

LIFETIME: Final = Millis(10_000)
"""A gateway says again that it watches before this is over."""


class Presence:
    """Who watches. Every method raises RedisError where Redis does not answer."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis = redis
        self._clock = clock
        self._watch = script(redis, "watch")

    async def watch(self, salon: SalonId, gateway: str, lifetime: Millis = LIFETIME) -> bool:
        """Somebody watches `salon` through `gateway` for the next `lifetime`; answers whether that was not known."""
        # One command, so that those of many salons travel together.
        args: list[str | int] = [gateway, self._clock.now() + lifetime, lifetime]
        return bool(await self._watch([key(salon, "presence")], args))

    async def leave(self, salon: SalonId, gateway: str) -> None:
        """Nobody watches `salon` through `gateway` any more."""
        await self._redis.hdel(key(salon, "presence"), gateway)

    async def watched(self, salon: SalonId) -> bool:
        """Whether anybody watches."""
        until = await self._redis.hvals(key(salon, "presence"))
        now = self._clock.now()
        return any(int(each) > now for each in until)

    async def seems_watched(self, salon: SalonId) -> bool:
        """Whether anybody watches, or Redis does not say: a hand that nobody sees does no harm. Never raises."""
        try:
            return await self.watched(salon)
        except (RedisError, OSError):
            return True
