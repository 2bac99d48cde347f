"""The contract of a salon's log, held by Redis and by its twin in memory alike: who writes what comes next."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import (
    Activated,
    Appended,
    Duplicate,
    Fenced,
    Fold,
    Gap,
    LogCorrupt,
    Lost,
    Reply,
    Reused,
    replay,
)
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import channel
from engine.cards import FULL_DECK
from engine.commands import StartHand
from engine.events import DeckShuffled, HoleCardsDealt
from engine.record import table_to_plain
from engine.value import changed
from tests.cluster.chaining import ChainingJournal
from tests.cluster.log_writer import FullLog, Writer, bare, replay_events
from tests.cluster.salons import SALON, join, opening


async def test_a_log_is_begun_once(log: FullLog) -> None:
    first = opening()
    began = await log.create(first)
    assert isinstance(began, Appended)
    assert await log.create(first) == Duplicate(began.epoch, Seq(1))
    assert await log.create(opening(seats=4)) == Reused()


async def test_a_log_may_begin_with_its_table_alone(log: FullLog) -> None:
    """As a passivated salon's: it goes on as one whose first entry is there."""
    first = opening()
    table = replay_events(first)
    folded = changed(first, fold=Fold(table, keep=1, whole=False))
    began = await log.create(folded)
    assert isinstance(began, Appended)
    assert await log.create(folded) == Duplicate(began.epoch, Seq(1))
    assert await log.create(opening(seats=4)) == Reused()
    loaded = await log.load(SALON)
    assert loaded is not None
    assert (loaded.head.seq, loaded.head.host, loaded.tail, loaded.loss) == (1, "", (), None)
    assert table_to_plain(replay(loaded)) == table_to_plain(table)
    status = await log.status(SALON, first.player, first.request_id)
    assert status is not None
    assert status.done == Reply(first.request_id, first.digest, Seq(1), began.epoch)
    writer = Writer(log)
    writer.table = table
    await writer.take(began.epoch, "host:a")
    await writer.do(join("ann", 1), "r1")
    assert [entry.seq for entry in await log.read(SALON, (began.epoch, Seq(1)))] == [2]


async def test_activation_is_a_compare_and_set(log: FullLog) -> None:
    began = await log.create(opening())
    assert isinstance(began, Appended)
    won = await log.activate(SALON, began.epoch, "host:a")
    assert isinstance(won, Activated)
    assert won.epoch > began.epoch
    assert await log.activate(SALON, began.epoch, "host:b") == Lost()
    head = await log.head(SALON)
    assert head is not None
    assert (head.host, head.epoch, head.seq, head.opened_at) == ("host:a", won.epoch, 1, 1_000)


@pytest.mark.parametrize("made, lost", [(1, 0), (2, 0), (4, 2)])
async def test_who_activates_a_log_that_lost_its_end_may_know(log: FullLog, made: int, lost: int) -> None:
    """Also where whoever took it up last knew more."""
    writer = await Writer(log).begin()
    await writer.do(join("bob", 2), "sit")
    for known in (made, 1):
        activated = await log.activate(SALON, writer.epoch, "host:b", made=Seq(known))
        assert isinstance(activated, Activated)
        writer.epoch = activated.epoch
    loaded = await log.load(SALON)
    assert loaded is not None
    assert (loaded.loss.commits if loaded.loss else 0) == lost
    assert await log.note_loss(SALON, writer.epoch, Seq(7))
    assert not await log.note_loss(SALON, Epoch(writer.epoch - 1), Seq(9))
    loaded = await log.load(SALON)
    assert loaded is not None
    assert loaded.loss is not None
    assert (loaded.loss.commits, loaded.loss.last, loaded.head.seq) == (5, 7, 2)


async def test_an_unknown_salon_has_no_head(log: FullLog) -> None:
    assert await log.head(SALON) is None
    assert await log.load(SALON) is None
    assert await log.activate(SALON, Epoch(1), "host:a") == Lost()


async def test_an_old_epoch_writes_nothing(log: FullLog) -> None:
    old = await Writer(log).begin()
    new = Writer(log)
    await new.take(old.epoch, "host:b")
    assert await log.append(bare(old, 2, "r1")) == Fenced()
    head = await log.head(SALON)
    assert head is not None
    assert head.seq == 1
    assert await log.append(bare(new, 2, "r1")) == Appended(new.epoch, Seq(2))


async def test_an_old_epoch_is_told_so_before_anything_else(log: FullLog) -> None:
    """A zombie that sends what is in the log, or what does not follow it, learns that it is one."""
    old = await Writer(log).begin()
    await old.do(join("ann", 1), "r1")
    await Writer(log).take(old.epoch, "host:b")
    for commit in (bare(old, 3, "r1"), bare(old, 3, "r1", "other"), bare(old, 9)):
        assert await log.append(commit) == Fenced()


