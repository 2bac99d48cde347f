"""A town of one node, to which a test adds the next."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from tests.cluster.placement.nodes import OLD
from tests.cluster.town import Town


@pytest.fixture
async def town(store: Redis) -> AsyncIterator[Town]:
    """Two nodes for four hosts each; whatever is opened at first is on the old one."""
    town = Town(store)
    town.hosts.units = {OLD: 4}
    yield town
    await town.stop()
