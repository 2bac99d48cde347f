"""Outages: whoever's turn it is gets back the time in which the table could not be reached, as an event in the log."""

import asyncio
import copy
import signal
from collections.abc import AsyncIterator

import pytest

from cluster.clock import RedisClock
from cluster.envelope import Accepted, Answer, Envelope, Unavailable
from cluster.journal.log import Appended, Fenced, Gap, LogFault, Mend, Mended
from cluster.journal.redis_journal import Journal
from cluster.redis_door import connect
from cluster.routing.directory import Directory
from cluster.routing.hosts import Admitted
from cluster.routing.leases import Leases
from cluster.routing.pulses import Pulses
from cluster.salons.salon import Salon
from engine.commands import Command, Join, SitOut, Sweep
from engine.events import Event, GraceGiven, TailLost, TimedOut
from engine.units import PlayerId
from engine.view import TableView
from tests.cluster.bench import Bench
from tests.cluster.local_hosts import LocalHosts
from tests.cluster.memory_journal import Fault
from tests.cluster.salons import SALON, easy_turn, join, opening
from tests.conftest import Valkey

TURN_TIME = 20_000


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    """A hand whose first turn began just now."""
    bench = await Bench().opened(turn_time=TURN_TIME, time_bank=0)
    await bench.seated("ann", "bob", "cid")
    await bench.ring()
    yield bench
    bench.salon.close()


def of(bench: Bench, kind: type[Event]) -> list[Event]:
    entries = bench.journal.salons[SALON].entries
    return [event for entry in entries for event in entry.events if isinstance(event, kind)]


def left(bench: Bench) -> int:
    assert bench.table.hand is not None
    return bench.table.hand.deadline - bench.clock.time


async def test_a_turn_goes_on_where_it_was_when_the_log_is_back(bench: Bench) -> None:
    """The time that had passed before counts, that which passed meanwhile does not."""
    bench.clock.time += 5_000
    bench.heard = bench.clock.time
    bench.journal.faults.append(Fault.BEFORE)
    assert isinstance(await bench.ask(bench.turn()), Unavailable)
    bench.clock.time += 60_000
    bench.heard = None
    assert await bench.salon.load() == Admitted()
    assert left(bench) == TURN_TIME - 5_000
    assert len(of(bench, GraceGiven)) == 1
    await bench.salon._ring()
    assert of(bench, TimedOut) == []
    await bench.ring()
    assert len(of(bench, TimedOut)) == 1


async def test_a_timer_that_rings_before_the_host_has_heard_anything_waits(bench: Bench) -> None:
    """The process was stopped, or its log: the clock goes on, and nobody could play."""
    bench.heard = bench.clock.time + 1_000
    await bench.ring()
    assert (of(bench, TimedOut), len(of(bench, GraceGiven))) == ([], 1)
    assert left(bench) == TURN_TIME - 1_000
    bench.heard = None
    await bench.ring()
    assert len(of(bench, TimedOut)) == 1


async def test_a_hosts_outage_is_made_good_in_every_salon(bench: Bench) -> None:
    since = bench.clock.time + 2_000
    bench.clock.time += 10_000
    await bench.salon.excuse(bench.clock.now())
    assert of(bench, GraceGiven) == []
    for _ in range(2):
        await bench.salon.excuse(type(bench.clock.now())(since))
    assert len(of(bench, GraceGiven)) == 1, "the same outage, once"
    assert left(bench) == TURN_TIME - 2_000


@pytest.mark.parametrize("heard", [True, False], ids=["its host was heard of", "nobody knows since when"])
async def test_a_turn_goes_on_elsewhere_with_what_it_had_left(bench: Bench, heard: bool) -> None:
    """Its host died. Where nobody knows when, what counts is the last that it wrote."""
    bench.clock.time += 3_000
    if heard:
        bench.pulses["host:a"] = bench.clock.time
    else:
        await bench.done(join("dan", 4))
    bench.clock.time += 3_600_000
    stale, bench.salon = bench.salon, await bench.activated("host:b")
    assert left(bench) == TURN_TIME - 3_000
    assert len(of(bench, GraceGiven)) == 1
    stale.close()


