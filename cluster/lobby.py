"""The lobby: which salons there are, by game and free seats. A projection of the salons' logs in Redis.

Law of this file: a row carries the (epoch, seq) it was made at, and never overwrites a newer one, nor comes back after
that went. A row is written at most once a second a salon, the last state always; a host that dies before that is made
good by the next one, which writes the row of every salon that it loads. What a store forgets is written again after it
was away, and when a salon leaves its host.
"""

import asyncio
import base64
import binascii
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, islice
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
from engine.value import changed, value

_MOST_SEATS: Final = 9
_MOST_ROWS: Final = 100
_EVERY: Final = 1.0
_SOME: Final = 64
_A_LITTLE: Final = 4
"""What is read of each of many indexes beyond twice its share of a page."""
_MOST_REMEMBERED: Final = 20_000
"""Rows that a host knows to be written; of a salon that it forgets, one is written that says nothing new."""
_OVER_FOR: Final = Millis(24 * 3_600 * 1_000)
"""For so long it is known that a salon's row has gone: a host that was frozen may have an older one to write."""
_Place = tuple[int, SalonId]
"""When a salon was opened, and its id: where it stands in the lobby."""
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
    """Whether a hand is in progress, or scheduled and not one of bots that wait until somebody looks on."""
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
        playing=_plays(table, alone=bots == len(players)),
        opened_at=opened_at,
        closing=table.closing is not None,
        over=table.over,
    )


def _plays(table: Table, *, alone: bool) -> bool:
    """With bots that are `alone` nobody deals the hand that is scheduled, unless their salon plays unwatched."""
    if table.hand is not None and not table.hand.over:
        return True
    return bool(table.next_hand_at) and (table.settings.plays_unwatched or not alone)


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
            _OVER_FOR,
        ]
        return bool(await self._write([_rows(shard), _over(shard, row.salon)], args))

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
        indexes = [
            _index(shard, game, free)
            for shard in range(self._shards)
            for game in games
            for free in range(max(0, asked.least_free), _MOST_SEATS + 1)
        ]
        found = await self._merged(indexes, after, size + 1)
        rows = await self._read([salon for _, salon in found[:size]])
        more = found[size - 1] if len(found) > size else None
        return Page(tuple(rows), _cursor(more) if more else "")

    async def _merged(self, indexes: Sequence[str], after: _Place | None, count: int) -> list[_Place]:
        """The first `count` of all indexes behind `after`, greatest first.

        Of each index some are read, and more where one may have more that belong there: a page of many indexes would else
        read many times what it shows.
        """
        some = count if len(indexes) == 1 else _A_LITTLE + 2 * count // max(1, len(indexes))
        found: list[_Place] = []
        going: dict[str, _Place | None] = dict.fromkeys(indexes, after)
        while going:
            runs = await asyncio.gather(*(self._run(index, last, some) for index, last in going.items()))
            found = sorted(chain(found, *runs), reverse=True)[:count]
            unread = {index: run[-1] for index, run in zip(going, runs, strict=True) if len(run) == some}
            going = {index: last for index, last in unread.items() if len(found) < count or last > found[-1]}
            some *= 2
        return found

    async def _run(self, index: str, after: _Place | None, count: int) -> list[_Place]:
        """The first `count` of an index behind `after`, greatest first."""
        top = str(after[0]) if after else "+inf"
        found: list[_Place] = []
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
        if not salons:
            return []
        by_shard: dict[int, list[SalonId]] = {}
        for salon in salons:
            by_shard.setdefault(self._shard(salon), []).append(salon)
        read: list[Any] = await asyncio.gather(
            *(self._redis.hmget(_rows(shard), some) for shard, some in by_shard.items())
        )
        raw = dict(zip(chain(*by_shard.values()), chain(*read), strict=True))
        return [_unpacked(row) for salon in salons if (row := raw[salon])]

    def _shard(self, salon: SalonId) -> int:
        return zlib.crc32(salon.encode()) % self._shards


