"""A master that becomes a replica under its clients: its name leads to another, and it closes no connection."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from redis.asyncio import Redis
from redis.asyncio.connection import Connection, SSLConnection, UnixDomainSocketConnection
from redis.exceptions import ReadOnlyError, ResponseError

from cluster.coalesced import Coalesced
from cluster.envelope import SalonId
from cluster.journal.log import Appended, LogFault
from cluster.redis_door import connect
from cluster.routing.leases import Leases
from engine.units import Millis
from tests.chaos.proxy import Proxy
from tests.cluster.chaining import ChainingJournal
from tests.cluster.log_writer import Writer
from tests.cluster.salons import join
from tests.conftest import Valkey

pytestmark = pytest.mark.integration
LEASE: Final = Millis(5_000)
Failover = tuple[Redis, Callable[[], Awaitable[None]]]


@pytest.fixture
async def failover(own_valkey: Valkey, tmp_path: Path) -> AsyncIterator[Failover]:
    """A connection to a master by its name, and what lets another take its place."""
    follower = Valkey(tmp_path / "follower")
    follower.start()
    name = Proxy(_place(own_valkey))
    await name.start()
    redis = connect(f"redis://{name.address}/0")

    async def fail_over() -> None:
        async with connect(own_valkey.url) as first, connect(follower.url) as second:
            await first.config_set("repl-diskless-sync-delay", 0)
            await second.replicaof(*_place(own_valkey))
            async with asyncio.timeout(20):
                while (await second.info("replication"))["master_link_status"] != "up":  # noqa: ASYNC110 - it is another process
                    await asyncio.sleep(0.02)
            await second.replicaof("NO", "ONE")
            await first.replicaof(*_place(follower))
        name.lead_to(_place(follower))

    yield redis, fail_over
    await redis.aclose()
    await name.stop()
    follower.end()


def _place(server: Valkey) -> tuple[str, int]:
    parts = urlsplit(server.url)
    return str(parts.hostname), int(parts.port or 0)


async def test_the_next_write_goes_to_the_new_master(failover: Failover) -> None:
    redis, fail_over = failover
    await redis.set("before", 1)
    await fail_over()
    with pytest.raises(ReadOnlyError):
        await redis.set("after", 1)
    assert await redis.set("after", 1)
    assert await redis.get("before") == b"1"


@pytest.mark.parametrize("together", [False, True])
async def test_the_next_script_goes_to_the_new_master(failover: Failover, together: bool) -> None:
    redis, fail_over = failover
    leases = Leases(Coalesced(redis) if together else redis)
    assert await leases.hold_role("caretaker", "me", LEASE)
    await fail_over()
    with pytest.raises(ReadOnlyError):
        await leases.hold_role("caretaker", "me", LEASE)
    assert await leases.hold_role("caretaker", "me", LEASE)


async def test_the_next_commit_goes_to_the_new_master(failover: Failover) -> None:
    """Of several that were on their way together none is done, and the first error is not all that is read."""
    redis, fail_over = failover
    journal = ChainingJournal(redis)
    writers = [await Writer(journal, SalonId(f"s{number}")).begin() for number in range(3)]
    commits = [writer.commit(join("ann", 1), "r1") for writer in writers]
    await fail_over()
    refused = await asyncio.gather(*map(journal.append, commits), return_exceptions=True)
    assert [type(outcome) for outcome in refused] == [LogFault] * 3
    assert all("ReadOnlyError" in str(outcome) for outcome in refused)
    made = await asyncio.gather(*map(journal.append, commits))
    assert [type(outcome) for outcome in made] == [Appended] * 3


async def test_the_words_of_older_servers_are_understood(store: Redis) -> None:
    """Of a script that may not write Redis 6.2 says so within an error of its own; another error changes nothing."""
    said = "ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write against a read only replica."
    for error, same in (("ERR of another kind", True), (said, False)):
        before = await store.client_id()
        with pytest.raises(ResponseError):
            await store.eval("return redis.error_reply(ARGV[1])", 0, error)
        assert (await store.client_id() == before) is same


@pytest.mark.parametrize(
    "url, kind",
    [
        ("redis://h:1/0", Connection),
        ("rediss://h:1/0", SSLConnection),
        ("unix:///s", UnixDomainSocketConnection),
    ],
)
async def test_every_kind_of_connection_is_made_anew(
    url: str, kind: type[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object, **__: object) -> None:
        raise ReadOnlyError("no")

    monkeypatch.setattr("redis.asyncio.connection.AbstractConnection.read_response", refused)
    connection: Any = connect(url).connection_pool.make_connection()  # type: ignore[no-untyped-call]  # it has none
    assert kind in type(connection).__mro__
    with pytest.raises(ReadOnlyError):
        await connection.read_response()
    assert connection.should_reconnect()
