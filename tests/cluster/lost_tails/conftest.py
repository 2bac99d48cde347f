"""A salon over a store that forgets."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from tests.cluster.bench import Bench
from tests.cluster.lost_tails.forgetting import Store, two_turns_into_a_hand


@pytest.fixture
async def bench(store: Redis) -> AsyncIterator[Bench]:
    bench = await two_turns_into_a_hand(store)
    yield bench
    bench.salon.close()


@pytest.fixture
def keys(store: Redis) -> Store:
    return Store(store)
