"""A client's streams: when one is begun again, and when the gateway counts as unreachable."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from cluster import client as client_module
from cluster.client import Client, Unreachable
from croupier.v1.refusal_pb2 import REASON_QUARANTINED, REASON_RECOVERING, Refusal
from croupier.v1.salon_pb2 import WatchRequest, WatchResponse
from croupier.v1.watch_pb2 import Commit, SalonUpdate


class Call:
    """A stream that brings so many messages, and then what `then` is: an end, or nothing ever."""

    def __init__(self, messages: int, then: Any = None) -> None:
        self.messages = messages
        self.then = then
        self.cancelled = False

    async def read(self) -> Any:
        if self.messages:
            self.messages -= 1
            return WatchResponse()
        if self.then is None:
            await asyncio.Event().wait()
        return self.then

    def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "SILENCE", 0.02)
    monkeypatch.setattr(client_module, "_FIRST_PAUSE", 0.001)
    monkeypatch.setattr(client_module, "_LONGEST_PAUSE", 0.001)


async def _heard(calls: list[Call], begin: Callable[[], Call], patience: float) -> int:
    """How many messages came before the gateway counted as unreachable."""

    def begun() -> Call:
        calls.append(begin())
        return calls[-1]

    count = 0
    async with asyncio.timeout(10), Client("127.0.0.1:1", patience=patience) as client:
        try:
            async for _ in client.stream(begun):
                count += 1
        except Unreachable:
            return count
    raise AssertionError("the stream ended well")


@pytest.mark.parametrize("then", [None, grpc.aio.EOF])
async def test_streams_that_bring_nothing_are_given_up_when_patience_is_over(then: Any) -> None:
    calls: list[Call] = []
    assert await _heard(calls, lambda: Call(0, then), patience=0.1) == 0
    assert len(calls) > 1
    assert all(call.cancelled for call in calls)


async def test_a_stream_that_falls_silent_is_begun_again_however_long_it_was_silent() -> None:
    """Silence is noticed later than patience lasts: it begins when there is no stream any more."""
    calls: list[Call] = []
    streams = iter([Call(2), Call(1), Call(1)])
    assert await _heard(calls, lambda: next(streams, Call(0)), patience=0.001) == 4
    assert len(calls) == 4


class Line:
    """The stub of a gateway whose streams bring these updates, and then break."""

    def __init__(self, *streams: list[SalonUpdate]) -> None:
        self._streams = list(streams)
        self.asked: list[WatchRequest] = []

    def Watch(self, request: WatchRequest, *, metadata: Any) -> "Line":
        del metadata
        self.asked.append(WatchRequest.FromString(request.SerializeToString()))
        self._updates = self._streams.pop(0)
        return self

    async def read(self) -> Any:
        return WatchResponse(update=self._updates.pop(0)) if self._updates else grpc.aio.EOF

    def cancel(self) -> None:
        pass


async def test_a_watch_that_ends_for_a_while_goes_on_where_it_was() -> None:
    shown = SalonUpdate(salon_id="s", epoch=7, seq=3, commit=Commit())
    away = SalonUpdate(salon_id="s", ended=Refusal(reason=REASON_RECOVERING, retry_after_ms=1))
    over = SalonUpdate(salon_id="s", ended=Refusal(reason=REASON_QUARANTINED))
    line = Line([shown, away], [over])
    async with asyncio.timeout(10), Client("127.0.0.1:1") as client:
        client.salon = line  # type: ignore[assignment]  # the part of a stub that is used
        assert [update async for update in client.watch("s")] == [shown, over]
    assert [(asked.resume.epoch, asked.resume.after_seq) for asked in line.asked] == [(0, 0), (7, 3)]
