"""Sites and gateways over the run's own Valkey and Ray."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from redis.asyncio import Redis

from cluster.redis_door import connect
from tests.integration.gateways import Running
from tests.integration.site import Site


@pytest.fixture
async def sites(ray_cluster: None, redis_url: str, store: Redis) -> AsyncIterator[Callable[..., Site]]:
    """Makes sites, each with its own connections; their hosts end with the test."""
    made: list[Site] = []

    def make(**given: int) -> Site:
        made.append(Site(connect(redis_url), redis_url, **given))
        return made[-1]

    yield make
    for site in made:
        await site.close()
        await site.store.aclose()


@pytest.fixture
def site(sites: Callable[..., Site]) -> Site:
    """One site, one salon a host."""
    return sites()


@pytest.fixture
async def gateways(ray_cluster: None, redis_url: str, store: Redis) -> AsyncIterator[Any]:
    """Starts gateways of the test's own."""
    started: list[Running] = []

    async def start() -> Running:
        started.append(Running(redis_url))
        await started[-1].start()
        return started[-1]

    yield start
    for running in started:
        await running.stop()
    if started:
        await started[0].kill_hosts()


@pytest.fixture
async def gateway(gateways: Any) -> Running:
    running: Running = await gateways()
    return running