async def test_a_salon_that_moves_in_a_moment_gives_nobody_time(bench: Bench) -> None:
    bench.pulses["host:a"] = bench.clock.time
    bench.clock.time += 1_500
    stale, bench.salon = bench.salon, await bench.activated("host:b")
    assert of(bench, GraceGiven) == []
    assert left(bench) == TURN_TIME - 1_500
    stale.close()


async def test_a_turn_of_many_outages_ends(bench: Bench) -> None:
    """At most three a turn; then it is late like any other."""
    for number in range(5):
        bench.clock.time += 3_600_000
        old, bench.salon = bench.salon, await bench.activated(f"host:{number}")
        old.close()
    assert len(of(bench, GraceGiven)) == 3
    await bench.salon._ring()
    assert len(of(bench, TimedOut)) == 1


async def test_a_grace_whose_outcome_is_unknown_is_given_once(bench: Bench) -> None:
    bench.journal.faults.append(Fault.AFTER)
    bench.heard = bench.clock.time
    bench.clock.time += 60_000
    await bench.salon._ring()
    bench.heard = None
    await bench.settled()
    assert len(of(bench, GraceGiven)) == 1
    assert left(bench) == TURN_TIME


async def test_between_hands_nobody_needs_a_grace(bench: Bench) -> None:
    await bench.play_out()
    bench.clock.time += 3_600_000
    old, bench.salon = bench.salon, await bench.activated("host:b")
    assert of(bench, GraceGiven) == []
    old.close()


async def sat_out(bench: Bench) -> None:
    """A hand is over, and ann's seat is kept for ten minutes."""
    await bench.play_out()
    await bench.done(SitOut(PlayerId("ann")))


def kept_for(bench: Bench) -> int:
    player = bench.table.players[bench.table.seat_of[PlayerId("ann")]]
    assert player is not None
    return player.evict_at - bench.clock.time


async def test_a_seat_is_kept_through_an_outage_and_no_longer(bench: Bench) -> None:
    """The log does not answer; what the outage cost is given back once, though its outcome is unknown the first time."""
    await sat_out(bench)
    bench.clock.time += 60_000
    bench.heard = bench.clock.time
    bench.salon._doubt()
    bench.clock.time += 3_600_000
    bench.heard = None
    bench.journal.faults.append(Fault.AFTER)
    with pytest.raises(LogFault):
        await bench.salon.load()
    assert await bench.salon.load() == Admitted()
    assert "ann" in bench.table.seat_of
    assert kept_for(bench) == 540_000
    assert bench.salon._memory is not None
    assert not await bench.salon._do(bench.salon._memory, Sweep())
    bench.clock.time += 540_000
    assert await bench.salon._do(bench.salon._memory, Sweep())
    assert "ann" not in bench.table.seat_of


async def test_a_seat_is_kept_while_a_salon_has_no_host(bench: Bench) -> None:
    await sat_out(bench)
    bench.pulses["host:a"] = bench.clock.time
    bench.clock.time += 3_600_000
    old, bench.salon = bench.salon, await bench.activated("host:b")
    assert kept_for(bench) == 600_000
    old.close()


@pytest.mark.parametrize("faults", [0, 1])
async def test_a_seat_is_kept_through_an_outage_that_lost_a_part_of_the_log(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, faults: int
) -> None:
    """Also where the first try to go on without it fails; what time made due before is done."""
    await bench.done(SitOut(PlayerId("ann")))
    await bench.play_out()
    await bench.done(SitOut(PlayerId("bob")))
    before = copy.deepcopy(bench.journal.salons[SALON])
    last = await bench.done(join("dan", 4))
    bench.salon.close()
    bench.journal.salons[SALON] = before
    bench.clock.time += 300_000
    bench.pulses["host:a"] = bench.clock.time
    bench.clock.time += 3_600_000
    mend, left = bench.journal.mend, [LogFault("it did not answer")] * faults

    async def failing(plan: Mend) -> Mended | Fenced | Gap:
        if left:
            raise left.pop()
        outcome: Mended | Fenced | Gap = await mend(plan)
        return outcome

    monkeypatch.setattr(bench.journal, "mend", failing)
    head = await bench.journal.head(SALON)
    await bench.journal.activate(SALON, head.epoch, "host:b", made=last.seq)
    bench.salon = Salon(SALON, bench.house("host:b"))
    for _ in range(faults):
        with pytest.raises(LogFault):
            await bench.salon.load()
    assert await bench.salon.load() == Admitted()
    assert len(of(bench, TailLost)) == 1
    assert kept_for(bench) == 300_000
    assert bench.salon._memory is not None
    assert not await bench.salon._do(bench.salon._memory, Sweep())
    bench.clock.time += 300_000
    assert await bench.salon._do(bench.salon._memory, Sweep())
    await bench.settled()


