"""`croupier nodes` and `croupier drain`: the cluster's nodes, and taking one out of it, for operators."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from rich.table import Column, Table

from cluster.client import Client
from cluster.commands.guest import (
    AddressOption,
    CaOption,
    Guest,
    NameOption,
    PlaintextOption,
    operator_token,
    signed_in,
)
from cluster.commands.terminal import Misused, out, plain, run, say, say_json
from croupier.v1.admin_pb2 import CancelDrainRequest, DrainNodeRequest, ListNodesRequest, Node

COLUMNS: Final = ("address", "name", "hosts", "spares", "salons", "cores", "draining")
DRAINS = "node {node} drains: salons left: {salons}, in hosts: {hosts}"
NO_ROOM = (
    "no other node has room: the salons stay until one has; `croupier drain {node} --cancel` takes it back"
)
EMPTY = "node {node} is empty: it can be taken away, and stays closed until `croupier drain {node} --cancel`"
LEFT = "node {node} has left the cluster"
CANCELLED = "node {node} takes salons again"
STILL_RAYS = "the order is taken back; Ray drains node {node} all the same"
ONE_OR_THE_OTHER = "an order that is taken back has no deadline"
SHOWN: Final = 12
"""Digits of an id; none of two clusters' nodes were ever seen to share as many."""
_EVERY: Final = 0.5

NodeArgument = Annotated[
    str,
    typer.Argument(
        metavar="NODE",
        help="Its id or enough of the beginning, or its address or name if no other has the same.",
    ),
]


def nodes(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document for programs.")] = False,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """List the nodes of the cluster, for operators (CROUPIER_OPERATOR_TOKEN).

    Examples: croupier nodes; croupier nodes --json | jq '.nodes[] | select(.salons == 0)'
    """
    run(_list(Guest(address, name, ca, plaintext), as_json=as_json))


def drain(
    node: NodeArgument,
    *,
    deadline: Annotated[
        float | None,
        typer.Option(
            "--deadline",
            min=0.001,
            max=86_400,
            metavar="SECONDS",
            help="When the node is to be empty: shortly before, salons leave in the middle of a hand.",
        ),
    ] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="Take the order back.")] = False,
    wait: Annotated[bool, typer.Option(help="Wait until the node is empty.")] = True,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """Let the salons of a node go elsewhere between two hands, so that it can be taken away; for operators.

    Nothing is lost: who plays or watches is shown the table once more and goes on. Ctrl-C ends the waiting alone.

    Examples: croupier drain 10.0.0.7; croupier drain 3f9c --deadline 120 --no-wait; croupier drain 3f9c --cancel
    """
    guest = Guest(address, name, ca, plaintext)
    if cancel and deadline:
        raise typer.BadParameter(ONE_OR_THE_OTHER, param_hint="--deadline")
    run(_cancel(guest, node) if cancel else _drain(guest, node, deadline or 0, wait=wait))


async def _list(guest: Guest, *, as_json: bool) -> None:
    token = operator_token()
    async with signed_in(guest) as client:
        client.operator_token = token
        found = await _nodes(client)
    if as_json:
        say_json({"nodes": [plain(node) for node in found]})
    else:
        out().print(nodes_table(found))


async def _cancel(guest: Guest, node: str) -> None:
    token = operator_token()
    async with signed_in(guest) as client:
        client.operator_token = token
        now = (await client.call(client.admin.CancelDrain, CancelDrainRequest(node_id=node))).node
    say((STILL_RAYS if now.HasField("drain") else CANCELLED).format(node=now.node_id[:SHOWN]))


async def _drain(guest: Guest, node: str, deadline: float, *, wait: bool) -> None:
    if not node:
        raise Misused("write the node's id, address or name: `croupier nodes` lists them")
    token = operator_token()
    async with signed_in(guest) as client:
        client.operator_token = token
        request = DrainNodeRequest(node_id=node, deadline_in_ms=round(deadline * 1000))
        now = (await client.call(client.admin.DrainNode, request)).node
        if not wait:
            say(_progress(now))
            return
        await _wait(client, now.node_id)


async def _wait(client: Client, node_id: str) -> None:
    """Say how far it is whenever that changes, until the node is empty."""
    said: list[str] = []
    while True:
        found = await _nodes(client)
        node = next((each for each in found if each.node_id == node_id), None)
        if node is None:
            say(LEFT.format(node=node_id[:SHOWN]))
            return
        if not node.hosts:
            say(EMPTY.format(node=node_id[:SHOWN]))
            return
        line = _progress(node)
        if not has_room(found, node_id):
            line += "\n" + NO_ROOM.format(node=node_id[:SHOWN])
        if said[-1:] != [line]:
            said.append(line)
            say(line)
        await asyncio.sleep(_EVERY)


async def _nodes(client: Client) -> list[Node]:
    return list((await client.call(client.admin.ListNodes, ListNodesRequest())).nodes)


def has_room(found: Sequence[Node], node_id: str) -> bool:
    """Whether a node other than `node_id` may run one more host, or has one that waits."""
    return any(
        node.salon_hosts > node.hosts or node.spares
        for node in found
        if node.node_id != node_id and not node.HasField("drain")
    )


def _progress(node: Node) -> str:
    return DRAINS.format(node=node.node_id[:SHOWN], salons=node.salons, hosts=node.hosts)


def nodes_table(found: Sequence[Node]) -> Table:
    """Nodes as people read them."""
    columns = (Column(name, no_wrap=True) for name in COLUMNS)
    table = Table(Column("node", no_wrap=True, min_width=SHOWN), *columns, box=None, pad_edge=False)
    for node in found:
        hosts = f"{node.hosts}/{node.salon_hosts}"
        numbers = (node.spares, node.salons, node.cores)
        table.add_row(
            node.node_id[:SHOWN], node.address, node.name, hosts, *map(str, numbers), _draining(node)
        )
    return table


def _draining(node: Node) -> str:
    """By when, and by whom if it is not an operator."""
    if not node.HasField("drain"):
        return ""
    by = "" if node.drain.ordered else " (by Ray)"
    if not node.drain.deadline_ms:
        return "yes" + by
    at = datetime.fromtimestamp(node.drain.deadline_ms / 1000, UTC).astimezone()
    return f"by {at:%H:%M:%S}{by}"
