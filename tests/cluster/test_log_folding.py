"""What a salon reads back from its log, and what a hand's end leaves there; in Redis and in memory alike."""

from typing import Any

import pytest
from redis.asyncio import Redis

from bots.explanation import Explanation
from cluster.envelope import Epoch, Seq
from cluster.journal.log import HANDS_KEPT, Appended, Commit, Fold, replay
from cluster.journal.salon_keys import key
from cluster.journal.stored import packed
from engine.cards import FULL_DECK
from engine.commands import StartHand
from engine.events import DeckShuffled, HandStarted, HoleCardsDealt
from engine.record import table_to_plain
from engine.units import HandNumber, Millis
from tests.cluster.chaining import ChainingJournal
from tests.cluster.log_writer import TWO_ACES, FullLog, Writer, finished_hand
from tests.cluster.salons import SALON, join


async def test_a_hand_is_loaded_with_its_deck(log: FullLog) -> None:
    """The deck is in the vault before the first card; a replica never gets it."""
    writer = await Writer(log).begin()
    await writer.do(join("ann", 1))
    await writer.do(join("bob", 2))
    await writer.do(StartHand(FULL_DECK, 0))
    loaded = await log.load(SALON)
    assert loaded is not None
    table = replay(loaded)
    assert table.hand is not None
    assert table.hand.deck == FULL_DECK
    assert writer.table is not None
    assert table_to_plain(table) == table_to_plain(writer.table)
    read = await log.read(SALON, (writer.epoch, Seq(3)))
    kinds = [type(event) for entry in read for event in entry.events]
    assert HandStarted in kinds
    assert HoleCardsDealt in kinds
    assert DeckShuffled not in kinds


async def test_what_a_bot_thought_is_read_back_by_its_salon_alone(log: FullLog) -> None:
    writer = await Writer(log).begin()
    await log.append(Commit(SALON, writer.epoch, Seq(2), Millis(2_000), (), note=TWO_ACES))
    loaded = await log.load(SALON)
    assert loaded is not None
    assert loaded.tail[-1].note == TWO_ACES
    assert [entry.note for entry in await log.read(SALON, (Epoch(0), Seq(0)))] == [None, None]


@pytest.mark.integration
async def test_what_a_bot_said_in_an_earlier_version_is_read_as_its_rule(store: Redis) -> None:
    """Logs are there before the version that reads them: a text was all that a bot said."""
    log = ChainingJournal(store)
    writer = await Writer(log).begin()
    await unchained(store)
    entry = {"e": packed([]), "t": 2_000, "x": "wins 40%"}
    await store.xadd(key(SALON, "log"), entry, id=f"{writer.epoch}-2")  # type: ignore[arg-type]  # the stub's dict is invariant
    await store.hset(key(SALON, "head"), "seq", "2")
    loaded = await log.load(SALON)
    assert loaded is not None
    assert loaded.tail[-1].note == Explanation("wins 40%")


async def unchained(store: Any) -> None:
    """Let the salon's log be of a version that did not chain its commits."""
    await store.hdel(key(SALON, "head"), "chain", "base")
    entries = await store.xrange(key(SALON, "log"))
    await store.delete(key(SALON, "log"))
    for place, fields in entries:
        fields.pop(b"h")
        await store.xadd(key(SALON, "log"), fields, id=place)


async def test_a_hands_end_folds_the_log(log: FullLog) -> None:
    writer = await Writer(log).begin()
    await writer.do(join("ann", 1))
    table = writer.table
    assert table is not None
    for seq in range(3, 9):
        commit = Commit(
            SALON, writer.epoch, Seq(seq), Millis(2_000), (), fold=Fold(table, 2, whole=seq % 2 == 0)
        )
        assert await log.append(commit) == Appended(writer.epoch, Seq(seq))
    snapshots = await log.snapshots(SALON)
    assert [snapshot.seq for snapshot in snapshots] == [8, 7]
    assert [entry.seq for entry in await log.read(SALON, (Epoch(0), Seq(0)))] == [8]
    loaded = await log.load(SALON)
    assert loaded is not None
    assert loaded.tail == ()
    assert table_to_plain(replay(loaded)) == table_to_plain(table)


async def test_the_first_hands_stay_in_the_log_until_there_are_enough(log: FullLog) -> None:
    """A watcher of the first hand reads its last commit too: the log is trimmed once `keep` hands ended."""
    writer = await Writer(log).begin()
    await writer.do(join("ann", 1))
    table = writer.table
    assert table is not None
    kept = []
    for seq in range(3, 6):
        fold = Fold(table, 2, whole=True)
        await log.append(Commit(SALON, writer.epoch, Seq(seq), Millis(2_000), (), fold=fold))
        kept.append([entry.seq for entry in await log.read(SALON, (Epoch(0), Seq(0)))])
    assert kept == [[1, 2, 3], [4], [5]]


async def test_finished_hands_are_kept(log: FullLog) -> None:
    writer = await Writer(log).begin()
    for number in range(1, HANDS_KEPT + 2):
        commit = Commit(SALON, writer.epoch, Seq(1 + number), Millis(2_000), (), record=finished_hand(number))
        await log.append(commit)
    assert await log.hand(SALON, HandNumber(HANDS_KEPT + 1)) == finished_hand(HANDS_KEPT + 1)
    assert await log.hand(SALON, HandNumber(1)) is None
    assert len(await log.hands(SALON)) == HANDS_KEPT
