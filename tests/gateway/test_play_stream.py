"""Play: commands of one salon in their order, salons apart, and no refusal or bug that ends the stream."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from structlog.testing import capture_logs

from cluster.envelope import Answer, Envelope, SalonId
from cluster.gateway import play
from cluster.gateway.desk import Desk
from cluster.gateway.door import UNREADABLE
from cluster.gateway.doorman import Visitor
from cluster.gateway.errors import Declined
from cluster.gateway.limits import Buckets, Rate
from cluster.gateway.outbox import Outbox
from cluster.gateway.play import MOST_UNDER_WAY, SessionStream
from cluster.journal.log import LogFault
from cluster.sessions import Session
from croupier.v1 import refusal_pb2, salon_pb2, watch_pb2
from engine.commands import Leave
from engine.units import Millis, PlayerId
from tests.gateway.parlour import SECRET, Parlour, settled

SLOW = SalonId("slow")
ANN = Visitor(Session(PlayerId("ann"), "Ann", Millis(9)), "mark", "token")


class Client:
    """A Play stream without gRPC: what is sent goes in, what comes out is sorted."""

    def __init__(self, parlour: Parlour, directory: Any = None, commands: Buckets | None = None) -> None:
        desk = Desk(directory or parlour, parlour.feed, SECRET, parlour.clock)
        buckets = commands or Buckets(Rate(1, 10_000), lambda: 0.0)
        self.stream = SessionStream(desk, parlour.feed, ANN, buckets)
        self._requests: asyncio.Queue[Any] = asyncio.Queue()
        self.stream.begin(self._sent())
        self.answers: list[salon_pb2.Answer] = []
        self.updates: list[watch_pb2.SalonUpdate] = []

    async def _sent(self) -> AsyncIterator[salon_pb2.PlayRequest]:
        while (request := await self._requests.get()) is not None:
            yield request

    def send(self, *commands: salon_pb2.PlayCommand, **more: Any) -> None:
        self._requests.put_nowait(salon_pb2.PlayRequest(commands=commands, **more))

    def half_close(self) -> None:
        self._requests.put_nowait(None)

    async def take(self) -> bool:
        """Sort the next message in; False where the stream has ended."""
        message = await self.stream.outbox.take()
        if message is not None:
            response = salon_pb2.PlayResponse.FromString(message)
            self.answers += response.answers
            self.updates += response.updates
        return message is not None

    async def answered(self, count: int) -> list[salon_pb2.Answer]:
        while len(self.answers) < count:
            assert await self.take()
        return self.answers


def command(name: str, salon: str, request_id: str = "", **fields: Any) -> salon_pb2.PlayCommand:
    kinds: dict[str, Any] = {
        "join": salon_pb2.JoinRequest,
        "leave": salon_pb2.LeaveRequest,
        "sit_out": salon_pb2.SitOutRequest,
    }
    request = kinds[name](request_id=request_id or str(uuid.uuid4()), salon_id=salon, **fields)
    return salon_pb2.PlayCommand(**{name: request})


async def test_commands_of_one_message_are_done_in_their_order() -> None:
    parlour = Parlour()
    salon = await parlour.open()
    client = Client(parlour)
    sent = [command("join", salon, seat=2), command("leave", salon), command("join", salon, seat=3)]
    client.send(*sent)
    answers = await client.answered(3)
    assert [answer.seq for answer in answers] == [2, 3, 4]
    assert parlour.table().seat_of == {"ann": 3}
    await client.stream.close()


async def test_each_command_gets_its_own_answer_refused_or_not() -> None:
    parlour = Parlour()
    salon = await parlour.open()
    client = Client(parlour)
    client.send(
        command("leave", salon, request_id="0f8fad5b-d9cb-469f-a165-70867728950e"),
        command("join", salon, request_id="x" * 1_000),
        command("join", "../etc"),
        salon_pb2.PlayCommand(),
        command("join", "nowhere"),
        command("join", salon),
    )
    answers = await client.answered(6)
    reasons = sorted(answer.refusal.reason for answer in answers)
    assert reasons == sorted(
        [
            refusal_pb2.REASON_UNSPECIFIED,
            refusal_pb2.REASON_NOT_SEATED,
            refusal_pb2.REASON_MALFORMED,
            refusal_pb2.REASON_MALFORMED,
            refusal_pb2.REASON_MALFORMED,
            refusal_pb2.REASON_UNKNOWN_SALON,
        ]
    )
    assert all(len(answer.request_id) <= 64 for answer in answers)
    await client.stream.close()


class Gated:
    """A directory one of whose salons takes as long as a test wants, and may fail."""

    def __init__(self, parlour: Parlour) -> None:
        self.parlour = parlour
        self.gate = asyncio.Event()
        self.error: Exception | None = None
        self.calls: list[list[str]] = []

    async def call(
        self, salon: SalonId, envelopes: Sequence[Envelope], *, patience: float = 10.0
    ) -> list[Answer]:
        del patience
        self.calls.append([type(envelope.command).__name__ for envelope in envelopes])
        if salon == SLOW:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return await self.parlour.call(salon, envelopes)


async def test_a_slow_salon_does_not_hold_up_another_and_gets_what_came_meanwhile_at_once() -> None:
    parlour = Parlour()
    quick = await parlour.open()
    await parlour.open(salon=SLOW)
    directory = Gated(parlour)
    client = Client(parlour, directory)
    client.send(command("join", SLOW), command("join", quick))
    assert [answer.salon_id for answer in await client.answered(1)] == [quick]
    client.send(command("sit_out", SLOW))
    client.send(command("leave", SLOW), command("leave", quick))
    await client.answered(2)
    directory.gate.set()
    answers = await client.answered(5)
    assert [answer.salon_id for answer in answers[2:]] == [SLOW] * 3
    assert directory.calls == [["Join"], ["Join"], ["Leave"], ["SitOut", "Leave"]]
    await client.stream.close()


@pytest.mark.parametrize(
    "error, reason",
    [
        (LogFault("Redis is gone"), refusal_pb2.REASON_RECOVERING),
        (ValueError("As Kd"), refusal_pb2.REASON_FAULT),
    ],
)
async def test_a_fault_or_a_bug_answers_its_commands_and_the_stream_goes_on(
    error: Exception, reason: refusal_pb2.Reason.ValueType
) -> None:
    parlour = Parlour()
    salon = await parlour.open()
    directory = Gated(parlour)
    directory.error = error
    client = Client(parlour, directory)
    with capture_logs() as logs:
        client.send(command("join", salon), command("leave", salon))
        answers = await client.answered(2)
    assert [answer.refusal.reason for answer in answers] == [reason, reason]
    assert "As Kd" not in str(logs) + str(answers)
    directory.error = None
    client.send(command("join", salon))
    assert (await client.answered(3))[-1].seq == 2
    await client.stream.close()


async def test_commands_over_the_limit_are_refused_with_a_time_to_wait() -> None:
    parlour = Parlour()
    salon = await parlour.open()
    client = Client(parlour, commands=Buckets(Rate(1, 1), lambda: 0.0))
    client.send(command("join", salon), command("leave", salon))
    answers = {answer.refusal.reason: answer for answer in await client.answered(2)}
    assert answers[refusal_pb2.REASON_TOO_FAST].refusal.retry_after_ms == 1_000
    assert answers[refusal_pb2.REASON_UNSPECIFIED].seq == 2
    await client.stream.close()


async def test_watches_are_paid_for_as_commands_are() -> None:
    """One message holds thousands of them."""
    parlour = Parlour()
    salon = await parlour.open()
    client = Client(parlour, commands=Buckets(Rate(1, 2), lambda: 0.0))
    client.send(command("join", salon), watch=[salon_pb2.WatchRequest(salon_id=salon)] * 2)
    await client.answered(1)
    while len(client.updates) < 1:
        await client.take()
    client.send(watch=[salon_pb2.WatchRequest(salon_id="x" * 10_000)])
    while client.updates[-1].WhichOneof("content") != "ended":
        await client.take()
    assert client.answers[0].refusal.reason == refusal_pb2.REASON_TOO_FAST
    refusal = client.updates[-1].ended
    assert (refusal.reason, refusal.retry_after_ms) == (refusal_pb2.REASON_TOO_FAST, 1_000)
    assert len(client.updates[-1].salon_id) == 64
    await client.stream.close()


async def test_a_stream_is_read_no_further_than_its_answers_allow() -> None:
    parlour = Parlour()
    await parlour.open(salon=SLOW)
    directory = Gated(parlour)
    client = Client(parlour, directory)
    for _ in range(3):
        client.send(*(command("sit_out", SLOW) for _ in range(MOST_UNDER_WAY)))
    for _ in range(20):
        await asyncio.sleep(0)
    assert client._requests.qsize() == 2
    directory.gate.set()
    assert len(await client.answered(3 * MOST_UNDER_WAY)) == 3 * MOST_UNDER_WAY
    await client.stream.close()


async def test_watches_are_shown_resumed_and_ended_on_the_one_stream() -> None:
    parlour = Parlour()
    salon = await parlour.open()
    client = Client(parlour)
    client.send(watch=[salon_pb2.WatchRequest(salon_id=salon)])
    while not client.updates:
        await client.take()
    first = client.updates[0]
    assert first.WhichOneof("content") == "snapshot"
    client.send(command("join", salon), unwatch=[salon])
    await client.answered(1)
    resume = watch_pb2.Resume(epoch=first.epoch, after_seq=first.seq)
    client.send(watch=[salon_pb2.WatchRequest(salon_id=salon, resume=resume)])
    client.send(watch=[salon_pb2.WatchRequest(salon_id="nowhere"), salon_pb2.WatchRequest(salon_id="!")])
    while len(client.updates) < 4:
        await client.take()
    ended = [update.ended.reason for update in client.updates if update.HasField("ended")]
    assert ended == [refusal_pb2.REASON_MALFORMED, refusal_pb2.REASON_UNKNOWN_SALON]
    assert parlour.table().seat_of["ann"] == 1  # type: ignore[index]  # a player's id is a string
    await client.stream.close()
    assert parlour.bell.listeners == {}


async def test_watches_asked_for_together_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "MOST_WATCHED", 2)
    parlour = Parlour()
    salons = [await parlour.open(salon=SalonId(f"s{number}")) for number in range(4)]
    client = Client(parlour)
    client.send(watch=[salon_pb2.WatchRequest(salon_id=salon) for salon in salons])
    while len(client.updates) < 4:
        await client.take()
    content = [update.WhichOneof("content") for update in client.updates]
    assert (content.count("snapshot"), content.count("ended")) == (2, 2)
    await client.stream.close()


async def test_bytes_that_are_no_message_end_the_stream_as_the_callers_fault() -> None:
    client = Client(Parlour())
    client._requests.put_nowait(UNREADABLE)
    with pytest.raises(Declined) as ended:
        await client.take()
    assert ended.value.refusal.reason == refusal_pb2.REASON_MALFORMED
    await client.stream.close()


async def test_a_client_that_only_sends_commands_may_close_its_half() -> None:
    parlour = Parlour()
    salon = await parlour.open()
    client = Client(parlour)
    client.send(command("join", salon))
    client.half_close()
    while await client.take():
        pass
    assert [answer.seq for answer in client.answers] == [2]
    await client.stream.close()


async def test_a_stream_whose_half_is_closed_ends_with_its_last_watch() -> None:
    parlour = Parlour()
    salon = await parlour.open(spectators=False)
    await parlour.seat("ann")
    client = Client(parlour)
    client.send(watch=[salon_pb2.WatchRequest(salon_id=salon)])
    client.half_close()
    while not client.updates:
        await client.take()
    await settled()
    assert not client.stream.outbox.closed
    await parlour.done(Leave(PlayerId("ann")))
    async with asyncio.timeout(10):
        while await client.take():
            pass
    assert client.updates[-1].ended.reason == refusal_pb2.REASON_NO_SPECTATORS
    await client.stream.close()


async def test_a_salon_by_invitation_is_joined_with_its_code_alone() -> None:
    parlour = Parlour()
    salon = await parlour.open(visibility="invitation")
    client = Client(parlour)
    client.send(command("join", salon), command("join", salon, invitation_code="wrong"))
    answers = await client.answered(2)
    assert {answer.refusal.reason for answer in answers} == {refusal_pb2.REASON_CODE_REQUIRED}
    client.send(command("join", salon, invitation_code=SECRET.invitation(salon)))
    assert (await client.answered(3))[-1].seq == 2
    assert parlour.table().seat_of == {"ann": 1}
    await client.stream.close()


async def test_what_comes_in_one_turn_of_the_loop_travels_together() -> None:
    outbox = Outbox(together=True)
    message = asyncio.create_task(outbox.take())
    await asyncio.sleep(0)
    outbox.put(b"an answer, ")
    asyncio.get_running_loop().call_soon(outbox.put, b"and its update")
    assert await message == b"an answer, and its update"
