"""Buckets, outboxes and sessions: what a gateway keeps of its callers, and for how long."""

import asyncio

import pytest

from cluster.gateway.doorman import REMEMBERED, Doorman
from cluster.gateway.errors import Declined
from cluster.gateway.limits import Buckets, Rate
from cluster.gateway.outbox import Outbox, Streams
from cluster.sessions import Session, fingerprint
from croupier.v1 import refusal_pb2, salon_pb2
from engine.units import Millis, PlayerId


def test_a_bucket_gives_its_burst_at_once_and_its_rate_after() -> None:
    now = [0.0]
    buckets = Buckets(Rate(2, 3), lambda: now[0])
    assert [buckets.take("ann") for _ in range(4)] == [0, 0, 0, 500]
    assert buckets.take("bob") == 0
    now[0] = 0.5
    assert [buckets.take("ann") for _ in range(2)] == [0, 500]
    now[0] = 100.0
    assert [buckets.take("ann") for _ in range(4)] == [0, 0, 0, 500]


class Book:
    """Sessions by hand."""

    def __init__(self) -> None:
        self.sessions = {"token": Session(PlayerId("ann"), "Ann", Millis(9))}
        self.asked = 0

    async def authenticate(self, token: str) -> Session | None:
        self.asked += 1
        return self.sessions.get(token)


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        (("authorization", "Bearer "),),
        (("authorization", "Basic token"),),
        (("authorization", "Bearer nobody"),),
        (("authorization", "Bearer " + "x" * 10_000),),
        (("Authorization-bin", b"Bearer token"),),
    ],
)
async def test_without_a_session_nobody_is_admitted(metadata: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(Declined) as declined:
        await Doorman(Book(), lambda: 0.0).admit(metadata)
    assert declined.value.refusal.reason == refusal_pb2.REASON_SIGN_IN_REQUIRED


async def test_a_session_is_remembered_for_five_seconds_and_forgotten_when_it_is_revoked() -> None:
    now = [0.0]
    book = Book()
    doorman = Doorman(book, lambda: now[0])
    visitor = await doorman.admit((("authorization", "bearer token"),))
    for _ in range(3):
        assert await doorman.admit((("authorization", "bearer token"),)) == visitor
    assert (visitor.session.player, book.asked) == ("ann", 1)
    del book.sessions["token"]
    now[0] = REMEMBERED - 0.1
    assert await doorman.visitor("token")
    now[0] = REMEMBERED
    assert await doorman.visitor("token") is None
    book.sessions["token"] = Session(PlayerId("ann"), "Ann", Millis(9))
    visitor = await doorman.admit((("authorization", "Bearer token"),))
    left = []
    forget = doorman.when_revoked(visitor, lambda: left.append("gone"))
    del book.sessions["token"]
    doorman.revoked(fingerprint("token").encode())
    assert left == ["gone"]
    assert await doorman.visitor("token") is None
    forget()
    doorman.revoked(fingerprint("token").encode())
    assert left == ["gone"]


async def test_what_waits_travels_together_up_to_a_size() -> None:
    outbox = Outbox(together=True)
    parts = [b"a" * 100_000, b"b" * 100_000, b"c" * 100_000, b"d"]
    for part in parts:
        outbox.put(part)
    first = await outbox.take()
    assert first == parts[0] + parts[1]
    assert await outbox.take() == parts[2] + parts[3]
    single = Outbox(together=False)
    single.put(b"a")
    single.put(b"b")
    assert [await single.take(), await single.take()] == [b"a", b"b"]


@pytest.mark.parametrize("part, most", [(b"", 16_384), (b"x" * (1 << 20), 4)])
async def test_an_outbox_that_is_not_read_ends_with_resync(part: bytes, most: int) -> None:
    outbox = Outbox(together=True)
    count = 0
    while not outbox.closed:
        outbox.put(part)
        count += 1
    assert count == most + 1
    with pytest.raises(Declined) as declined:
        await outbox.take()
    assert declined.value.refusal.reason == refusal_pb2.REASON_RESYNC


async def test_quiet_streams_get_a_heartbeat_and_busy_ones_none() -> None:
    streams, quiet, busy = Streams(), Outbox(together=True), Outbox(together=True)
    visitor = await Doorman(Book(), lambda: 0.0).admit((("authorization", "Bearer token"),))
    for outbox in (quiet, busy):
        streams.add(outbox, visitor)
    for at in (1, 2, 3):
        busy.put(b"")
        streams.beat(Millis(at))
    beat = await quiet.take()
    assert beat is not None
    assert salon_pb2.PlayResponse.FromString(beat).heartbeat.at_ms == 3
    assert salon_pb2.WatchResponse.FromString(beat).heartbeat.at_ms == 3
    for at in (4, 5):
        busy.put(b"")
        streams.beat(Millis(at))
    again = await quiet.take()
    assert again is not None
    assert salon_pb2.PlayResponse.FromString(again).heartbeat.at_ms == 5
    assert await busy.take() == b""


async def test_draining_is_the_last_word_of_every_stream_and_the_only_one_of_later_ones() -> None:
    streams, early, late = Streams(), Outbox(together=True), Outbox(together=True)
    visitor = await Doorman(Book(), lambda: 0.0).admit((("authorization", "Bearer token"),))
    streams.add(early, visitor)
    reading = asyncio.create_task(early.take())
    await asyncio.sleep(0)
    streams.drain()
    streams.add(late, visitor)
    early.put(b"too late")
    for message in (await reading, await late.take()):
        assert message is not None
        assert salon_pb2.WatchResponse.FromString(message).HasField("draining")
    assert [await early.take(), await late.take()] == [None, None]
