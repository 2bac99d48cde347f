"""Logs that a gateway cannot read: of a later version, which is no fault of the salon's, or torn."""

from typing import Any

import grpc
import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from cluster.envelope import Epoch
from cluster.journal.log import LogCorrupt, LogNewer
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.journal.stored import packed
from cluster.versions import KNOWN, Versions
from cluster.watching.admission import Ticket
from cluster.watching.feed import Feed
from cluster.watching.watched import Watcher
from croupier.v1 import refusal_pb2
from engine.record import SCHEMA_VERSION
from engine.units import PlayerId
from tests.cluster.chaining import ChainingJournal
from tests.cluster.log_writer import Writer
from tests.cluster.salons import SALON, join
from tests.gateway.parlour import Announced, Bell, Eyes, HandClock, Parlour, settled
from tests.gateway.test_door import ended

RECOVERING, QUARANTINED = refusal_pb2.REASON_RECOVERING, refusal_pb2.REASON_QUARANTINED
LATER = Versions(SCHEMA_VERSION + 1, KNOWN.rules)
EVE = Ticket(PlayerId("eve"))


class Archive:
    """A salon in Redis, and the feed of a gateway of this release."""

    def __init__(self, store: Redis) -> None:
        self.store = store
        self.writer = Writer(ChainingJournal(store))
        self.journal = Journal(store)
        self.bell = Bell()
        self.feed = Feed(self.journal, self.bell, HandClock(), Announced())

    async def watched(self) -> Eyes:
        await self.writer.begin()
        eyes = Eyes()
        assert isinstance(await self.feed.watch(SALON, EVE, eyes), Watcher)
        await self.settled()
        return eyes

    async def upgrade(self) -> None:
        """A host of a later release takes the salon."""
        await self.store.hset(key(SALON, "head"), "schema", str(LATER.schema))

    async def shrug(self) -> None:
        """A commit with an event that no release knows so far."""
        seq = self.writer.seq + 1
        place = f"{self.writer.epoch}-{seq}"
        await self.store.xadd(key(SALON, "log"), {"e": packed([["Shrug", 1]]), "t": 5}, id=place)
        await self.store.hset(key(SALON, "head"), "seq", str(seq))

    async def tear(self) -> None:
        """A snapshot that is no more what it was."""
        await self.store.lpush(key(SALON, "snap"), b"1-1:\xc1")

    async def settled(self) -> None:
        for _ in range(2):
            await self.feed.look_around()
            while self.feed._tasks:
                await settled()

    async def refused(self) -> refusal_pb2.Reason.ValueType:
        answer = await self.feed.watch(SALON, EVE, Eyes())
        assert isinstance(answer, refusal_pb2.Refusal)
        return answer.reason


@pytest.fixture
def archive(store: Redis) -> Archive:
    return Archive(store)


@pytest.mark.integration
@pytest.mark.parametrize("part", ["entry", "snapshot"])
@pytest.mark.parametrize("later", [True, False])
async def test_what_cannot_be_read_is_a_later_versions_or_corrupt(
    archive: Archive, part: str, later: bool
) -> None:
    await archive.writer.begin()
    await (archive.shrug() if part == "entry" else archive.tear())
    if later:
        await archive.upgrade()
    start: Any = (0, 0)
    with pytest.raises(LogNewer if later else LogCorrupt):
        await (archive.journal.read(SALON, start) if part == "entry" else archive.journal.snapshots(SALON))


@pytest.mark.integration
async def test_a_later_versions_salon_is_shown_as_far_as_it_can_be_read(archive: Archive) -> None:
    """Then its viewers are told to come back: to a gateway that was upgraded, this one for instance."""
    eyes = await archive.watched()
    await archive.writer.do(join("ann", 1))
    await archive.upgrade()
    await archive.settled()
    assert (eyes.kinds, eyes.seqs) == (["snapshot", "snapshot"], [1, 2])
    await archive.shrug()
    with capture_logs() as logs:
        await archive.settled()
    assert [line["event"] for line in logs] == ["feed_late"]
    assert eyes.end is not None
    assert (eyes.end.reason, eyes.end.retry_after_ms > 0) == (RECOVERING, True)
    assert (eyes.kinds[-1], eyes.seqs[-1]) == ("ended", 2)
    assert archive.bell.listeners == {}
    assert await archive.refused() == RECOVERING


@pytest.mark.integration
async def test_a_log_that_no_version_can_read_is_an_operators(archive: Archive) -> None:
    eyes = await archive.watched()
    await archive.shrug()
    with capture_logs() as logs:
        await archive.settled()
        assert await archive.refused() == QUARANTINED
    assert [line["event"] for line in logs] == ["feed_broke", "watch_refused"]
    assert eyes.end is not None
    assert (eyes.end.reason, eyes.end.retry_after_ms) == (QUARANTINED, 0)


@pytest.mark.parametrize(
    "error, reason",
    [(LogCorrupt("torn"), QUARANTINED), (LogNewer(Epoch(2000), "host:b", LATER, KNOWN), RECOVERING)],
    ids=["corrupt", "newer"],
)
async def test_whoever_comes_to_a_salon_that_cannot_be_read_is_told_why(
    error: Exception, reason: refusal_pb2.Reason.ValueType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so are those who watch it already, one of whom may read it on."""
    parlour = Parlour()
    await parlour.open(spectators=False)
    await parlour.seat("ann")
    eyes = await parlour.watch("ann")

    async def read(*_: object) -> None:
        raise error

    monkeypatch.setattr(parlour.journal, "read", read)
    with capture_logs():
        assert await parlour.refused("eve") == reason
        assert await parlour.refused("ann") == reason
    assert eyes.end is not None
    assert eyes.end.reason == reason
    assert parlour.bell.listeners == {}


async def test_a_call_that_needs_a_corrupt_log_has_no_bug() -> None:
    with capture_logs() as logs:
        context = await ended(LogCorrupt("salon s1: the log cannot be read"))
    assert context.status.code is grpc.StatusCode.UNAVAILABLE
    assert context.details()["ErrorInfo"].reason == "QUARANTINED"
    assert [(line["event"], line["why"]) for line in logs] == [
        ("log_corrupt", "salon s1: the log cannot be read")
    ]
