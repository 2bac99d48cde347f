"""Victims: what a fault is to hit, found where it has something to lose, and what shows later that it was hit."""

from collections.abc import Callable
from typing import Any, Final

import psutil

from cluster.envelope import SalonId
from cluster.journal.log import Head
from cluster.routing.drains import NodeId
from cluster.routing.leases import Counted, HostName
from engine.value import value
from tests.chaos.machines import Actor
from tests.chaos.proxy import Proxy
from tests.chaos.recovery import Recovery
from tests.chaos.schedule import Planned
from tests.chaos.town import GatewayProcess, Town

_ROLE: Final = "role:caretaker"


@value
class HostVictim:
    """A host, its process, and the heads of the salons that it has."""

    host: HostName
    process: psutil.Process
    heads: dict[SalonId, Head]

    def __str__(self) -> str:
        return f"{self.host} with {len(self.heads)} salons"


@value
class NodeVictim:
    """A worker node, its raylet, its hosts that have salons, and the heads of these."""

    node: NodeId
    raylet: psutil.Process
    hosts: dict[HostName, Actor]
    heads: dict[SalonId, Head]

    def __str__(self) -> str:
        return f"node {self.node[:8]} with {len(self.hosts)} hosts and {len(self.heads)} salons"


@value
class LineVictims:
    """The proxies of some gateways, and how many connections through them are in use."""

    proxies: list[Proxy]
    links: int

    def __str__(self) -> str:
        return f"{self.links} connections of {len(self.proxies)} of the lines"


@value
class GcsVictim:
    """The GCS's process, the nodes that it knows, and how many keys stand in its Redis."""

    process: psutil.Process
    nodes: set[NodeId]
    keys: int

    def __str__(self) -> str:
        return f"the head's, with {len(self.nodes)} nodes and {self.keys} keys"


class Victims:
    """Finds them in a town. Each search waits until there is one, and raises Hangs where there never is."""

    def __init__(self, town: Town, recovery: Recovery) -> None:
        self._town = town
        self._recovery = recovery

    async def lines(self, planned: Planned) -> LineVictims:
        """One gateway's line that clients use, or all of these."""
        found: list[LineVictims] = []

        async def there() -> bool:
            used = [gateway.proxy for gateway in self._town.gateways if gateway.proxy.used]
            if used:
                at = planned.of(len(used) + 1)
                some = used if at == len(used) else [used[at]]
                found.append(LineVictims(some, sum(proxy.used for proxy in some)))
            return bool(used)

        await self._recovery.until(there, "a line is in use")
        return found[0]

    async def host(self, planned: Planned) -> HostVictim:
        """A host that has salons."""
        found: list[HostVictim] = []

        async def there() -> bool:
            actors = await self._town.machines.actors()
            busy = await self._busy(lambda each: each.host in actors)
            if not busy:
                return False
            host = sorted(busy)[planned.of(len(busy))]
            found.append(HostVictim(host, psutil.Process(actors[host].pid), busy[host]))
            return True

        await self._recovery.until(there, "a host has salons")
        return found[0]

    async def node(self, planned: Planned) -> NodeVictim:
        """A worker node that has salons; a new one is given its share in a few seconds."""
        found: list[NodeVictim] = []

        async def there() -> bool:
            actors = await self._town.machines.actors()
            raylets = self._town.machines.raylets()
            busy = await self._busy(lambda each: each.host in actors and each.node in raylets)
            nodes = sorted({actors[host].node for host in busy} & raylets.keys())
            if not nodes:
                return False
            node = nodes[planned.of(len(nodes))]
            hosts = {host: actors[host] for host in busy if actors[host].node == node}
            heads = {salon: head for host in hosts for salon, head in busy[host].items()}
            found.append(NodeVictim(node, raylets[node], hosts, heads))
            return True

        await self._recovery.until(there, "a node beside the head has salons")
        return found[0]

    async def _busy(self, wanted: Callable[[Counted], bool]) -> dict[HostName, dict[SalonId, Head]]:
        """The hosts that live and have salons, by what the salons' logs say."""
        busy = {}
        for each in await self._town.leases.census():
            if each.salons and not each.starting and not each.given_up and wanted(each):
                hot = await self._town.leases.hot(each.host)
                heads = await self._recovery.heads(hot)
                there = {salon: head for salon, head in heads.items() if head.host == each.host}
                if there:
                    busy[each.host] = there
        return busy

    async def gcs(self) -> GcsVictim:
        """The GCS, once it knows every node that runs."""
        found: list[GcsVictim] = []

        async def there() -> bool:
            machines = self._town.machines
            if machines.lacks_gcs():
                return False
            nodes, keys = machines.running(), await self._town.gcs_keys()
            if not nodes <= await machines.alive() or not keys:
                return False
            found.append(GcsVictim(machines.gcs(), nodes, keys))
            return True

        await self._recovery.until(there, "the GCS knows all nodes, and has written it down")
        return found[0]

    async def caretaker(self) -> tuple[str, GatewayProcess]:
        """Who has the role, as Redis names him, and his process."""
        found: list[tuple[str, GatewayProcess]] = []

        async def there() -> bool:
            name = await self.role()
            found.extend((name, each) for each in self._town.gateways if name and each.name == name)
            return bool(found)

        await self._recovery.until(there, "a gateway is the caretaker")
        return found[0]

    async def role(self) -> str:
        """Whose the caretaker's role is; "" where it is nobody's. Raises RedisError."""
        role: Any = await self._town.store.get(_ROLE)
        return role.decode() if role else ""
