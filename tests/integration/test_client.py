"""The client against a gateway that breaks: calls are sent again as they are, streams resume where they broke."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]  # ships no types
from grpc_status import rpc_status

from cluster.client import Client, RefusedCall, Unreachable
from cluster.play_stream import PlayStream
from croupier.v1 import salon_pb2_grpc, session_pb2_grpc
from croupier.v1.refusal_pb2 import REASON_NAME_REFUSED, REASON_RECOVERING, REASON_UNKNOWN_SALON, Refusal
from croupier.v1.salon_pb2 import (
    ActRequest,
    Answer,
    PlayCommand,
    PlayRequest,
    PlayResponse,
    WatchRequest,
    WatchResponse,
)
from croupier.v1.session_pb2 import SignInGuestRequest, SignInGuestResponse
from croupier.v1.watch_pb2 import Draining, Heartbeat, SalonUpdate

pytestmark = pytest.mark.integration


async def abort(context: Any, code: grpc.StatusCode, refusal: Refusal) -> None:
    detail = AnyMessage()
    detail.Pack(refusal)
    status = Status(code=code.value[0], message=refusal.text, details=[detail])
    await context.abort_with_status(rpc_status.to_status(status))


class Gateway(session_pb2_grpc.SessionServiceServicer, salon_pb2_grpc.SalonServiceServicer):
    """A gateway whose streams break after each update, and which remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.failures = 0
        self.bare_failure: tuple[grpc.StatusCode, str] | None = None
        """How a failure ends the call, where it is not by a refusal."""

    async def SignInGuest(self, request: SignInGuestRequest, context: Any) -> SignInGuestResponse:
        self.asked.append(request)
        if request.name == "bad":
            await abort(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                Refusal(reason=REASON_NAME_REFUSED, text="name refused"),
            )
        if self.failures:
            self.failures -= 1
            if self.bare_failure:
                await context.abort(*self.bare_failure)
            refusal = Refusal(reason=REASON_RECOVERING, text="recovering", retry_after_ms=1)
            await abort(context, grpc.StatusCode.UNAVAILABLE, refusal)
        return SignInGuestResponse(token="t", player_id="p", name=request.name)

    async def Watch(self, request: WatchRequest, context: Any) -> AsyncIterator[WatchResponse]:
        self.asked.append(WatchRequest.FromString(request.SerializeToString()))
        if request.salon_id == "none":
            refusal = Refusal(reason=REASON_UNKNOWN_SALON, text="no such salon")
            await abort(context, grpc.StatusCode.NOT_FOUND, refusal)
        seq = request.resume.after_seq + 1
        if seq > 3:
            ended = SalonUpdate(salon_id="s", epoch=9, seq=3, ended=Refusal(text="over"))
            yield WatchResponse(update=ended)
            return
        yield WatchResponse(heartbeat=Heartbeat())
        yield WatchResponse(update=SalonUpdate(salon_id="s", epoch=9, seq=seq))
        if seq == 2:
            yield WatchResponse(draining=Draining())
            return
        await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    async def Play(self, requests: AsyncIterator[PlayRequest], context: Any) -> AsyncIterator[PlayResponse]:
        """The first stream takes a command and breaks without an answer; the next one answers."""
        async for request in requests:
            self.asked.append(request)
            for watch in request.watch:
                seq = watch.resume.after_seq + 1
                yield PlayResponse(updates=[SalonUpdate(salon_id=watch.salon_id, epoch=9, seq=seq)])
            for command in request.commands:
                if self.failures:
                    self.failures -= 1
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
                yield PlayResponse(answers=[Answer(request_id=command.act.request_id, epoch=9, seq=7)])


