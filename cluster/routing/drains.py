"""Drains: the nodes that salons leave and none goes to, by an operator's order or because Ray says so. In Redis.

Crash contract: an order stands until it is called off or its node has left the cluster, whoever dies. What Ray
says is written again by each round of the caretaker. Scripts that place salons read both.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final, NewType

from redis.asyncio import Redis

from engine.units import Millis

NodeId = NewType("NodeId", str)
"""A node's id, which is Ray's: hexadecimal, never given out twice."""

ORDERED: Final = "{hosts}:drains"
REPORTED: Final = "{hosts}:preempted"
NO_DEADLINE: Final = Millis(0)


class Drains:
    """Which nodes drain, and until when. Every method raises RedisError where Redis does not answer."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def order(self, node: NodeId, deadline: Millis) -> None:
        """Let `node` be drained by `deadline`, by the log's clock; NO_DEADLINE: every hand may take its time."""
        await self._redis.hset(ORDERED, node, str(deadline))

    async def call_off(self, node: NodeId) -> bool:
        """Take an order back; False where there was none."""
        return bool(await self._redis.hdel(ORDERED, node))

    async def report(self, nodes: Mapping[NodeId, Millis]) -> None:
        """Let these be the nodes that Ray drains, and no others."""
        known = await self._read(REPORTED)
        if gone := known.keys() - nodes.keys():
            await self._redis.hdel(REPORTED, *gone)
        for node, deadline in nodes.items():
            if known.get(node) != deadline:
                await self._redis.hset(REPORTED, node, str(deadline))

    async def forget_all_but(self, nodes: Collection[NodeId]) -> None:
        """Forget the orders for nodes that are not among these."""
        if gone := (await self._read(ORDERED)).keys() - set(nodes):
            await self._redis.hdel(ORDERED, *gone)

    async def ordered(self) -> dict[NodeId, Millis]:
        """The nodes that operators have ordered to be drained."""
        return await self._read(ORDERED)

    async def all(self) -> dict[NodeId, Millis]:
        """Every node that drains, with the earlier deadline where there are two."""
        drains = await self._read(ORDERED)
        for node, deadline in (await self._read(REPORTED)).items():
            drains[node] = min(drains.get(node) or deadline, deadline or drains.get(node, NO_DEADLINE))
        return drains

    async def _read(self, key: str) -> dict[NodeId, Millis]:
        raw: Any = await self._redis.hgetall(key)
        return {NodeId(node.decode()): Millis(int(deadline)) for node, deadline in raw.items()}
