"""A store that forgets: the holder of a salon writes again what is missing; where nobody knows it, the hand is void."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from redis.asyncio import Redis

from cluster.envelope import Accepted, Seq
from cluster.journal.chain import LENGTH, LINK, VAULT, link
from cluster.journal.log import (
    Entry,
    Fenced,
    Gap,
    Loaded,
    LogCorrupt,
    LogFault,
    Mend,
    Mended,
    Passivated,
    fold,
)
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.routing.hosts import Admitted, NotHere, Refusing
from cluster.salons.passivation import passivation
from cluster.salons.salon import Salon
from cluster.watching.replica import Replica
from engine.cards import FULL_DECK
from engine.commands import Leave
from engine.events import Event, HandVoided, HoleCardsDealt, TailLost
from engine.game import Game
from engine.record import SCHEMA_VERSION, table_to_plain
from engine.table import Table
from engine.units import PlayerId, Seat
from engine.value import changed
from tests.cluster.bench import Bench
from tests.cluster.salons import SALON, chips, join
from tests.golden.journals import HERE, put_back

pytestmark = pytest.mark.integration
PARTS = ("head", "log", "vault", "snap", "hands", "replies")
PLAYERS = ("ann", "bob", "cid")
Damage = Callable[["Store"], Awaitable[None]]


class Store:
    """The salon's keys, which may be taken away or brought back."""

    def __init__(self, redis: Redis) -> None:
        self.redis: Any = redis
        self.old: dict[str, bytes] = {}

    async def remember(self) -> None:
        self.old = {part: await self.redis.dump(key(SALON, part)) for part in PARTS}

    async def bring_back(self, *parts: str) -> None:
        """Let these keys, or all, be what they were when they were remembered."""
        for part in parts or PARTS:
            await self.redis.delete(key(SALON, part))
            if self.old[part]:
                await self.redis.restore(key(SALON, part), 0, self.old[part])

    async def entries(self) -> list[tuple[bytes, dict[bytes, bytes]]]:
        entries: list[tuple[bytes, dict[bytes, bytes]]] = await self.redis.xrange(key(SALON, "log"))
        return entries

    async def cut(self, count: int, *, end: bool = True) -> None:
        places = [place for place, _ in await self.entries()]
        await self.redis.xdel(key(SALON, "log"), *(places[-count:] if end else places[-count - 1 : -1]))

    async def change_the_last(self) -> None:
        """Let the last entry have happened a millisecond later."""
        entries = await self.entries()
        await self.redis.delete(key(SALON, "log"))
        entries[-1][1][b"t"] = b"%d" % (int(entries[-1][1][b"t"]) + 1)
        for place, fields in entries:
            await self.redis.xadd(key(SALON, "log"), fields, id=place)


@pytest.fixture
async def bench(store: Redis) -> AsyncIterator[Bench]:
    """A second hand, two turns old; the first is finished."""
    bench = await Bench(journal=Journal(store)).opened(turn_time=20_000, time_bank=0)
    await bench.seated(*PLAYERS)
    await bench.ring()
    await bench.play_out()
    await bench.ring()
    for _ in range(2):
        await bench.done(bench.turn())
    yield bench
    bench.salon.close()


@pytest.fixture
def keys(store: Redis) -> Store:
    return Store(store)


async def loaded(bench: Bench) -> Loaded:
    found: Loaded | None = await bench.journal.load(bench.name)
    assert found is not None
    return found


async def whole(bench: Bench) -> None:
    """Nothing is missing, and what is read back is what the salon has in memory."""
    found = await loaded(bench)
    assert (found.loss, found.torn) == (None, False)
    before, seq = table_to_plain(bench.table), found.head.seq
    deck = bench.table.hand.deck if bench.table.hand else ()
    replies = found.replies
    old, bench.salon = bench.salon, await bench.activated("host:z")
    old.close()
    assert table_to_plain(bench.table) == before
    assert (bench.table.hand.deck if bench.table.hand else ()) == deck
    again = await loaded(bench)
    assert (again.head.seq, again.replies) == (seq, replies)


