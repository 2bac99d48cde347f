"""Load: what runs on each node, as nodes, census and drains say it together."""

from collections.abc import Iterable, Mapping, Sequence

from cluster.routing.drains import NodeId
from cluster.routing.hosts import Node
from cluster.routing.leases import Counted
from engine.units import Millis
from engine.value import value


@value
class Load:
    """One node, with the hosts that run or start on it; `draining` is by when it is to be empty, 0 for no deadline."""

    node: Node
    hosts: tuple[Counted, ...]
    draining: Millis | None

    @property
    def salons(self) -> int:
        """How many salons its hosts have."""
        return sum(host.salons for host in self.hosts)

    @property
    def open_hosts(self) -> list[Counted]:
        """The hosts that may be given salons, as far as they have room and the node does not drain."""
        return [host for host in self.hosts if not host.starting and not host.given_up]

    @property
    def spares(self) -> list[Counted]:
        """The hosts that wait for a salon."""
        return [host for host in self.open_hosts if not host.salons]

    def places(self, per_host: int) -> int:
        """How many more salons its hosts may be given."""
        return sum(max(0, per_host - host.salons) for host in self.open_hosts)

    def spare_places(self, per_host: int) -> int:
        """How many more salons its hosts may be given, without the fullest: it may be the next that dies."""
        hosts = sorted(self.open_hosts, key=lambda host: host.salons)
        return sum(max(0, per_host - host.salons) for host in hosts[:-1])


def loads(nodes: Iterable[Node], census: Sequence[Counted], drains: Mapping[NodeId, Millis]) -> list[Load]:
    """The load of every node, in the order of `nodes`."""
    hosts: dict[NodeId, list[Counted]] = {}
    for host in census:
        hosts.setdefault(host.node, []).append(host)
    return [
        Load(node, tuple(hosts.get(node.node, ())), drains.get(node.node, node.draining)) for node in nodes
    ]


def room(loads: Iterable[Load], census: Sequence[Counted], per_host: int) -> int:
    """How many more salons fit on the nodes that do not drain, in hosts that run and in those that may be started."""
    somewhere = sum(not host.node for host in census)
    staying = [load for load in loads if load.draining is None]
    unstarted = sum(load.node.hosts - len(load.hosts) for load in staying) - somewhere
    return max(0, unstarted) * per_host + sum(load.places(per_host) for load in staying)
