"""AdminService: the cluster's nodes, for operators alone."""

from typing import Any, Final, NoReturn

import structlog

from cluster.clock import Clock
from cluster.codec.commands import Malformed
from cluster.codec.refusals import malformed, refused
from cluster.gateway.doorman import VISITOR
from cluster.gateway.errors import Declined, recovering
from cluster.gateway.operators import operators_only
from cluster.routing.drains import NodeId
from cluster.routing.hosts import HostFault, Hosts
from cluster.routing.leases import Leases
from cluster.routing.load import Load, loads
from croupier.v1 import admin_pb2, admin_pb2_grpc, refusal_pb2
from croupier.v1.refusal_pb2 import Refusal
from engine.units import Millis

_LONGEST: Final = 86_400_000
"""The latest deadline of a drain: a day."""
_log = structlog.get_logger()


class AdminService(admin_pb2_grpc.AdminServiceServicer):
    """What operators see of the nodes, and order. The caretaker, which may be any gateway, carries it out."""

    def __init__(self, hosts: Hosts, leases: Leases, clock: Clock) -> None:
        self._hosts = hosts
        self._leases = leases
        self._clock = clock

    async def ListNodes(
        self,
        request: admin_pb2.ListNodesRequest,  # noqa: ARG002 - it says nothing
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> admin_pb2.ListNodesResponse:
        """All nodes."""
        _enter()
        return admin_pb2.ListNodesResponse(nodes=await self._nodes())

    async def DrainNode(
        self,
        request: admin_pb2.DrainNodeRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> admin_pb2.DrainNodeResponse:
        """Let a node be drained."""
        _enter()
        if not 0 <= request.deadline_in_ms <= _LONGEST:
            text = f"deadline_in_ms {request.deadline_in_ms} refused: it must be from 0 (none) to {_LONGEST}"
            raise Declined(malformed(Malformed("deadline_in_ms", text)))
        node = named(await self._nodes(), request.node_id)
        deadline = self._clock.now() + request.deadline_in_ms if request.deadline_in_ms else 0
        await self._leases.drains.order(node, Millis(deadline))
        _log.info("drain_ordered", node=node, deadline_in_ms=request.deadline_in_ms)
        return admin_pb2.DrainNodeResponse(node=await self._node(node))

    async def CancelDrain(
        self,
        request: admin_pb2.CancelDrainRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> admin_pb2.CancelDrainResponse:
        """Take the order back."""
        _enter()
        node = named(await self._nodes(), request.node_id)
        await self._leases.drains.call_off(node)
        _log.info("drain_cancelled", node=node)
        return admin_pb2.CancelDrainResponse(node=await self._node(node))

    async def _node(self, node: NodeId) -> admin_pb2.Node | None:
        return next((each for each in await self._nodes() if each.node_id == node), None)

    async def _nodes(self) -> list[admin_pb2.Node]:
        """The nodes, by their ids. Raises Declined, RedisError."""
        try:
            nodes = await self._hosts.nodes()
        except HostFault:
            raise Declined(recovering()) from None
        ordered = await self._leases.drains.ordered()
        seen = loads(nodes, await self._leases.census(), await self._leases.drains.all())
        return sorted((_message(load, ordered) for load in seen), key=lambda node: node.node_id)


def _enter() -> None:
    """Let operators in alone. Raises Declined."""
    if not VISITOR.get().operator:
        raise Declined(operators_only())


def named(nodes: list[admin_pb2.Node], text: str) -> NodeId:
    """The one node that `text` names. Raises Declined where that is none, or several."""
    found = [node for node in nodes if text and node.node_id.startswith(text)] or [
        node for node in nodes if text and text in (node.address, node.name)
    ]
    if not found:
        raise Declined(_unknown_node())
    if len(found) > 1:
        _several(len(found))
    return NodeId(found[0].node_id)


def _message(load: Load, ordered: dict[NodeId, Millis]) -> admin_pb2.Node:
    node = load.node
    drain = None
    if load.draining is not None:
        drain = admin_pb2.Drain(deadline_ms=load.draining, ordered=node.node in ordered)
    return admin_pb2.Node(
        node_id=node.node,
        address=node.address,
        name=node.name,
        salon_hosts=node.hosts,
        hosts=len(load.hosts),
        spares=len(load.spares),
        salons=load.salons,
        cores=node.cores,
        drain=drain,
    )


def _unknown_node() -> Refusal:
    return refused(
        refusal_pb2.REASON_UNKNOWN_NODE,
        "there is no such node: AdminService.ListNodes lists those that are alive",
    )


def _several(count: int) -> NoReturn:
    text = f"node_id refused: it names {count} nodes; write an id, or more of it"
    raise Declined(malformed(Malformed("node_id", text)))
