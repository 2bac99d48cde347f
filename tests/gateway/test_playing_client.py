"""A client's Play stream on a gateway's, with no gRPC between them: what is asked for again, and what is not."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from cluster.client import Client
from cluster.envelope import SalonId
from cluster.gateway import errors, play
from cluster.gateway.desk import Desk
from cluster.gateway.limits import Buckets, Rate
from cluster.gateway.server import OPTIONS
from cluster.journal.log import Head, LogFault
from cluster.play_stream import PlayStream
from croupier.v1 import refusal_pb2
from croupier.v1.salon_pb2 import PlayRequest, PlayResponse
from croupier.v1.watch_pb2 import SalonUpdate
from tests.cluster.salons import SALON, join
from tests.gateway.parlour import SECRET, Parlour, settled
from tests.gateway.test_play_stream import ANN, command


class Line:
    """The stub of a gateway: each call is a stream of it, until it is cut."""

    def __init__(self, parlour: Parlour) -> None:
        self.parlour = parlour
        self.calls: list[Call] = []

    def Play(self, requests: AsyncIterator[PlayRequest], *, metadata: Any) -> "Call":
        del metadata
        self.calls.append(Call(self.parlour, requests))
        return self.calls[-1]

    @property
    def sent(self) -> list[PlayRequest]:
        """All that came from the client."""
        return [request for call in self.calls for request in call.sent]


class Call:
    """One stream."""

    def __init__(self, parlour: Parlour, requests: AsyncIterator[PlayRequest]) -> None:
        desk = Desk(parlour, parlour.feed, SECRET, parlour.clock)
        self.sent: list[PlayRequest] = []
        self.stream = play.SessionStream(desk, parlour.feed, ANN, Buckets(Rate(1, 10_000), lambda: 0.0))
        self.stream.begin(self._noted(requests))

    async def _noted(self, requests: AsyncIterator[PlayRequest]) -> AsyncIterator[PlayRequest]:
        async for request in requests:
            self.sent.append(request)
            yield request

    async def read(self) -> Any:
        message = await self.stream.outbox.take()
        return grpc.aio.EOF if message is None else PlayResponse.FromString(message)

    def cancel(self) -> None:
        self._closing = asyncio.create_task(self.stream.close())

    def cut(self) -> None:
        self.stream.outbox.close()


class Away:
    """A log that does not answer as often as it is told not to."""

    def __init__(self, parlour: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
        self.faults = 0
        self.faulted = asyncio.Event()
        self._head = parlour.journal.head
        monkeypatch.setattr(parlour.journal, "head", self.head)
        monkeypatch.setattr(errors, "RETRY_MS", 1)

    async def head(self, salon: SalonId) -> Head | None:
        if self.faults:
            self.faults -= 1
            self.faulted.set()
            raise LogFault("Redis is away")
        return await self._head(salon)


@pytest.fixture
async def line() -> Line:
    parlour = Parlour()
    await parlour.open()
    return Line(parlour)


def client_of(line: Line) -> Client:
    client = Client("127.0.0.1:1")
    client.salon = line  # type: ignore[assignment]  # the part of a stub that is used
    return client


async def test_a_watch_that_cannot_be_had_now_is_asked_for_again_where_it_stopped(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that is away for a moment while the stream is begun again costs a player nothing."""
    away = Away(line.parlour, monkeypatch)
    await line.parlour.seat("cid")
    async with asyncio.timeout(10), client_of(line) as client, PlayStream(client) as stream:
        away.faults = 2
        stream.watch(SALON)
        first = await stream.update()
        assert first.WhichOneof("content") == "snapshot"
        assert away.faults == 0
        away.faulted.clear()
        away.faults = 1
        line.calls[0].cut()
        await away.faulted.wait()
        await line.parlour.done(join("bob", 2))
        second = await stream.update()
        assert (second.WhichOneof("content"), second.seq) == ("commit", first.seq + 1)
    resumes = [watch.resume.after_seq for request in line.sent for watch in request.watch]
    assert resumes == [0, 0, 0, first.seq, first.seq]


async def test_a_watch_that_has_ended_for_good_is_told_of_once_and_not_asked_for_again(line: Line) -> None:
    async with asyncio.timeout(10), client_of(line) as client, PlayStream(client) as stream:
        stream.watch("nowhere")
        stream.watch(SALON)
        ended, snapshot = sorted(
            [await stream.update(), await stream.update()], key=lambda update: update.seq
        )
        assert ended.ended.reason == refusal_pb2.REASON_UNKNOWN_SALON
        assert snapshot.HasField("snapshot")
        line.calls[0].cut()
        await line.parlour.done(join("bob", 2))
        assert (await stream.update()).salon_id == SALON
    assert [watch.salon_id for request in line.calls[1].sent for watch in request.watch] == [SALON]


async def test_a_watch_that_was_taken_back_is_not_asked_for_again(line: Line) -> None:
    refusal = refusal_pb2.Refusal(reason=refusal_pb2.REASON_RECOVERING, retry_after_ms=1)
    async with client_of(line) as client:
        stream = PlayStream(client)
        for salon in ("taken back", "wanted"):
            stream.watch(salon)
            stream._take(PlayResponse(updates=[SalonUpdate(salon_id=salon, ended=refusal)]))
        stream.unwatch("taken back")
        asked = [await stream._outbox.get() for _ in range(4)]
    assert [watch.salon_id for watch in asked[3].watch] == ["wanted"]


async def test_no_message_of_a_stream_that_is_begun_again_is_larger_than_a_gateway_reads(line: Line) -> None:
    """It would be refused for good, and with it all that waits."""
    salons = [f"{number:032}" for number in range(1_000)]
    requests = [str(uuid.uuid4()) for _ in range(600)]
    async with client_of(line) as client:
        stream = PlayStream(client)
        for salon in salons:
            stream.watch(salon, invitation_code="c" * 26)
        sending = [
            asyncio.create_task(stream.send(command("join", salons[0], each, invitation_code="c" * 26)))
            for each in requests
        ]
        await settled()
        call = stream._begin()
        messages = [stream._outbox.get_nowait() for _ in range(stream._outbox.qsize())]
        await call.stream.close()
        for task in sending:
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)
    assert max(message.ByteSize() for message in messages) < dict(OPTIONS)["grpc.max_receive_message_length"]
    assert [watch.salon_id for message in messages for watch in message.watch] == salons
    assert [each.join.request_id for message in messages for each in message.commands] == requests


async def test_an_answer_that_could_not_be_told_from_another_is_not_waited_for(line: Line) -> None:
    async with asyncio.timeout(10), client_of(line) as client, PlayStream(client) as stream:
        with pytest.raises(ValueError, match="65 characters: at most 64"):
            await stream.send(command("join", SALON, "x" * 65))
        first = asyncio.create_task(stream.send(command("join", SALON, "r")))
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="request_id r is waiting"):
            await stream.send(command("join", SALON, "r"))
        assert (await first).refusal.reason == refusal_pb2.REASON_MALFORMED
        assert (await stream.send(command("join", SALON, "r"))).request_id == "r"
