"""Doors: what the cluster is told when a salon begins or ceases to be watched through this gateway."""

from collections.abc import Awaitable, Callable

import structlog
from redis.exceptions import RedisError

from cluster.envelope import SalonId
from cluster.watching.presence import Presence

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

    async def opened(self, salon: SalonId) -> None:
        """Somebody begins to watch."""
        await self._say(salon)
        await self._wake(salon)

    async def still_open(self, salon: SalonId) -> None:
        """Somebody goes on watching; a salon that may have been thought unwatched meanwhile is woken."""
        if await self._say(salon):
            await self._wake(salon)

    async def _say(self, salon: SalonId) -> bool:
        """Say presence, and whether it was forgotten."""
        try:
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
