"""A salon that is handed over: between two commits, whole, and once."""

import asyncio
import math

import pytest

from cluster.envelope import Accepted
from cluster.routing.hosts import NotHere
from cluster.routing.leases import HostName
from engine.record import table_to_plain
from engine.units import PlayerId
from tests.cluster.bench import Bench
from tests.cluster.memory_journal import Fault
from tests.cluster.salons import SALON, join

TO = HostName("host:b")


@pytest.fixture
async def bench() -> Bench:
    return await (await Bench().opened()).seated("ann", "bob")


async def host(bench: Bench) -> str:
    head = await bench.journal.head(SALON)
    assert head is not None
    return str(head.host)


async def test_a_salon_without_a_hand_goes_and_says_no_more(bench: Bench) -> None:
    assert await bench.salon.hand_over(TO, mid_hand=False)
    assert await host(bench) == TO
    assert bench.gone == [SALON]
    assert await bench.ask(join("cid", 3)) == NotHere()
    assert not await bench.salon.hand_over(HostName("host:c"), mid_hand=True)
    assert await host(bench) == TO


async def test_a_salon_with_a_hand_stays_unless_it_must_go(bench: Bench) -> None:
    """One that began since somebody looked is no exception."""
    await bench.ring()
    assert not bench.salon.between_hands
    assert not await bench.salon.hand_over(TO, mid_hand=False)
    await bench.done(bench.turn())
    before = table_to_plain(bench.table)
    assert await bench.salon.hand_over(TO, mid_hand=True)
    bench.salon = await bench.activated("host:c")
    assert table_to_plain(bench.table) == before


async def test_a_held_salon_begins_no_hand_until_it_is_let_go(bench: Bench) -> None:
    bench.salon.hold(math.inf)
    await bench.ring()
    assert bench.salon.between_hands
    await bench.ring()
    assert bench.table.hand_number == 0
    bench.salon.hold(-math.inf)
    await bench.ring()
    assert not bench.salon.between_hands


async def test_a_commit_in_flight_comes_first(bench: Bench) -> None:
    bench.journal.gate.clear()
    asked = asyncio.create_task(bench.ask(join("cid", 3)))
    await bench.journal.waiting.wait()
    going = asyncio.create_task(bench.salon.hand_over(TO, mid_hand=False))
    late = asyncio.create_task(bench.ask(join("dan", 4)))
    await asyncio.sleep(0)
    assert await host(bench) == "host:a"
    bench.journal.gate.set()
    assert isinstance(await asked, Accepted)
    assert await going
    assert await late == NotHere(), "it is asked for again where the salon is"
    bench.salon = await bench.activated("host:c")
    assert PlayerId("cid") in bench.table.seat_of
    assert PlayerId("dan") not in bench.table.seat_of


async def test_where_another_took_it_it_is_dropped_and_not_moved_on(bench: Bench) -> None:
    await bench.activated("host:c")
    assert not await bench.salon.hand_over(TO, mid_hand=False)
    assert await host(bench) == "host:c"
    assert bench.gone == [SALON]


async def test_a_salon_whose_log_is_just_read_stays(bench: Bench) -> None:
    bench.journal.faults = [Fault.BEFORE]
    await bench.ask(join("cid", 3))
    assert not bench.salon.loaded
    assert not await bench.salon.hand_over(TO, mid_hand=True)
    assert await host(bench) == "host:a"
