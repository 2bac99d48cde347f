"""Leases: which hosts live and on which node, which salons each has, and which were given up. Kept in Redis.

Crash contract: a salon is in its host's hot set before it can commit there, so whoever finds a host dead
finds all its salons. A host given up stays `condemned` until its last salon is elsewhere, so a sweep that
dies half-way is taken up by the next. None of this decides who may write a log: an epoch does.
"""

import uuid
from collections.abc import Collection
from enum import StrEnum
from typing import Any, Final, NewType

from redis.asyncio import Redis

from cluster.envelope import SalonId
from cluster.redis_door import script
from cluster.routing.drains import ORDERED, REPORTED, Drains, NodeId
from cluster.versions import UNSAID, Versions, versions_from_text, versions_to_text
from engine.units import Millis
from engine.value import value

HostName = NewType("HostName", str)
"""A host's name, `host:<uuid>`, which is also its Ray actor's; never given out twice."""

STARTING: Final = Millis(5_000)
"""A new host must have its lease this long after its creator was last heard of, or its salons go elsewhere."""

_LEASES: Final = "{hosts}:leases"
_ROOM: Final = "{hosts}:room"
_CONDEMNED: Final = "{hosts}:condemned"
_STARTING: Final = "{hosts}:starting"
_HOT: Final = "{hosts}:hot:"
_RESERVED: Final = "{hosts}:reserved:"
_PROCESSES: Final = "{hosts}:processes"
_NODES: Final = "{hosts}:nodes"
_KNOWS: Final = "{hosts}:knows"
_NODES_KNOW: Final = "{hosts}:nodes_know"


class Standing(StrEnum):
    """How a host stands."""

    LIVING = "living"
    """It has a lease, or is still being created."""
    SILENT = "silent"
    """Its lease has lapsed: it is dead, or Redis was. The caretaker decides."""
    GONE = "gone"
    """It was given up, and whoever needs one of its salons takes it."""


@value
class Reserved:
    """A place for a salon; `starting`: whoever activates the salon there creates the host, if nobody else has."""

    host: HostName
    starting: bool


@value
class Counted:
    """A host as it is counted; `node` is empty as long as nobody knows where it starts."""

    host: HostName
    node: NodeId
    salons: int
    starting: bool
    """Whether its process has had no lease yet; nobody waits for such a spare."""
    given_up: bool
    knows: Versions = UNSAID


