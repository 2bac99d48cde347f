"""Salons that sleep, with nobody to run them, and are woken: how long the first command takes, and beside it the next one."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Final

from cluster.bench.guests import sign_in
from cluster.bench.own_cluster import OwnCluster
from cluster.bench.sitter import Lost, Sitter, opened
from cluster.client import Client
from cluster.envelope import SalonId
from cluster.journal.redis_journal import Journal
from cluster.play_stream import PlayStream
from cluster.redis_door import connect
from engine.value import value

IDLE_MS: Final = 1_000
"""The least that a salon may be idle before it falls asleep."""
_ASLEEP_WITHIN: Final = 60.0
_PAUSE: Final = 0.02


@value
class Woken:
    """One salon: seconds to the answer to its first command, of one that slept, and to that of the next."""

    first: float
    next: float


async def wakings(cluster: OwnCluster, *, salons: int) -> AsyncIterator[Woken]:
    """So many salons that are opened, fall asleep, and are woken one after the other.

    Raises:
        Lost: a salon did not fall asleep, or did not answer.
    """
    (token,) = await sign_in(cluster, 1)
    async with Client(cluster.address, plaintext=True) as client:
        client.token = token
        asleep = await opened(client, salons)
        await _asleep(cluster, asleep)
        async with PlayStream(client) as stream:
            sitter = Sitter(stream)
            for salon in asleep:
                yield await _woken(sitter, salon)


async def _asleep(cluster: OwnCluster, salons: Sequence[str]) -> None:
    """Wait until nobody runs any of the salons. Raises Lost."""
    redis = connect(cluster.redis_url)
    journal = Journal(redis)
    try:
        async with asyncio.timeout(_ASLEEP_WITHIN):
            for salon in salons:
                while (head := await journal.head(SalonId(salon))) is None or head.host:  # noqa: ASYNC110 - others see to it
                    await asyncio.sleep(_PAUSE)
    except TimeoutError:
        raise Lost(f"a salon that nobody needs is still run after {_ASLEEP_WITHIN:.0f} s") from None
    finally:
        await redis.aclose()


async def _woken(sitter: Sitter, salon: str) -> Woken:
    """Take a seat in a salon that sleeps, and sit out then. Raises Lost."""
    began = time.perf_counter()
    await sitter.sit_down(salon)
    awake = time.perf_counter()
    return Woken(awake - began, await sitter.ask(salon) - awake)
