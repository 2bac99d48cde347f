"""A new node gets its share, a few salons at a time and between their hands."""

import asyncio
from itertools import pairwise

import pytest

from tests.cluster.placement.nodes import NEW, OLD, idle, in_hand, node, rounds
from tests.cluster.town import Town

pytestmark = pytest.mark.integration


async def test_a_new_node_gets_its_share_a_few_at_a_time(town: Town) -> None:
    salons = ["s1", "s2", "s3", "s4"]
    await idle(town, *salons)
    town.hosts.units[NEW] = 4
    placement = town.placement(rebalance=1)
    seen = []
    for _ in range(8):
        await rounds(placement)
        seen.append(sum([await node(town, salon) == NEW for salon in salons]))
    assert seen == sorted(seen), "none went back"
    assert all(later - sooner <= 1 for sooner, later in pairwise(seen))
    assert seen[-1] == 2


async def test_one_host_at_a_time_starts_on_a_node_that_is_to_be_filled(town: Town) -> None:
    """A process takes longer than a round; one for each round would take what others wait for."""
    await idle(town, "s1", "s2", "s3", "s4")
    town.hosts.units[NEW] = 4
    town.hosts.starting.clear()
    before = len(town.hosts.started)
    placement = town.placement(rebalance=4)
    for _ in range(4):
        await placement.round()
        await asyncio.sleep(0.05)
    assert len(town.hosts.started) == before + 1
    town.hosts.starting.set()
    await placement.settled()
    await rounds(placement, 4)
    assert len(town.hosts.on(NEW)) == 2


async def test_a_hand_is_not_moved_for_balance(town: Town) -> None:
    await in_hand(town, "s1")
    await in_hand(town, "s2")
    await idle(town, "s3", "s4")
    town.hosts.units[NEW] = 4
    await rounds(town.placement(rebalance=4), 6)
    assert await node(town, "s1") == await node(town, "s2") == OLD
    assert await node(town, "s3") == await node(town, "s4") == NEW
