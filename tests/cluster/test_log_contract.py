"""The contract of a salon's log, held by Redis and by its twin in memory alike."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Protocol

import pytest
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from bots.explanation import Explanation
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.hand_record import HandPlayer, HandRecord, Note
from cluster.journal.log import (
    HANDS_KEPT,
    HANDS_KEPT_FOR,
    REPLIES_KEPT,
    REPLIES_RETIRED_FOR,
    Activated,
    Appended,
    Appendix,
    CommandStatus,
    Commit,
    Duplicate,
    Entry,
    Fenced,
    Fold,
    Gap,
    LogCorrupt,
    Lost,
    Passivated,
    Passivation,
    Reply,
    Reused,
    SalonLog,
    Snapshot,
    WatchedNow,
    replay,
)
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import channel, key
from cluster.journal.stored import packed
from engine.apply import apply
from engine.cards import FULL_DECK
from engine.commands import Command, StartHand
from engine.decide import Decision, decide
from engine.events import DeckShuffled, HandStarted, HoleCardsDealt
from engine.record import table_to_plain
from engine.table import Table
from engine.units import Chips, HandNumber, Millis, PlayerId, Seat, Turn
from engine.value import changed
from tests.cluster.chaining import ChainingJournal, ChainingMemory
from tests.cluster.memory_journal import MemoryJournal
from tests.cluster.salons import OWNER, SALON, join, opening

TWO_ACES = Explanation("two aces", equity=0.85, error=0.01, mix=(("raise", 0.75), ("call", 0.25)), lot=0.5)


class FullLog(SalonLog, Protocol):
    """What a journal does for others than a salon."""

    async def create(self, first: Commit) -> Appendix: ...
    async def read(self, salon: SalonId, after: tuple[Epoch, Seq], count: int = 256) -> list[Entry]: ...
    async def snapshots(self, salon: SalonId) -> list[Snapshot]: ...
    async def hands(self, salon: SalonId) -> list[HandNumber]: ...
    async def status(self, salon: SalonId, player: PlayerId, request_id: str) -> CommandStatus | None: ...


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.integration)])
def log(request: pytest.FixtureRequest) -> FullLog:
    if request.param == "memory":
        return ChainingMemory()
    return ChainingJournal(request.getfixturevalue("store"))


class Writer:
    """A salon's table and where its log is, for tests that write commits by hand."""

    def __init__(self, log: FullLog, salon: SalonId = SALON) -> None:
        self.log = log
        self.salon = salon
        self.table: Table | None = None
        self.epoch = Epoch(0)
        self.seq = Seq(1)

    async def begin(self, host: str = "host:a") -> "Writer":
        first = opening(salon=self.salon)
        outcome = await self.log.create(first)
        assert isinstance(outcome, Appended)
        self.table = replay_events(first)
        await self.take(outcome.epoch, host)
        return self

    async def take(self, seen: Epoch, host: str) -> None:
        activated = await self.log.activate(self.salon, seen, host)
        assert isinstance(activated, Activated)
        self.epoch = activated.epoch

    def commit(
        self, command: Command, request_id: str = "", digest: str = "d", player: str = "ann"
    ) -> Commit:
        decision = self.decision(command)
        seq = Seq(self.seq + 1)
        who = PlayerId(player if request_id else "")
        return Commit(self.salon, self.epoch, seq, Millis(2_000), decision.events, who, request_id, digest)

    def decision(self, command: Command) -> Decision:
        decision = decide(self.table, command, now=Millis(self.seq * 10_000))
        assert isinstance(decision, Decision), decision
        return decision

    async def do(self, command: Command, request_id: str = "") -> Commit:
        commit, decision = self.commit(command, request_id), self.decision(command)
        assert await self.log.append(commit) == Appended(self.epoch, commit.seq)
        self.table, self.seq = decision.table, commit.seq
        return commit


def replay_events(commit: Commit) -> Table:
    table: Table | None = None
    for event in commit.events:
        table = apply(table, event)
    assert table is not None
    return table


def bare(writer: Writer, seq: int, request_id: str = "", digest: str = "d") -> Commit:
    """A commit without events."""
    player = PlayerId("ann" if request_id else "")
    return Commit(writer.salon, writer.epoch, Seq(seq), Millis(2_000), (), player, request_id, digest)


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


async def test_each_activation_has_a_greater_epoch(log: FullLog) -> None:
    writer = await Writer(log).begin()
    epochs = [writer.epoch]
    for host in ("host:b", "host:a", "host:b"):
        await writer.take(writer.epoch, host)
        epochs.append(writer.epoch)
    assert epochs == sorted(set(epochs))


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


async def test_a_commit_follows_the_last(log: FullLog) -> None:
    writer = await Writer(log).begin()
    assert await log.append(bare(writer, 3)) == Gap(Seq(1))
    assert await log.append(bare(writer, 1)) == Gap(Seq(1))


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


async def test_entries_are_read_from_where_one_is(log: FullLog) -> None:
    writer = await Writer(log).begin()
    for seq in range(2, 7):
        await log.append(bare(writer, seq))
    assert [entry.seq for entry in await log.read(SALON, (writer.epoch, Seq(3)))] == [4, 5, 6]
    assert [entry.seq for entry in await log.read(SALON, (Epoch(0), Seq(0)), 2)] == [1, 2]


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


def finished_hand(number: int) -> HandRecord:
    return HandRecord(
        HandNumber(number),
        Millis(5),
        (HandPlayer(Seat(1), PlayerId("ann"), "Ann", "", Chips(200)),),
        (HandStarted(HandNumber(number), Seat(1), Seat(1), Seat(2), (), (), Millis(5)),),
        (Note(Seat(1), Turn(1), TWO_ACES),),
    )


def rest(writer: Writer, seq: int = 0, **replies: Any) -> Passivation:
    """The passivation of the writer's salon after its last commit."""
    assert writer.table is not None
    at = Millis(3_000 + HANDS_KEPT_FOR)
    given = {"kept": {}, "retired": {}, **replies}
    return Passivation(writer.salon, writer.epoch, Seq(seq or writer.seq), at, writer.table, **given)


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
