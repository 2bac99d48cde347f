"""What passivation leaves of a salon's log; in Redis and in memory alike."""

import pytest
from redis.asyncio import Redis

from cluster.envelope import Epoch, Seq
from cluster.journal.log import (
    HANDS_KEPT_FOR,
    Commit,
    Duplicate,
    Fenced,
    Gap,
    Passivated,
    Reply,
    WatchedNow,
    replay,
)
from cluster.journal.salon_keys import key
from engine.record import table_to_plain
from engine.table import Table
from engine.units import HandNumber, Millis, PlayerId
from engine.value import changed
from tests.cluster.chaining import ChainingJournal
from tests.cluster.log_writer import FullLog, Writer, bare, finished_hand, rest
from tests.cluster.salons import OWNER, SALON, join


async def test_a_passivated_salon_is_one_snapshot_and_nobodys(log: FullLog) -> None:
    writer = await Writer(log).begin()
    await writer.do(join("ann", 1), "sit")
    last = writer.seq
    first = Reply("sit", "d", last, writer.epoch, HandNumber(1))
    second = Reply("go", "d", last, writer.epoch, HandNumber(0))
    who = PlayerId("ann")
    assert await log.passivate(rest(writer, kept={who: [first]}, retired={OWNER: [second]})) == Passivated()
    loaded = await log.load(SALON)
    assert loaded is not None
    assert (loaded.head.host, loaded.head.seq, loaded.tail) == ("", last, ())
    assert loaded.replies == {who: [first], OWNER: [second]}
    assert table_to_plain(replay(loaded)) == table_to_plain(writer.table or Table())
    assert [each.seq for each in await log.snapshots(SALON)] == [last]
    assert await log.read(SALON, (Epoch(0), Seq(0))) == []
    await writer.take(writer.epoch, "host:b")
    await writer.do(join("bob", 2), "next")
    assert await log.append(bare(writer, last + 2, "sit")) == Duplicate(first.epoch, last)
    loaded = await log.load(SALON)
    assert loaded is not None
    assert [entry.seq for entry in loaded.tail] == [last + 1]
    assert [reply.request_id for reply in loaded.replies[who]] == ["sit", "next"]
    assert "bob" in replay(loaded).seat_of


async def test_a_passivation_is_fenced_and_follows_the_last_commit(log: FullLog) -> None:
    writer = await Writer(log).begin()
    old = writer.epoch
    await writer.do(join("ann", 1))
    assert await log.passivate(rest(writer, 1)) == Gap(Seq(2))
    await writer.take(old, "host:b")
    writer.epoch, new = old, writer.epoch
    assert await log.passivate(rest(writer)) == Fenced()
    head = await log.head(SALON)
    assert head is not None
    assert (head.host, head.epoch) == ("host:b", new)


@pytest.mark.integration
async def test_a_salon_that_is_watched_by_now_is_not_passivated(store: Redis) -> None:
    log = ChainingJournal(store)
    writer = await Writer(log).begin()
    await store.hset(key(SALON, "presence"), "gateway:a", "5")
    assert await log.passivate(rest(writer)) == WatchedNow()
    head = await log.head(SALON)
    assert head is not None
    assert head.host == "host:a"


@pytest.mark.integration
async def test_hands_are_kept_for_thirty_days(store: Redis) -> None:
    """By age when the salon is passivated, and all of them once none is played for so long."""
    log = ChainingJournal(store)
    writer = await Writer(log).begin()
    for number, at in enumerate((2_999, 2_999, 3_000, 2_000), 1):
        record = changed(finished_hand(number), at=Millis(at))
        await log.append(Commit(SALON, writer.epoch, Seq(1 + number), Millis(at), (), record=record))
        assert HANDS_KEPT_FOR - 60_000 < await store.pttl(key(SALON, "hands")) <= HANDS_KEPT_FOR
    await store.persist(key(SALON, "hands"))
    assert await log.passivate(rest(writer, 5)) == Passivated()
    assert await log.hands(SALON) == [4, 3]
    assert HANDS_KEPT_FOR - 60_000 < await store.pttl(key(SALON, "hands")) <= HANDS_KEPT_FOR
