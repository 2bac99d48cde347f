"""The caretaker: who is given up and who is not, what becomes of their salons, and whose the role is."""

import asyncio
from typing import Any, Final, cast

import pytest
from redis.asyncio import Redis

from cluster.envelope import Accepted, Epoch, SalonId
from cluster.journal.log import Activated, Lost
from cluster.routing.caretaker import Caretaker
from cluster.routing.drains import NodeId
from cluster.routing.leases import HostName, Leases, Standing
from engine.units import Millis
from tests.cluster.bench import HandClock
from tests.cluster.memory_redis import MemoryRedis
from tests.cluster.salons import SALON, join
from tests.cluster.town import Town

pytestmark = pytest.mark.integration

LEASE: Final = Millis(3_000)


async def silent_host(town: Town) -> HostName:
    """A host with a salon where somebody sits, and whose lease lapses at once."""
    await town.opened()
    await town.ask(join("ann", 1))
    (host,) = town.hosts.running
    await town.leases.renew(host, Millis(1))
    return host


async def test_nobody_is_given_up_because_redis_was_away(town: Town) -> None:
    """Every lease has lapsed then, and every host renews its own within one lease."""
    await town.opened()
    await town.ask(None)
    (host,) = town.hosts.running
    clock = HandClock()
    caretaker = Caretaker(town.leases, town.directory, "me", lease=LEASE, monotonic=lambda: clock.time)
    for clock.time in (100, 101, 102, 103):
        await caretaker.sweep()
    await town.leases.renew(host, Millis(1))
    await asyncio.sleep(0.002)
    for clock.time in (110, 111, 112):
        await caretaker.sweep()
        assert town.hosts.killed == []
    clock.time = 113
    await caretaker.sweep()
    assert town.hosts.killed == [host]


async def test_nobody_is_given_up_because_redis_clock_was_put_ahead(town: Town) -> None:
    """A replica that takes over may be ahead: every lease has lapsed then at once, and no host is dead."""
    clock, ahead = HandClock(100), 0
    leases = Leases(cast("Redis", MemoryRedis(lambda: clock.time * 1_000 + ahead)))
    caretaker = Caretaker(leases, town.directory, "me", lease=LEASE, monotonic=lambda: clock.time)
    reserved = await leases.reserve(SALON, per_host=1, most_hosts=1)
    assert reserved is not None
    for clock.time in range(101, 106):
        await leases.renew(reserved.host, LEASE)
        await caretaker.sweep()
    ahead = 3_500
    for clock.time in (106, 107, 108):
        await caretaker.sweep()
        assert await leases.standing(reserved.host) is Standing.SILENT
    clock.time = 109
    await caretaker.sweep()
    assert town.hosts.killed == [reserved.host], "it had a lease's time to renew it by the new clock"


async def test_a_sweep_moves_a_silent_hosts_salons(town: Town) -> None:
    old = await silent_host(town)
    caretaker = town.caretaker()
    async with asyncio.timeout(5):
        while await town.host() == old:
            await caretaker.sweep()
    assert town.hosts.killed == [old]
    assert isinstance(await town.ask(join("bob", 2)), Accepted)


async def test_a_full_cluster_moves_a_silent_hosts_salons(town: Town) -> None:
    """The host that was given up is what takes the place of the next."""
    town.hosts.room = 1
    old = await silent_host(town)
    caretaker = town.caretaker()
    async with asyncio.timeout(5):
        while await town.host() == old or await town.leases.condemned():
            await caretaker.sweep()
    assert isinstance(await town.ask(join("bob", 2)), Accepted)


async def test_a_salon_that_was_moved_and_not_loaded_is_loaded_by_the_next_sweep(town: Town) -> None:
    """Nobody asks for it, and its timers run on its new host alone."""
    await silent_host(town)
    town.hosts.lost_admissions = 2
    caretaker = town.caretaker()
    async with asyncio.timeout(5):
        while town.hosts.lost_admissions or await town.leases.condemned():
            await caretaker.sweep()
    (new,) = town.hosts.running.values()
    assert new.salons == {SALON}


async def test_a_salon_that_goes_from_one_dead_host_to_another_is_taken_up(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node dies with a host and its spare: who saw to the spare's salons saw this one still with the first."""
    await town.opened()
    await town.ask(join("ann", 1))
    (old,) = town.hosts.running
    spare = await town.leases.spare(NodeId("n1"), 10)
    assert spare is not None
    await town.directory.start_spare(spare, NodeId("n1"))
    for host in (old, spare):
        town.hosts.die(host)
    other, activate = town.another(), town.journal.activate

    async def late(salon: SalonId, seen: Epoch, host: HostName, **more: Any) -> Activated | Lost:
        """Reserve, then stand still for as long as others need to find and bury the spare."""
        monkeypatch.setattr(town.journal, "activate", activate)
        assert host == spare
        await town.leases.condemn(spare, only_if_lapsed=False)
        await other.evacuate(spare)
        return await activate(salon, seen, host, **more)

    monkeypatch.setattr(town.journal, "activate", late)
    await town.leases.condemn(old, only_if_lapsed=False)
    await town.directory.evacuate(old)
    caretaker = town.caretaker()
    async with asyncio.timeout(5):
        while await town.leases.condemned():
            await caretaker.sweep()
    (new,) = town.hosts.running.values()
    assert new.salons == {SALON}


async def test_one_caretaker_has_the_role(town: Town) -> None:
    await town.opened()
    await town.ask(None)
    (old,) = town.hosts.running
    await town.caretaker("first").sweep()
    await town.leases.renew(old, Millis(1))
    await town.caretaker("second").sweep()
    assert await town.leases.condemned() == []
    assert town.hosts.killed == []


async def test_who_takes_the_role_over_judges_at_once(town: Town) -> None:
    """He has swept in vain all the time, and so knows that neither Redis nor he was away."""
    await town.opened()
    await town.ask(None)
    (host,) = town.hosts.running
    clock = HandClock(0)
    first, second = (
        Caretaker(town.leases, town.directory, who, lease=Millis(3), monotonic=lambda: clock.time)
        for who in ("first", "second")
    )
    await first.sweep()
    for clock.time in range(4):
        await second.sweep()
    await town.leases.give_role("caretaker", "first")
    await town.leases.renew(host, Millis(1))
    await asyncio.sleep(0.002)
    clock.time = 4
    await second.sweep()
    assert town.hosts.killed == [host]
