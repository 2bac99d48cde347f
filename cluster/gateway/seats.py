"""Seats: the salons where a player may hold one, and whether he is in a hand in any of them.

Law of this file: a salon is noted in Redis before the request for a seat goes to it, and the note goes only long
after that, once the salon's log says that the player has none. So there is a note for every seat that a person
holds, among those of the salons that he asked last; whether he holds it is what the log says.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Protocol

from redis.asyncio import Redis

from cluster.clock import Clock
from cluster.envelope import Answer, Envelope, SalonId
from cluster.gateway.desk import PATIENCE, Directory
from cluster.journal.log import LogCorrupt
from cluster.redis_door import script
from cluster.sessions import LIFETIME
from cluster.watching.feed import Feed
from engine.commands import Join
from engine.table import Table
from engine.units import NOBODY, Millis, PlayerId
from engine.value import value

MOST_NOTES: Final = 100
"""Salons that are noted of one player, those that he asked last."""
_SETTLED: Final = Millis(600_000)
"""How long after it was sent a request for a seat can have no effect any more, by far."""


@value
class Note:
    """A salon where a player asked for a seat, and when he last did."""

    salon: SalonId
    at: Millis


class Notes(Protocol):
    """Where notes are kept. Every method raises RedisError where Redis does not answer."""

    async def write(self, player: PlayerId, salon: SalonId) -> None:
        """The player is about to ask for a seat."""

    async def read(self, player: PlayerId) -> list[Note]:
        """The player's notes, the newest first."""

    async def forget(self, player: PlayerId, note: Note) -> None:
        """He holds no seat there; a newer note stays."""


class RedisNotes:
    """Notes in a sorted set a player, which goes with his session."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis = redis
        self._clock = clock
        self._forget = script(redis, "forget_seat")

    async def write(self, player: PlayerId, salon: SalonId) -> None:
        """See `Notes`."""
        key = _key(player)
        await asyncio.gather(
            self._redis.zadd(key, {salon: self._clock.now()}),
            self._redis.zremrangebyrank(key, 0, -MOST_NOTES - 1),
            self._redis.pexpire(key, LIFETIME),
        )

    async def read(self, player: PlayerId) -> list[Note]:
        """See `Notes`."""
        raw: Any = await self._redis.zrevrange(_key(player), 0, -1, withscores=True)
        return [Note(SalonId(salon.decode()), Millis(int(at))) for salon, at in raw]

    async def forget(self, player: PlayerId, note: Note) -> None:
        """See `Notes`."""
        await self._forget([_key(player)], [note.salon, note.at])


class Usher:
    """The way to every salon, on which it is noted who asks for a seat."""

    def __init__(self, directory: Directory, notes: Notes) -> None:
        self._directory = directory
        self._notes = notes

    async def call(
        self, salon: SalonId, envelopes: Sequence[Envelope], *, patience: float = PATIENCE
    ) -> list[Answer]:
        """What the salon answers. Raises RedisError where no note could be made: then nothing was asked."""
        for envelope in envelopes:
            if isinstance(envelope.command, Join):
                await self._notes.write(envelope.player, salon)
        return await self._directory.call(salon, envelopes, patience=patience)


class Seats:
    """Who is in a hand, in whatever salon of the cluster."""

    def __init__(self, notes: Notes, feed: Feed, clock: Clock) -> None:
        self._notes = notes
        self._feed = feed
        self._clock = clock

    async def plays(self, player: PlayerId) -> bool:
        """Whether the player was dealt into a hand that is being played, folded or not. Raises RedisError, LogFault."""
        for note in await self._notes.read(player):
            table = await self._table(note.salon)
            seat = NOBODY if table is None else table.seat_of.get(player, NOBODY)
            if table is not None and seat != NOBODY and table.plays(seat):
                return True
            if seat == NOBODY and note.at + _SETTLED < self._clock.now():
                await self._notes.forget(player, note)
        return False

    async def _table(self, salon: SalonId) -> Table | None:
        """The salon's table as its log is now; None where nobody can play at one. Raises LogFault."""
        try:
            replica = await self._feed.replica(salon)
        except LogCorrupt:
            return None
        return None if replica is None else replica.live.table


def _key(player: PlayerId) -> str:
    return f"seats:{player}"
