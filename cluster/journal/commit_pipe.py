"""Commits on their way to Redis: many salons' in one write and one read, each answered by itself.

The bytes are put together here, because a client library spends more on the 20 arguments of a commit than
everything else that a commit needs. Crash contract: an answer that does not come leaves the outcome unknown
for every commit that was on the way; the connection is thrown away, so that no later answer is taken for it.
"""

import asyncio
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import NoScriptError, ResponseError

from cluster.envelope import SalonId
from cluster.journal.chain import VAULT, linked
from cluster.journal.hand_record import record_to_plain
from cluster.journal.log import HANDS_KEPT, HANDS_KEPT_FOR, REPLIES_KEPT, Commit
from cluster.journal.salon_keys import channel, key
from cluster.journal.stored import entry_of, packed, snapshot_of
from cluster.redis_door import lua, script
from engine.record import SCHEMA_VERSION

_KEYS: Final = ("head", "log", "vault", "snap", "hands", "replies")
_BEGINNING: Final = 3 + len(_KEYS)
_MOST_SALONS: Final = 8_192
"""Whose keys are remembered as Redis reads them."""
_Part = bytes | str | int


class CommitPipe:
    """Sends commits over one connection at a time of a pool."""

    def __init__(self, redis: Redis, schema: int) -> None:
        """`schema` is the one that commits are written in."""
        self._redis = redis
        self._schema = schema
        self._sha = script(redis, "commit").sha

    def wire(self, commit: Commit) -> tuple[bytes, bytes]:
        """The commit as `send` takes it, and the chain after it."""
        return command(self._sha, commit, self._schema)

    async def send(self, wires: Sequence[bytes]) -> list[Any]:
        """What commit.lua answers for each, or the ResponseError that its call ended with.

        Raises:
            RedisError, OSError, TimeoutError: the outcome of every commit is unknown.
        """
        answers = await self._exchange(wires)
        forgotten = [at for at, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if forgotten:
            # A server that has not got the script has executed nothing.
            await self._redis.script_load(lua("commit"))
            again = await self._exchange([wires[at] for at in forgotten])
            for at, answer in zip(forgotten, again, strict=True):
                answers[at] = answer
        return answers

    async def _exchange(self, wires: Sequence[bytes]) -> list[Any]:
        pool: Any = self._redis.connection_pool
        connection = await pool.get_connection()
        try:
            await connection.send_packed_command(b"".join(wires), check_health=False)
            # One for all answers: the client library's own, for each, takes longer than all else that is done to read it.
            async with asyncio.timeout(connection.socket_timeout):
                return [await _read(connection) for _ in wires]
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        finally:
            await pool.release(connection)


async def _read(connection: Any) -> Any:
    try:
        return await connection.read_response(timeout=math.inf)
    except ResponseError as error:
        return error


def command(sha: str, commit: Commit, schema: int = SCHEMA_VERSION) -> tuple[bytes, bytes]:
    """The call of commit.lua, in the order of its keys and arguments, as Redis reads it; and the chain after it."""
    fields, vault = entry_of(commit)
    said = dict(fields)
    after = linked(commit.chain, commit.seq, fields)
    parts: list[_Part] = [
        commit.epoch,
        commit.seq,
        commit.at,
        commit.player,
        commit.request_id,
        commit.digest,
        said[b"e"],
        said.get(b"w", b""),
        vault,
        channel(commit.salon),
        REPLIES_KEPT,
        commit.stale_from,
        schema,
        commit.chain,
        after,
        said.get(VAULT, b""),
    ]
    if commit.fold or commit.record:
        parts += _ending(commit, after)
    call = [_beginning(sha, commit.salon), *map(_bulk, parts)]
    return b"*%d\r\n" % (_BEGINNING + len(parts)) + b"".join(call), after


@lru_cache(maxsize=_MOST_SALONS)
def _beginning(sha: str, salon: SalonId) -> bytes:
    """The first `_BEGINNING` parts of every call for a salon."""
    parts: list[_Part] = ["EVALSHA", sha, len(_KEYS), *(key(salon, part) for part in _KEYS)]
    return b"".join(_bulk(part) for part in parts)


def _ending(commit: Commit, after: bytes) -> list[_Part]:
    """The arguments of a commit that folds the log or ends a hand."""
    fold, record = commit.fold, commit.record
    return [
        snapshot_of(fold.table, after) if fold else b"",
        1 if fold and fold.whole else 0,
        fold.keep if fold else 0,
        record.hand if record else 0,
        packed(record_to_plain(record)) if record else b"",
        HANDS_KEPT,
        HANDS_KEPT_FOR,
    ]


def _bulk(part: _Part) -> bytes:
    raw = part if isinstance(part, bytes) else str(part).encode()
    return b"$%d\r\n%b\r\n" % (len(raw), raw)