class Leases:
    """The hosts as Redis knows them. Every method raises RedisError where it does not answer."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self.drains = Drains(redis)
        self._spare = script(redis, "spare")
        self._reserve = script(redis, "reserve")
        self._begin = script(redis, "begin")
        self._renew = script(redis, "renew")
        self._condemn = script(redis, "condemn")
        self._hold = script(redis, "hold")
        self._release = script(redis, "release")
        self._hold_role = script(redis, "hold_role")

    async def reserve(
        self,
        salon: SalonId,
        *,
        per_host: int,
        most_hosts: int,
        leaving: HostName | None = None,
        onto: NodeId | None = None,
        needs: Versions = UNSAID,
    ) -> Reserved | None:
        """Count `salon` on a living host with room, or on a new one; None where no more fit.

        All who ask for one salon at about the same time get the same host. No draining node's host is one with
        room: `most_hosts` is how many fit on the others that are not `older_nodes`. `leaving` is a host that it shall not be; with `onto` it
        is one that lives on that node, and none is named. Nor is it one that does not know what the salon `needs`.
        """
        fresh = f"host:{uuid.uuid4().hex}"
        keys = [_LEASES, _ROOM, _STARTING, _RESERVED + salon, _NODES, ORDERED, REPORTED, _KNOWS]
        knowing: list[str | int] = []
        if not UNSAID.cover(needs):
            said = {versions_to_text(needs), *(await self._said(_KNOWS)).values()}
            older = sorted(await self.older_nodes(needs))
            enough = sorted(text for text in said if versions_from_text(text).cover(needs))
            knowing = [len(older), *older, *enough]
        args: list[str | int] = [
            salon,
            per_host,
            most_hosts,
            STARTING,
            fresh,
            _HOT,
            leaving or "",
            onto or "",
            *knowing,
        ]
        answer = await self._reserve(keys, args)
        if answer[0] == b"FULL":
            return None
        return Reserved(HostName(answer[1].decode()), answer[0] == b"STARTING")

    async def spare(self, node: NodeId, most_hosts: int) -> HostName | None:
        """Name a host that is to be created on `node` and to wait there for salons; None where no more fit."""
        fresh = HostName(f"host:{uuid.uuid4().hex}")
        named = await self._spare([_LEASES, _STARTING, _NODES], [fresh, STARTING, node, most_hosts])
        return fresh if named else None

    async def hold(self, host: HostName, salon: SalonId) -> None:
        """Count `salon` on `host`, again if need be: before its first commit there."""
        await self._hold([_HOT + host, _ROOM], [salon, host])

    async def release(self, host: HostName, salon: SalonId) -> None:
        """Count `salon` on `host` no longer."""
        await self._release([_HOT + host, _ROOM], [salon, host])

    async def hot(self, host: HostName) -> set[SalonId]:
        """The salons that `host` has or was about to have."""
        salons: Any = await self._redis.smembers(_HOT + host)
        return {SalonId(salon.decode()) for salon in salons}

    async def begin(self, host: HostName, process: str) -> bool:
        """Say that `process` is `host`, before its first lease; False where another is, or the host was given up.

        Two gateways may create one host, the second after the first one's process was taken for dead: both would
        renew one lease, and hold a salon under one epoch.
        """
        return bool(await self._begin([_LEASES, _PROCESSES], [host, process]))

    async def renew(
        self, host: HostName, lease: Millis, node: NodeId | None = None, knows: Versions | None = None
    ) -> int | None:
        """Say that `host` lives, at first and now and then also where and what it knows; how many salons are counted on it.

        None where it was given up and must stop.
        """
        keys = [_LEASES, _STARTING, _ROOM, _NODES, _HOT + host, _KNOWS, _NODES_KNOW]
        said = versions_to_text(knows) if knows else ""
        answer = int(await self._renew(keys, [host, lease, node or "", said]))
        return answer - 1 if answer else None

    async def older_nodes(self, needs: Versions) -> set[NodeId]:
        """The nodes whose hosts do not know what a salon `needs`, as far as any has run there."""
        if UNSAID.cover(needs):
            return set()
        said = await self._said(_NODES_KNOW)
        return {NodeId(node) for node, text in said.items() if not versions_from_text(text).cover(needs)}

    async def forget_nodes_but(self, nodes: Collection[NodeId]) -> None:
        """Forget what is known on nodes that are not among these."""
        if gone := (await self._said(_NODES_KNOW)).keys() - set(nodes):
            await self._redis.hdel(_NODES_KNOW, *gone)

    async def _said(self, key: str) -> dict[str, str]:
        raw: Any = await self._redis.hgetall(key)
        return {who.decode(): text.decode() for who, text in raw.items()}

    async def now(self) -> Millis:
        """Redis TIME in milliseconds since the Unix epoch, by which leases lapse."""
        seconds, micros = await self._redis.time()
        return Millis(int(seconds) * 1000 + int(micros) // 1000)

    async def keep_starting(self, host: HostName) -> None:
        """Say that `host` is still being created, if it has not been given up."""
        await self._redis.zadd(_LEASES, {host: await self.now() + STARTING}, xx=True, gt=True)

    async def standing(self, host: HostName) -> Standing:
        """What is known of `host`."""
        lease = await self._redis.zscore(_LEASES, host)
        if lease is None:
            return Standing.GONE
        return Standing.LIVING if lease > await self.now() else Standing.SILENT

    async def living(self) -> list[HostName]:
        """The hosts whose lease has not lapsed."""
        return await self._by_lease(f"({await self.now()}", "+inf")

    async def lapsed(self) -> list[HostName]:
        """The hosts that have been silent for longer than their lease, and are not yet given up."""
        return await self._by_lease("-inf", str(await self.now()))

    async def census(self) -> list[Counted]:
        """Every host that has a lease, or was given up and is not yet forgotten."""
        pipeline: Any = self._redis.pipeline(transaction=True)
        pipeline.zrange(_LEASES, 0, -1)
        pipeline.zrange(_ROOM, 0, -1, withscores=True)
        pipeline.hgetall(_NODES)
        pipeline.smembers(_STARTING)
        pipeline.smembers(_CONDEMNED)
        pipeline.hgetall(_KNOWS)
        leases, room, nodes, starting, condemned, knows = await pipeline.execute()
        salons = dict(room)
        return [
            Counted(
                HostName(host.decode()),
                NodeId(nodes.get(host, b"").decode()),
                int(salons.get(host, 0)),
                host in starting,
                host in condemned,
                versions_from_text(knows.get(host, b"").decode()),
            )
            for host in (*leases, *condemned)
        ]

    async def condemn(self, host: HostName, *, only_if_lapsed: bool) -> bool:
        """Give `host` up; False where it lives, or where it is gone for good already."""
        return await self._given_up(host, "lapsed" if only_if_lapsed else "")

    async def retire(self, host: HostName) -> bool:
        """Give `host` up if it has no salon; False where it has one, or is gone for good already."""
        return await self._given_up(host, "empty")

    async def _given_up(self, host: HostName, when: str) -> bool:
        keys = [_LEASES, _ROOM, _CONDEMNED, _STARTING, _HOT + host]
        return bool(await self._condemn(keys, [host, when]))

    async def condemned(self) -> list[HostName]:
        """The hosts that were given up and may still have salons to be activated elsewhere."""
        hosts: Any = await self._redis.smembers(_CONDEMNED)
        return [HostName(host.decode()) for host in hosts]

    async def bury(self, host: HostName) -> None:
        """Forget a condemned host, which has no salon left: all that is known of it, at once."""
        pipeline: Any = self._redis.pipeline(transaction=True)
        pipeline.delete(_HOT + host)
        pipeline.hdel(_PROCESSES, host)
        pipeline.hdel(_NODES, host)
        pipeline.hdel(_KNOWS, host)
        pipeline.srem(_CONDEMNED, host)
        await pipeline.execute()

    async def hold_role(self, role: str, who: str, lease: Millis) -> bool:
        """Take or keep the role that one process has at a time, for `lease`."""
        return bool(await self._hold_role([f"role:{role}"], [who, lease]))

    async def give_role(self, role: str, who: str) -> None:
        """Give the role up, if it is `who`'s."""
        await self._hold_role([f"role:{role}"], [who, 1])

    async def _by_lease(self, low: str, high: str) -> list[HostName]:
        hosts: Any = await self._redis.zrangebyscore(_LEASES, low, high)
        return [HostName(host.decode()) for host in hosts]
