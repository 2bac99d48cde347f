"""Doors: what the cluster is told when a salon begins or ceases to be watched through this gateway."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from redis.exceptions import RedisError

from cluster.envelope import SalonId
from cluster.watching.presence import Presence

_AT_ONCE: Final = 32
_log = structlog.get_logger()


class Doors:
    """Says presence for one gateway, and wakes salons. Redis not answering is logged: presence is a hint."""

    def __init__(
        self, presence: Presence, gateway: str, wake: Callable[[SalonId], Awaitable[object]]
    ) -> None:
        """`gateway` names this process; `wake` has a salon that sleeps taken up again, and does not raise."""
        self._presence = presence
        self._gateway = gateway
        self._wake = wake
        self._saying = asyncio.Semaphore(_AT_ONCE)
        """Of what Redis is told; a salon may be slow to wake, and is waited for outside it."""

    async def opened(self, salon: SalonId) -> None:
        """Somebody begins to watch."""
        await self._say(salon)
        await self._wake(salon)

    async def still_open(self, salon: SalonId) -> None:
        """Somebody goes on watching: a salon of which that was forgotten, so that it may have fallen asleep, is woken."""
        if await self._say(salon):
            await self._wake(salon)

    async def _say(self, salon: SalonId) -> bool:
        """Say presence, and whether it was forgotten; False where Redis does not answer."""
        try:
            async with self._saying:
                return await self._presence.watch(salon, self._gateway)
        except (RedisError, OSError) as error:
            _log.warning("presence_unsaid", salon=salon, error=repr(error))
            return False

    async def closed(self, salon: SalonId) -> None:
        """Nobody watches any more."""
        try:
            await self._presence.leave(salon, self._gateway)
        except (RedisError, OSError) as error:
            _log.warning("presence_unsaid", salon=salon, error=repr(error))