class LobbyDesk:
    """Writes the rows of a host's salons once a second, those that say something new."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._changed: dict[SalonId, Callable[[], Row]] = {}
        self._late: dict[SalonId, Callable[[], Row]] = {}
        """Those that are being written."""
        self._written: dict[SalonId, Row] = {}

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
        late, self._changed = self._changed, {}
        self._late = late
        while late:
            # A few at a time: thousands of salons would hold everything else of this process up.
            some = dict(islice(late.items(), _SOME))
            try:
                await self._write(_made(some))
            except (RedisError, OSError) as error:
                _log.warning("lobby_rows_late", rows=len(late), error=repr(error))
                # A failover may have lost rows that were written, also of salons in which nothing happens.
                again = {salon: partial(_itself, row) for salon, row in self._written.items()}
                self._written.clear()
                self._changed = {**again, **late, **self._changed}
                return
            for salon in some:
                del late[salon]

    async def settle(self, salon: SalonId) -> None:
        """Have the row of a salon that this host leaves say its last state before this ends. Raises RedisError.

        It is written though it may have been before: the store may have forgotten it, and nobody else makes it good.
        """
        make = self._changed.get(salon) or self._late.get(salon)
        row = make() if make else self._written.get(salon)
        if row is not None:
            await self._lobby.write(row)
            self._written.pop(salon, None)

    async def shut(self, salon: SalonId) -> None:
        """Let the row of a salon that nobody may play any more offer no seat, as far as there is one and Redis answers."""
        pending = self._changed.get(salon) or self._late.get(salon)
        row = _made({salon: pending}).get(salon) if pending else self._written.get(salon)
        try:
            row = row or await self._lobby.find(salon)
        except (RedisError, OSError) as error:
            _log.warning("lobby_row_not_shut", salon=salon, error=repr(error))
        if row is not None:
            self._changed[salon] = partial(_itself, changed(row, closing=True))
        else:
            self._changed.pop(salon, None)

    async def _write(self, rows: dict[SalonId, Row]) -> None:
        """Write the rows that say more than a later seq. Raises RedisError."""
        news = {
            salon: row for salon, row in rows.items() if not _says_the_same(self._written.get(salon), row)
        }
        await asyncio.gather(asyncio.sleep(0), *(self._lobby.write(row) for row in news.values()))
        for salon, row in news.items():
            self._written.pop(salon, None)
            self._written[salon] = row
        while len(self._written) > _MOST_REMEMBERED:
            del self._written[next(iter(self._written))]


def _made(rows: dict[SalonId, Callable[[], Row]]) -> dict[SalonId, Row]:
    """The rows, without those that cannot be made."""
    made = {}
    for salon, make in rows.items():
        try:
            made[salon] = make()
        except Exception as bug:  # noqa: BLE001 - one salon's bug must not end the writing of all others' rows
            _log.error("lobby_row_broke", salon=salon, bug=type(bug).__name__)
    return made


def _itself(row: Row) -> Row:
    return row


def _says_the_same(written: Row | None, row: Row) -> bool:
    """Whether a row says what was written under the same epoch."""
    return written is not None and changed(written, seq=row.seq) == row


def _index(shard: int, game: Game, free: int) -> str:
    return f"{{lobby:{shard}}}:index:{game.value}:{free}"


def _rows(shard: int) -> str:
    return f"{{lobby:{shard}}}:rows"


def _over(shard: int, salon: SalonId) -> str:
    return f"{{lobby:{shard}}}:over:{salon}"


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


def _cursor(place: _Place) -> str:
    return base64.urlsafe_b64encode(msgpack.packb(place)).decode()


def _place(cursor: str) -> _Place | None:
    if not cursor:
        return None
    try:
        score, salon = msgpack.unpackb(base64.urlsafe_b64decode(cursor.encode()))
        return int(score), SalonId(str(salon))
    except (binascii.Error, ValueError, TypeError, msgpack.UnpackException) as error:
        raise BadCursor("no page of the lobby had this cursor: leave it out to begin anew") from error