async def test_a_seat_is_not_given_up_before_the_host_has_heard_anything(bench: Bench) -> None:
    """An eviction that came due in an outage, and a timer that rings before the lease is renewed."""
    await sat_out(bench)
    bench.heard = bench.clock.time
    bench.clock.time += 601_000
    await bench.salon._ring()
    assert kept_for(bench) == 600_000


# With a real log


class Table:
    """One table on a host in this process, over a Valkey that may stop."""

    def __init__(self, server: Valkey) -> None:
        self.store = connect(f"{server.url}?socket_timeout=0.3")
        self.hosts = LocalHosts(self.store, lease=1_500)
        self.journal = Journal(self.store)
        self.directory = Directory(self.hosts, self.journal, Leases(self.store))
        self._number = 0

    async def ask(self, command: Command | None, player: str) -> Answer:
        self._number += 1
        envelope = Envelope(SALON, PlayerId(player), f"r{self._number}", command, wants_view=True)
        (answer,) = await self.directory.call(SALON, [envelope])
        return answer

    async def view(self, player: str, command: Command | None = None) -> TableView:
        answer = await self.ask(command, player)
        assert isinstance(answer, Accepted), answer
        assert answer.view is not None
        return answer.view

    async def dealt(self, turn_time: int) -> str:
        """Deal a hand to ann and bob, and say whose the first turn is."""
        clock = RedisClock(self.store)
        await clock.synchronise()
        first = opening(at=clock.now(), turn_time=turn_time, time_bank=0, between_hands=1_000)
        assert isinstance(await self.journal.create(first), Appended)
        sits: list[Join] = [join("ann", 1), join("bob", 2)]
        for sit in sits:
            await self.view(sit.player, sit)
        async with asyncio.timeout(20):
            while not (view := await self.view("ann")).to_act:  # noqa: ASYNC110 - it happens in Redis
                await asyncio.sleep(0.05)
        return "ann" if view.to_act == 1 else "bob"

    async def events(self) -> list[Event]:
        head = await self.journal.head(SALON)
        assert head is not None
        entries = await self.journal.read(SALON, (head.epoch, type(head.seq)(0)))
        return [event for entry in entries for event in entry.events]

    async def close(self) -> None:
        await self.directory.close()
        await self.hosts.stop()
        await self.store.aclose()


@pytest.fixture
async def real_table(own_valkey: Valkey) -> AsyncIterator[Table]:
    table = Table(own_valkey)
    yield table
    await table.close()


@pytest.mark.integration
@pytest.mark.parametrize("turn_time, away", [(4_000, 6), (60_000, 3)], ids=["it ran out", "it goes on"])
async def test_clocks_stand_still_while_redis_does(
    real_table: Table, own_valkey: Valkey, turn_time: int, away: int
) -> None:
    """All goes on by itself, and the mover plays his turn."""
    mover = await real_table.dealt(turn_time)
    host = next(iter(real_table.hosts.running.values()))
    keeping = asyncio.create_task(host.run())
    try:
        own_valkey.send(signal.SIGSTOP)
        await asyncio.sleep(away)
        own_valkey.send(signal.SIGCONT)
        async with asyncio.timeout(20):
            while not any(isinstance(event, GraceGiven) for event in await real_table.events()):  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.05)
        await real_table.view(mover, easy_turn(await real_table.view(mover), mover))
        assert not any(isinstance(event, TimedOut) for event in await real_table.events())
    finally:
        keeping.cancel()


@pytest.mark.integration
async def test_a_hosts_last_sign_of_life_outlives_it(own_valkey: Valkey) -> None:
    store = connect(own_valkey.url)
    clock = RedisClock(store)
    pulses = Pulses(store, clock)
    before = clock.now()
    await pulses.beat("host:a")
    assert before <= await pulses.last("host:a") <= clock.now()
    assert await pulses.last("host:b") == 0
    await store.aclose()
