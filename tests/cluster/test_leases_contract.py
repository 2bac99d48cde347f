"""The contract of the leases and of the lobby's rows, held by Redis with its scripts and by its twin in memory alike."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from redis.asyncio import Redis

from cluster.clock import RedisClock
from cluster.envelope import Epoch, SalonId, Seq
from cluster.lobby import Lobby, row_of
from cluster.routing.drains import NodeId
from cluster.routing.leases import Counted, HostName, Leases, Reserved, Standing
from cluster.routing.pulses import Pulses
from cluster.routing.sleepers import Sleepers
from cluster.versions import KNOWN, Versions
from engine.units import Millis
from engine.value import changed
from tests.cluster.log_writer import replay_events
from tests.cluster.memory_redis import MemoryRedis
from tests.cluster.salons import opening

LONG = Millis(60_000)
SHORT = Millis(1)
N1, N2 = NodeId("n1"), NodeId("n2")
OLDER, NEEDS, LATER = (Versions(schema, "1.0.0") for schema in (8, 9, 10))
S1, S2, S3 = (SalonId(f"s{number}") for number in (1, 2, 3))


class Server:
    """A Redis, and a way to let time go on there."""

    def __init__(self, redis: Any, wait: Callable[[int], Awaitable[object]]) -> None:
        self.redis = redis
        self.leases = Leases(redis)
        self.wait = wait
        """Lets so many milliseconds pass."""

    async def reserved(self, salon: SalonId, *, per_host: int = 1, most_hosts: int = 10) -> Reserved:
        reserved = await self.leases.reserve(salon, per_host=per_host, most_hosts=most_hosts)
        assert reserved is not None
        return reserved

    async def host(self, salon: SalonId, lease: Millis = LONG, *, per_host: int = 1) -> HostName:
        """A host that was named for a salon, and has its lease."""
        reserved = await self.reserved(salon, per_host=per_host)
        assert await self.leases.renew(reserved.host, lease) is not None
        return reserved.host


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.integration)])
def server(request: pytest.FixtureRequest) -> Server:
    if request.param == "redis":
        store: Redis = request.getfixturevalue("store")

        async def sleep(ms: int) -> None:
            await asyncio.sleep((ms + 2) / 1_000)

        return Server(store, sleep)
    hand = [1_000_000]

    async def turn(ms: int) -> None:
        hand[0] += ms + 2

    return Server(MemoryRedis(lambda: hand[0]), turn)


async def test_a_salon_without_a_host_gets_a_new_one(server: Server) -> None:
    reserved = await server.reserved(S1)
    assert reserved.starting
    assert await server.leases.hot(reserved.host) == {S1}
    assert await server.leases.standing(reserved.host) is Standing.LIVING
    assert await server.leases.living() == [reserved.host]


async def test_who_asks_for_a_salon_meanwhile_gets_the_same_host(server: Server) -> None:
    first = await server.reserved(S1)
    assert await server.reserved(S1) == first
    await server.leases.renew(first.host, LONG)
    assert await server.reserved(S1) == Reserved(first.host, starting=False)


async def test_a_full_host_gets_no_salon(server: Server) -> None:
    first = await server.host(S1)
    assert (await server.reserved(S2)).host != first


async def test_the_fullest_host_with_room_is_taken(server: Server) -> None:
    first = await server.host(S1, per_host=2)
    assert await server.reserved(S2, per_host=2) == Reserved(first, starting=False)
    other = await server.host(S3, per_host=2)
    assert other != first
    await server.leases.release(first, S2)
    await server.leases.renew(first, LONG)
    fullest = await server.reserved(SalonId("s4"), per_host=3)
    assert fullest.host in {first, other}
    assert (await server.reserved(SalonId("s5"), per_host=3)).host == fullest.host, "it has two now"


async def test_no_more_hosts_are_named_than_fit(server: Server) -> None:
    await server.host(S1)
    assert await server.leases.reserve(S2, per_host=1, most_hosts=1) is None
    assert await server.leases.reserve(S2, per_host=2, most_hosts=1) is not None


async def test_a_host_whose_lease_has_lapsed_gets_no_salon(server: Server) -> None:
    silent = await server.host(S1, SHORT)
    await server.wait(1)
    assert (await server.reserved(S2, per_host=5)).host != silent
    assert (await server.reserved(S1, per_host=5)).host != silent, "nor the one that was promised to it"


async def test_a_lease_lapses_and_is_renewed(server: Server) -> None:
    host = await server.host(S1, SHORT)
    await server.wait(1)
    assert await server.leases.standing(host) is Standing.SILENT
    assert await server.leases.lapsed() == [host]
    assert await server.leases.living() == []
    assert await server.leases.renew(host, LONG) == 1
    assert await server.leases.standing(host) is Standing.LIVING
    assert await server.leases.lapsed() == []


async def test_a_host_that_nobody_named_has_no_lease(server: Server) -> None:
    assert await server.leases.standing(HostName("host:x")) is Standing.GONE
    assert await server.leases.renew(HostName("host:x"), LONG) is None
    assert not await server.leases.condemn(HostName("host:x"), only_if_lapsed=False)


async def test_a_living_host_is_given_up_only_on_better_knowledge(server: Server) -> None:
    host = await server.host(S1)
    assert not await server.leases.condemn(host, only_if_lapsed=True)
    assert await server.leases.standing(host) is Standing.LIVING
    assert await server.leases.condemn(host, only_if_lapsed=False)
    assert await server.leases.standing(host) is Standing.GONE


async def test_a_silent_host_is_given_up(server: Server) -> None:
    host = await server.host(S1, SHORT)
    await server.wait(1)
    assert await server.leases.condemn(host, only_if_lapsed=True)
    assert await server.leases.condemn(host, only_if_lapsed=True), "twice is once"
    assert await server.leases.condemned() == [host]
    assert await server.leases.hot(host) == {S1}, "its salons are found until they are elsewhere"


async def test_a_host_given_up_is_never_a_host_again(server: Server) -> None:
    host = await server.host(S1)
    await server.leases.condemn(host, only_if_lapsed=False)
    assert await server.leases.renew(host, LONG) is None
    await server.leases.keep_starting(host)
    assert await server.leases.standing(host) is Standing.GONE
    assert (await server.reserved(S1, per_host=5)).host != host


async def test_one_process_is_a_host(server: Server) -> None:
    """Whoever comes second under its name would hold its salons under the same epochs."""
    host = (await server.reserved(S1)).host
    assert await server.leases.begin(host, "one")
    assert not await server.leases.begin(host, "two")
    assert await server.leases.begin(host, "one"), "an answer was lost"
    await server.leases.renew(host, LONG)
    assert not await server.leases.begin(host, "two")
    await server.leases.condemn(host, only_if_lapsed=False)
    assert not await server.leases.begin(host, "one"), "it was given up"
    await server.leases.bury(host)
    assert not await server.leases.begin(host, "two")


async def test_a_host_is_buried_with_its_hot_set(server: Server) -> None:
    host = await server.host(S1)
    await server.leases.condemn(host, only_if_lapsed=False)
    await server.leases.bury(host)
    assert await server.leases.condemned() == []
    assert await server.leases.hot(host) == set()
    assert not await server.leases.condemn(host, only_if_lapsed=False)


async def test_a_burial_that_is_cut_short_is_made_good(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is left of the host: its node would have room for one fewer for as long as it lives."""
    host = await server.leases.spare(N1, 1)
    assert host is not None
    await server.leases.renew(host, LONG, N1, KNOWN)
    assert await server.leases.retire(host)

    async def reset(*_: object) -> None:
        raise ConnectionError("reset")

    with monkeypatch.context() as cut, suppress(ConnectionError):
        cut.setattr(server.redis, "delete", reset)
        await server.leases.bury(host)
    for condemned in await server.leases.condemned():
        await server.leases.bury(condemned)
    assert await server.leases.condemned() == []
    assert await server.leases.spare(N1, 1) is not None


