"""Spares: hosts that wait where salons are, are adopted, and end where nobody needs them."""

import pytest

from cluster.envelope import Accepted, Exhausted
from cluster.routing.leases import HostName
from tests.cluster.bench import HandClock
from tests.cluster.placement.nodes import NEW, OLD, idle, node, rounds
from tests.cluster.town import Town

pytestmark = pytest.mark.integration


async def test_an_activation_onto_a_spare_starts_no_process(town: Town) -> None:
    await idle(town, "s1")
    await rounds(town.placement(spares=1))
    assert len(town.hosts.on(OLD)) == 2
    started = list(town.hosts.started)
    await town.opened("s2")
    assert isinstance(await town.ask(None, salon="s2"), Accepted)
    assert town.hosts.started == started
    assert await town.host("s2") in started


async def test_spares_are_kept_where_salons_are_and_nowhere_else(town: Town) -> None:
    town.hosts.units[NEW] = 4
    placement = town.placement(spares=2)
    await rounds(placement, 2)
    assert town.hosts.running == {}
    await idle(town)
    await rounds(placement, 3)
    here = await node(town)
    assert len(town.hosts.on(here)) == 3
    assert len(town.hosts.running) == 3


async def test_packed_hosts_keep_room_beside_the_fullest(town: Town) -> None:
    """Which may be the next that dies; two with salons are each other's spare until they are full."""
    town.directory = town.another(salons_per_host=3)
    await idle(town, "s1", "s2")
    placement = town.placement(per_host=3, spares=1)
    await rounds(placement, 2)
    assert len(town.hosts.running) == 2
    await idle(town, "s3", "s4", "s5")
    await rounds(placement, 2)
    assert len(town.hosts.running) == 2
    await idle(town, "s6")
    await rounds(placement, 2)
    assert len(town.hosts.running) == 3


async def test_salons_of_a_packed_host_that_dies_find_another_that_runs(town: Town) -> None:
    town.directory = town.another(salons_per_host=3)
    await idle(town, "s1", "s2")
    await rounds(town.placement(per_host=3, spares=1))
    started = list(town.hosts.started)
    dead = HostName(await town.host("s1"))
    town.hosts.die(dead)
    for salon in ("s1", "s2"):
        assert isinstance(await town.ask(None, salon=salon), Accepted)
        assert await town.host(salon) in set(started) - {dead}
    assert town.hosts.started == started


async def test_spares_are_no_more_than_fit_and_are_room_for_salons(town: Town) -> None:
    town.hosts.units = {OLD: 2}
    await idle(town, "s1")
    await rounds(town.placement(spares=5), 3)
    assert len(town.hosts.running) == 2
    await idle(town, "s2")
    await town.opened("s3")
    assert isinstance(await town.ask(None, salon="s3"), Exhausted)


async def test_a_host_that_was_given_a_salon_meanwhile_does_not_end(town: Town) -> None:
    """Whoever counted it empty looked a moment too early."""
    await idle(town)
    host = HostName(await town.host())
    assert not await town.leases.retire(host)
    assert host in await town.leases.living()


async def test_hosts_that_nobody_needs_end_after_a_while(town: Town) -> None:
    await idle(town, "s1")
    clock = HandClock(0)
    keeping = town.placement(clock, spares=3)
    await rounds(keeping, 4)
    assert len(town.hosts.running) == 4
    placement = town.placement(clock, spares=1)
    await rounds(placement)
    clock.time = 59_000
    await rounds(placement)
    assert len(town.hosts.running) == 4
    clock.time = 60_000
    await rounds(placement)
    assert len(town.hosts.running) == 2
    assert await town.host("s1") in town.hosts.running
