"""A rolling upgrade: hosts of two releases, and a salon that only one of them can read."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from cluster.envelope import Accepted, SalonId, Unavailable
from cluster.journal.log import Activated
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.routing.directory import Directory
from cluster.routing.drains import NodeId
from cluster.routing.leases import HostName, Leases
from cluster.versions import KNOWN, UNSAID, Versions, versions_from_text, versions_to_text
from engine.record import SCHEMA_VERSION
from engine.units import Millis
from tests.cluster.salons import SALON, join
from tests.cluster.town import Town

pytestmark = pytest.mark.integration
OLD, NEW = NodeId("old"), NodeId("new")
LATER = Versions(SCHEMA_VERSION + 1, KNOWN.rules)


@pytest_asyncio.fixture
async def town(store: Redis) -> AsyncIterator[Town]:
    """Its gateway is of the later release; so is what runs on `new`, and what runs on `old` is of this one."""
    town = Town(store)
    town.journal = Journal(store, LATER)
    town.directory = town.another(salons_per_host=5)
    town.hosts.knows[NEW] = LATER
    yield town
    await town.stop()


async def needs_later(store: Redis, salon: str = SALON) -> None:
    """Let a host of the later release have written the salon's log."""
    await store.hset(key(SalonId(salon), "head"), "schema", str(LATER.schema))


async def opened(town: Town, salon: str = SALON) -> None:
    """Open a salon by the release of today."""
    later, town.journal = town.journal, Journal(town.store)
    await town.opened(salon)
    town.journal = later


async def host_on(town: Town, node: NodeId, salon: str) -> str:
    """A host on the node, which has a salon of this release."""
    for full in await town.leases.living():
        await town.store.zadd("{hosts}:room", {full: 5})
    town.hosts.units = {**town.hosts.units, node: 1} if town.hosts.running else {node: 1}
    await opened(town, salon)
    assert isinstance(await town.ask(None, salon=salon), Accepted)
    await asyncio.sleep(0)
    return await town.host(salon)


async def test_a_salon_is_always_placed_where_its_version_is_known(town: Town, store: Redis) -> None:
    """Whichever host is fuller."""
    old, new = await host_on(town, OLD, "a"), await host_on(town, NEW, "b")
    town.hosts.units = {OLD: 1, NEW: 1}
    for extra in ("c", "d"):
        await opened(town, extra)
        await store.zadd("{hosts}:room", {old: 4, new: 1})
        await needs_later(store, extra)
        assert isinstance(await town.ask(join("ann", 1), salon=extra), Accepted)
        assert await town.host(extra) == new


async def test_where_only_older_hosts_live_the_answer_is_clear_until_a_later_one_comes(
    town: Town, store: Redis
) -> None:
    old = await host_on(town, OLD, "a")
    await opened(town)
    await needs_later(store)
    answer = await town.ask(join("ann", 1))
    assert isinstance(answer, Unavailable)
    assert answer.retry_ms >= 1_000
    assert f"no host that runs knows the version of this salon (schema {LATER.schema}" in answer.why
    assert await town.host() == ""
    assert set(town.hosts.running) == {old}, "none is created where it would be of no use"
    town.hosts.units[NEW] = 1
    assert isinstance(await town.ask(join("ann", 1)), Accepted)
    assert town.hosts.where[HostName(await town.host())] == NEW


async def test_a_salon_whose_host_dies_waits_for_a_later_host_and_goes_on_by_itself(
    town: Town, store: Redis
) -> None:
    await host_on(town, OLD, "a")
    town.hosts.units = {OLD: 1, NEW: 1}
    await opened(town)
    await needs_later(store)
    assert isinstance(await town.ask(join("ann", 1)), Accepted)
    dead = HostName(await town.host())
    assert town.hosts.where[dead] == NEW
    town.hosts.units = {OLD: 1}
    town.hosts.die(dead)
    assert await town.leases.condemn(dead, only_if_lapsed=False)
    assert not await town.directory.evacuate(dead)
    town.hosts.units[NEW] = 1
    assert await town.directory.evacuate(dead)
    assert town.hosts.where[HostName(await town.host())] == NEW
    assert "ann" in (await town.table()).seat_of


