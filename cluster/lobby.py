"""The lobby: which salons there are, by game and free seats. A projection of the salons' logs in Redis.

Law of this file: a row carries the (epoch, seq) it was made at, and never overwrites a newer one. A row is
written at most once a second a salon, the last state always; a host that dies before that is made good by
the next one, which writes the row of every salon that it loads.
"""

import asyncio
import base64
import binascii
import heapq
import zlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgpack
import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from cluster.envelope import Epoch, SalonId, Seq
from cluster.redis_door import script
from engine.game import Game
from engine.settings import Visibility
from engine.table import Table
from engine.units import Chips, HandNumber, Millis, PlayerId
from engine.value import value

_MOST_SEATS: Final = 9
_MOST_ROWS: Final = 100
_EVERY: Final = 1.0
_MOST_SAID: Final = 20_000
_log = structlog.get_logger()


@value
class Row:
    """What the lobby says of one salon, as it was after commit `seq`."""

    salon: SalonId
    epoch: Epoch
    seq: Seq
    owner: PlayerId
    game: Game
    visibility: Visibility
    seats: int
    people: int
    bots: int
    small_blind: Chips
    big_blind: Chips
    ante: Chips
    small_bet: Chips
    big_bet: Chips
    min_buy_in: Chips
    max_buy_in: Chips
    turn_time: Millis
    spectators: bool
    hand: HandNumber
    """As spectators are shown it: late by the salon's `spectator_delay` (V2)."""
    playing: bool
    """Whether a hand is scheduled or in progress."""
    opened_at: Millis
    closing: bool
    over: bool

    @property
    def free(self) -> int:
        """Seats that may be taken; none once the salon is closing."""
        return 0 if self.closing or self.over else self.seats - self.people - self.bots


@value
class Filter:
    """Which salons are asked for: of one game or all (None), with at least so many free seats."""

    game: Game | None = None
    least_free: int = 0


@value
class Page:
    """Rows, the newest salon first; `cursor` asks for those that follow, and is empty at the end."""

    rows: tuple[Row, ...]
    cursor: str


class BadCursor(ValueError):
    """A cursor that no page ever had."""


def row_of(table: Table, salon: SalonId, epoch: Epoch, seq: Seq, opened_at: Millis) -> Row:
    """The lobby's row of a table."""
    settings = table.settings
    players = [player for player in table.players if player is not None]
    bots = sum(player.level is not None for player in players)
    delay = 0 if table.over else settings.spectator_delay
    return Row(
        salon=salon,
        epoch=epoch,
        seq=seq,
        owner=table.owner,
        game=settings.game,
        visibility=settings.visibility,
        seats=settings.seats,
        people=len(players) - bots,
        bots=bots,
        small_blind=settings.small_blind,
        big_blind=settings.big_blind,
        ante=settings.ante,
        small_bet=settings.small_bet,
        big_bet=settings.big_bet,
        min_buy_in=settings.min_buy_in,
        max_buy_in=settings.max_buy_in,
        turn_time=settings.turn_time,
        spectators=settings.spectators,
        hand=HandNumber(max(0, table.hand_number - delay)),
        playing=bool(table.next_hand_at) or (table.hand is not None and not table.hand.over),
        opened_at=opened_at,
        closing=table.closing is not None,
        over=table.over,
    )


