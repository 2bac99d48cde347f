"""Redis away: nothing that was acknowledged is lost, and what was not is executed once or not at all."""

import asyncio
import signal
from collections.abc import AsyncIterator

import pytest

from cluster.redis_door import connect
from engine.units import PlayerId
from tests.cluster.salons import join
from tests.conftest import Valkey
from tests.integration.site import Site

pytestmark = pytest.mark.integration


@pytest.fixture
async def site(ray_cluster: None, own_valkey: Valkey) -> AsyncIterator[Site]:
    """A site over the test's own Valkey, which is given half a second to answer."""
    url = f"{own_valkey.url}?socket_timeout=0.5"
    site = Site(connect(url), url)
    yield site
    await site.close()
    await site.store.aclose()


async def test_a_commit_of_unknown_outcome_is_executed_once(site: Site, own_valkey: Valkey) -> None:
    """Valkey stops with the commit in its socket, and executes it when its host has long given it up."""
    salon = await site.seated(turn_time=300_000)
    before = await site.journal.head(salon)
    own_valkey.send(signal.SIGSTOP)
    asked = asyncio.create_task(site.done(salon, join("dan", 4), "once"))
    await asyncio.sleep(1.5)
    assert not asked.done()
    own_valkey.send(signal.SIGCONT)
    answer = await asked
    table = await site.table(salon)
    assert table.seat_of[PlayerId("dan")] == 4
    assert before is not None
    entries = await site.journal.read(salon, (before.epoch, before.seq))
    joins = [
        entry for entry in entries if any(type(event).__name__ == "PlayerSeated" for event in entry.events)
    ]
    assert [entry.seq for entry in joins] == [answer.seq]
    assert (await site.done(salon, join("dan", 4), "once")).seq == answer.seq


async def test_no_acknowledged_command_is_lost_with_redis(site: Site, own_valkey: Valkey) -> None:
    salon = await site.seated(turn_time=300_000)
    host = await site.host(salon)
    answer = await site.done(salon, join("dan", 4), "once")
    own_valkey.end(signal.SIGKILL)
    own_valkey.start()
    again = await site.done(salon, join("dan", 4), "once")
    assert (again.epoch, again.seq) == (answer.epoch, answer.seq)
    await site.store.connection_pool.disconnect()
    assert await site.host(salon) == host, "no host died"
    await site.act(salon)