@pytest.fixture
async def gateway() -> AsyncIterator[tuple[Gateway, str]]:
    fake = Gateway()  # type: ignore[abstract]  # the rest of the calls are not used here
    server = grpc.aio.server()
    session_pb2_grpc.add_SessionServiceServicer_to_server(fake, server)
    salon_pb2_grpc.add_SalonServiceServicer_to_server(fake, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield fake, f"127.0.0.1:{port}"
    await server.stop(0)


async def test_call_is_sent_again_with_the_same_request_id(gateway: tuple[Gateway, str]) -> None:
    fake, address = gateway
    fake.failures = 2
    async with Client(address) as client:
        assert (await client.sign_in("Ada", "r-1")).token == "t"
        assert client.metadata == (("authorization", "Bearer t"),)
    assert [request.request_id for request in fake.asked] == ["r-1"] * 3


async def test_refusal_comes_as_itself_and_is_not_tried_again(gateway: tuple[Gateway, str]) -> None:
    fake, address = gateway
    async with Client(address) as client:
        with pytest.raises(RefusedCall, match="name refused") as caught:
            await client.sign_in("bad", "r-1")
    assert caught.value.reason == "NAME_REFUSED"
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    "said, shown",
    [
        ((grpc.StatusCode.UNAVAILABLE, "gone"), r"no gateway at \S+ \(gone\): start one with `croupier up`"),
        (
            (grpc.StatusCode.DEADLINE_EXCEEDED, "late"),
            r"the gateway at \S+ has not answered in 1 s: try again",
        ),
        (None, r"the gateway at \S+ cannot do it now: recovering"),
    ],
)
async def test_patience_ends_with_what_to_do_about_it(
    gateway: tuple[Gateway, str], said: tuple[grpc.StatusCode, str] | None, shown: str
) -> None:
    fake, address = gateway
    fake.failures, fake.bare_failure = 10_000, said
    async with Client(address, patience=0.6) as client:
        with pytest.raises(Unreachable, match=shown):
            await client.sign_in("Ada", "r-1")
    assert len(fake.asked) > 1


async def test_watch_resumes_after_what_it_has_seen(gateway: tuple[Gateway, str]) -> None:
    """Whether the stream breaks or the gateway drains."""
    fake, address = gateway
    async with Client(address) as client:
        updates = [update async for update in client.watch("s")]
    assert [update.seq for update in updates] == [1, 2, 3, 3]
    assert updates[-1].ended.text == "over"
    assert [request.resume.after_seq for request in fake.asked] == [0, 1, 2, 3]
    assert not fake.asked[0].HasField("resume")
    assert fake.asked[1].resume.epoch == 9


async def test_watch_of_what_may_not_be_watched_is_refused(gateway: tuple[Gateway, str]) -> None:
    async with Client(gateway[1]) as client:
        with pytest.raises(RefusedCall, match="no such salon"):
            await anext(client.watch("none"))


async def test_command_without_answer_goes_again_on_the_next_stream(gateway: tuple[Gateway, str]) -> None:
    fake, address = gateway
    async with Client(address) as client, PlayStream(client) as stream:
        stream.watch("s")
        assert (await stream.update()).seq == 1
        fake.failures = 1
        command = PlayCommand(act=ActRequest(request_id="r-1", salon_id="s"))
        answer = await asyncio.wait_for(stream.send(command), 20)
        assert answer.seq == 7
        assert (await stream.update()).seq == 2
    sent = [command.act.request_id for request in fake.asked for command in request.commands]
    assert sent == ["r-1", "r-1"]
    assert [watch.resume.after_seq for request in fake.asked for watch in request.watch][-1] == 1


class OneMessage:
    """A stream whose one message comes when the test says so; after it there is silence."""

    def __init__(self) -> None:
        self.message: asyncio.Future[PlayResponse] = asyncio.get_running_loop().create_future()
        self._asked = False
        self.cancelled = False

    async def read(self) -> PlayResponse:
        if self._asked:
            await asyncio.Event().wait()
        self._asked = True
        return await self.message

    def cancel(self) -> None:
        self.cancelled = True


async def test_reader_that_is_cancelled_together_with_a_message_ends() -> None:
    """Else whoever closes a stream of a busy salon would now and then wait for ever."""
    call = OneMessage()
    async with Client("127.0.0.1:1") as client:

        async def read_all() -> None:
            async for _ in client.stream(lambda: call):
                pass

        reader = asyncio.create_task(read_all())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        call.message.set_result(PlayResponse())
        await asyncio.sleep(0)
        reader.cancel()
        done, _ = await asyncio.wait({reader}, timeout=5)
        reader.cancel()
    assert done
    assert reader.cancelled()
