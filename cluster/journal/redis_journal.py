"""The salons' logs in Redis: the one door to them.

Crash contract: a commit is one Lua script, so it is there whole or not at all, on disk before it answers
(AOF with `appendfsync always`). A salon's epoch fences it: who lost the salon can write nothing. Where Redis
does not answer, a commit's outcome is unknown and LogFault says so; nothing is sent twice here.
Commits of different salons that are asked for while others are under way travel together in one pipeline.
"""

import asyncio
import contextlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgpack
from redis.asyncio import Redis
from redis.exceptions import RedisError

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.answering import answer_of, unanswered
from cluster.journal.chain import linked
from cluster.journal.commit_pipe import CommitPipe
from cluster.journal.hand_record import HandRecord, record_from_plain
from cluster.journal.log import (
    HANDS_KEPT_FOR,
    REPLIES_KEPT,
    REPLIES_RETIRED_FOR,
    Activated,
    Appended,
    Appendix,
    CommandStatus,
    Commit,
    Duplicate,
    Entry,
    Fenced,
    Gap,
    Head,
    Loaded,
    LogCorrupt,
    LogFault,
    Loss,
    Lost,
    Mend,
    Mended,
    Passivated,
    Passivation,
    Reused,
    Snapshot,
    WatchedNow,
)
from cluster.journal.mending import mend_plan
from cluster.journal.salon_keys import channel, key
from cluster.journal.stored import (
    entry_from,
    entry_of,
    head_from,
    known_until,
    listed,
    packed,
    replies_from,
    snapshot_from,
    snapshot_of,
)
from cluster.journal.verified import Fields, verified
from cluster.redis_door import script
from cluster.versions import KNOWN, UNSAID, Versions
from engine.events import HandStarted
from engine.record import UnknownRecord
from engine.units import HandNumber, Millis, PlayerId
from engine.value import changed

_PASSIVATED: Final = ("head", "log", "vault", "snap", "hands", "replies", "retired", "presence")
_MENDED: Final = ("head", "log", "vault", "snap", "hands", "replies")
_MOST_IN_A_PIPELINE: Final = 256
_UNREADABLE: Final = (
    UnknownRecord,
    LookupError,
    TypeError,
    ValueError,
    msgpack.UnpackException,
    zlib.error,
)
"""What is raised by bytes that this release does not understand."""
_MOST_LOADS: Final = 16
"""Salons that are read at a time, each over a connection of its own: the pool has a hundred, for commits too."""


