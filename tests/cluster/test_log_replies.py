"""Which requests a salon's log knows, and until when; in Redis and in memory alike."""

import pytest
from redis.asyncio import Redis

from cluster.envelope import SalonId, Seq
from cluster.journal.log import (
    REPLIES_KEPT,
    REPLIES_RETIRED_FOR,
    Appended,
    Commit,
    Duplicate,
    Passivated,
    Reply,
    Reused,
)
from cluster.journal.salon_keys import key
from engine.units import HandNumber, Millis, PlayerId
from tests.cluster.chaining import ChainingJournal
from tests.cluster.log_writer import FullLog, Writer, bare, rest
from tests.cluster.memory_journal import MemoryJournal
from tests.cluster.salons import OWNER, SALON, join


async def test_what_is_known_is_told_before_what_does_not_follow(log: FullLog) -> None:
    writer = await Writer(log).begin()
    commit = await writer.do(join("ann", 1), "r1")
    assert await log.append(bare(writer, 9, "r1")) == Duplicate(writer.epoch, commit.seq)
    assert await log.append(bare(writer, 9, "r1", "other")) == Reused()


async def test_replies_are_a_players_own(log: FullLog) -> None:
    writer = await Writer(log).begin()
    await writer.do(join("ann", 1), "r1")
    bobs = Commit(SALON, writer.epoch, Seq(3), Millis(2_000), (), PlayerId("bob"), "r1", "d")
    assert await log.append(bobs) == Appended(writer.epoch, Seq(3))
    loaded = await log.load(SALON)
    assert loaded is not None
    kept = {player: [reply.seq for reply in replies] for player, replies in loaded.replies.items() if replies}
    assert kept == {OWNER: [1], PlayerId("ann"): [2], PlayerId("bob"): [3]}


async def test_a_request_is_committed_once(log: FullLog) -> None:
    writer = await Writer(log).begin()
    commit = await writer.do(join("ann", 1), "r1")
    assert await log.append(bare(writer, 3, "r1")) == Duplicate(writer.epoch, commit.seq)
    assert await log.append(bare(writer, 3, "r1", "other")) == Reused()
    head = await log.head(SALON)
    assert head is not None
    assert head.seq == 2


async def test_a_request_of_an_earlier_epoch_is_known(log: FullLog) -> None:
    writer = await Writer(log).begin()
    first = writer.epoch
    commit = await writer.do(join("ann", 1), "r1")
    await writer.take(first, "host:b")
    assert await log.append(bare(writer, 3, "r1")) == Duplicate(first, commit.seq)


async def test_the_last_replies_are_kept(log: FullLog) -> None:
    writer = await Writer(log).begin()
    for number in range(REPLIES_KEPT + 1):
        await log.append(bare(writer, 2 + number, f"r{number}"))
    loaded = await log.load(SALON)
    assert loaded is not None
    replies = loaded.replies[PlayerId("ann")]
    assert [reply.request_id for reply in replies] == [f"r{n}" for n in range(1, REPLIES_KEPT + 1)]
    assert replies[-1].seq == 2 + REPLIES_KEPT
    assert replies[-1].epoch == writer.epoch
    assert loaded.replies[OWNER][0].request_id == "open"


async def test_what_became_of_a_request_is_known_without_doing_it(log: FullLog) -> None:
    """Of the last eight of a player's; behind them nobody says that it was not done."""
    writer = await Writer(log).begin()
    who = PlayerId("ann")
    assert await log.status(SalonId("nowhere"), who, "r0") is None
    for number in range(REPLIES_KEPT - 1):
        await log.append(bare(writer, 2 + number, f"r{number}"))
    last = REPLIES_KEPT
    known = await log.status(SALON, who, "r0")
    assert known is not None
    assert known.done is not None
    assert (known.done.epoch, known.done.seq, known.seq) == (writer.epoch, 2, last)
    unknown = await log.status(SALON, who, "never")
    assert unknown is not None
    assert (unknown.done, unknown.complete_after, unknown.epoch, unknown.seq) == (None, 0, writer.epoch, last)
    others = await log.status(SALON, PlayerId("bob"), "r0")
    assert others is not None
    assert others.done is None
    for number in range(last + 1, last + 3):
        await log.append(bare(writer, number, f"r{number}"))
    forgotten = await log.status(SALON, who, "r0")
    assert forgotten is not None
    assert (forgotten.done, forgotten.complete_after) == (None, 2)


async def test_what_became_of_a_request_is_known_while_its_reply_is(log: FullLog) -> None:
    """In passivation: those that stay, and the others for ten minutes."""
    writer = await Writer(log).begin()
    await writer.do(join("ann", 1), "sit")
    await writer.do(join("bob", 2), "other")
    who, last = PlayerId("ann"), writer.seq
    kept = {who: [Reply("other", "d", last, writer.epoch, HandNumber(1))]}
    retired = {who: [Reply("sit", "d", Seq(last - 1), writer.epoch)]}
    for fold in range(2):
        assert await log.passivate(rest(writer, kept=kept, retired=retired)) == Passivated()
        status = await log.status(SALON, who, "sit")
        assert status is not None
        assert status.done == retired[who][0]
        unknown = await log.status(SALON, who, "never")
        assert unknown is not None
        assert unknown.complete_after == fold * last, "what the first fold forgot is forgotten"
        await forget_retired(log)
        status = await log.status(SALON, who, "sit")
        assert status is not None
        assert (status.done, status.complete_after) == (None, last)
        status = await log.status(SALON, who, "other")
        assert status is not None
        assert status.done == kept[who][0]
        await writer.take(writer.epoch, "host:b")


async def forget_retired(log: FullLog) -> None:
    """Let the time be over for which retired replies are kept."""
    if isinstance(log, MemoryJournal):
        log.forget_retired(SALON)
    elif isinstance(log, ChainingJournal):
        await log._redis.delete(key(SALON, "retired"))


@pytest.mark.integration
async def test_until_when_an_answer_is_certain(store: Redis) -> None:
    log = ChainingJournal(store)
    writer = await Writer(log).begin()
    await writer.do(join("ann", 1), "sit")
    seconds, _ = await store.time()
    status = await log.status(SALON, PlayerId("ann"), "sit")
    assert status is not None
    assert status.certain_until >= seconds * 1_000 + REPLIES_RETIRED_FOR
    retired = {PlayerId("ann"): [Reply("sit", "d", writer.seq, writer.epoch)]}
    assert await log.passivate(rest(writer, retired=retired)) == Passivated()
    await store.pexpire(key(SALON, "retired"), 60_000)
    seconds, _ = await store.time()
    status = await log.status(SALON, PlayerId("ann"), "sit")
    assert status is not None
    assert status.certain_until <= (seconds + 2) * 1_000 + 60_000
