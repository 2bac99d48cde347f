"""Asks bots for their turns: the thought, the time that it seems to take, and the command that comes of it.

A bot gets the view of its seat and nothing else. Whoever runs a salon brings the executor for the jobs of
hard bots; a lost or late one costs strength, never the turn.
"""

import asyncio
import os
import random
from typing import Final

from bots.brain import think
from bots.equity import Executor
from bots.manners import thinking_time
from bots.protocol import observe, to_command
from cluster.salons.house import BotTurn
from engine.settings import BotLevel, BotStyle
from engine.table import Player
from engine.view import TableView

_BUDGET_MS: Final = 2_000
"""How long a hard bot's jobs may run, and never longer than a quarter of the turn."""


class BotPlay:
    """Asks the bots of one host."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    async def decide(self, view: TableView, player: Player) -> BotTurn:
        """The bot's turn, once it has taken its time over it; well before the turn's deadline."""
        loop = asyncio.get_running_loop()
        turn_time = view.settings.turn_time
        rng = random.Random(os.urandom(16))
        pause = min(thinking_time(observe(view), view.settings.bot_speed, rng), turn_time // 2)
        until = loop.time() + pause / 1000
        thought = await think(
            view,
            level=player.level or BotLevel.EASY,
            style=player.style or BotStyle.BALANCED,
            rng=rng,
            executor=self._executor,
            budget_ms=min(_BUDGET_MS, turn_time // 4),
        )
        await asyncio.sleep(max(0.0, until - loop.time()))
        return BotTurn(to_command(thought.action, view, player.player), thought.explanation)
