"""A store that forgets: the holder of a salon writes again what is missing; where nobody knows it, the hand is void."""

import asyncio
import json

import pytest
from redis.asyncio import Redis

from cluster.journal.chain import link
from cluster.journal.log import (
    Gap,
    Passivated,
    replay,
)
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.routing.hosts import Admitted, NotHere, Refusing
from cluster.salons.passivation import passivation
from cluster.salons.salon import Salon
from cluster.watching.replica import Replica
from engine.commands import CloseSalon, Leave
from engine.events import HandVoided, TailLost
from engine.game import Game
from engine.record import SCHEMA_VERSION, table_to_plain
from engine.units import PlayerId
from engine.value import changed
from tests.cluster.bench import Bench
from tests.cluster.lost_tails.forgetting import (
    DEAD,
    LIVE,
    PLAYERS,
    Damage,
    Store,
    happened,
    head_and_log_are_old,
    head_is_old,
    loaded,
    log_gone,
    read,
    rolled_back,
    snapshot_is_old,
    two_more,
    whole,
)
from tests.cluster.salons import OWNER, SALON, chips, join
from tests.golden.journals import HERE, put_back

pytestmark = pytest.mark.integration


# Under a live salon


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


async def test_what_is_lost_of_a_salon_that_is_over_is_said(bench: Bench, keys: Store) -> None:
    """It stays over, and is not broken."""
    await bench.play_out()
    await bench.done(CloseSalon(OWNER))
    await bench.ring()
    await keys.redis.hset(key(SALON, "head"), "lost", (await loaded(bench)).head.seq + 1)
    head = await bench.journal.head(SALON)
    await bench.journal.activate(SALON, head.epoch, "host:b")
    assert await Salon(SALON, bench.house("host:b")).load() == Admitted()
    said = happened(await read(bench), TailLost)
    assert [event.commits for event in said if isinstance(event, TailLost)] == [1]
    found = await loaded(bench)
    assert found.loss is None
    assert replay(found).over


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
