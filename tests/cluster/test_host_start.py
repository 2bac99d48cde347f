"""A host's start: it answers nothing before it has its clock and its lease, and takes them once."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from cluster.chance import hand_start
from cluster.clock import RedisClock
from cluster.envelope import Envelope, SalonId
from cluster.journal.log import Activated, Appended
from cluster.lobby import Lobby, LobbyDesk
from cluster.routing.drains import NodeId
from cluster.routing.hosts import Admitted, NotHere
from cluster.routing.leases import Leases
from cluster.salons.host import Host
from cluster.salons.house import House
from cluster.versions import KNOWN
from engine.units import Millis, PlayerId
from tests.cluster.bench import CallingBots
from tests.cluster.memory_journal import MemoryJournal
from tests.cluster.memory_redis import MemoryRedis
from tests.cluster.salons import SALON, opening

NODE = NodeId("n1")


class Inn:
    """A host that was named for a salon, over a store in memory that can be away."""

    def __init__(self, lease: Millis = Millis(3_000)) -> None:
        self.lease = lease
        self.redis = MemoryRedis(lambda: 1_000)
        self.journal = MemoryJournal()
        client: Any = self.redis
        self.client: Redis = client
        self.leases = Leases(self.client)

    async def named(self) -> "Inn":
        began = await self.journal.create(opening())
        reserved = await self.leases.reserve(SALON, per_host=1, most_hosts=1)
        assert isinstance(began, Appended)
        assert reserved is not None
        self.name = reserved.host
        assert isinstance(await self.journal.activate(SALON, began.epoch, self.name), Activated)
        clock = RedisClock(self.client)
        self.desk = LobbyDesk(Lobby(self.client))

        async def watched(_: SalonId) -> bool:
            return False

        def house(gone: Callable[[SalonId], None]) -> House:
            changed = self.desk.changed
            return House(self.name, self.journal, clock, hand_start, CallingBots(), watched, changed, gone)

        self.host, self.namesake = (
            Host(house, leases=self.leases, desk=self.desk, clock=clock, lease=self.lease, node=NODE)
            for _ in range(2)
        )
        return self


async def test_a_host_that_could_not_read_the_clock_answers_nothing_until_it_is_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its lease is there, taken by whoever named it: with a clock of its own it would time turns out."""
    inn = await Inn().named()

    async def away() -> None:
        raise RedisConnectionError("refused")

    with monkeypatch.context() as patch:
        patch.setattr(inn.redis, "time", away)
        with pytest.raises(RedisConnectionError):
            await inn.host.start()
    look = Envelope(SALON, PlayerId("ann"), "", None)
    assert await inn.host.admit(SALON) == NotHere()
    assert await inn.host.deliver([[look]], patient=True) == [[NotHere()]]
    assert await inn.host.start()
    assert await inn.host.admit(SALON) == Admitted()
    inn.host.stop()


async def test_two_starts_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    inn = await Inn().named()
    time = inn.redis.time

    async def slow() -> tuple[int, int]:
        await asyncio.sleep(0)
        return await time()

    monkeypatch.setattr(inn.redis, "time", slow)
    assert all(await asyncio.gather(inn.host.start(), inn.host.start()))
    assert len(inn.host._tasks) == 1, "the lobby's desk runs once"
    inn.host.stop()


async def test_a_process_that_comes_second_under_a_hosts_name_is_not_the_host() -> None:
    """Ray lets the name of an actor that it takes for dead be used again, and the first may live."""
    inn = await Inn().named()
    assert await inn.host.start()
    assert not await inn.namesake.start()
    assert await inn.namesake.admit(SALON) == NotHere()
    assert await inn.host.admit(SALON) == Admitted()
    inn.host.stop()


async def test_a_host_that_was_given_up_does_not_begin() -> None:
    inn = await Inn().named()
    await inn.leases.condemn(inn.name, only_if_lapsed=False)
    assert not await inn.host.start()
    assert await inn.host.admit(SALON) == NotHere()


async def test_what_the_store_forgot_of_a_host_is_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failover may lose its first renewal alone: without its node no drain would find it."""
    monkeypatch.setattr("cluster.salons.host._CLOCK_EVERY", 2)
    inn = await Inn(lease=Millis(3)).named()
    assert await inn.host.start()
    (before,) = await inn.leases.census()
    assert (before.node, before.knows) == (NODE, KNOWN)
    known_on_nodes = dict(inn.redis.hashes["{hosts}:nodes_know"])
    for forgotten in ("nodes", "knows", "nodes_know"):
        inn.redis.hashes["{hosts}:" + forgotten].clear()
    running = asyncio.create_task(inn.host.run())
    async with asyncio.timeout(5):
        while await inn.leases.census() != [before]:  # noqa: ASYNC110 - a task of the host says it
            await asyncio.sleep(0.001)
    assert inn.redis.hashes["{hosts}:nodes_know"] == known_on_nodes
    running.cancel()
    inn.host.stop()