class Lobby:
    """The lobby's rows in Redis. Every method raises RedisError where it does not answer."""

    def __init__(self, redis: Redis, shards: int = 1) -> None:
        self._redis = redis
        self._shards = shards
        self._write = script(redis, "lobby_write")

    async def write(self, row: Row) -> bool:
        """Let the lobby say `row`; False where it knows a newer one."""
        shard = self._shard(row.salon)
        index = _index(shard, row.game, row.free) if row.visibility is Visibility.PUBLIC else ""
        args: list[Any] = [
            row.salon,
            row.epoch,
            row.seq,
            _packed(row),
            index,
            row.opened_at,
            int(row.over),
        ]
        return bool(await self._write([_rows(shard)], args))

    async def find(self, salon: SalonId) -> Row | None:
        """The row of one salon, listed or not; None where there is none, or it is over."""
        raw: Any = await self._redis.hget(_rows(self._shard(salon)), salon)
        return _unpacked(raw) if raw else None

    async def page(self, asked: Filter, cursor: str = "", size: int = 50) -> Page:
        """The public salons that fit, at most `size`, behind those of the page that gave `cursor`.

        Raises BadCursor for a cursor that no page had.
        """
        size = max(1, min(size, _MOST_ROWS))
        after = _place(cursor)
        games = [asked.game] if asked.game else list(Game)
        runs = [
            self._run(_index(shard, game, free), after, size + 1)
            for shard in range(self._shards)
            for game in games
            for free in range(max(0, asked.least_free), _MOST_SEATS + 1)
        ]
        found = list(heapq.merge(*await asyncio.gather(*runs), reverse=True))[: size + 1]
        rows = await self._read([salon for _, salon in found[:size]])
        more = found[size - 1] if len(found) > size else None
        return Page(tuple(rows), _cursor(more) if more else "")

    async def _run(
        self, index: str, after: tuple[int, SalonId] | None, count: int
    ) -> list[tuple[int, SalonId]]:
        """The first `count` of an index behind `after`, as (score, salon), greatest first."""
        top = str(after[0]) if after else "+inf"
        found: list[tuple[int, SalonId]] = []
        start = 0
        while len(found) < count:
            raw: Any = await self._redis.zrevrangebyscore(
                index, top, "-inf", start=start, num=count, withscores=True
            )
            places = [(int(score), SalonId(salon.decode())) for salon, score in raw]
            found += [place for place in places if after is None or place < after]
            if len(raw) < count:
                break
            start += count
        return found[:count]

    async def _read(self, salons: list[SalonId]) -> list[Row]:
        raw = await asyncio.gather(*(self.find(salon) for salon in salons))
        return [row for row in raw if row is not None]

    def _shard(self, salon: SalonId) -> int:
        return zlib.crc32(salon.encode()) % self._shards


class LobbyDesk:
    """Writes the rows of a host's salons once a second, those that say something new.

    A row that says what this desk wrote last under the same epoch is not written again: most commits change
    nothing but the seq.
    """

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._changed: dict[SalonId, Callable[[], Row]] = {}
        self._said: dict[SalonId, int] = {}
        """A hash of what was written of each salon."""

    def changed(self, salon: SalonId, row: Callable[[], Row]) -> None:
        """The row of `salon` is another now: what `row` says when it is written."""
        self._changed[salon] = row

    async def run(self) -> None:
        """Write rows until cancelled."""
        while True:
            await asyncio.sleep(_EVERY)
            await self.flush()

    async def flush(self) -> None:
        """Write what has changed; what fails is tried again at the next time, unless it changes first."""
        changed, self._changed = self._changed, {}
        rows = [row for make in changed.values() if self._is_news(row := make())]
        try:
            await asyncio.gather(*(self._lobby.write(row) for row in rows))
        except (RedisError, OSError) as error:
            _log.warning("lobby_rows_late", rows=len(rows), error=repr(error))
            self._changed = {**changed, **self._changed}
            for row in rows:
                self._said.pop(row.salon, None)

    def _is_news(self, row: Row) -> bool:
        """Whether the row says something that was not written, which counts as written from now on."""
        said = hash(tuple(getattr(row, name) for name in _FIELDS if name != "seq"))
        if self._said.get(row.salon) == said:
            return False
        if len(self._said) >= _MOST_SAID:
            self._said.clear()  # most of them are elsewhere by now, or asleep
        self._said[row.salon] = said
        return True


def _index(shard: int, game: Game, free: int) -> str:
    return f"{{lobby:{shard}}}:index:{game.value}:{free}"


def _rows(shard: int) -> str:
    return f"{{lobby:{shard}}}:rows"


def _packed(row: Row) -> bytes:
    packed: bytes = msgpack.packb([getattr(row, name) for name in _FIELDS])
    return packed


def _unpacked(raw: bytes) -> Row:
    _, _, packed = raw.split(b"|", 2)
    fields = dict(zip(_FIELDS, msgpack.unpackb(packed), strict=False))
    fields["game"] = Game(fields["game"])
    fields["visibility"] = Visibility(fields["visibility"])
    return Row(**fields)


_FIELDS: Final[Iterable[str]] = tuple(Row.__dataclass_fields__)


def _cursor(place: tuple[int, SalonId]) -> str:
    return base64.urlsafe_b64encode(msgpack.packb(place)).decode()


def _place(cursor: str) -> tuple[int, SalonId] | None:
    if not cursor:
        return None
    try:
        score, salon = msgpack.unpackb(base64.urlsafe_b64decode(cursor.encode()))
        return int(score), SalonId(str(salon))
    except (binascii.Error, ValueError, TypeError, msgpack.UnpackException) as error:
        raise BadCursor("no page of the lobby had this cursor: leave it out to begin anew") from error