async def test_a_gateway_of_the_release_before_moves_a_later_releases_salon(town: Town, store: Redis) -> None:
    """It cannot play it, and need not: its caretaker gives it to a host that can, and buries the one that died."""
    await host_on(town, OLD, "a")
    town.hosts.units = {OLD: 1, NEW: 1}
    await opened(town)
    await needs_later(store)
    told = await town.ask(join("ann", 1))
    assert isinstance(told, Accepted)
    dead = HostName(await town.host())
    town.hosts.die(dead)
    assert await town.leases.condemn(dead, only_if_lapsed=False)
    before = Directory(town.hosts, Journal(store), town.leases, salons_per_host=5)
    before.heard(SALON, told.seq)
    assert await before.evacuate(dead)
    place = HostName(await town.host())
    assert (place != dead, town.hosts.where[place]) == (True, NEW)
    assert dead not in await town.leases.condemned()
    assert SALON in town.hosts.running[place].salons
    town.hosts.units[NEW] = 2
    another = await before.place_elsewhere(SALON, place)
    assert another is not None
    assert (another != place, town.hosts.where[another]) == (True, NEW)
    await before.close()


async def test_a_node_of_which_nothing_is_known_is_tried_once(town: Town, store: Redis) -> None:
    """A host comes up that is of this release: it leaves the salon to others, and says what it knows."""
    town.hosts.units = {OLD: 1}
    await opened(town)
    await needs_later(store)
    for text in ("a later version of the product wrote it", "no host that runs knows"):
        answer = await town.ask(join("ann", 1))
        assert isinstance(answer, Unavailable)
        assert text in answer.why
    assert len(town.hosts.started) == 1
    head = await town.journal.head(SALON)
    assert head is not None
    assert (head.host, head.quarantine) == ("", "")


async def test_a_move_leads_to_a_host_that_knows_the_version_or_nowhere(town: Town, store: Redis) -> None:
    old, new = await host_on(town, OLD, "a"), await host_on(town, NEW, "b")
    await store.zadd("{hosts}:room", {old: 1})
    assert await town.directory.place_elsewhere(SalonId("b"), HostName(new)) == old
    await needs_later(store, "b")
    assert await town.directory.place_elsewhere(SalonId("b"), HostName(new)) is None
    assert await town.directory.place_elsewhere(SalonId("b"), HostName(new), OLD) is None
    assert await town.directory.place_elsewhere(SalonId("a"), HostName(new), OLD) == old


async def test_nothing_is_balanced_while_hosts_know_different_versions(town: Town) -> None:
    """Who is asked for salons lets their next hands wait, for nothing."""
    await host_on(town, OLD, "a")
    for salon in ("a2", "a3", "a4"):
        await opened(town, salon)
        await town.ask(None, salon=salon)
    await host_on(town, NEW, "b")
    town.hosts.units = {OLD: 1, NEW: 1}
    for knows, moved in ((LATER, False), (KNOWN, True)):
        await store_knows(town, knows)
        placement = town.placement(per_host=5, rebalance=4)
        await placement.round()
        await placement.settled()
        hosts = {await town.host(salon) for salon in ("a", "a2", "a3", "a4")}
        assert (len(hosts) > 1) is moved


async def store_knows(town: Town, knows: Versions) -> None:
    for host, node in town.hosts.where.items():
        if node == NEW:
            assert await town.leases.renew(host, Millis(60_000), node, knows) is not None


async def test_what_is_known_on_a_node_goes_with_it(town: Town) -> None:
    await host_on(town, OLD, "a")
    assert await town.leases.older_nodes(LATER) == {OLD}
    assert await town.leases.older_nodes(KNOWN) == set()
    town.hosts.units = {NEW: 1}
    await town.placement().round()
    assert await town.leases.older_nodes(LATER) == {OLD}, "its host is still counted"
    await town.leases.forget_nodes_but({NEW})
    assert await town.leases.older_nodes(LATER) == set()


async def test_a_lease_of_the_release_before_is_as_good_as_ever(store: Redis) -> None:
    """It says nothing of versions: it has what the salons of that release need, and nothing that needs more."""
    leases = Leases(store)
    first = await leases.reserve(SALON, per_host=1, most_hosts=1)
    assert first is not None
    assert await leases.renew(first.host, Millis(60_000), OLD) is not None
    assert [host.knows for host in await leases.census()] == [UNSAID]
    other = SalonId("other")
    same = await leases.reserve(other, per_host=2, most_hosts=1)
    assert same is not None
    assert same.host == first.host
    fresh = await leases.reserve(other, per_host=5, most_hosts=2, needs=LATER)
    assert fresh is not None
    assert fresh.host != first.host