async def test_a_hot_set_is_what_was_counted_there(server: Server) -> None:
    host = await server.host(S1, per_host=2)
    await server.leases.hold(host, S2)
    await server.leases.hold(host, S2)
    assert await server.leases.hot(host) == {S1, S2}
    await server.leases.release(host, S1)
    await server.leases.release(host, S2)
    assert await server.leases.hot(host) == set()
    assert (await server.reserved(S3)).host == host, "its room is known to be free"


async def test_a_host_that_is_being_created_is_kept_from_lapsing(server: Server) -> None:
    reserved = await server.reserved(S1)
    await server.leases.keep_starting(reserved.host)
    assert (await server.reserved(S1)).starting, "it is still to be created"
    await server.leases.renew(reserved.host, LONG)
    await server.leases.keep_starting(reserved.host)
    await server.wait(5_050 if isinstance(server.redis, MemoryRedis) else 0)
    assert await server.leases.standing(reserved.host) is Standing.LIVING, "the longer lease counts"


async def test_a_renewal_says_how_many_salons_are_counted(server: Server) -> None:
    host = await server.host(S1, per_host=3)
    await server.leases.hold(host, S2)
    assert await server.leases.renew(host, LONG) == 2
    await server.leases.release(host, S1)
    await server.leases.release(host, S2)
    assert await server.leases.renew(host, LONG) == 0


