"""Nodes of a real Ray are drained while people play over gRPC: nothing is lost, and the node ends empty."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from cluster.codec.metadata import OPERATOR_KEY
from cluster.journal.redis_journal import Journal
from cluster.routing.drains import NO_DEADLINE, NodeId
from cluster.routing.leases import HostName, Leases
from croupier.v1 import admin_pb2, admin_pb2_grpc, lobby_pb2, salon_pb2, settings_pb2
from engine.units import NOBODY
from tests.edge.running import croupier
from tests.integration.gateways import DEADLINE, Guest, Running, act, new_id, wrong
from tests.integration.ray_nodes import RayNode, head
from tests.integration.site import Site, until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]

PATIENCE = 60
"""Seconds for nodes and hosts to start, which takes cores that others use too."""
TOKEN = "an-operators-token-of-these-tests"
Join = Callable[..., RayNode]


@pytest.fixture
def join(ray_cluster: None, tmp_path: Path) -> Iterator[Join]:
    """Lets nodes join; what is left of them ends with the test."""
    nodes: list[RayNode] = []

    def joining(hosts: int, drain: int = 30) -> RayNode:
        nodes.append(RayNode(tmp_path / f"node-{len(nodes)}.log", hosts, drain))
        return nodes[-1]

    yield joining
    for node in nodes:
        node.end()


@pytest.fixture
async def gateway(ray_cluster: None, redis_url: str, store: Redis) -> AsyncIterator[Running]:
    running = Running(redis_url, operator_token=TOKEN, rebalance_moves=0, warm_spares=0)
    await running.start()
    yield running
    await running.kill_hosts()
    await running.stop()


class Operator:
    """Whoever sends the token, beside a guest's session."""

    def __init__(self, guest: Guest) -> None:
        self._stub: Any = admin_pb2_grpc.AdminServiceStub(guest.channel)
        self._metadata = (*guest.metadata, (OPERATOR_KEY, TOKEN))

    async def call(self, method: str, request: Any) -> Any:
        return await getattr(self._stub, method)(request, metadata=self._metadata, timeout=DEADLINE)

    async def node(self, node: str) -> admin_pb2.Node:
        nodes = (await self.call("ListNodes", admin_pb2.ListNodesRequest())).nodes
        found: admin_pb2.Node = next(each for each in nodes if each.node_id == node)
        return found

    async def sees(self, node: str) -> None:
        """Wait until the gateway has looked which nodes there are: it does once a second."""

        async def listed() -> bool:
            nodes = (await self.call("ListNodes", admin_pb2.ListNodesRequest())).nodes
            return node in {each.node_id for each in nodes}

        await until(listed, PATIENCE)

    async def drain(self, node: str) -> None:
        await self.call("DrainNode", admin_pb2.DrainNodeRequest(node_id=node))

    async def cancel(self, node: str) -> None:
        await self.call("CancelDrain", admin_pb2.CancelDrainRequest(node_id=node))


async def place(store: Redis, salon: str) -> NodeId:
    """The node that the salon's host runs on."""
    head = await Journal(store).head(salon)  # type: ignore[arg-type]  # a salon's id is a string
    assert head is not None
    census = {each.host: each.node for each in await Leases(store).census()}
    return census.get(HostName(head.host), NodeId(""))


async def opened(guest: Guest, **settings: Any) -> str:
    """A new salon's id, asked for a second time, which has it taken up, and until its host has started."""
    message = settings_pb2.SalonSettings(game=settings_pb2.GAME_HOLDEM, **settings)
    request = lobby_pb2.CreateSalonRequest(request_id=new_id(), settings=message)
    found: list[str] = []

    async def there() -> bool:
        try:
            found.append((await guest.call(guest.lobby.CreateSalon, request)).salon_id)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
        return len(found) == 2

    await until(there, PATIENCE)
    return found[0]


class Table:
    """Two players who check and call as long as they are let, each with a watch that must not miss anything."""

    def __init__(self, players: list[Guest], salon: str) -> None:
        self._players = players
        self.salon = salon
        self.seqs: list[int] = []
        self.hands: set[int] = set()
        self.epochs: set[int] = set()

    async def play(self) -> None:
        await asyncio.gather(*(self._seat(player) for player in self._players))

    async def _seat(self, player: Guest) -> None:
        """Watch, and answer each turn of one's own; a seq is the last one's next, or comes with a snapshot."""
        stream = player.watch(self.salon)
        last = None
        while True:
            message = await stream.read()
            if message.WhichOneof("message") != "update":
                continue
            update = message.update
            whole = update.WhichOneof("content") == "snapshot"
            assert whole or last is None or update.seq == last + 1, "a gap"
            last = update.seq
            self.seqs.append(update.seq)
            self.epochs.add(update.epoch)
            await self._turn(player)

    async def _turn(self, player: Guest) -> None:
        request = salon_pb2.GetViewRequest(salon_id=self.salon)
        view = (await player.call(player.salons.GetView, request)).view
        self.hands.add(view.hand)
        if view.HasField("your_turn"):
            await player.call(player.salons.Act, act(self.salon, view.your_turn))