async def test_an_older_host_takes_its_place_on_a_node_that_was_upgraded(town: Town, store: Redis) -> None:
    """It still runs beside the first of the later release: no third is created where two fit."""
    old, new = await host_on(town, OLD, "a"), await host_on(town, NEW, "b")
    await store.hset("{hosts}:nodes", old, NEW)
    await store.hdel("{hosts}:nodes_know", OLD)
    await store.zadd("{hosts}:room", {old: 5, new: 5})
    assert await town.leases.older_nodes(LATER) == set()
    assert await town.leases.reserve(SALON, per_host=5, most_hosts=2, needs=LATER) is None
    fresh = await town.leases.reserve(SALON, per_host=5, most_hosts=3, needs=LATER)
    assert fresh is not None
    assert fresh.starting


async def test_an_older_host_on_a_node_of_its_own_takes_nobodys_place(town: Town, store: Redis) -> None:
    old, new = await host_on(town, OLD, "a"), await host_on(town, NEW, "b")
    await store.zadd("{hosts}:room", {old: 5, new: 5})
    assert await town.leases.reserve(SALON, per_host=5, most_hosts=1, needs=LATER) is None
    fresh = await town.leases.reserve(SALON, per_host=5, most_hosts=2, needs=LATER)
    assert fresh is not None
    assert fresh.starting


async def test_a_log_that_needs_later_rules_is_left_alone(store: Redis) -> None:
    town: Any = Town(store)
    await town.opened(SALON)
    await store.hset(key(SALON, "head"), "rules", "1.10.0")
    answer = await town.ask(None)
    assert isinstance(answer, Unavailable)
    assert "rules 1.10.0; this one knows 1.0.0" in answer.why
    later = Journal(store, Versions(SCHEMA_VERSION, "1.10.1"))
    head = await later.head(SALON)
    assert head is not None
    assert isinstance(await later.activate(SALON, head.epoch, "host:later"), Activated)
    await town.stop()


def test_what_is_needed_and_not_known_is_covered_by_nobody() -> None:
    assert not Versions(9, "9.0.0").cover(Versions(2, "1.1.0-rc1"))


async def test_a_host_that_says_its_versions_otherwise_disturbs_nobody(town: Town) -> None:
    """A later release's beside those of today, on a node of its own: it is asked for nothing new."""
    old, odd = await host_on(town, OLD, "a"), await host_on(town, NEW, "b")
    for told, who in (("{hosts}:knows", odd), ("{hosts}:nodes_know", NEW)):
        await town.store.hset(told, who, "4 1.1.0-rc1 and more")
    assert {host.host: host.knows for host in await town.leases.census()} == {old: KNOWN, odd: UNSAID}
    assert await town.leases.older_nodes(LATER) == {OLD, NEW}
    reserved = await town.leases.reserve(SALON, per_host=9, most_hosts=2, needs=KNOWN)
    assert reserved is not None
    assert reserved.host == old


@pytest.mark.parametrize(
    "known, needed, covers",
    [
        ("2 1.0.0", "2 1.0.0", True),
        ("3 1.0.0", "2 1.0.0", True),
        ("2 1.0.0", "3 1.0.0", False),
        ("2 1.9.0", "2 1.10.0", False),
        ("2 1.10.0", "2 1.9.0", True),
        ("3 1.0.0", "2 1.1.0", False),
        ("", "2 1.0.0", True),
        ("3 1.1.0 more", "3 1.1.0", True),
        ("3 1.1.0 more", "4 1.1.0", False),
        ("3 1.1.0-rc1", "2 1.0.0", True),
        ("3 1.1.0-rc1", "3 1.0.0", False),
        ("three", "2 1.0.0", True),
    ],
)
def test_who_knows_what_is_needed(known: str, needed: str, covers: bool) -> None:
    assert versions_from_text(known).cover(versions_from_text(needed)) is covers
    assert versions_from_text(versions_to_text(versions_from_text(known))) == versions_from_text(known)