def happened(entries: list[Entry], kind: type[Event]) -> list[Event]:
    return [event for entry in entries for event in entry.events if isinstance(event, kind)]


async def read(bench: Bench) -> list[Entry]:
    head = await bench.journal.head(bench.name)
    entries: list[Entry] = await bench.journal.read(bench.name, (type(head.epoch)(0), Seq(0)))
    return entries


# Under a live salon


async def two_more(bench: Bench, keys: Store) -> tuple[Accepted, Accepted]:
    """Remember the store, and do two commands more."""
    await keys.remember()
    first = await bench.done(join("dan", 4), "sit")
    return first, await bench.done(bench.turn(), "turn")


async def rolled_back(keys: Store) -> None:
    await keys.bring_back()


async def entries_cut(keys: Store) -> None:
    await keys.cut(2)


async def entry_gone(keys: Store) -> None:
    await keys.cut(1, end=False)


async def log_gone(keys: Store) -> None:
    await keys.redis.xtrim(key(SALON, "log"), maxlen=0)


async def log_is_old(keys: Store) -> None:
    await keys.bring_back("log")


async def head_is_old(keys: Store) -> None:
    await keys.bring_back("head")


async def head_and_log_are_old(keys: Store) -> None:
    await keys.bring_back("head", "log")


LIVE: list[Damage] = [
    rolled_back,
    entries_cut,
    entry_gone,
    log_gone,
    log_is_old,
    head_is_old,
    head_and_log_are_old,
]


@pytest.mark.parametrize("damage", LIVE)
async def test_a_live_salon_writes_again_what_was_forgotten(
    bench: Bench, keys: Store, damage: Damage
) -> None:
    """Nothing that was acknowledged is lost: neither a command nor its answer."""
    sat, turned = await two_more(bench, keys)
    await damage(keys)
    await bench.done(Leave(PlayerId("dan")), "go")
    assert (await loaded(bench)).head.seq == turned.seq + 1
    await whole(bench)
    again = await bench.done(join("dan", 4), "sit")
    assert (again.epoch, again.seq) == (sat.epoch, sat.seq)
    await bench.play_out()
    await whole(bench)


@pytest.mark.parametrize("damage", [rolled_back, head_is_old, head_and_log_are_old])
async def test_a_look_and_a_refusal_find_it_too(bench: Bench, keys: Store, damage: Damage) -> None:
    await two_more(bench, keys)
    await damage(keys)
    await bench.done(None)
    await whole(bench)


@pytest.mark.parametrize("damage", LIVE)
async def test_a_salon_in_doubt_still_knows_what_it_acknowledged(
    bench: Bench, keys: Store, damage: Damage
) -> None:
    """A failover is first of all a log that does not answer."""
    await two_more(bench, keys)
    bench.salon._doubt()
    await damage(keys)
    assert await bench.salon.load() == Admitted()
    assert "dan" in bench.table.seat_of
    await bench.settled()
    await whole(bench)


async def test_what_is_forgotten_over_a_hands_end_is_written_again(bench: Bench, keys: Store) -> None:
    """The finished hand's record too."""
    await keys.remember()
    await bench.play_out()
    await bench.ring()
    await bench.done(bench.turn())
    held = table_to_plain(bench.table)
    await keys.bring_back()
    await bench.done(None)
    assert table_to_plain(bench.table) == held
    assert await bench.journal.hands(SALON) == [2, 1]
    await whole(bench)