async def test_each_activation_has_a_greater_epoch(log: FullLog) -> None:
    writer = await Writer(log).begin()
    epochs = [writer.epoch]
    for host in ("host:b", "host:a", "host:b"):
        await writer.take(writer.epoch, host)
        epochs.append(writer.epoch)
    assert epochs == sorted(set(epochs))


async def test_a_commit_follows_the_last(log: FullLog) -> None:
    writer = await Writer(log).begin()
    assert await log.append(bare(writer, 3)) == Gap(Seq(1))
    assert await log.append(bare(writer, 1)) == Gap(Seq(1))


async def test_entries_are_read_from_where_one_is(log: FullLog) -> None:
    writer = await Writer(log).begin()
    for seq in range(2, 7):
        await log.append(bare(writer, seq))
    assert [entry.seq for entry in await log.read(SALON, (writer.epoch, Seq(3)))] == [4, 5, 6]
    assert [entry.seq for entry in await log.read(SALON, (Epoch(0), Seq(0)), 2)] == [1, 2]


async def test_commits_of_many_salons_stand_or_fall_each_by_itself(log: FullLog) -> None:
    one = await Writer(log, SalonId("one")).begin()
    two = await Writer(log, SalonId("two")).begin()
    old = two.epoch
    await two.take(old, "host:b")
    two.epoch, taken = old, two.epoch
    commits = (bare(one, 2), bare(two, 2), bare(one, 4))
    outcomes = await asyncio.gather(*(log.append(commit) for commit in commits))
    assert outcomes == [Appended(one.epoch, Seq(2)), Fenced(), Gap(Seq(2))]
    assert taken > old


@pytest.mark.integration
async def test_a_commit_that_cannot_be_written_is_its_own_salons_bug_alone(store: Redis) -> None:
    log = ChainingJournal(store)
    one = await Writer(log, SalonId("one")).begin()
    two = await Writer(log, SalonId("two")).begin()
    no_events: Any = ("no event",)
    wrong = changed(bare(one, 2), events=no_events)
    outcomes = await asyncio.gather(log.append(wrong), log.append(bare(two, 2)), return_exceptions=True)
    assert isinstance(outcomes[0], AttributeError)
    assert outcomes[1] == Appended(two.epoch, Seq(2))
    assert await log.append(bare(one, 2)) == Appended(one.epoch, Seq(2)), "the log goes on"


async def test_a_quarantined_salon_is_not_activated(log: FullLog) -> None:
    writer = await Writer(log).begin()
    assert not await log.quarantine(SALON, Epoch(writer.epoch - 1), "an old host's opinion")
    assert await log.quarantine(SALON, writer.epoch, "it broke")
    head = await log.head(SALON)
    assert head is not None
    assert head.quarantine == "it broke"
    assert await log.activate(SALON, writer.epoch, "host:b") == Lost()


async def test_a_log_with_a_hole_is_corrupt(log: FullLog) -> None:
    writer = await Writer(log).begin()
    await writer.do(join("ann", 1))
    loaded = await log.load(SALON)
    assert loaded is not None
    loaded = type(loaded)(loaded.head, None, loaded.tail[1:], {})
    with pytest.raises(LogCorrupt, match="commit 1 is missing"):
        replay(loaded)


@pytest.mark.integration
async def test_a_commit_publishes_its_entry(store: Redis) -> None:
    """A feed that has all before it shows it without reading: nothing that nobody may see is in it."""
    journal = ChainingJournal(store)
    writer = await Writer(journal).begin()
    async with store.pubsub() as listening:
        await listening.subscribe(channel(SALON))
        for seat, player in enumerate(("ann", "bob"), 1):
            await writer.do(join(player, seat))
        await writer.do(StartHand(FULL_DECK, 0))
        told = [
            journal.told(message["data"])
            async for message in _messages(listening, 3)
            if message["type"] == "message"
        ]
    assert told == await journal.read(SALON, (writer.epoch, Seq(1)))
    assert told[-1] is not None
    assert any(isinstance(event, HoleCardsDealt) for event in told[-1].events)
    assert not any(isinstance(event, DeckShuffled) for event in told[-1].events)


@pytest.mark.parametrize("message", [b"7", b"", b"1-2 3", b"1-2 3 \xc1", b"x-2 3 \x90", b"1-2 3 \x91\x00"])
def test_what_cannot_be_read_in_a_wakeup_is_left_to_the_log(message: bytes) -> None:
    """Earlier hosts published the seq alone."""
    assert Journal(Redis()).told(message) is None


async def _messages(listening: PubSub, count: int) -> AsyncIterator[dict[str, Any]]:
    async with asyncio.timeout(10):
        while count:
            message = await listening.get_message(ignore_subscribe_messages=True, timeout=1)
            if message:
                count -= 1
                yield message
