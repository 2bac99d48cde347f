"""Asks bots for their turns: the thought, the time that it seems to take, and the command that comes of it.

A bot gets the view of its seat and nothing else. Whoever runs a salon brings the executor for the jobs of
hard bots; a lost or late one costs strength, never the turn.
"""

import asyncio
import os
import random

from bots.brain import think
from bots.equity import Executor
from bots.hard import may_sample
from bots.manners import sampling_budget, thinking_time
from bots.protocol import observe, to_command
from cluster.salons.house import BotTurn
from engine.settings import BotLevel, BotStyle
from engine.table import Player
from engine.view import TableView


class BotPlay:
    """Asks the bots of one host."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    async def decide(self, view: TableView, player: Player) -> BotTurn:
        """The bot's turn, once it has taken its time over it; well before the turn's deadline."""
        loop = asyncio.get_running_loop()
        rng = random.Random(os.urandom(16))
        observation = observe(view)
        samples = player.level is BotLevel.HARD and may_sample(observation)
        pause = thinking_time(observation, view.settings.bot_speed, rng, samples=samples)
        until = loop.time() + pause / 1000
        thought = await think(
            view,
            level=player.level or BotLevel.EASY,
            style=player.style or BotStyle.BALANCED,
            rng=rng,
            executor=self._executor,
            budget_ms=sampling_budget(pause),
        )
        await asyncio.sleep(max(0.0, until - loop.time()))
        return BotTurn(to_command(thought.action, view, player.player), thought.explanation)