async def test_an_idle_salon_is_not_left_to_a_log_that_forgot(bench: Bench, keys: Store) -> None:
    bench.idle = type(bench.idle)(60_000)
    bench.salon.close()
    bench.salon = await bench.activated("host:b")
    await bench.play_out()
    for player in PLAYERS:
        await bench.done(Leave(PlayerId(player)))
    before = table_to_plain(bench.table)
    await keys.cut(2)
    await keys.remember()
    await bench.done(join("dan", 4))
    await bench.done(Leave(PlayerId("dan")))
    after = table_to_plain(bench.table)
    await keys.bring_back("head")
    await bench.rest()
    await bench.settled()
    await bench.rest()
    assert not bench.salon.loaded
    bench.salon = await bench.activated("host:c")
    assert table_to_plain(bench.table) == after != before


# Under nobody


async def vault_gone(keys: Store) -> None:
    await keys.redis.delete(key(SALON, "vault"))


async def vault_changed(keys: Store) -> None:
    """Each part is a byte longer."""
    for seq, part in (await keys.redis.hgetall(key(SALON, "vault"))).items():
        await keys.redis.hset(key(SALON, "vault"), seq, part + b"\x00")


async def vault_changed_and_entries_cut(keys: Store) -> None:
    await vault_changed(keys)
    await keys.cut(2)


async def entry_changed(keys: Store) -> None:
    await keys.change_the_last()


async def snapshot_is_old(keys: Store) -> None:
    """The table before the first hand, and no entry of that hand any more."""
    await keys.redis.lpop(key(SALON, "snap"))
    first = (await keys.entries())[0][0]
    await keys.redis.xdel(key(SALON, "log"), first)


DEAD: list[tuple[Damage, int]] = [
    (entries_cut, 2),
    (entry_gone, 2),
    (log_gone, 4),
    (log_is_old, 2),
    (head_is_old, 0),
    (vault_gone, 0),
    (vault_changed, 0),
    (vault_changed_and_entries_cut, 2),
    (entry_changed, 1),
]


@pytest.mark.parametrize("damage, lost", DEAD)
@pytest.mark.parametrize("game", list(Game))
async def test_a_hand_whose_end_is_lost_is_void(store: Redis, game: Game, damage: Damage, lost: int) -> None:
    """V1: every contribution goes back; and it is an event, under a seq that nobody saw before."""
    keys = Store(store)
    bench = await Bench(journal=Journal(store)).opened(game, turn_time=20_000, time_bank=0)
    await bench.seated(*PLAYERS)
    await bench.ring()
    await bench.play_out()
    stacks = list(bench.table.stacks)
    held = chips(bench.table)
    await bench.ring()
    await bench.done(bench.turn())
    await keys.remember()
    for _ in range(2):
        await bench.done(bench.turn())
    last = (await loaded(bench)).head.seq
    number = bench.table.hand_number
    bench.salon.close()
    await damage(keys)
    bench.salon = await bench.activated("host:b")
    assert (chips(bench.table), bench.table.stacks) == (held, stacks)
    assert bench.table.hand is None or bench.table.hand.over
    entries = await read(bench)
    (said,) = happened(entries, TailLost)
    assert isinstance(said, TailLost)
    assert said.commits == lost
    assert len(happened(entries, HandVoided)) == (damage is not log_gone)
    assert entries[-1].seq == last + 1
    assert (await loaded(bench)).loss is None
    replica = Replica(SALON, await bench.journal.snapshots(SALON), entries)
    assert (replica.live.seq, replica.live.table.stacks) == (last + 1, stacks)
    await bench.ring()
    assert bench.table.hand_number > number, "a hand's number is never given out twice"
    await bench.play_out()
    assert chips(bench.table) == held
    await whole(bench)
    bench.salon.close()


async def test_what_is_lost_between_hands_is_said(bench: Bench, keys: Store) -> None:
    await bench.play_out()
    await bench.done(join("dan", 4), "sit")
    bench.salon.close()
    await keys.cut(1)
    bench.salon = await bench.activated("host:b")
    entries = await read(bench)
    assert [event.commits for event in happened(entries, TailLost) if isinstance(event, TailLost)] == [1]
    assert happened(entries, HandVoided) == []
    assert "dan" not in bench.table.seat_of
    await bench.done(join("dan", 4), "sit")
    assert "dan" in bench.table.seat_of, "what was lost is not taken for done"


