"""A host: what it counts as its own, and what it makes good by itself."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis

from cluster.envelope import Accepted, Envelope, Epoch, SalonId, Seq
from cluster.journal.log import Activated, Appended, LogFault
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.lobby import Lobby
from cluster.routing.hosts import Admitted, NotHere, Slow
from cluster.routing.leases import Leases
from cluster.salons import host as host_module
from cluster.salons.host import Host
from engine.commands import CloseSalon
from engine.events import TailLost
from engine.units import Millis, PlayerId
from tests.cluster.local_hosts import LocalHosts
from tests.cluster.salons import SALON, join, opening

pytestmark = pytest.mark.integration


class Inn:
    """One host over a real Redis, counted there as every host is."""

    def __init__(self, store: Redis) -> None:
        self.store = store
        self.journal = Journal(store)
        self.leases = Leases(store)
        self.hosts = LocalHosts(store)

    async def begin(self) -> "Inn":
        seconds, _ = await self.store.time()
        assert isinstance(await self.journal.create(opening(at=seconds * 1_000)), Appended)
        reserved = await self.leases.reserve(SALON, per_host=1, most_hosts=1)
        assert reserved is not None
        self.name = reserved.host
        await self.hosts.start(self.name)
        return self

    @property
    def host(self) -> Host:
        return self.hosts.running[self.name]

    async def give(self, to: str, salon: SalonId = SALON) -> None:
        head = await self.journal.head(salon)
        assert head is not None
        assert isinstance(await self.journal.activate(salon, head.epoch, to), Activated)


class Halting:
    """A journal whose next activation is made, and not answered."""

    def __init__(self, journal: Any) -> None:
        self._activate, journal.activate = journal.activate, self._unanswered
        self._journal = journal

    async def _unanswered(self, *given: Any, **named: Any) -> Any:
        self._journal.activate = self._activate
        await self._activate(*given, **named)
        raise LogFault("no answer")


@pytest.fixture
async def inn(store: Redis) -> AsyncIterator[Inn]:
    inn = await Inn(store).begin()
    yield inn
    await inn.hosts.stop()


async def test_a_host_is_not_empty_before_its_last_row_is_written(
    store: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be ended as soon as it is: a salon that nobody runs has nobody to make its row good."""
    monkeypatch.setattr("cluster.lobby._EVERY", 3_600.0)
    inn = await Inn(store).begin()
    await inn.give(inn.name)
    await inn.host.admit(SALON)
    lobby = Lobby(store)
    assert await lobby.find(SALON) is None
    inn.host._salons.pop(SALON).close()
    await inn.host._release(SALON)
    assert await lobby.find(SALON) is not None
    assert not await inn.leases.hot(inn.name)
    await inn.hosts.stop()


async def test_a_quarantined_salon_offers_no_seat(inn: Inn) -> None:
    """Whoever looks for one in the lobby could not take it."""
    await inn.give(inn.name)
    await inn.host.admit(SALON)
    lobby = Lobby(inn.store)
    async with asyncio.timeout(5):
        while await lobby.find(SALON) is None:  # noqa: ASYNC110 - a task of the host writes it
            await asyncio.sleep(0.001)
        await inn.host._salons[SALON]._quarantine("it broke")
        while await inn.leases.hot(inn.name):  # noqa: ASYNC110 - it happens in Redis
            await asyncio.sleep(0.001)
    row = await lobby.find(SALON)
    assert row is not None
    assert (row.free, row.closing) == (0, True)


async def test_a_salon_that_was_given_and_never_brought_is_loaded_at_the_second_look(inn: Inn) -> None:
    """Whoever gave it died in between; nobody may ask for it, and a hand may be on."""
    await inn.give(inn.name)
    await inn.host._recount()
    await asyncio.sleep(0.01)
    assert inn.host.salons == frozenset()
    await inn.host._recount()
    assert inn.host.salons == frozenset(), "the lease does not wait for it: of thousands it would lapse"
    async with asyncio.timeout(5):
        while inn.host.salons != {SALON}:  # noqa: ASYNC110 - a task of the host loads it
            await asyncio.sleep(0.001)


