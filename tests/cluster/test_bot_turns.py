"""Bots' turns: no more act at once than their host lets, and what they wait for is not waited for by others."""

import asyncio
from dataclasses import replace

from cluster.envelope import Refused, SalonId
from cluster.salons.bot_turns import BotTurns
from cluster.salons.house import BotTurn
from cluster.salons.memory import Origin
from engine.commands import AddBot
from engine.settings import BotLevel
from engine.units import OPERATOR, PlayerId
from engine.view import TableView
from tests.cluster.bench import Bench

AT_ONCE = 2


async def test_no_more_bots_act_at_once_than_the_host_lets() -> None:
    """Of many salons whose bots have all made up their minds."""
    bench = await Bench().opened(plays_unwatched=True)
    bench.bots.may.clear()
    for number in (1, 2):
        await bench.done(AddBot(OPERATOR, PlayerId(f"bot{number}"), f"Bot {number}", BotLevel.EASY))
    await bench.ring()
    table = bench.table
    bench.salon.close()
    acting, most, acted = 0, 0, 0

    async def execute(view: TableView, turn: BotTurn, origin: Origin) -> Refused | None:
        nonlocal acting, most, acted
        acting += 1
        most = max(most, acting)
        await asyncio.sleep(0)
        acting -= 1
        acted += 1
        return None

    house = replace(bench.house("host:a"), acting=asyncio.Semaphore(AT_ONCE))
    work = [BotTurns(SalonId(f"s{number}"), house, execute).due(table) for number in range(20)]
    bench.bots.may.set()
    await asyncio.gather(*(each for each in work if each))
    assert (most, acted) == (AT_ONCE, 20)