async def test_a_snapshot_from_before_is_no_beginning(bench: Bench, keys: Store) -> None:
    """The log does not follow on the only table there is: the hands between are lost."""
    await bench.play_out()
    bench.salon.close()
    await snapshot_is_old(keys)
    found = await loaded(bench)
    assert found.loss is not None
    bench.salon = await bench.activated("host:b")
    await bench.ring()
    assert bench.table.hand_number > 2
    await whole(bench)


async def test_what_cannot_even_be_read_is_lost(bench: Bench, keys: Store) -> None:
    bench.salon.close()
    head = await bench.journal.head(SALON)
    garbage = {"e": b"\xc1", "t": "1", "h": b"12345678"}
    await keys.redis.xadd(key(SALON, "log"), garbage, id=f"{head.epoch}-{head.seq + 1}")
    bench.salon = await bench.activated("host:b")
    said = happened(await read(bench), TailLost)
    assert [event.commits for event in said if isinstance(event, TailLost)] == [1]
    await whole(bench)


async def test_where_nothing_is_left_the_salon_is_quarantined(bench: Bench, keys: Store) -> None:
    bench.salon.close()
    await keys.redis.delete(key(SALON, "snap"), key(SALON, "log"))
    head = await bench.journal.head(SALON)
    await bench.journal.activate(SALON, head.epoch, "host:b")
    refusing = await Salon(SALON, bench.house("host:b")).load()
    assert isinstance(refusing, Refusing)
    assert "commit 1 is missing" in refusing.why


async def test_entries_of_older_hands_that_are_gone_are_no_loss(bench: Bench, keys: Store) -> None:
    """Only those who watch need them, and they are given a snapshot."""
    bench.salon.close()
    await keys.redis.xdel(key(SALON, "log"), (await keys.entries())[0][0])
    assert (await loaded(bench)).torn
    bench.salon = await bench.activated("host:b")
    assert happened(await read(bench), TailLost) == []
    await bench.done(bench.turn())
    await whole(bench)


# Another log than that which was known


@pytest.mark.parametrize("commits", [1, 2], ids=["shorter", "as long"])
async def test_a_log_that_went_on_otherwise_is_not_overwritten(
    bench: Bench, keys: Store, commits: int
) -> None:
    """A restored store and a commit by hand under the same epoch: what the salon knows does not follow on it."""
    await keys.remember()
    await bench.done(bench.turn())
    await bench.done(join("dan", 4), "sit")
    held = chips(bench.table)
    await keys.bring_back()
    other = Salon(SALON, bench.house("host:a"))
    assert await other.load() == Admitted()
    mine, bench.salon = bench.salon, other
    for player in ("ann", "bob")[:commits]:
        await bench.done(Leave(PlayerId(player)))
    other.close()
    bench.salon = mine
    await bench.ask(Leave(PlayerId("dan")))
    async with asyncio.timeout(10):
        while not bench.salon.loaded:  # noqa: ASYNC110 - it reads itself again
            await asyncio.sleep(0.01)
    entries = await read(bench)
    assert len(happened(entries, TailLost)) == len(happened(entries, HandVoided)) == 1
    assert chips(bench.table) == held - 200 * (1 + commits), "dan's seat is lost, and who left took his 200"
    await whole(bench)


async def test_another_log_is_not_folded(bench: Bench) -> None:
    """As many commits, and other ones."""
    memory = bench.salon._memory
    assert memory is not None
    rest = passivation(SALON, memory, bench.clock.now())
    assert await bench.journal.passivate(changed(rest, chain=b"12345678")) == Gap(memory.seq)
    assert await bench.journal.passivate(rest) == Passivated()