async def test_a_draining_nodes_hosts_get_no_salon(server: Server) -> None:
    host = await server.host(S1)
    assert await server.leases.renew(host, LONG, N1) is not None
    await server.leases.drains.order(N1, Millis(0))
    elsewhere = await server.reserved(S2, per_host=5)
    assert elsewhere.host != host
    assert (await server.reserved(S1, per_host=5)).host == elsewhere.host, (
        "nor the one that was promised to it"
    )
    assert await server.leases.reserve(S3, per_host=1, most_hosts=1) is None, (
        "the draining one is not counted"
    )
    assert await server.leases.drains.call_off(N1)
    assert (await server.reserved(S3, per_host=2)).host in {host, elsewhere.host}


async def test_a_salon_that_leaves_a_host_gets_another(server: Server) -> None:
    host = await server.host(S1, per_host=3)
    reserved = await server.leases.reserve(S1, per_host=3, most_hosts=10, leaving=host)
    assert reserved is not None
    assert reserved.host != host


async def test_a_salon_goes_only_where_what_it_needs_is_known(server: Server) -> None:
    """However much fuller another host is; nor to one that lives and has not said what it knows."""
    older, silent = await server.host(S1), await server.host(S2)
    knowing = await server.host(S3)
    assert await server.leases.renew(older, LONG, N1, OLDER) is not None
    assert await server.leases.renew(knowing, LONG, N2, LATER) is not None
    for host in (older, silent):
        await server.leases.hold(host, SalonId("s4"))
    salon = SalonId("s5")
    assert (await server.reserved(salon, per_host=3)).host in {older, silent}
    for _ in range(2):
        reserved = await server.leases.reserve(salon, per_host=3, most_hosts=10, needs=NEEDS)
        assert reserved == Reserved(knowing, starting=False), "nor where the salon was counted before"


async def test_what_a_host_knows_that_is_being_created_nobody_knows(server: Server) -> None:
    """It is taken at its creator's word; when it says that it knows too little it gets no more."""
    first = await server.leases.reserve(S1, per_host=3, most_hosts=1, needs=NEEDS)
    assert first is not None
    assert await server.leases.reserve(S2, per_host=3, most_hosts=1, needs=NEEDS) == first
    assert await server.leases.renew(first.host, LONG, N1, OLDER) is not None
    assert await server.leases.reserve(S3, per_host=3, most_hosts=0, needs=NEEDS) is None


async def test_hosts_on_nodes_that_know_too_little_are_not_counted(server: Server) -> None:
    """`most_hosts` is how many fit on the other nodes."""
    older = await server.host(S1)
    assert await server.leases.renew(older, LONG, N1, OLDER) is not None
    assert await server.leases.reserve(S2, per_host=1, most_hosts=1) is None
    assert await server.leases.reserve(S2, per_host=5, most_hosts=0, needs=NEEDS) is None
    reserved = await server.leases.reserve(S2, per_host=5, most_hosts=1, needs=NEEDS)
    assert reserved is not None
    assert reserved.host != older
    assert reserved.starting


async def test_a_salon_goes_onto_a_node_only_where_a_host_is(server: Server) -> None:
    host = await server.host(S1)
    assert await server.leases.renew(host, LONG, N1) is not None
    there = await server.leases.reserve(S2, per_host=2, most_hosts=10, onto=N1)
    assert there == Reserved(host, starting=False)
    assert await server.leases.reserve(S3, per_host=2, most_hosts=10, onto=N2) is None


async def test_a_spare_waits_for_salons_where_it_was_wanted(server: Server) -> None:
    spare = await server.leases.spare(N1, 1)
    assert spare is not None
    assert await server.leases.spare(N1, 1) is None, "no more fit"
    assert (await server.reserved(S1)).host != spare, "it has no lease of its own yet"
    assert await server.leases.renew(spare, LONG, N1) == 0
    assert await server.reserved(S2) == Reserved(spare, starting=False)


