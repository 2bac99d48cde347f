"""Sleepers: what time makes due in a salon that nobody runs is done, once, and by one process."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from cluster.clock import RedisClock
from cluster.envelope import Accepted, Answer, Envelope, Epoch, Exhausted, SalonId, Seq, Unavailable
from cluster.journal.log import Appended
from cluster.journal.redis_journal import Journal
from cluster.routing.directory import Directory
from cluster.routing.leases import Leases
from cluster.routing.sleepers import Sleepers, Waker
from cluster.watching.doors import Doors
from cluster.watching.presence import Presence
from engine.commands import Leave
from engine.units import Millis, PlayerId
from tests.cluster.local_hosts import LocalHosts
from tests.cluster.salons import SALON, join, opening

pytestmark = pytest.mark.integration


class Woken:
    """Whoever is woken."""

    def __init__(self) -> None:
        self.salons: list[SalonId] = []
        self.answer: Answer = Accepted(Epoch(1), Seq(1))

    async def wake(self, salon: SalonId) -> Answer:
        self.salons.append(salon)
        return self.answer


def waker(store: Redis, woken: Woken, now: int = 100, who: str = "gateway:a") -> Waker:
    return Waker(Sleepers(store), Leases(store), who, now=lambda: Millis(now), wake=woken.wake)


async def test_who_is_due_is_woken_once(store: Redis) -> None:
    sleepers, woken = Sleepers(store), Woken()
    await sleepers.lay_down(SalonId("early"), Millis(100))
    await sleepers.lay_down(SalonId("late"), Millis(101))
    for _ in range(2):
        await waker(store, woken).look_around()
    assert woken.salons == ["early"]


async def test_whom_no_host_has_room_for_is_woken_later(store: Redis) -> None:
    sleepers, woken = Sleepers(store), Woken()
    await sleepers.lay_down(SALON, Millis(100))
    woken.answer = Exhausted(5_000)
    for now in (100, 5_099, 5_100):
        await waker(store, woken, now).look_around()
    assert woken.salons == [SALON, SALON]


async def test_those_that_cannot_be_woken_keep_nobody_else_asleep(store: Redis) -> None:
    """However many they are, and however long they have been due."""
    sleepers, woken = Sleepers(store), Woken()
    for number in range(100):
        await sleepers.lay_down(SalonId(f"newer{number}"), Millis(number))
    await sleepers.lay_down(SALON, Millis(100))
    woken.answer = Unavailable(5_000, "a later version wrote it")
    for _ in range(4):
        await waker(store, woken).look_around()
    assert SALON in woken.salons


async def test_a_time_that_was_given_meanwhile_stays(store: Redis) -> None:
    sleepers = Sleepers(store)
    await sleepers.lay_down(SALON, Millis(100))
    await sleepers.lay_down(SALON, Millis(200))
    await sleepers.woken(SALON, Millis(100))
    assert await sleepers.due(Millis(200), 9) == [(SALON, 200)]


async def test_one_process_wakes(store: Redis) -> None:
    woken = Woken()
    await waker(store, woken).look_around()
    await Sleepers(store).lay_down(SALON, Millis(100))
    await waker(store, woken, who="gateway:b").look_around()
    assert woken.salons == []


@pytest.fixture
async def hosts(store: Redis) -> AsyncIterator[LocalHosts]:
    hosts = LocalHosts(store, room=1)
    yield hosts
    await hosts.stop()


async def test_an_idle_salon_leaves_its_host_and_comes_back_when_it_is_asked(
    store: Redis, hosts: LocalHosts
) -> None:
    """Its place is another's meanwhile; the first envelope activates it again."""
    hosts.idle = Millis(600)  # longer than a directory waits between two tries
    journal, leases = Journal(store), Leases(store)
    directory = Directory(hosts, journal, leases)
    clock = RedisClock(store)
    await clock.synchronise()

    async def ask(salon: SalonId, number: int, command: object) -> Answer:
        who = PlayerId("ann" if command else "")
        envelope = Envelope(salon, who, f"{salon}-{number}", command)  # type: ignore[arg-type]  # it is a command
        (answer,) = await directory.call(salon, [envelope])
        return answer

    salons = [SalonId("one"), SalonId("two")]
    for salon in salons:
        assert isinstance(await journal.create(opening(salon=salon, at=clock.now())), Appended)
    for round_ in range(2):
        for salon in salons:
            sat = await ask(salon, round_ * 10, join("ann", 1))
            assert isinstance(sat, Accepted), sat
            assert await ask(salon, round_ * 10, join("ann", 1)) == sat
            assert isinstance(await ask(salon, round_ * 10 + 1, Leave(PlayerId("ann"))), Accepted)
            async with asyncio.timeout(10):
                while (head := await journal.head(salon)) is None or head.host:  # noqa: ASYNC110 - it is in Redis
                    await asyncio.sleep(0.01)
                while any([await leases.hot(host) for host in hosts.running]):  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.01)
            assert head.seq == 3 + 2 * round_
    assert len(hosts.running) == 1
    due = [salon for salon, _ in await Sleepers(store).due(Millis(clock.now() + 10**9), 9)]
    assert sorted(due) == salons
    await directory.close()


async def test_a_salon_that_was_thought_unwatched_is_woken(store: Redis) -> None:
    """A gateway that could not say for long that it watches says so again."""
    clock, woken = RedisClock(store), Woken()
    doors = Doors(Presence(store, clock), "gateway:a", woken.wake)
    await doors.opened(SALON)
    await doors.still_open(SALON)
    assert woken.salons == [SALON]
    await store.flushall()
    await doors.still_open(SALON)
    assert woken.salons == [SALON, SALON]