async def test_a_log_from_before_this_activation_is_taken_back(bench: Bench, keys: Store) -> None:
    """The store has forgotten that the salon moved: who has it knows that by its epoch, and its older holder does not."""
    await keys.remember()
    stale = bench.salon
    bench.salon = await bench.activated("host:b")
    await bench.done(bench.turn())
    await keys.bring_back()
    held = table_to_plain(bench.table)
    await bench.done(None)
    assert table_to_plain(bench.table) == held
    mine, bench.salon = bench.salon, stale
    assert await bench.ask(bench.turn()) == NotHere()
    bench.salon = mine
    assert happened(await read(bench), TailLost) == []
    await bench.done(bench.turn())
    await whole(bench)


async def test_a_log_that_went_on_under_its_older_holder_is_said_to_have_lost_commits(
    bench: Bench, keys: Store
) -> None:
    await keys.remember()
    stale = bench.salon
    bench.salon = mine = await bench.activated("host:b")
    await bench.done(bench.turn())
    await keys.bring_back()
    bench.salon = stale
    await bench.done(bench.turn())
    bench.salon = mine
    await bench.ask(None)
    async with asyncio.timeout(10):
        while not bench.salon.loaded:  # noqa: ASYNC110 - it reads itself again
            await asyncio.sleep(0.01)
    entries = await read(bench)
    assert len(happened(entries, TailLost)) == len(happened(entries, HandVoided)) == 1
    stale.close()
    await whole(bench)


# Logs that have no chain


@pytest.mark.parametrize("game", list(Game))
async def test_the_end_of_an_old_versions_log_is_missed_too(store: Redis, game: Game) -> None:
    """Where there is no chain, the seqs still tell."""
    golden = json.loads((HERE / f"v1-{game.value}.json").read_text())
    await put_back(store, golden["salon"], golden["keys"])
    last = golden["keys"]["log"][-1][0]
    await store.xdel(key(golden["salon"], "log"), last)
    bench = Bench(journal=Journal(store))
    bench.name = golden["salon"]
    bench.salon = await bench.activated("host:b")
    said = happened(await read(bench), TailLost)
    assert [event.commits for event in said if isinstance(event, TailLost)] == [1]
    assert bench.table.hand is None
    assert chips(bench.table) == 600
    schema = await store.hget(key(golden["salon"], "head"), "schema")
    assert schema == str(SCHEMA_VERSION).encode(), "an older version does not know the event"
    bench.salon.close()


def test_the_chain_binds_an_entry_to_its_place_and_to_all_before_it() -> None:
    fields = {b"e": b"\x90", b"t": b"5"}
    chain = link(b"", 1, fields)
    assert (
        len({chain, link(b"x", 1, fields), link(b"", 2, fields), link(b"", 1, {**fields, b"t": b"6"})}) == 4
    )
    assert link(b"", 1, {**fields, b"r": b"p"}) != link(b"", 1, {**fields, b"p": b"r"})
    assert link(b"", 1, {**fields, b"h": b"anything"}) == chain


# Faults on the way


@pytest.mark.parametrize("executed", [False, True])
@pytest.mark.parametrize("damage, lost", DEAD)
async def test_a_loss_that_could_not_be_said_at_once_is_said_later(
    bench: Bench, keys: Store, monkeypatch: pytest.MonkeyPatch, *, damage: Damage, lost: int, executed: bool
) -> None:
    """The store answers once more wrongly or not at all: what was acknowledged is never gone on without in silence."""
    held = chips(bench.table)
    await keys.remember()
    for _ in range(2):
        await bench.done(bench.turn())
    last = (await loaded(bench)).head.seq
    bench.salon.close()
    await damage(keys)
    mend, faults = bench.journal.mend, [LogFault("it did not answer")]

    async def fails_once(plan: Mend) -> Mended | Fenced | Gap:
        if not faults:
            outcome: Mended | Fenced | Gap = await mend(plan)
            return outcome
        if executed:
            await mend(plan)
        raise faults.pop()

    monkeypatch.setattr(bench.journal, "mend", fails_once)
    head = await bench.journal.head(SALON)
    await bench.journal.activate(SALON, head.epoch, "host:b", made=last)
    bench.salon = Salon(SALON, bench.house("host:b"))
    with pytest.raises(LogFault):
        await bench.salon.load()
    assert bench.salon.made == last
    assert await bench.salon.load() == Admitted()
    entries = await read(bench)
    (said,) = happened(entries, TailLost)
    assert isinstance(said, TailLost)
    assert said.commits == (5 if damage is log_gone else lost)
    assert len(happened(entries, HandVoided)) == (damage is not log_gone)
    assert (entries[-1].seq, chips(bench.table)) == (last + 1, held)
    await bench.settled()
    await whole(bench)


