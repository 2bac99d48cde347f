"""How the streams of a salon end, whether their client reads that or not."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest

from cluster.envelope import SalonId
from cluster.gateway import salon_service
from cluster.gateway.desk import Desk
from cluster.gateway.door import UNREADABLE
from cluster.gateway.doorman import VISITOR, Doorman, Visitor
from cluster.gateway.errors import Declined
from cluster.gateway.limits import Limits
from cluster.gateway.outbox import Streams
from cluster.gateway.salon_service import SalonService
from cluster.journal.log import Head
from cluster.sessions import Session
from croupier.v1 import refusal_pb2, salon_pb2
from engine.units import Millis, PlayerId
from tests.cluster.salons import SALON
from tests.gateway.parlour import SECRET, Parlour, settled

EVE = Visitor(Session(PlayerId("eve"), "Eve", Millis(9)), "mark", "token")


class Book:
    """Sessions that all count."""

    async def authenticate(self, token: str) -> Session | None:
        del token
        return EVE.session


class Reader:
    """A call's context whose client reads nothing before `reads` is set."""

    def __init__(self) -> None:
        self.reads = asyncio.Event()

    async def write(self, message: bytes) -> None:
        del message
        await self.reads.wait()


class Room:
    """The service over a parlour, and a client of its streams."""

    def __init__(self) -> None:
        self.parlour = Parlour()
        self.streams = Streams()
        self.doorman = Doorman(Book(), lambda: 0.0)
        self.reader = Reader()
        self.sent: asyncio.Queue[Any] = asyncio.Queue()
        desk = Desk(self.parlour, self.parlour.feed, SECRET, self.parlour.clock)
        self.service = SalonService(
            desk,
            self.parlour.feed,
            self.streams,
            log=self.parlour.journal,
            doorman=self.doorman,
            limits=Limits(),
        )

    def watch(self) -> "asyncio.Task[None]":
        VISITOR.set(EVE)
        return asyncio.create_task(self.service.Watch(salon_pb2.WatchRequest(salon_id=SALON), self.reader))

    def play(self) -> "asyncio.Task[None]":
        VISITOR.set(EVE)
        self.sent.put_nowait(salon_pb2.PlayRequest(watch=[salon_pb2.WatchRequest(salon_id=SALON)]))
        return asyncio.create_task(self.service.Play(self._requests(), self.reader))

    async def _requests(self) -> AsyncIterator[Any]:
        while True:
            yield await self.sent.get()

    async def ended(self, stream: "asyncio.Task[None]") -> refusal_pb2.Reason.ValueType | None:
        """What the stream ends with, None if well; and nothing of it is left."""
        async with asyncio.timeout(10):
            with suppress(Declined):
                await stream
        await settled()
        assert not self.streams.open()
        assert not self.parlour.bell.listeners
        refusal = stream.exception()
        return refusal.refusal.reason if isinstance(refusal, Declined) else None


@pytest.mark.parametrize("reason", [refusal_pb2.REASON_SIGN_IN_REQUIRED, None])
async def test_a_watch_whose_session_or_gateway_ends_before_the_log_was_read_ends_too(
    reason: refusal_pb2.Reason.ValueType | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, gate = Room(), asyncio.Event()
    await room.parlour.open()
    head = room.parlour.journal.head

    async def slow_head(salon: SalonId) -> Head | None:
        await gate.wait()
        return await head(salon)

    monkeypatch.setattr(room.parlour.journal, "head", slow_head)
    stream = room.watch()
    await settled()
    (_revoke if reason else _drain)(room)
    gate.set()
    room.reader.reads.set()
    assert await room.ended(stream) == reason


def _revoke(room: Room) -> None:
    room.doorman.revoked(b"mark")


def _break(room: Room) -> None:
    """The feed cannot show the salon any more."""
    refusal = refusal_pb2.Refusal(reason=refusal_pb2.REASON_QUARANTINED)
    room.parlour.feed._places[SALON].watched.end_all(refusal)


def _flood(room: Room) -> None:
    ((outbox, _),) = room.streams.open()
    while not outbox.closed:
        outbox.put(b"")


def _send_nonsense(room: Room) -> None:
    room.sent.put_nowait(UNREADABLE)


def _drain(room: Room) -> None:
    room.streams.drain()


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize(
    "begin, cause, reason",
    [
        (Room.watch, _revoke, refusal_pb2.REASON_SIGN_IN_REQUIRED),
        (Room.watch, _break, refusal_pb2.REASON_QUARANTINED),
        (Room.watch, _flood, refusal_pb2.REASON_RESYNC),
        (Room.watch, _drain, None),
        (Room.play, _revoke, refusal_pb2.REASON_SIGN_IN_REQUIRED),
        (Room.play, _send_nonsense, refusal_pb2.REASON_MALFORMED),
        (Room.play, _flood, refusal_pb2.REASON_RESYNC),
        (Room.play, _drain, None),
    ],
)
async def test_a_stream_ends_for_its_own_reason_whether_its_client_reads_or_not(
    begin: Callable[[Room], "asyncio.Task[None]"],
    cause: Callable[[Room], None],
    reason: refusal_pb2.Reason.ValueType | None,
    reads: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(salon_service, "UNREAD", 60.0 if reads else 0.01)
    room = Room()
    await room.parlour.open()
    stream = begin(room)
    await settled()
    assert room.streams.open()
    cause(room)
    await settled()
    assert not stream.done(), "a client may read the rest"
    if reads:
        room.reader.reads.set()
    elif reason is None:
        reason = refusal_pb2.REASON_RESYNC  # it ended well, and not all of it was read
    assert await room.ended(stream) == reason