async def test_a_salon_that_went_elsewhere_is_let_go_at_the_second_look(inn: Inn) -> None:
    await inn.give("host:another")
    for _ in range(2):
        await inn.host._recount()
    assert inn.host.salons == frozenset()
    async with asyncio.timeout(5):
        while await inn.leases.hot(inn.name):  # noqa: ASYNC110 - it happens in Redis
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("heard", [True, False])
async def test_a_salon_that_comes_after_it_was_let_go_is_loaded_though_nobody_brings_it(
    inn: Inn, *, heard: bool
) -> None:
    """Its move took longer than its new host waited for it, and who moved it, or had it, never heard that it went."""
    await inn.give(inn.name)
    await inn.host.admit(SALON)
    reserved = await inn.leases.reserve(SALON, per_host=1, most_hosts=2, leaving=inn.name)
    assert reserved is not None
    await inn.hosts.start(reserved.host)
    new = inn.hosts.running[reserved.host]
    async with asyncio.timeout(5):
        while await inn.leases.hot(reserved.host):
            await new._recount()
            await asyncio.sleep(0.001)
        if not heard:
            Halting(inn.host._house.log)
        assert await inn.host.hand_over(SALON, reserved.host, mid_hand=False) is heard
        while new.salons != {SALON}:
            await new._recount()
            await asyncio.sleep(0.001)


async def test_a_salon_that_the_count_has_lost_is_counted_again(inn: Inn) -> None:
    await inn.give(inn.name)
    assert await inn.host.admit(SALON) == Admitted()
    await inn.leases.release(inn.name, SALON)
    await inn.host._recount()
    assert await inn.leases.hot(inn.name) == {SALON}
    (counted,) = await inn.leases.census()
    assert counted.salons == 1, "no other salon is sent in its place"


async def test_neighbours_of_a_stalled_salon_are_answered_at_once(
    inn: Inn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a batch may take: the others of the batch do not wait for the one that takes longer than they."""
    monkeypatch.setattr("cluster.salons.host._BATCH_PATIENCE", 3_600.0)
    names = [SALON, SalonId("s2"), SalonId("s3")]
    seconds, _ = await inn.store.time()
    for name in names[1:]:
        assert isinstance(await inn.journal.create(opening(salon=name, at=seconds * 1_000)), Appended)
    for name in names:
        await inn.give(inn.name, name)
        assert await inn.host.admit(name) == Admitted()
    batches = [[Envelope(name, PlayerId("ann"), "in", join("ann", 1))] for name in names]
    async with inn.host._salons[SALON]._lock, asyncio.timeout(5):
        stalled, *others = await inn.host.deliver(batches, patient=False)
    assert stalled == [Slow()]
    assert [type(answer) for answers in others for answer in answers] == [Accepted, Accepted]
    (again,) = await inn.host.deliver(batches[:1], patient=True)
    assert [type(answer) for answer in again] == [Accepted], "it was executed, once"
    head = await inn.journal.head(SALON)
    assert head is not None
    assert head.seq == 2


async def test_a_salon_of_another_host_is_not_admitted(inn: Inn) -> None:
    await inn.give("host:another")
    assert await inn.host.admit(SALON) == NotHere()
    assert inn.host.salons == frozenset()


async def test_a_host_knows_how_far_a_salon_was_that_it_let_go(inn: Inn) -> None:
    """The store has forgotten the salon's end, and nobody has it in memory any more: it is said, not played on."""
    await inn.give(inn.name)
    assert await inn.host.admit(SALON) == Admitted()
    keys = [key(SALON, part) for part in ("head", "log", "replies")]
    before: dict[str, Any] = {name: await inn.store.dump(name) for name in keys}
    close = Envelope(SALON, PlayerId("owner"), "close", CloseSalon(PlayerId("owner")))
    ((answer,),) = await inn.host.deliver([[close]], patient=True)
    assert isinstance(answer, Accepted)
    assert inn.host.salons == frozenset()
    for name, value in before.items():
        await inn.store.delete(name)
        await inn.store.restore(name, 0, value)
    assert await inn.host.admit(SALON) == NotHere(), "it reads it again"
    assert await inn.host.admit(SALON) == Admitted()
    entries = await inn.journal.read(SALON, (Epoch(0), Seq(0)))
    (lost,) = [event for entry in entries for event in entry.events if isinstance(event, TailLost)]
    assert lost.commits == answer.seq - 1


async def test_a_salon_that_could_not_be_counted_when_it_came_is_loaded_soon(
    inn: Inn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the second renewal that finds it so, and not at the second of the looks that come now and then."""
    monkeypatch.setattr(host_module, "_CLOCK_EVERY", 1_000_000)
    monkeypatch.setattr(inn.host, "_lease", Millis(30))
    await inn.give(inn.name)
    with monkeypatch.context() as down:
        down.setattr(inn.host._leases, "hold", unanswered)
        with pytest.raises(ConnectionError):
            await inn.host.admit(SALON)
    running = asyncio.create_task(inn.host.run())
    async with asyncio.timeout(5):
        while not inn.host._salons[SALON].loaded:  # noqa: ASYNC110 - a task of the host loads it
            await asyncio.sleep(0.001)
    running.cancel()


async def unanswered(*_: Any) -> None:
    raise ConnectionError("down")
