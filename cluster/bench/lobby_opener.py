"""A program that opens salons for the lobby's benchmark, by the function that a gateway's CreateSalon calls.

Its arguments: the URL of Redis, the first salon's number and that behind the last. A line of its output is a salon, its number
and its id, once it is on disk.
"""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from cluster.bench.lobby_salons import settings_of
from cluster.client import new_request_id
from cluster.clock import RedisClock
from cluster.coalesced import Coalesced
from cluster.envelope import Accepted
from cluster.gateway.lobby_service import settings_asked_for
from cluster.journal.log import LogFault
from cluster.journal.redis_journal import Journal
from cluster.lobby import Lobby
from cluster.redis_door import connect
from cluster.routing.sleepers import Sleepers
from cluster.salons.opening import Opened, Opening
from cluster.secret import Secret
from engine.commands import OpenSalon

OWNS: Final = 100
"""Salons of one owner."""
_AT_ONCE: Final = 128
_TRIES: Final = 20
_PAUSE: Final = 0.5


class NotOpened(Exception):
    """A salon was not opened."""


async def opened(url: str, numbers: Iterator[int]) -> None:
    """Open the salons and say so. Raises LogFault, RedisError, NotOpened."""
    pool = connect(url)
    redis = Coalesced(pool)
    clock, secret = RedisClock(redis), await Secret.read(redis)
    await clock.synchronise()
    opening = Opening(Journal(redis), clock, secret, lobby=Lobby(redis), sleepers=Sleepers(redis))

    async def some() -> None:
        for number in numbers:
            owner = secret.player(f"owner {number // OWNS}")
            settings = settings_asked_for(settings_of(number, plays=False))
            made = await _opened(opening, OpenSalon(owner, settings))
            if not isinstance(made.answer, Accepted):
                raise NotOpened(f"salon {number}: {made}")
            sys.stdout.write(f"{number} {made.salon}\n")

    try:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(_AT_ONCE):
                tasks.create_task(some())
    finally:
        await pool.aclose()


async def _opened(opening: Opening, command: OpenSalon) -> Opened:
    """Open a salon, asking again with the same request_id while the log does not answer, as clients do. Raises LogFault."""
    request = new_request_id()
    for _ in range(_TRIES):
        with suppress(LogFault):
            return await opening.open(command, request)
        await asyncio.sleep(_PAUSE)
    return await opening.open(command, request)


if __name__ == "__main__":
    asyncio.run(opened(sys.argv[1], iter(range(int(sys.argv[2]), int(sys.argv[3])))))