async def test_a_host_is_retired_only_without_a_salon(server: Server) -> None:
    host = await server.host(S1)
    assert not await server.leases.retire(host)
    await server.leases.release(host, S1)
    assert await server.leases.retire(host)
    assert await server.leases.standing(host) is Standing.GONE


async def test_the_census_has_every_host(server: Server) -> None:
    host = await server.host(S1)
    assert await server.leases.renew(host, LONG, N1) is not None
    starting = (await server.reserved(S2)).host
    gone = await server.host(S3)
    await server.leases.condemn(gone, only_if_lapsed=False)
    census = {counted.host: counted for counted in await server.leases.census()}
    assert census == {
        host: Counted(host, N1, 1, starting=False, given_up=False),
        starting: Counted(starting, NodeId(""), 1, starting=True, given_up=False),
        gone: Counted(gone, NodeId(""), 0, starting=False, given_up=True),
    }


async def test_a_sleeper_is_woken_once_at_its_time(server: Server) -> None:
    sleepers = Sleepers(server.redis)
    await sleepers.lay_down(S1, Millis(2_000))
    await sleepers.lay_down(S2, Millis(1_000))
    await sleepers.lay_down(S3, Millis(9_000))
    assert await sleepers.due(Millis(2_000), 10) == [(S2, 1_000), (S1, 2_000)]
    assert await sleepers.due(Millis(2_000), 1) == [(S2, 1_000)]
    await sleepers.lay_down(S1, Millis(3_000))
    await sleepers.woken(S1, Millis(2_000))
    await sleepers.woken(S2, Millis(1_000))
    assert await sleepers.due(Millis(5_000), 10) == [(S1, 3_000)], "it was given another time"
    await sleepers.put_off(S1, Millis(2_000), Millis(6_000))
    assert await sleepers.due(Millis(5_000), 10) == [(S1, 3_000)], "it was given another time"
    await sleepers.put_off(S1, Millis(3_000), Millis(6_000))
    assert await sleepers.due(Millis(6_000), 10) == [(S1, 6_000)]


async def test_a_pulse_is_when_a_host_was_last_heard_of(server: Server) -> None:
    clock = RedisClock(server.redis, monotonic=lambda: 500.0)
    await clock.synchronise()
    pulses = Pulses(server.redis, clock)
    assert await pulses.last("host:x") == 0
    await pulses.beat("host:x")
    assert await pulses.last("host:x") == clock.now()


async def test_a_role_has_one_holder(server: Server) -> None:
    leases = server.leases
    assert await leases.hold_role("caretaker", "a", LONG)
    assert await leases.hold_role("caretaker", "a", LONG), "who has it keeps it"
    assert not await leases.hold_role("caretaker", "b", LONG)
    assert await leases.hold_role("another", "b", LONG)
    await leases.give_role("caretaker", "b")
    assert not await leases.hold_role("caretaker", "b", LONG), "it was not b's to give"
    await leases.give_role("caretaker", "a")
    await server.wait(1)
    assert await leases.hold_role("caretaker", "b", LONG)


async def test_a_role_lapses(server: Server) -> None:
    assert await server.leases.hold_role("caretaker", "a", SHORT)
    await server.wait(1)
    assert await server.leases.hold_role("caretaker", "b", LONG)


async def test_a_clock_follows_the_server(server: Server) -> None:
    async def there() -> int:
        seconds, micros = await server.redis.time()
        return int(seconds) * 1_000 + int(micros) // 1_000

    clock = RedisClock(server.redis, monotonic=lambda: 500.0)
    before = await there()
    await clock.synchronise()
    assert before - 1 <= clock.now() <= await there()


async def test_an_older_row_never_overwrites_a_newer(server: Server) -> None:
    lobby = Lobby(server.redis)
    table = replay_events(opening())

    async def write(epoch: int, seq: int, *, over: bool = False) -> bool:
        row = row_of(table, S1, Epoch(epoch), Seq(seq), Millis(1_000))
        return await lobby.write(changed(row, over=over))

    assert await write(5, 7)
    assert not await write(5, 6)
    assert not await write(4, 9)
    assert await write(5, 7), "the same again"
    assert await write(6, 1)
    assert await write(6, 2, over=True)
    assert await lobby.find(S1) is None
    assert not await write(6, 1)
    assert not await write(5, 9)
    assert await lobby.find(S1) is None
    assert await write(7, 1), "what the store has forgotten goes on under a later epoch"
