"""Versions: what a later one wrote is refused, left alone and played where it is known; nothing is quarantined for it."""

import msgpack
import pytest
from redis.asyncio import Redis

from cluster.envelope import Envelope, Unavailable
from cluster.journal.hand_record import VERSION, record_from_plain, record_to_plain
from cluster.journal.log import Activated, Appended, LogCorrupt, LogNewer, Lost
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.routing.directory import Directory
from cluster.routing.hosts import Admitted, Refusing
from cluster.routing.leases import Leases
from cluster.salons.salon import Salon
from cluster.versions import Versions
from engine.game import RULES_VERSION
from engine.record import SCHEMA_VERSION, UnknownRecord
from engine.units import HandNumber, PlayerId
from tests.cluster.bench import Bench
from tests.cluster.chaining import ChainingJournal
from tests.cluster.local_hosts import LocalHosts
from tests.cluster.log_writer import Writer, finished_hand
from tests.cluster.salons import SALON, join

pytestmark = pytest.mark.integration
LATER = SCHEMA_VERSION + 1


async def upgraded(store: Redis) -> None:
    """Let a later version have written the salon's log."""
    await store.hset(key(SALON, "head"), "schema", str(LATER))


async def test_a_later_versions_log_is_refused_by_name(store: Redis) -> None:
    log = ChainingJournal(store)
    writer = await Writer(log).begin()
    await upgraded(store)
    for asked in (log.load(SALON), log.head(SALON)):
        with pytest.raises(LogNewer, match=f"schema {LATER}; this one knows {SCHEMA_VERSION}"):
            await asked
    assert await log.activate(SALON, writer.epoch, "host:b") == Lost()


async def test_an_earlier_versions_log_is_a_later_ones_from_the_first_commit_on(store: Redis) -> None:
    """So that a host that is not upgraded yet does not misread it."""
    log = ChainingJournal(store)
    writer = await Writer(log).begin()
    await store.hset(key(SALON, "head"), "schema", "1")
    assert (await log.load(SALON)) is not None
    await writer.do(join("ann", 1))
    assert await store.hget(key(SALON, "head"), "schema") == str(SCHEMA_VERSION).encode()


async def test_a_host_leaves_a_later_versions_salon_to_others(store: Redis) -> None:
    """It was given to it by a gateway that knows more: it is nobody's again, and not quarantined."""
    bench = await Bench(journal=Journal(store)).opened()
    await bench.seated("ann")
    bench.salon.close()
    later = Journal(store, Versions(LATER, RULES_VERSION))
    head = await later.head(SALON)
    assert head is not None
    await upgraded(store)
    assert isinstance(await later.activate(SALON, head.epoch, "host:old"), Activated)
    old = Salon(SALON, bench.house("host:old"))
    refusing = await old.load()
    assert isinstance(refusing, Refusing)
    assert refusing.retry_ms
    assert bench.gone == [SALON]
    bench.journal = later
    head = await later.head(SALON)
    assert head is not None
    assert (head.host, head.quarantine) == ("", "")
    bench.salon = await bench.activated("host:new")
    assert "ann" in bench.table.seat_of
    bench.salon.close()


async def test_a_gateway_that_does_not_know_the_version_says_so_at_once(store: Redis) -> None:
    hosts = LocalHosts(store)
    directory = Directory(hosts, ChainingJournal(store), Leases(store))
    await Writer(ChainingJournal(store)).begin()
    await upgraded(store)
    (answer,) = await directory.call(SALON, [Envelope(SALON, PlayerId("ann"), "r", join("ann", 1))])
    assert isinstance(answer, Unavailable)
    assert "a later version" in answer.why
    assert hosts.running == {}
    await store.hset(key(SALON, "head"), "schema", str(SCHEMA_VERSION))
    (answer,) = await directory.call(SALON, [Envelope(SALON, PlayerId("ann"), "r", join("ann", 1))])
    assert not isinstance(answer, Unavailable)
    await directory.close()
    await hosts.stop()


async def test_a_salon_that_was_upgraded_while_it_runs_elsewhere_is_not_admitted_as_broken(
    store: Redis,
) -> None:
    """A head that a running salon of this version finds is a fault, not a bug of the salon's."""
    bench = await Bench(journal=Journal(store)).opened()
    await bench.seated("ann")
    await upgraded(store)
    assert isinstance(await bench.ask(join("ann", 2)), Unavailable)  # a refusal looks at the head
    await store.hset(key(SALON, "head"), "schema", str(SCHEMA_VERSION))
    assert await bench.salon.load() == Admitted()
    bench.salon.close()


def test_a_later_versions_hand_is_refused_by_name() -> None:
    plain = record_to_plain(finished_hand(3))
    assert record_from_plain(plain) == finished_hand(3)
    with pytest.raises(UnknownRecord, match="a later version wrote hand 3"):
        record_from_plain({**plain, "version": VERSION + 1})


async def test_a_hand_that_cannot_be_read_is_a_later_versions_or_corrupt(store: Redis) -> None:
    log = ChainingJournal(store)
    await Writer(log).begin()
    later = {**record_to_plain(finished_hand(3)), "version": VERSION + 1}
    await store.hset(key(SALON, "hands"), "3", msgpack.packb(later))
    with pytest.raises(LogCorrupt, match="hand 3 cannot be read: UnknownRecord"):
        await log.hand(SALON, HandNumber(3))
    await upgraded(store)
    with pytest.raises(LogNewer):
        await log.hand(SALON, HandNumber(3))


async def test_what_was_appended_says_its_version(store: Redis) -> None:
    log = ChainingJournal(store)
    writer = await Writer(log).begin()
    assert isinstance(await log.append(writer.commit(join("ann", 1))), Appended)
    assert await store.hget(key(SALON, "head"), "schema") == str(SCHEMA_VERSION).encode()
