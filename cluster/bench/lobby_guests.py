"""Guests of the lobby's benchmark, who open salons through the gateway, and have some of them played."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from redis.asyncio import Redis

from cluster.bench.guests import sign_in
from cluster.bench.lobby_opener import OWNS
from cluster.bench.lobby_salons import settings_of
from cluster.bench.own_cluster import OwnCluster
from cluster.client import Client, new_request_id
from cluster.envelope import SalonId
from cluster.journal.salon_keys import key
from croupier.v1.lobby_pb2 import CreateSalonRequest
from croupier.v1.salon_pb2 import RemoveBotRequest

_GUESTS_AT_ONCE: Final = 10
_CALLS_AT_ONCE: Final = 8
"""Of one guest."""
_LOOK: Final = 0.3
_PATIENCE: Final = 60.0
_HAND_WITHIN: Final = 300.0
_ASLEEP_WITHIN: Final = 300.0
_LOOKED_AT_ONCE: Final = 500


class NotPlayed(Exception):
    """A salon did not play, or did not fall asleep."""


async def opened(
    cluster: OwnCluster, redis: Redis, numbers: range, *, plays: bool, done: Callable[[int], None]
) -> dict[int, str]:
    """The ids of salons that are opened through the gateway; those that `plays` have finished a hand and rest.

    `done` hears how many more there are. Raises NotPlayed, RefusedCall, Unreachable.
    """
    shares = [numbers[at : at + OWNS] for at in range(0, len(numbers), OWNS)]
    tokens = await sign_in(cluster, len(shares))
    limit = asyncio.Semaphore(_GUESTS_AT_ONCE)
    ids: dict[int, str] = {}

    async def guest(token: str, share: range) -> None:
        async with limit, Client(cluster.address, plaintext=True, patience=_PATIENCE) as client:
            client.token = token
            made = await _created(client, share, plays=plays)
            if plays:
                await _played(client, redis, list(made.values()))
            ids.update(made)
            done(len(share))

    async with asyncio.TaskGroup() as tasks:
        for token, share in zip(tokens, shares, strict=True):
            tasks.create_task(guest(token, share))
    return ids


async def _created(client: Client, numbers: range, *, plays: bool) -> dict[int, str]:
    limit = asyncio.Semaphore(_CALLS_AT_ONCE)

    async def one(number: int) -> tuple[int, str]:
        async with limit:
            settings = settings_of(number, plays=plays)
            request = CreateSalonRequest(request_id=new_request_id(), settings=settings)
            return number, (await client.call(client.lobby.CreateSalon, request)).salon_id

    return dict(await asyncio.gather(*(one(number) for number in numbers)))


async def _played(client: Client, redis: Redis, salons: Sequence[str]) -> None:
    """Wait until each salon's log has a finished hand, and take one of its two bots away then. Raises NotPlayed."""
    waiting = list(salons)
    try:
        async with asyncio.timeout(_HAND_WITHIN):
            while waiting:
                await asyncio.sleep(_LOOK)
                pipeline: Any = redis.pipeline(transaction=False)
                for salon in waiting:
                    pipeline.exists(key(SalonId(salon), "hands"))
                finished = await pipeline.execute()
                over = [salon for salon, hands in zip(waiting, finished, strict=True) if hands]
                waiting = [salon for salon, hands in zip(waiting, finished, strict=True) if not hands]
                for salon in over:
                    request = RemoveBotRequest(request_id=new_request_id(), salon_id=salon, seat=2)
                    await client.call(client.salon.RemoveBot, request)
    except TimeoutError:
        raise NotPlayed(f"{len(waiting)} salons finished no hand in {_HAND_WITHIN:.0f} s") from None


async def asleep(redis: Redis, salons: Sequence[str]) -> None:
    """Wait until nobody runs any of the salons. Raises NotPlayed."""
    running = list(salons)
    try:
        async with asyncio.timeout(_ASLEEP_WITHIN):
            while running:
                hosts: list[bytes] = []
                for at in range(0, len(running), _LOOKED_AT_ONCE):
                    pipeline: Any = redis.pipeline(transaction=False)
                    for salon in running[at : at + _LOOKED_AT_ONCE]:
                        pipeline.hget(key(SalonId(salon), "head"), "host")
                    hosts += await pipeline.execute()
                running = [salon for salon, host in zip(running, hosts, strict=True) if host]
                await asyncio.sleep(_LOOK)
    except TimeoutError:
        raise NotPlayed(f"{len(running)} salons that nobody needs are still run") from None
