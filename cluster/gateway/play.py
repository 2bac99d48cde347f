"""Play: one stream of one session, with commands for any of its seats in and the updates of all it watches out.

What concerns one salon is done in the order in which it came; a slow salon does not hold up another. Refusals
are answers and do not end the stream.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from itertools import groupby
from typing import Any, Final

from redis.exceptions import RedisError

from cluster.codec.commands import Malformed, salon_id
from cluster.codec.refusals import malformed, refusal_of, refused
from cluster.codec.updates import answer, ended_update
from cluster.envelope import Accepted, Answer, Envelope, Epoch, SalonId, Seq
from cluster.gateway.desk import Desk
from cluster.gateway.door import UNREADABLE, incident, unreadable
from cluster.gateway.doorman import Visitor
from cluster.gateway.errors import recovering, too_fast
from cluster.gateway.limits import Buckets
from cluster.gateway.outbox import Outbox
from cluster.journal.log import LogFault
from cluster.watching.feed import Feed
from cluster.watching.watched import Watcher
from croupier.v1 import refusal_pb2, salon_pb2
from croupier.v1.refusal_pb2 import Refusal
from engine.value import value

MOST_UNDER_WAY: Final = 512
"""Things asked for and not yet done after which nothing more is read from a stream."""
MOST_WATCHED: Final = 1_000
"""Salons that one stream may watch."""
_LONGEST_ECHO: Final = 64
_METHOD: Final = "/croupier.v1.SalonService/Play"


@value
class _Unwatch:
    """A wish to watch a salon no longer."""


_Item = Any  # A request of the protos, or _Unwatch.


class SessionStream:
    """A session's stream. `close` it when it ends, whyever."""

    def __init__(self, desk: Desk, feed: Feed, visitor: Visitor, commands: Buckets) -> None:
        self.outbox = Outbox(together=True)
        self._desk = desk
        self._feed = feed
        self._visitor = visitor
        self._commands = commands
        self._watchers: dict[SalonId, Watcher] = {}
        self._coming = 0
        """Watches that the feed has not opened yet."""
        self._lanes: dict[SalonId, list[_Item]] = {}
        self._under_way = 0
        self._all_done = False
        """Nothing more will be asked for, and all that was is done."""
        self._less = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, requests: AsyncIterator[salon_pb2.PlayRequest]) -> None:
        """Read what the client sends from now on."""
        self._spawn(self._read(requests))

    async def close(self) -> None:
        """Do and watch nothing more."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for watcher in list(self._watchers.values()):
            self._feed.unwatch(watcher)

    # Reading

    async def _read(self, requests: AsyncIterator[salon_pb2.PlayRequest]) -> None:
        async for request in requests:
            if request is UNREADABLE:
                self.outbox.close(unreadable())
                return
            for watch in request.watch:
                self._sort_in_watch(watch)
            for salon in request.unwatch:
                self._sort_in(salon, _Unwatch())
            for command in request.commands:
                self._sort_in_command(command)
            await self._fewer(MOST_UNDER_WAY)
        await self._fewer(1)
        self._all_done = True
        self._close_if_unused()

    def _close_if_unused(self) -> None:
        if self._all_done and not self._watchers:
            self.outbox.close()

    async def _fewer(self, count: int) -> None:
        """Wait until fewer than `count` things are under way."""
        while self._under_way >= count:
            self._less.clear()
            await self._less.wait()

    def _sort_in_watch(self, watch: salon_pb2.WatchRequest) -> None:
        retry_ms = self._commands.take(self._visitor.session.player)
        if retry_ms:
            self._refuse_item(watch.salon_id[:_LONGEST_ECHO], watch, too_fast(retry_ms))
        else:
            self._sort_in(watch.salon_id, watch)

    def _sort_in_command(self, command: salon_pb2.PlayCommand) -> None:
        name = command.WhichOneof("command")
        if name is None:
            self._refuse(
                "", "", malformed(Malformed("commands.command", "a command refused: set one of its fields"))
            )
            return
        request = getattr(command, name)
        retry_ms = self._commands.take(self._visitor.session.player)
        if retry_ms:
            self._refuse(request.request_id, request.salon_id, too_fast(retry_ms))
        else:
            self._sort_in(request.salon_id, request)

    def _sort_in(self, text: str, item: _Item) -> None:
        """Put the item into its salon's lane."""
        salon = salon_id(text)
        if isinstance(salon, Malformed):
            self._refuse_item(text[:_LONGEST_ECHO], item, malformed(salon))
            return
        self._under_way += 1
        lane = self._lanes.get(salon)
        if lane is None:
            self._lanes[salon] = [item]
            self._spawn(self._empty(salon))
        else:
            lane.append(item)

    # One salon's lane

    async def _empty(self, salon: SalonId) -> None:
        lane = self._lanes[salon]
        while lane:
            items = lane[:]
            lane.clear()
            for _, group in groupby(items, key=_is_command):
                await self._guarded(salon, list(group))
            self._under_way -= len(items)
            self._less.set()
        del self._lanes[salon]

    async def _guarded(self, salon: SalonId, items: list[_Item]) -> None:
        """Do what follows each other in a lane, all commands or none, and answer for a fault or a bug in it."""
        try:
            if _is_command(items[0]):
                await self._command(salon, items)
            else:
                await self._watch(salon, items)
            return
        except (LogFault, RedisError, OSError):
            refusal = recovering()
        except Exception as bug:  # noqa: BLE001 - a bug ends what it was asked, not the stream
            refusal = incident(_METHOD, bug)
        for item in items:
            self._refuse_item(salon, item, refusal)

    async def _command(self, salon: SalonId, requests: list[_Item]) -> None:
        answers = []
        sent: list[tuple[_Item, Envelope]] = []
        session = self._visitor.session
        for request in requests:
            read = self._desk.envelope(request, session, wants_view=False)
            refusal = (
                read if isinstance(read, Refusal) else await self._desk.shut_out(request, salon, session)
            )
            if isinstance(read, Envelope) and refusal is None:
                sent.append((request, read))
            else:
                answers.append(_answer(request.request_id, salon, refusal))
        if sent:
            done = await self._desk.send(salon, [envelope for _, envelope in sent])
            for (request, _), outcome in zip(sent, done, strict=True):
                answers.append(_answer(request.request_id, salon, outcome))
        for message in answers:
            self.outbox.put(answer(message))

    async def _watch(self, salon: SalonId, items: list[_Item]) -> None:
        """Watch from now on, anew or no longer: the last wish counts."""
        known = self._watchers.pop(salon, None)
        if known is not None:
            self._feed.unwatch(known)
        request = items[-1]
        if isinstance(request, _Unwatch):
            return
        if len(self._watchers) + self._coming >= MOST_WATCHED:
            self._refuse_item(salon, request, _too_many())
            return
        ticket = self._desk.ticket(self._visitor.session, salon, request.invitation_code)
        self._coming += 1
        try:
            watcher = await self._feed.watch(salon, ticket, self, resume=resume_of(request))
        finally:
            self._coming -= 1
        if isinstance(watcher, Refusal):
            self._refuse_item(salon, request, watcher)
        else:
            self._watchers[salon] = watcher

    # The feed's sink

    def update(self, update: bytes) -> None:
        """Send an update."""
        self.outbox.put(update)

    def ended(self, salon: SalonId, refusal: Refusal) -> None:  # noqa: ARG002 - its last update says why
        """Forget a watch that the feed has ended."""
        self._watchers.pop(salon, None)
        self._close_if_unused()

    # Refusing

    def _refuse_item(self, salon: str, item: _Item, refusal: Refusal) -> None:
        if _is_command(item):
            self._refuse(item.request_id, salon, refusal)
        elif isinstance(item, salon_pb2.WatchRequest):
            self.outbox.put(ended_update(SalonId(salon), Epoch(0), Seq(0), refusal))

    def _refuse(self, request_id: str, salon: str, refusal: Refusal) -> None:
        self.outbox.put(answer(_answer(request_id, salon[:_LONGEST_ECHO], refusal)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A task that broke ends the stream."""
        self._tasks.discard(task)
        bug = None if task.cancelled() else task.exception()
        if isinstance(bug, Exception):
            self.outbox.close(incident(_METHOD, bug))


def _is_command(item: _Item) -> bool:
    return not isinstance(item, salon_pb2.WatchRequest | _Unwatch)


def _answer(request_id: str, salon: str, outcome: Answer | Refusal | None) -> salon_pb2.Answer:
    """The answer to a command, from what the salon said or why it was not asked."""
    message = salon_pb2.Answer(request_id=request_id[:_LONGEST_ECHO], salon_id=salon)
    if isinstance(outcome, Accepted):
        message.epoch, message.seq = outcome.epoch, outcome.seq
        return message
    refusal = outcome if isinstance(outcome, Refusal) or outcome is None else refusal_of(outcome)
    if refusal is not None:
        message.refusal.CopyFrom(refusal)
    return message


def _too_many() -> Refusal:
    return refused(
        refusal_pb2.REASON_TOO_FAST,
        f"too many salons watched: at most {MOST_WATCHED} on one stream",
        max=MOST_WATCHED,
    )


def resume_of(request: salon_pb2.WatchRequest) -> tuple[Epoch, Seq] | None:
    """Where the caller stopped, if he says so."""
    if not request.HasField("resume"):
        return None
    return Epoch(request.resume.epoch), Seq(request.resume.after_seq)