class Journal:
    """The logs behind one pool of connections. Of one event loop; any number of salons."""

    def __init__(self, redis: Redis, knows: Versions = KNOWN) -> None:
        """`knows` is what the release knows that this process is of."""
        self._redis = redis
        self._knows = knows
        self._activate = script(redis, "activate")
        self._create = script(redis, "create")
        self._quarantine = script(redis, "quarantine")
        self._passivate = script(redis, "passivate")
        self._let_go = script(redis, "let_go")
        self._mend = script(redis, "mend")
        self._note_loss = script(redis, "note_loss")
        self._pipe = CommitPipe(redis, knows.schema)
        self._loading = asyncio.Semaphore(_MOST_LOADS)
        self._waiting: list[_Waiting] = []
        self._pump: asyncio.Task[None] | None = None

    # Writing

    async def create(self, first: Commit) -> Appendix:
        """Begin a log with its first commit, whose epoch is given out here. Duplicate for a retry, else Reused.

        With a fold it is as that of a passivated salon: a reader finds one snapshot and no entries.
        """
        fields, _ = entry_of(first)
        keys = [key(first.salon, part) for part in ("head", "log", "replies", "snap", "retired")]
        args: list[Any] = [
            first.at,
            first.player,
            first.request_id,
            first.digest,
            fields[0][1],
            self._knows.rules,
            self._knows.schema,
            first.stale_from,
            chain := linked(b"", first.seq, fields),
            snapshot_of(first.fold.table, chain, small=True) if first.fold else b"",
            REPLIES_RETIRED_FOR,
        ]
        return _appendix(first, await answer_of(self._create(keys, args)), chain)

    async def activate(
        self, salon: SalonId, seen: Epoch, host: str, *, made: Seq = Seq(0), needs: Versions = UNSAID
    ) -> Activated | Lost:
        """Give the salon to `host`, if its epoch is still the one `seen`; see `SalonLog`.

        `needs` is what `host` knows that the salon needs: it may be more than this process knows.
        """
        schema = max(self._knows.schema, needs.schema)
        answer = await answer_of(self._activate([key(salon, "head")], [seen, host, schema, made]))
        return Activated(Epoch(int(answer[1]))) if answer[0] == b"ACTIVATED" else Lost()

    async def append(self, commit: Commit) -> Appendix:
        """Append one commit, in a pipeline with those that come meanwhile; each stands or falls by itself."""
        # Put into bytes here: one that cannot be is its own salon's bug, and no other's.
        wire, chain = self._pipe.wire(commit)
        future: asyncio.Future[Appendix] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(commit, wire, chain, future))
        if self._pump is None:
            self._pump = asyncio.create_task(self._run_pump())
        return await future

    async def passivate(self, rest: Passivation) -> Passivated | WatchedNow | Fenced | Gap:
        """Keep an idle salon small and without a host, if its epoch is the salon's and its seq the last.

        A reader finds one snapshot and no entries. Finished hands that are too old go before.
        """
        await self._forget_hands(rest.salon, Millis(rest.at - HANDS_KEPT_FOR))
        args: list[Any] = [
            rest.epoch,
            rest.seq,
            snapshot_of(rest.table, rest.chain, small=True),
            packed({player: listed(replies) for player, replies in rest.retired.items()}),
            REPLIES_RETIRED_FOR,
            HANDS_KEPT_FOR,
            self._knows.schema,
            rest.chain,
        ]
        for player, replies in rest.kept.items():
            args += [player, packed(listed(replies))]
        keys = [key(rest.salon, part) for part in _PASSIVATED]
        answer = await answer_of(self._passivate(keys, args))
        if answer == [b"PASSIVATED"]:
            return Passivated()
        return WatchedNow() if answer == [b"WATCHED"] else _not_done(answer)

    async def mend(self, mend: Mend) -> Mended | Fenced | Gap:
        """Write the log anew, if the epoch is the salon's and the log ends where the caller saw it end.

        All that the log then has is what the caller says, under places of its own epoch; finished hands stay.
        """
        plan, chain = mend_plan(mend, self._knows.schema)
        keys = [key(mend.salon, part) for part in _MENDED]
        answer = await answer_of(self._mend(keys, [mend.epoch, mend.seen, channel(mend.salon), plan]))
        return Mended(chain) if answer == [b"MENDED"] else _not_done(answer)

    async def note_loss(self, salon: SalonId, epoch: Epoch, last: Seq) -> bool:
        """Note that the log is older than `epoch`, and that commits up to `last` were made; the next load says so."""
        return bool(await answer_of(self._note_loss([key(salon, "head")], [epoch, last])))

    async def _forget_hands(self, salon: SalonId, before: Millis) -> None:
        """Delete the records of hands that began before, oldest first; a young one ends the search."""
        for hand in reversed(await self.hands(salon)):
            record = await self.hand(salon, hand)
            if record is not None and record.at >= before:
                return
            await answer_of(self._redis.hdel(key(salon, "hands"), str(hand)))

    async def let_go(self, salon: SalonId, epoch: Epoch) -> bool:
        """Leave the salon to whoever activates it next, if `epoch` still holds it."""
        return bool(await answer_of(self._let_go([key(salon, "head")], [epoch])))

    async def quarantine(self, salon: SalonId, epoch: Epoch, why: str) -> bool:
        """Keep the salon from being activated again, if `epoch` still holds it."""
        return bool(await answer_of(self._quarantine([key(salon, "head")], [epoch, why])))

    async def _run_pump(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:_MOST_IN_A_PIPELINE]
                del self._waiting[:_MOST_IN_A_PIPELINE]
                await self._send(batch)
        finally:
            self._pump = None

    async def _send(self, batch: Sequence["_Waiting"]) -> None:
        outcomes: Sequence[Any]
        try:
            outcomes = await self._pipe.send([waiting.wire for waiting in batch])
        except Exception as error:  # noqa: BLE001 - whatever it was, every salon of the batch hears of it
            outcomes = [error] * len(batch)
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if not waiting.future.done():
                waiting.settle(outcome)

    # Reading

    async def head(self, salon: SalonId, *, newer: bool = False) -> Head | None:
        """Who may write, and how far the log is. Raises LogNewer, unless it may be `newer`: for whom it is only to move."""
        fields = await answer_of(self._redis.hgetall(key(salon, "head")))
        return head_from(fields, None if newer else self._knows)

    async def load(self, salon: SalonId) -> Loaded | None:
        """Read a salon back, with its vault. Raises LogNewer, or LogCorrupt where a part of it cannot be read."""
        pipeline: Any = self._redis.pipeline(transaction=True)
        pipeline.hgetall(key(salon, "head"))
        pipeline.lindex(key(salon, "snap"), 0)
        pipeline.xrange(key(salon, "log"))
        pipeline.hgetall(key(salon, "vault"))
        pipeline.hgetall(key(salon, "replies"))
        pipeline.get(key(salon, "retired"))
        async with self._loading:
            head_fields, snap, stored, vault, kept, retired = await answer_of(pipeline.execute())
        head = head_from(head_fields, self._knows)
        if head is None:
            return None
        reading = "the snapshot"
        try:
            snapshot = snapshot_from(snap) if snap else None
            reading = "the log"
            base = head_fields.get(b"base")
            whole = verified(head, snapshot, stored, vault, base=None if base is None else int(base))
            tail = []
            for place, fields in whole.entries:
                reading = f"entry {place.decode()}"
                tail.append(entry_from(place, fields, whole.vault))
            reading = "a reply"
            replies = replies_from(kept, retired)
            if not whole.why:
                return Loaded(head, snapshot, tuple(tail), replies, torn=whole.torn)
            hand = await self._last_hand(salon, stored)
            loss = Loss(whole.last - whole.seq, head.seq, whole.last, hand, whole.why)
            head = changed(head, seq=whole.seq, chain=whole.chain)
            return Loaded(head, snapshot, tuple(tail), known_until(replies, whole.seq), loss)
        except _UNREADABLE as error:
            raise _corrupt(salon, reading, error) from error

    async def status(self, salon: SalonId, player: PlayerId, request_id: str) -> CommandStatus | None:
        """What the log knows of a player's request; None where there is no such salon. Nothing is activated for it."""
        pipeline: Any = self._redis.pipeline(transaction=True)
        pipeline.hgetall(key(salon, "head"))
        pipeline.hget(key(salon, "replies"), player)
        pipeline.get(key(salon, "retired"))
        pipeline.pttl(key(salon, "retired"))
        pipeline.time()
        fields, kept, retired, left, (seconds, micros) = await answer_of(pipeline.execute())
        head = head_from(fields, self._knows)
        if head is None:
            return None
        replies = replies_from({player.encode(): kept} if kept else {}, retired).get(player, [])
        done = next((reply for reply in replies if reply.request_id == request_id), None)
        forgotten = int(fields.get(b"forgot" if retired else b"folded", b"0"))
        if len(replies) >= REPLIES_KEPT:
            forgotten = max(forgotten, replies[0].seq - 1)
        # What is retired goes when its time is over; what is not stays for so long after it will be.
        kept_for = max(left, 0) if retired else REPLIES_RETIRED_FOR
        now = Millis(int(seconds) * 1_000 + int(micros) // 1_000)
        return CommandStatus(head.epoch, head.seq, done, Seq(forgotten), Millis(now + kept_for))

    async def _last_hand(self, salon: SalonId, stored: Sequence[tuple[bytes, Fields]]) -> HandNumber:
        """The greatest number that a hand may have been given, as far as anything tells; 1 more, for one untold of."""
        numbers = [int(number) for number in await self.hands(salon)]
        for _, fields in stored:
            # What cannot be read tells nothing.
            with contextlib.suppress(LookupError, TypeError, ValueError, msgpack.UnpackException):
                plains = msgpack.unpackb(fields[b"e"])
                numbers += [int(plain[1]) for plain in plains if plain[0] == HandStarted.__name__]
        return HandNumber(max(numbers, default=0) + 1)

    async def read(self, salon: SalonId, after: tuple[Epoch, Seq], count: int = 256) -> list[Entry]:
        """The entries behind (epoch, seq), oldest first, at most `count`, without the vault and the bots' notes.

        Raises LogNewer where they cannot be read since a later version wrote them, else LogCorrupt.
        """
        start = f"({after[0]}-{after[1]}"
        raw = await answer_of(self._redis.xrange(key(salon, "log"), min=start, count=count))
        try:
            return [entry_from(at, fields) for at, fields in raw]
        except _UNREADABLE as error:
            await self.head(salon)  # which tells whether a later version wrote
            raise _corrupt(salon, "the log", error) from error

    def told(self, message: bytes) -> Entry | None:
        """The entry that a commit has published; None where it cannot be read, of which reading the log tells more."""
        entry_id, _, rest = message.partition(b" ")
        at, _, events = rest.partition(b" ")
        try:
            return entry_from(entry_id, {b"t": at, b"e": events})
        except _UNREADABLE:
            return None

    async def snapshots(self, salon: SalonId) -> list[Snapshot]:
        """The tables kept, newest first: after the last hands' ends. A deck is in none. Raises as `read`."""
        raw = await answer_of(self._redis.lrange(key(salon, "snap"), 0, -1))
        try:
            return [snapshot_from(snapshot) for snapshot in raw]
        except _UNREADABLE as error:
            await self.head(salon)
            raise _corrupt(salon, "a snapshot", error) from error

    async def hand(self, salon: SalonId, hand: HandNumber) -> HandRecord | None:
        """The record of one finished hand, None where it is not kept (any more). Raises as `read`."""
        raw = await answer_of(self._redis.hget(key(salon, "hands"), str(hand)))
        try:
            return record_from_plain(msgpack.unpackb(raw)) if raw else None
        except _UNREADABLE as error:
            await self.head(salon)  # which tells whether a later version wrote
            raise _corrupt(salon, f"hand {hand}", error) from error

    async def hands(self, salon: SalonId) -> list[HandNumber]:
        """The numbers of the hands whose records are kept, newest first."""
        raw = await answer_of(self._redis.hkeys(key(salon, "hands")))
        return sorted((HandNumber(int(number)) for number in raw), reverse=True)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A commit on its way, and who waits for what becomes of it."""

    commit: Commit
    wire: bytes
    chain: bytes
    future: "asyncio.Future[Appendix]"

    def settle(self, outcome: Any) -> None:
        """Hand out what the script answered, or why it did not."""
        if isinstance(outcome, RedisError | OSError):
            self.future.set_exception(unanswered(outcome))
        elif isinstance(outcome, Exception):
            self.future.set_exception(outcome)
        else:
            try:
                self.future.set_result(_appendix(self.commit, outcome, self.chain))
            except LogFault as fault:
                self.future.set_exception(fault)


def _corrupt(salon: SalonId, part: str, error: Exception) -> LogCorrupt:
    # The error's text stays out of this: it may be what was read, and that the deck.
    return LogCorrupt(f"salon {salon}: {part} cannot be read: {type(error).__name__}")


def _appendix(commit: Commit, answer: Any, chain: bytes) -> Appendix:
    match answer:
        case [b"APPENDED"]:
            return Appended(commit.epoch, commit.seq, chain)
        case [b"APPENDED", seq, epoch]:
            return Appended(Epoch(int(epoch)), Seq(int(seq)), chain)
        case [b"FENCED"]:
            return Fenced()
        case [b"DUPLICATE", seq, epoch]:
            return Duplicate(Epoch(int(epoch)), Seq(int(seq)))
        case [b"REUSED"]:
            return Reused()
        case [b"GAP", last]:
            return Gap(Seq(int(last)))
        case _:
            raise LogFault(f"a commit was answered with {answer!r}")


def _not_done(answer: Any) -> Fenced | Gap:
    match answer:
        case [b"FENCED"]:
            return Fenced()
        case [b"GAP", last]:
            return Gap(Seq(int(last)))
        case _:
            raise LogFault(f"a script answered with {answer!r}")
