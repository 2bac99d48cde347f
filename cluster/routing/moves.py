"""Moves: salons that leave a host that lives, some at a time, each for a place that is kept for it.

Crash contract: the host itself gives a salon away, by a compare-and-set between two commits, so that a move is
done or not. Where whoever moves dies in between, the salon is in the hot set of its new host, which loads it.
"""

import asyncio
from collections.abc import Iterable
from typing import Final

import structlog
from redis.exceptions import RedisError

from cluster.envelope import SalonId
from cluster.journal.log import LogFault
from cluster.routing.directory import Directory
from cluster.routing.drains import NodeId
from cluster.routing.hosts import HostFault, Hosts
from cluster.routing.leases import HostName, Leases

_AT_ONCE: Final = 16
_log = structlog.get_logger()


class Moves:
    """Moves salons between hosts of one cluster."""

    def __init__(self, hosts: Hosts, leases: Leases, directory: Directory) -> None:
        self._hosts = hosts
        self._leases = leases
        self._directory = directory

    async def between_hands(self, host: HostName, most: int, onto: NodeId | None = None) -> int:
        """Move salons of `host` that have no hand, at most so many, to `onto` or anywhere; answers how many went.

        Of those that play, the next hands wait a moment for the next call. Raises HostFault, RedisError.
        """
        return await self._move(host, await self._hosts.ready_to_leave(host, most), onto, mid_hand=False)

    async def all(self, host: HostName) -> int:
        """Move every salon of `host`, hand or not. Raises RedisError."""
        return await self._move(host, await self._leases.hot(host), None, mid_hand=True)

    async def _move(
        self, host: HostName, salons: Iterable[SalonId], onto: NodeId | None, *, mid_hand: bool
    ) -> int:
        limit = asyncio.Semaphore(_AT_ONCE)

        async def move(salon: SalonId) -> bool:
            async with limit:
                return await self._move_one(salon, host, onto, mid_hand=mid_hand)

        moved = sum(await asyncio.gather(*(move(salon) for salon in salons)))
        if moved:
            _log.info("salons_moved", host=host, salons=moved, mid_hand=mid_hand)
        return moved

    async def _move_one(self, salon: SalonId, host: HostName, onto: NodeId | None, *, mid_hand: bool) -> bool:
        try:
            place = await self._directory.place_elsewhere(salon, host, onto)
            if place is None or not await self._hosts.hand_over(host, salon, place, mid_hand=mid_hand):
                return False
            await self._directory.take_up(salon, place)
        except (HostFault, LogFault, RedisError, OSError) as fault:
            _log.warning("salon_not_moved", salon=salon, fault=repr(fault))
            return False
        return True
