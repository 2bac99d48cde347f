"""Hosts that start: no more at once than the cluster has cores, however many those are by now. Ray is not started."""

import asyncio

import pytest

from cluster.actors.ray_hosts import RayHosts
from cluster.actors.salon_actor import HostSettings
from cluster.routing.drains import NodeId
from cluster.routing.hosts import Node
from cluster.routing.leases import HostName
from engine.units import Millis


async def test_as_many_hosts_start_at_once_as_the_cluster_has_cores_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hosts = RayHosts(HostSettings("redis://127.0.0.1:1/0", Millis(3_000)))
    cluster = [_node("n1", cores=2)]
    starting: set[str] = set()
    done = asyncio.Event()

    async def nodes() -> list[Node]:
        return cluster

    async def start(host: HostName, _: object) -> None:
        starting.add(host)
        await done.wait()

    monkeypatch.setattr(hosts, "nodes", nodes)
    monkeypatch.setattr(hosts, "_start", start)

    async def started(name: str) -> int:
        """How many start at once of ten that are asked for."""
        asked = [asyncio.create_task(hosts.start(HostName(f"{name}{number}"))) for number in range(10)]
        for _ in range(50):
            await asyncio.sleep(0)
        at_once = len(starting)
        done.set()
        await asyncio.gather(*asked)
        done.clear()
        starting.clear()
        return at_once

    assert await started("a") == 2
    cluster.append(_node("n2", cores=6))
    assert await started("b") == 8
    del cluster[1]
    assert await started("c") == 2


def _node(name: str, *, cores: int) -> Node:
    return Node(NodeId(name), "127.0.0.1", name, 10, cores, None)
