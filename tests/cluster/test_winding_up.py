"""A salon that is over: its log is kept small, and nobody runs it."""

from collections.abc import AsyncIterator

import pytest

from cluster.journal.log import replay
from engine.commands import CloseSalon, Leave
from engine.units import Millis, PlayerId
from tests.cluster.bench import Bench
from tests.cluster.salons import SALON


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    bench.idle = Millis(60_000)
    yield await bench.opened()
    bench.salon.close()


async def ended(bench: Bench) -> None:
    await bench.done(CloseSalon(PlayerId("owner")))


async def test_a_salon_that_is_over_is_folded_at_once(bench: Bench) -> None:
    """What it was played with would stay for ever."""
    await bench.seated("ann")
    await bench.done(Leave(PlayerId("ann")))
    await ended(bench)
    await bench.until(lambda: bench.gone == [SALON])
    loaded = await bench.journal.load(SALON)
    assert loaded is not None
    assert (loaded.head.host, loaded.tail) == ("", ())
    assert replay(loaded).over


async def test_a_salon_that_is_over_and_watched_leaves_its_host_and_is_folded_later(bench: Bench) -> None:
    bench.watched = True
    await ended(bench)
    await bench.until(lambda: bench.gone == [SALON])
    assert bench.laid_down == [(SALON, bench.clock.now() + bench.idle)]
    bench.watched = False
    head = await bench.journal.head(SALON)
    assert head is not None
    assert head.host == "host:a"
    bench.salon = await bench.activated("host:b")
    await bench.ask(None)
    await bench.until(lambda: bench.gone == [SALON, SALON])
    head = await bench.journal.head(SALON)
    assert head is not None
    assert head.host == ""


async def test_a_salon_that_is_over_and_of_which_nothing_is_asked_leaves_its_host(bench: Bench) -> None:
    """Whoever had it loaded is gone, or a host that still counts it looked for what it has not got."""
    bench.watched = True
    await ended(bench)
    await bench.until(lambda: bench.gone == [SALON])
    bench.watched = False
    bench.idle = Millis(1)
    bench.salon = await bench.activated("host:b")
    await bench.until(lambda: bench.gone == [SALON, SALON])
