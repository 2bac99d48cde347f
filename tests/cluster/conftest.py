"""What the cluster's tests share."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from tests.cluster.chaining import ChainingJournal, ChainingMemory
from tests.cluster.log_writer import FullLog
from tests.cluster.town import Town


@pytest.fixture
async def town(store: Redis) -> AsyncIterator[Town]:
    """A directory over hosts in this process, and nothing opened yet."""
    town = Town(store)
    yield town
    await town.stop()


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.integration)])
def log(request: pytest.FixtureRequest) -> FullLog:
    """A salon's log as Redis holds it, and as its twin in memory does."""
    if request.param == "memory":
        return ChainingMemory()
    return ChainingJournal(request.getfixturevalue("store"))
