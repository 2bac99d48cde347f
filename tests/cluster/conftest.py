"""What the cluster's tests share."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from tests.cluster.town import Town


@pytest.fixture
async def town(store: Redis) -> AsyncIterator[Town]:
    """A directory over hosts in this process, and nothing opened yet."""
    town = Town(store)
    yield town
    await town.stop()
