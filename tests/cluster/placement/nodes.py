"""Two nodes, the salons of a town on them, and rounds of the placement."""

import asyncio
from collections.abc import Awaitable, Callable

from cluster.envelope import Accepted
from cluster.routing.drains import NodeId
from cluster.routing.leases import HostName
from cluster.routing.placement import Placement
from engine.units import NOBODY
from engine.view import view_of
from tests.cluster.salons import SALON, easy_turn, join
from tests.cluster.town import Town

OLD, NEW = NodeId("n1"), NodeId("n2")
TURN = 300_000
DEADLINE = 10.0


async def until(reached: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not await reached():  # noqa: ASYNC110 - it happens in Redis, or in tasks of the hosts
            await asyncio.sleep(0.01)


async def rounds(placement: Placement, count: int = 1) -> None:
    for _ in range(count):
        await placement.round()
        await placement.settled()


async def idle(town: Town, *salons: str) -> None:
    """Salons where somebody sits and no hand is on."""
    await town.opened(*salons)
    for salon in salons or (SALON,):
        assert isinstance(await town.ask(join("ann", 1), salon=salon), Accepted)


async def in_hand(town: Town, salon: str = SALON) -> None:
    """A salon where a hand is on, and will be for five minutes."""
    await town.opened(salon, turn_time=TURN, between_hands=1)
    for seat, player in enumerate(("ann", "bob"), 1):
        await town.ask(join(player, seat), salon=salon)

    async def dealt() -> bool:
        hand = (await town.table(salon)).hand
        return hand is not None and hand.to_act != NOBODY

    await until(dealt)


async def fold(town: Town, salon: str = SALON) -> None:
    """Whoever is to act gives the hand up."""
    table = await town.table(salon)
    assert table.hand is not None
    player = table.players[table.hand.to_act]
    assert player is not None
    turn = easy_turn(view_of(table, table.hand.to_act), player.player, fold=True)
    assert isinstance(await town.ask(turn, salon=salon), Accepted)


async def node(town: Town, salon: str = SALON) -> NodeId:
    return town.hosts.where[HostName(await town.host(salon))]
