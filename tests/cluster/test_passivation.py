"""Passivation: an idle salon runs nowhere, keeps what it needs, and goes on where it was."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from cluster.envelope import Refused, RequestReused, SalonId
from cluster.journal.log import REPLIES_RETIRED_FOR, Activated
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.lobby import Lobby
from cluster.routing import hosts
from cluster.salons.passivation import REPLIES_FOR_GOOD, idle, wakes_at
from cluster.salons.salon import Salon
from engine.commands import AddBot, Leave, SitOut, TopUpTo
from engine.game import Game
from engine.limits import ABANDONED_AFTER
from engine.record import table_to_plain
from engine.refusals import Reason
from engine.settings import BotLevel, BotStyle
from engine.units import OPERATOR, Chips, HandNumber, Millis, PlayerId, Seat
from engine.value import changed
from tests.cluster.bench import Bench
from tests.cluster.memory_journal import Fault
from tests.cluster.salons import SALON, join, opening

GAMES = pytest.mark.parametrize("game", list(Game))
IDLE = Millis(60_000)
MOST_BYTES = 2_560


def resting_bench(journal: Any = None) -> Bench:
    bench = Bench(journal=journal)
    bench.idle = IDLE
    return bench


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = await resting_bench().opened(turn_time=20_000)
    yield bench
    bench.salon.close()


async def add_bot(bench: Bench, number: int, name: str = "") -> None:
    player = PlayerId(f"bot{number:017}")
    await bench.done(
        AddBot(OPERATOR, player, name or f"bot {number}", BotLevel.NORMAL, BotStyle.TIGHT, Seat(number))
    )


async def leave(bench: Bench, *players: str) -> None:
    for player in players:
        await bench.done(Leave(PlayerId(player)))


async def again(bench: Bench, host: str = "host:b") -> None:
    """Have the passivated salon taken up."""
    bench.salon = await bench.activated(host)


# When


async def test_an_idle_salon_is_left_to_its_log(bench: Bench) -> None:
    await bench.seated("ann")
    await leave(bench, "ann")
    await bench.rest()
    assert not bench.salon.loaded
    assert bench.gone == [SALON]
    head = await bench.journal.head(SALON)
    assert head is not None
    assert (head.host, head.seq) == ("", 3)
    assert bench.journal.salons[SALON].entries == []
    assert await bench.ask(join("bob", 1)) == hosts.NotHere()


async def test_a_salon_is_idle_only_for_so_long_without_anything(bench: Bench) -> None:
    """A look counts too."""
    await add_bot(bench, 1)
    bench.clock.time += IDLE - 1
    await bench.salon._rest()
    assert bench.salon.loaded
    await bench.done(None)
    bench.clock.time += IDLE - 1
    await bench.salon._rest()
    assert bench.salon.loaded
    bench.clock.time += 1
    await bench.salon._rest()
    assert not bench.salon.loaded


async def test_a_person_who_holds_a_seat_is_waited_for(bench: Bench) -> None:
    """B5, B7: whoever is away may come back until he is evicted."""
    await bench.seated("ann")
    await bench.done(SitOut(PlayerId("ann")))
    await bench.rest()
    assert bench.salon.loaded
    await bench.ring()  # evicts him
    await bench.rest()
    assert not bench.salon.loaded


async def test_a_watched_salon_is_not_idle(bench: Bench) -> None:
    bench.watched = True
    await bench.rest()
    assert bench.salon.loaded
    bench.watched = False
    bench.journal.salons[SALON].watched = True  # since a moment ago
    await bench.rest()
    assert bench.salon.loaded


async def test_a_hand_and_a_salon_that_closes_are_waited_for() -> None:
    bench = await resting_bench().opened(hand_limit=1)
    await add_bot(bench, 1)
    await add_bot(bench, 2)
    bench.watched = True
    bench.bots.may.clear()
    await bench.ring()
    assert not idle(bench.table)
    bench.bots.may.set()
    await bench.until(lambda: bench.table.hands_dealt == 1 and not bench.table.in_hand)
    assert not idle(bench.table)
    bench.salon.close()


async def test_a_salon_that_plays_unwatched_is_idle_only_while_it_cannot_play() -> None:
    bench = await resting_bench().opened(plays_unwatched=True)
    await add_bot(bench, 1)
    assert idle(bench.table)
    await add_bot(bench, 2)
    assert not idle(bench.table)
    bench.salon.close()


async def test_the_idle_timer_looks_by_itself() -> None:
    bench = Bench()
    bench.idle = Millis(1)
    await bench.opened()
    bench.clock.time += 1
    await bench.until(lambda: bench.gone == [SALON])


# What time makes due meanwhile


async def test_the_lobby_has_the_last_row_before_a_salon_is_left(bench: Bench) -> None:
    """Nobody would make it good: a host that ends then takes what it has not written along."""
    await add_bot(bench, 1)
    assert bench.listed == []
    await bench.rest()
    assert not bench.salon.loaded
    assert bench.listed == [(SALON, "host:a")]


async def test_a_salon_whose_end_is_due_is_laid_down_before_it_is_left(bench: Bench) -> None:
    """L4: nobody seated for 24 hours, and nobody may ask."""
    due = bench.table.empty_since + ABANDONED_AFTER
    assert wakes_at(bench.table) == due
    await bench.rest()
    assert bench.laid_down == [(SALON, due)]
    bench.clock.time = due
    head = await bench.journal.head(SALON)
    assert head is not None
    assert isinstance(await bench.journal.activate(SALON, head.epoch, "host:b"), Activated)
    woken = Salon(SALON, bench.house("host:b"))
    assert await woken.load() == hosts.Admitted()
    assert bench.rows[-1]().over, "it ended before anything was asked of it"
    await woken._rest()
    loaded = await bench.journal.load(SALON)
    assert loaded is not None
    assert (loaded.head.host, loaded.tail) == ("", ())


async def test_what_time_made_due_goes_before_the_command_that_wakes_it(bench: Bench) -> None:
    """L4: he who joins after 24 hours finds the salon over."""
    await bench.rest()
    bench.clock.time += ABANDONED_AFTER
    head = await bench.journal.head(SALON)
    assert head is not None
    await bench.journal.activate(SALON, head.epoch, "host:b")
    bench.salon = Salon(SALON, bench.house("host:b"))
    assert await bench.salon.load() == hosts.Admitted()
    answer = await bench.ask(join("ann", 1))
    assert isinstance(answer, Refused)
    assert answer.refusal.reason is Reason.SALON_OVER


async def test_a_time_limit_is_reached_in_passivation() -> None:
    """L1: pauses included; bots sit, and play for nobody."""
    bench = await resting_bench().opened(time_limit=3_600)
    await bench.seated("ann")
    await add_bot(bench, 2)
    await bench.ring()
    began = bench.table.first_deal_at
    await leave(bench, "ann")
    while bench.table.in_hand:
        await bench.settled()
        if bench.mover() == "ann":
            await bench.done(bench.turn())
    await bench.rest()
    assert bench.laid_down == [(SALON, began + 3_600_000)]


# Going on


@GAMES
async def test_everything_is_as_before(game: Game) -> None:
    bench = await resting_bench().opened(game, turn_time=20_000, hand_limit=100)
    await played(bench, hands=3)
    before = table_to_plain(bench.table)
    head = await bench.journal.head(SALON)
    assert head is not None
    await bench.rest()
    assert not bench.salon.loaded
    await again(bench)
    assert table_to_plain(bench.table) == before
    after = await bench.journal.head(SALON)
    assert after is not None
    assert (after.seq, after.epoch > head.epoch) == (head.seq, True)
    await bench.done(join("zoe", 0))
    await bench.ring()
    assert bench.table.hand_number == before["hand_number"] + 1
    bench.salon.close()


async def test_a_command_that_comes_while_it_folds_is_done_once(bench: Bench) -> None:
    await add_bot(bench, 1)
    bench.journal.gate.clear()
    resting = asyncio.create_task(bench.rest())
    await bench.journal.waiting.wait()
    asked = asyncio.create_task(bench.ask(join("ann", 2), "once"))
    await asyncio.sleep(0)
    bench.journal.gate.set()
    await resting
    assert await asked == hosts.NotHere(), "nothing has happened to it"
    await again(bench)
    first = await bench.done(join("ann", 2), "once")
    assert await bench.done(join("ann", 2), "once") == first
    assert bench.journal.salons[SALON].seq == 3


@pytest.mark.parametrize("fault", list(Fault))
async def test_a_fold_of_unknown_outcome_is_looked_at(bench: Bench, fault: Fault) -> None:
    await add_bot(bench, 1)
    bench.journal.faults.append(fault)
    await bench.rest()
    assert not bench.salon.loaded
    await bench.settled()
    assert bench.salon.loaded == (fault is Fault.BEFORE)
    if fault is Fault.AFTER:
        assert bench.gone == [SALON]
        await again(bench)
    await bench.done(join("ann", 2))


async def test_a_fold_is_fenced(bench: Bench) -> None:
    await add_bot(bench, 1)
    stale, fresh = bench.salon, await bench.activated("host:b")
    bench.salon = stale
    await bench.rest()
    assert bench.gone == [SALON]
    head = await bench.journal.head(SALON)
    assert head is not None
    assert head.host == "host:b"
    assert bench.journal.salons[SALON].entries != []
    fresh.close()


# Retries


async def test_a_retry_after_the_fold_gets_its_answer(bench: Bench) -> None:
    first = await bench.done(join("ann", 1), "sit")
    await bench.done(Leave(PlayerId("ann")), "go")
    await bench.rest()
    await again(bench)
    assert await bench.done(join("ann", 1), "sit") == first
    assert await bench.ask(TopUpTo(PlayerId("ann"), Chips(100)), "sit") == RequestReused()
    assert "ann" not in bench.table.seat_of


async def test_a_retry_that_nothing_else_would_refuse_is_known_for_good(bench: Bench) -> None:
    """No later hand has begun, so that `expected_hand` would let it in: and he would hold a seat again."""
    await bench.seated("ann", "bob")
    await bench.ring()
    await bench.play_out()
    sit = await bench.ask_in_hand(join("cid", 3), 1, "sit")
    await leave(bench, "cid", "ann", "bob")
    await bench.rest()
    bench.journal.forget_retired(SALON)
    await again(bench)
    assert await bench.ask_in_hand(join("cid", 3), 1, "sit") == sit
    assert "cid" not in bench.table.seat_of


async def test_a_retry_that_was_forgotten_is_stale(bench: Bench) -> None:
    """What was done before the last hand began is refused by the hand that it names, and a turn by its turn."""
    await bench.seated("ann")
    await bench.ask_in_hand(join("cid", 3), 1, "sit")
    await bench.done(Leave(PlayerId("cid")))
    await bench.done(join("bob", 2))
    await bench.ring()
    await bench.play_out()
    await bench.ring()
    turn = bench.turn()
    await bench.done(turn, "turn")
    await bench.play_out()
    mover = bench.envelope(turn).player
    await leave(bench, "ann", "bob")
    await bench.rest()
    bench.journal.forget_retired(SALON)
    await again(bench)
    assert bench.salon._memory is not None
    known = {reply.request_id for each in bench.salon._memory.replies.values() for reply in each}
    assert "sit" not in known
    assert "turn" not in known
    for answer in (
        await bench.ask_in_hand(join("cid", 3), 1, "sit"),
        (await bench.salon.handle([changed(bench.envelope(turn, "turn"), player=mover)]))[0],
    ):
        assert isinstance(answer, Refused)
        assert answer.refusal.reason in (Reason.STALE_TURN, Reason.NOT_SEATED)


async def test_only_the_last_replies_stay_for_good(bench: Bench) -> None:
    for number in range(REPLIES_FOR_GOOD):
        await bench.done(join(f"p{number}", 1), f"sit {number}")
        await bench.done(Leave(PlayerId(f"p{number}")), f"go {number}")
    await bench.rest()
    kept = bench.journal.salons[SALON].replies
    assert [reply.seq for replies in kept.values() for reply in replies] == list(
        range(REPLIES_FOR_GOOD + 2, 2 * REPLIES_FOR_GOOD + 2)
    )
    retired = bench.journal.salons[SALON].retired
    assert sum(map(len, retired.values())) == REPLIES_FOR_GOOD + 1, "the opening's too"


# In Redis


async def played(bench: Bench, *, hands: int, guests: int = 3, bots: int = 4) -> None:
    """Bots in their seats, and guests who came, played `hands` each beside them, and left."""
    for number in range(1, bots + 1):
        await add_bot(bench, number, ("Ada", "Blaise", "Carl", "Dora")[number - 1])
    for number in range(guests):
        guest = f"{number:020}"
        await bench.done(changed(join(guest, 0), name=f"A guest, the {number}."), f"{number:036}")
        for _ in range(hands):
            await bench.ring()
            while bench.table.in_hand:
                if bench.mover() == guest:
                    await bench.done(bench.turn(), f"{bench._number:036}")
                await bench.settled()
        await bench.done(Leave(PlayerId(guest)), f"{number + 100:036}")


async def footprint(store: Redis, salon: SalonId = SALON) -> dict[str, int]:
    """Bytes by key; of the lobby, what one more row costs. Finished hands, and what expires, are left out."""
    sizes: dict[str, int] = {}
    names: list[bytes] = await store.keys(f"*{salon}*")  # type: ignore[assignment]  # this store answers in bytes
    for name in sorted(each.decode() for each in names):
        if name not in (key(salon, "hands"), key(salon, "retired")):
            sizes[name] = await store.memory_usage(name, samples=0) or 0
    return sizes


@pytest.mark.integration
@GAMES
async def test_a_passivated_salon_is_small(store: Redis, game: Game) -> None:
    """All its keys and its share of the lobby: at most 2.5 KB, measured by the server."""
    salon = SalonId("abcdefghijklmnopqrst")
    journal, lobby = Journal(store), Lobby(store)
    bench = resting_bench(journal)
    first = opening(game, salon, turn_time=20_000, hand_limit=1_000)
    bench.name = salon
    await journal.create(changed(first, player=PlayerId("o" * 20), request_id=f"{1:036}"))
    bench.salon = await bench.activated("host:a")
    await played(bench, hands=4)
    before = table_to_plain(bench.table)
    row = bench.rows[-1]()
    others = [changed(row, salon=SalonId(f"{number:020}")) for number in range(2_000)]
    for other in others:
        await lobby.write(other)
    listed = [await store.memory_usage(name, samples=0) or 0 for name in await store.keys("{lobby:0}*")]
    await bench.rest()
    assert not bench.salon.loaded
    sizes = await footprint(store, salon)
    sizes["lobby"] = -(-sum(listed) // len(others))
    assert set(sizes) == {*(key(salon, part) for part in ("head", "snap", "replies")), "lobby"}
    print(game, sizes, sum(sizes.values()))
    assert sum(sizes.values()) <= MOST_BYTES, sizes
    assert await journal.hands(salon) == [HandNumber(n) for n in range(12, 0, -1)]
    await again(bench)
    assert table_to_plain(bench.table) == before
    bench.salon.close()


@pytest.mark.integration
async def test_replies_that_can_be_done_without_expire(store: Redis) -> None:
    bench = await resting_bench(Journal(store)).opened()
    await bench.seated("ann")
    await leave(bench, "ann")
    await bench.rest()
    assert 0 < await store.pttl(key(SALON, "retired")) <= REPLIES_RETIRED_FOR
    assert await store.pttl(key(SALON, "replies")) == -1


@pytest.mark.integration
async def test_an_opening_is_known_for_good(store: Redis) -> None:
    journal = Journal(store)
    bench = await resting_bench(journal).opened()
    began = await journal.create(opening())
    await add_bot(bench, 1)
    await bench.rest()
    await store.delete(key(SALON, "retired"), key(SALON, "replies"))
    assert await journal.create(opening()) == began
    assert await journal.create(opening(seats=4)) != began
