"""A gateway's upkeep: what it does by itself for its streams, whatever else does not answer."""

import asyncio
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import RedisError

from cluster.gateway import server
from cluster.gateway.doorman import Visitor
from cluster.gateway.errors import Declined
from cluster.gateway.outbox import Outbox, Streams
from cluster.gateway.server import Gateway
from cluster.sessions import Session
from croupier.v1 import refusal_pb2, salon_pb2
from engine.units import Millis, PlayerId
from tests.gateway.parlour import HandClock


async def nothing() -> None:
    """Work that is done at once."""


class Sessions:
    """A doorman who knows the tokens in `counting`, and answers when `gate` is open."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.counting: set[str] = set()
        self.error: Exception | None = None
        self.asked = self.most = 0

    async def visitor(self, token: str) -> Visitor | None:
        self.asked += 1
        self.most = max(self.most, self.asked)
        await asyncio.sleep(0)
        await self.gate.wait()
        self.asked -= 1
        if self.error is not None:
            raise self.error
        return visitor(token) if token in self.counting else None


def visitor(token: str) -> Visitor:
    return Visitor(Session(PlayerId(token), token, Millis(9)), token, token)


def gateway(sessions: Sessions) -> Gateway:
    """A gateway with nothing to do but for its streams."""
    idle: Any = SimpleNamespace(run=nothing, synchronise=nothing, now=HandClock().now)
    parts = dict.fromkeys((field.name for field in fields(Gateway)), idle)
    return Gateway(**{**parts, "streams": Streams(), "doorman": sessions})


async def test_a_doorman_who_does_not_answer_delays_no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """watch.proto promises a word every 15 seconds, and clients reconnect together after 40 without."""
    monkeypatch.setattr(server, "_BEAT_EVERY", 0.001)
    monkeypatch.setattr(server, "_SESSIONS_EVERY", 0.001)
    sessions = Sessions()
    sessions.gate.clear()
    here, outbox = gateway(sessions), Outbox(together=False)
    here.streams.add(outbox, visitor("ann"))
    upkeep = [asyncio.create_task(work) for work in here.upkeep()]
    async with asyncio.timeout(10):
        for _ in range(5):
            message = await outbox.take()
            assert message is not None
            assert salon_pb2.WatchResponse.FromString(message).HasField("heartbeat")
    assert sessions.asked == 1
    for task in upkeep:
        task.cancel()
    await asyncio.gather(*upkeep, return_exceptions=True)


async def test_streams_whose_session_has_ended_unheard_end_and_not_all_sessions_are_asked_for_at_once() -> (
    None
):
    sessions = Sessions()
    here = gateway(sessions)
    outboxes = {f"player-{number}": Outbox(together=True) for number in range(100)}
    for token, outbox in outboxes.items():
        here.streams.add(outbox, visitor(token))
    sessions.counting = set(outboxes) - {"player-7", "player-99"}
    await here.check_sessions()
    assert {token for token, outbox in outboxes.items() if outbox.closed} == {"player-7", "player-99"}
    assert sessions.most == 32
    with pytest.raises(Declined) as declined:
        await outboxes["player-99"].take()
    assert declined.value.refusal.reason == refusal_pb2.REASON_SIGN_IN_REQUIRED


async def test_no_stream_ends_because_sessions_cannot_be_asked_for() -> None:
    sessions = Sessions()
    sessions.error = RedisError("gone")
    here, outbox = gateway(sessions), Outbox(together=True)
    here.streams.add(outbox, visitor("ann"))
    with pytest.raises(RedisError):
        await here.check_sessions()
    assert not outbox.closed
