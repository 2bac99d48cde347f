"""Roads: how a player's commands and what he watches go to and fro, over one Play stream or by calls and Watches.

Law of this file: each command gets one definite answer, however many streams it takes, and is sent with the same
request_id each time. A watch resumes behind the last update that it brought.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

import grpc

from cluster.client import Pauses, refusal_of
from croupier.v1.refusal_pb2 import Refusal
from croupier.v1.salon_pb2 import Answer, PlayCommand, PlayRequest, PlayResponse, WatchRequest, WatchResponse
from croupier.v1.watch_pb2 import Resume, SalonUpdate
from tests.chaos.caller import SALON, Caller, Declined, is_definite
from tests.chaos.transcript import Kind

PATIENCE: Final = 4.0
"""Seconds that a command waits for its answer before its stream counts as dead."""
SILENCE: Final = 20.0
"""Seconds without a word, heartbeats included, after which a stream counts as dead."""
_TICK: Final = 0.5
_METHODS: Final = {
    "act": "Act",
    "join": "Join",
    "leave": "Leave",
    "sit_out": "SitOut",
    "sit_in": "SitIn",
    "top_up": "TopUp",
    "reveal": "Reveal",
    "add_bot": "AddBot",
    "remove_bot": "RemoveBot",
    "kick": "Kick",
}


class Hearer(Protocol):
    """Who goes over a road."""

    def see(self, update: SalonUpdate) -> None:
        """The next thing that a watched salon shows."""

    def answered(self, request_id: str, refusal: Refusal | None) -> None:
        """The definite answer to a command: None where it was done."""


class Road(Protocol):
    """A way to the salons and back."""

    @property
    def open(self) -> int:
        """Commands that have no definite answer yet."""
        ...

    def watch(self, request: WatchRequest) -> None:
        """Have a salon's updates come from now on."""

    def send(self, command: PlayCommand) -> None:
        """Have a command answered."""

    async def live(self) -> None:
        """Go on until cancelled."""


def request_in(command: PlayCommand) -> Any:
    """The request that a command carries, and what kind it is."""
    return getattr(command, kind_of(command))


def kind_of(command: PlayCommand) -> str:
    """Which request a command carries."""
    kind = command.WhichOneof("command")
    assert kind is not None, "an empty command"
    return kind


def method_of(command: PlayCommand) -> str:
    """The unary call that does what a command does."""
    return SALON + _METHODS[kind_of(command)]


class _Silence(Exception):
    """A stream brings nothing, and should."""


@asynccontextmanager
async def _opened(caller: Caller, method: str, request: bytes) -> AsyncIterator[tuple[Any, int]]:
    """A stream on a connection of its own, and its number. Whatever it ends with is written down, and no reason to give up."""
    door = caller.door
    channel = caller.connect(door)
    number = caller.transcript.begin(Kind.OPENED, method, request)
    call: Any = None
    try:
        if request:
            watch: Any = channel.unary_stream(SALON + method)
            call = watch(request, metadata=caller.metadata)
        else:
            call = channel.stream_stream(SALON + method)(metadata=caller.metadata)
        yield call, number
        caller.transcript.write(Kind.ENDED, number)
    except _Silence:
        caller.transcript.write(Kind.ENDED, number)
    except grpc.aio.AioRpcError as error:
        caller.transcript.fail(number, refusal_of(error))
    finally:
        if call is not None:
            call.cancel()
        await channel.close()
    caller.lost(door)


async def _read(call: Any, take: Callable[[bytes], None], overdue: Callable[[], bool]) -> None:
    """Have each of the stream's messages taken, until it ends. Raises _Silence where it is `overdue`, or silent for long."""
    heard = time.monotonic()

    async def every() -> None:
        nonlocal heard
        while (message := await call.read()) is not grpc.aio.EOF:
            heard = time.monotonic()
            take(message)

    reading = asyncio.create_task(every())
    try:
        while not reading.done():
            await asyncio.wait({reading}, timeout=_TICK)
            if overdue() or time.monotonic() > heard + SILENCE:
                raise _Silence
    finally:
        reading.cancel()
        await asyncio.wait({reading})
    reading.result()


@dataclass
class _Sent:
    """A command on its way."""

    wire: bytes
    at: float


