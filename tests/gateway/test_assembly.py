"""How a gateway is put together: what the settings say reaches whoever goes by it."""

import pytest
from redis.asyncio import Redis

from cluster.gateway.desk import PATIENCE
from cluster.gateway.server import assemble
from cluster.settings import ClusterSettings
from tests.cluster.local_hosts import LocalHosts

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("lease_ms, call_timeout", [(500, 1.0), (3_000, 3.5), (60_000, PATIENCE)])
async def test_the_lease_setting_is_what_hosts_are_judged_and_waited_for_by(
    store: Redis, lease_ms: int, call_timeout: float
) -> None:
    settings = ClusterSettings(host_lease_ms=lease_ms)
    gateway = await assemble(settings, redis=store, hosts=LocalHosts(store))
    assert gateway.caretaker._lease == lease_ms / 1000
    assert gateway.directory._call_timeout == call_timeout
    await gateway.directory.close()