@pytest.mark.parametrize("damage", LIVE)
async def test_a_salon_whose_new_epoch_it_was_not_told_of_still_knows_what_it_acknowledged(
    bench: Bench, keys: Store, monkeypatch: pytest.MonkeyPatch, damage: Damage
) -> None:
    """It begins to mend, and of that the first answer is lost: the later epoch is its own."""
    await two_more(bench, keys)
    held = table_to_plain(bench.table)
    await damage(keys)
    activate, faults = bench.journal.activate, [LogFault("the answer was lost")]

    async def unheard_once(*given: Any, **named: Any) -> Any:
        outcome = await activate(*given, **named)
        if faults:
            raise faults.pop()
        return outcome

    monkeypatch.setattr(bench.journal, "activate", unheard_once)
    bench.salon._doubt()
    with pytest.raises(LogFault):
        await bench.salon.load()
    assert await bench.salon.load() == Admitted()
    assert table_to_plain(bench.table) == held
    assert happened(await read(bench), TailLost) == []
    await bench.settled()
    await whole(bench)


async def test_what_another_host_committed_meanwhile_is_not_written_over(bench: Bench, keys: Store) -> None:
    """The salon was elsewhere and came back, and the store has forgotten what was done there: that is a loss."""
    await keys.remember()
    bench.salon._doubt()
    stale = bench.salon
    bench.salon = await bench.activated("host:b")
    last = await bench.done(bench.turn())
    bench.salon.close()
    await keys.bring_back()
    head = await bench.journal.head(SALON)
    await bench.journal.activate(SALON, head.epoch, "host:a", made=last.seq)
    bench.salon = stale
    assert await bench.salon.load() == Admitted()
    assert len(happened(await read(bench), TailLost)) == 1
    await bench.settled()
    await whole(bench)


# What is said of it


async def test_why_a_log_cannot_be_read_names_no_card(bench: Bench, keys: Store) -> None:
    """A log of the releases that wrote no hashes, whose vault has a byte too many: the deck would be the reason."""
    entries = await keys.entries()
    await keys.redis.delete(key(SALON, "log"))
    for place, fields in entries:
        bare = {name: value for name, value in fields.items() if name not in (LINK, VAULT)}
        await keys.redis.xadd(key(SALON, "log"), bare, id=place)
    await keys.redis.lset(key(SALON, "snap"), 0, await unchained(keys))
    await keys.redis.hdel(key(SALON, "head"), "chain")
    assert (await loaded(bench)).loss is None
    await vault_changed(keys)
    with pytest.raises(LogCorrupt) as corrupt:
        await bench.journal.load(SALON)
    assert re.fullmatch(r"salon s1: entry \d+-\d+ cannot be read: ExtraData", str(corrupt.value))


async def unchained(keys: Store) -> bytes:
    """The newest snapshot without its chain."""
    raw: bytes = await keys.redis.lindex(key(SALON, "snap"), 0)
    place, _, packed = raw.partition(b":")
    return place + b":" + packed[2 + LENGTH :]


def test_why_an_event_does_not_fit_names_no_card() -> None:
    with pytest.raises(LogCorrupt) as corrupt:
        fold(Table(), [HoleCardsDealt(Seat(1), FULL_DECK[:2])])
    assert re.fullmatch(r"HoleCardsDealt does not fit the table: \w+", str(corrupt.value))
