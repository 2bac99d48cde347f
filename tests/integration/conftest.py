"""Sites over the run's own Valkey and Ray."""

from collections.abc import AsyncIterator, Callable

import pytest
from redis.asyncio import Redis

from cluster.redis_door import connect
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