async def test_a_node_is_drained_while_people_play(
    gateway: Running, join: Join, store: Redis, tmp_path: Path
) -> None:
    """By the command line, as an operator does it. Then Ray gives the node away as idle, which it refused before."""
    node = await join(4).joined()
    async with Guest(gateway.address, "Ann") as ann, Guest(gateway.address, "Bob") as bob:
        operator = Operator(ann)
        await operator.sees(node.node)
        await operator.drain(head())
        salon = await opened(ann, between_hands_ms=1)
        other = await opened(ann)
        await operator.cancel(head())
        for player in (ann, bob):
            await player.join(salon)
        await ann.join(other)
        assert await place(store, salon) == await place(store, other) == node.node
        assert not node.takes_idle_termination()
        table = Table([ann, bob], salon)
        playing = asyncio.create_task(table.play())

        async def dealt() -> bool:
            return max(table.hands, default=0) >= 2

        await until(dealt, PATIENCE)
        settings = {"CROUPIER_OPERATOR_TOKEN": TOKEN, "CROUPIER_ADDRESS": gateway.address}
        drained = await asyncio.to_thread(
            croupier, tmp_path, "drain", node.node[:12], "--deadline", "600", **settings
        )
        assert drained.returncode == 0, drained.stderr
        assert "is empty" in drained.stdout
        listed = await asyncio.to_thread(croupier, tmp_path, "nodes", "--json", **settings)
        rows = {row["node_id"]: row for row in json.loads(listed.stdout)["nodes"]}
        assert (rows[node.node]["hosts"], rows[node.node]["salons"]) == (0, 0)
        assert rows[node.node]["drain"]["ordered"]
        assert rows[head()]["salons"] == 2
        assert await place(store, salon) == await place(store, other) == head()
        hands = max(table.hands)

        async def goes_on() -> bool:
            return max(table.hands) >= hands + 2

        await until(goes_on, PATIENCE)
        playing.cancel()
        assert len(table.epochs) == 2, "it was moved once"
        assert node.takes_idle_termination()


async def test_salons_leave_a_node_that_is_told_to_end_with_their_hand(
    sites: Callable[..., Site], gateway: Running, join: Join
) -> None:
    """SIGTERM of `ray start --block`, whose drain is too short to wait for the hand. The hand goes on elsewhere."""
    site = sites()
    node = await join(4, drain=13).joined()
    await site.leases.drains.order(NodeId(head()), NO_DEADLINE)
    salon = await site.seated(turn_time=300_000)
    await site.act(salon)
    await site.leases.drains.call_off(NodeId(head()))
    before = await site.table(salon)
    assert await place(site.store, salon) == node.node
    node.terminate()

    async def moved() -> bool:
        return await place(site.store, salon) == head()

    await until(moved, PATIENCE)
    after = await site.table(salon)
    assert before.hand is not None
    assert after.hand is not None
    assert after.hand.to_act != NOBODY
    assert (after.hand.deck, after.hand.deadline) == (before.hand.deck, before.hand.deadline)
    await site.act(salon)
    await asyncio.to_thread(node.process.wait, 60)
    assert "finished draining" in node.said, "it was empty before its time was over"


async def test_nodes_are_for_operators(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        stub: Any = admin_pb2_grpc.AdminServiceStub(ann.channel)
        for method, request in (
            ("ListNodes", admin_pb2.ListNodesRequest()),
            ("DrainNode", admin_pb2.DrainNodeRequest(node_id=head())),
            ("CancelDrain", admin_pb2.CancelDrainRequest(node_id=head())),
        ):
            declined = await wrong(getattr(stub, method)(request, metadata=ann.metadata, timeout=DEADLINE))
            assert (declined.code.name, declined.info.reason) == ("PERMISSION_DENIED", "NOT_THE_OWNER")
        operator = Operator(ann)
        for node, deadline, reason in (
            ("f" * 56, 0, "UNKNOWN_NODE"),
            ("", 0, "UNKNOWN_NODE"),
            (head(), -1, "MALFORMED"),
        ):
            request = admin_pb2.DrainNodeRequest(node_id=node, deadline_in_ms=deadline)
            assert (await wrong(operator.call("DrainNode", request))).info.reason == reason
        assert not (await operator.node(head())).HasField("drain")


async def test_a_cluster_whose_only_node_drains_is_full_at_once(gateway: Running) -> None:
    """Ray would wait in silence. Salons that are there play on, and the client is told when to come back."""
    async with Guest(gateway.address, "Ann") as ann:
        salon = await opened(ann)
        operator = Operator(ann)
        await operator.drain(head())
        another = await ann.open()
        full = await wrong(ann.join(another))
        assert (full.code.name, full.info.reason) == ("RESOURCE_EXHAUSTED", "CLUSTER_FULL")
        assert full.retries
        await ann.join(salon)
        await operator.cancel(head())
        await ann.join(another)