class PlayRoad:
    """One Play stream after the other, each on a connection of its own."""

    def __init__(self, caller: Caller, hearer: Hearer) -> None:
        self._caller = caller
        self._hearer = hearer
        self._watches: dict[str, WatchRequest] = {}
        self._sent: dict[str, _Sent] = {}
        self._outbox: asyncio.Queue[bytes] = asyncio.Queue()

    @property
    def open(self) -> int:
        """See `Road`."""
        return len(self._sent)

    def watch(self, request: WatchRequest) -> None:
        """See `Road`."""
        self._watches[request.salon_id] = request
        self._outbox.put_nowait(PlayRequest(watch=[request]).SerializeToString())

    def send(self, command: PlayCommand) -> None:
        """See `Road`."""
        wire = PlayRequest(commands=[command]).SerializeToString()
        self._sent[request_in(command).request_id] = _Sent(wire, time.monotonic())
        self._outbox.put_nowait(wire)

    async def live(self) -> None:
        """See `Road`."""
        pauses = Pauses()
        while True:
            async with _opened(self._caller, "Play", b"") as (call, number):
                writing = asyncio.create_task(self._write(call, number))

                def take(message: bytes, number: int = number) -> None:
                    self._caller.transcript.write(Kind.SHOWN, number, message)
                    pauses.reset()
                    self._take(PlayResponse.FromString(message))

                try:
                    await _read(call, take, self._overdue)
                finally:
                    writing.cancel()
                    await asyncio.gather(writing, return_exceptions=True)
            await pauses.wait()

    async def _write(self, call: Any, number: int) -> None:
        """Say all that the last stream knew and did not answer, and then what comes. Ends with the stream."""
        self._outbox = asyncio.Queue()
        begin = PlayRequest(watch=self._watches.values())
        now = time.monotonic()
        for sent in self._sent.values():
            sent.at = now
            begin.MergeFromString(sent.wire)
        message = begin.SerializeToString()
        while True:
            self._caller.transcript.write(Kind.WROTE, number, message)
            await call.write(message)
            message = await self._outbox.get()
            while not self._outbox.empty():
                # Repeated fields of messages behind each other are one message's.
                message += self._outbox.get_nowait()

    def _overdue(self) -> bool:
        before = time.monotonic() - PATIENCE
        return any(sent.at < before for sent in self._sent.values())

    def _take(self, response: PlayResponse) -> None:
        for answer in response.answers:
            self._hear(answer)
        for update in response.updates:
            watch = self._watches[update.salon_id]
            if not update.HasField("ended"):
                watch.resume.epoch, watch.resume.after_seq = update.epoch, update.seq
                self._hearer.see(update)
            elif not is_definite(update.ended):
                pause = max(_TICK, update.ended.retry_after_ms / 1000)
                asyncio.get_running_loop().call_later(pause, self.watch, watch)

    def _hear(self, answer: Answer) -> None:
        sent = self._sent.get(answer.request_id)
        if sent is None:
            return
        refusal = answer.refusal if answer.HasField("refusal") else None
        if refusal is not None and not is_definite(refusal):
            pause = max(0.05, refusal.retry_after_ms / 1000)
            sent.at = time.monotonic() + pause
            asyncio.get_running_loop().call_later(pause, self._again, answer.request_id)
            return
        del self._sent[answer.request_id]
        self._hearer.answered(answer.request_id, refusal)

    def _again(self, request_id: str) -> None:
        sent = self._sent.get(request_id)
        if sent is not None:
            self._outbox.put_nowait(sent.wire)


class UnaryRoad:
    """Unary calls, and a Watch for each salon."""

    def __init__(self, caller: Caller, hearer: Hearer) -> None:
        self._caller = caller
        self._hearer = hearer
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: set[str] = set()

    @property
    def open(self) -> int:
        """See `Road`."""
        return len(self._open)

    def watch(self, request: WatchRequest) -> None:
        """See `Road`."""
        self._begin(self._watch(request))

    def send(self, command: PlayCommand) -> None:
        """See `Road`."""
        self._open.add(request_in(command).request_id)
        self._begin(self._send(command))

    async def live(self) -> None:
        """See `Road`."""
        try:
            while True:
                await asyncio.sleep(_TICK)
                for task in [task for task in self._tasks if task.done()]:
                    self._tasks.discard(task)
                    assert not task.cancelled(), "a connection was closed on which somebody waits"
                    task.result()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, work: Any) -> None:
        self._tasks.add(asyncio.create_task(work))

    async def _send(self, command: PlayCommand) -> None:
        request = request_in(command)
        refusal = None
        try:
            await self._caller.call(method_of(command), request.SerializeToString())
        except Declined as declined:
            refusal = declined.refusal
        self._open.discard(request.request_id)
        self._hearer.answered(request.request_id, refusal)

    async def _watch(self, request: WatchRequest) -> None:
        pauses = Pauses()
        while True:
            async with _opened(self._caller, "Watch", request.SerializeToString()) as (call, number):

                def take(message: bytes, number: int = number) -> None:
                    self._caller.transcript.write(Kind.SHOWN, number, message)
                    pauses.reset()
                    response = WatchResponse.FromString(message)
                    update = response.update
                    if response.HasField("update") and not update.HasField("ended"):
                        request.resume.CopyFrom(Resume(epoch=update.epoch, after_seq=update.seq))
                        self._hearer.see(update)

                await _read(call, take, lambda: False)
            await pauses.wait()
