"""The log's clock: Redis TIME, and never back. And presence, which is told by it."""

from typing import cast

import pytest
from redis.asyncio import Redis

from cluster.clock import RedisClock
from cluster.journal.salon_keys import key
from cluster.watching.presence import Presence
from engine.units import Millis
from tests.cluster.bench import HandClock
from tests.cluster.salons import SALON


class ATime:
    """A Redis whose clock is `ahead` of the monotonic one, and which takes so long to say so."""

    def __init__(self) -> None:
        self.monotonic = 0.0
        self.ahead = 0.0
        self.takes = 0.0

    async def time(self) -> tuple[int, int]:
        self.monotonic += self.takes
        says = self.ahead + self.monotonic - self.takes / 2
        return int(says), round(says % 1 * 1e6)


async def test_the_clock_follows_redis() -> None:
    redis = ATime()
    clock = RedisClock(cast(Redis, redis), lambda: redis.monotonic)
    redis.ahead, redis.takes = 4_000_000_000, 0.5
    await clock.synchronise()
    assert clock.now() == 4_000_000_001_500
    redis.monotonic += 2
    assert clock.now() == 4_000_000_003_500


async def test_the_clock_never_goes_back_nor_stands_still() -> None:
    redis = ATime()
    clock = RedisClock(cast(Redis, redis), lambda: redis.monotonic)
    redis.ahead = 4_000_000_100
    await clock.synchronise()
    before = clock.now()
    redis.ahead = 4_000_000_000
    await clock.synchronise()
    assert clock.now() == before
    redis.monotonic += 20
    assert clock.now() == before + 10_000
    redis.monotonic += 180
    assert clock.now() == 4_000_000_200_000
    redis.monotonic += 1
    assert clock.now() == 4_000_000_201_000


@pytest.mark.integration
async def test_a_salon_is_watched_as_long_as_a_gateway_says_so(store: Redis) -> None:
    """One that was silent for longer is not known any more, whoever else goes on watching."""
    clock = HandClock()
    presence = Presence(store, clock)
    assert not await presence.watched(SALON)
    assert await presence.watch(SALON, "gateway-1")
    assert not await presence.watch(SALON, "gateway-1")
    assert 0 < await store.pttl(key(SALON, "presence")) <= 10_000
    assert await presence.watch(SALON, "gateway-2")
    clock.time += 6_000
    assert not await presence.watch(SALON, "gateway-2")
    clock.time += 6_000
    assert await presence.watch(SALON, "gateway-1")
    await presence.leave(SALON, "gateway-1")
    assert await presence.watched(SALON)
    clock.time += 10_001
    assert not await presence.watched(SALON)
    await presence.watch(SALON, "gateway-1", Millis(60_000))
    await presence.leave(SALON, "gateway-1")
    assert not await presence.watched(SALON)
