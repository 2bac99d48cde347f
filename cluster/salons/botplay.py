"""Asks bots for their turns: the thought, the time that it seems to take, and the command that comes of it.

A bot gets the view of its seat and nothing else. Whoever runs a salon brings the executor for the jobs of
hard bots; a lost or late one costs strength, never the turn.
"""

import asyncio
from collections.abc import Awaitable, Callable

from bots.brain import Fallback, Means, Thought, think
from bots.draw_solver.shelf import PACKAGED, Shelf
from bots.explanation import Explanation, Path, completed
from bots.hard import may_sample
from bots.jobs import Executor
from bots.manners import SAMPLING, sampling_budget, thinking_time
from bots.protocol import observe, to_command
from cluster.chance import PooledChance
from cluster.clock import Clock
from cluster.salons.house import BotTurn
from engine.settings import BotLevel, BotStyle
from engine.table import Player
from engine.units import Millis
from engine.view import TableView


class BotPlay:
    """Asks the bots of one host. `clock` is the log's, `sleep` takes seconds, `shelf` has the tables of draw."""

    def __init__(
        self,
        executor: Executor,
        clock: Clock,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        *,
        shelf: Shelf = PACKAGED,
    ) -> None:
        self._executor = executor
        self._clock = clock
        self._sleep = sleep
        self._shelf = shelf
        self._chance = PooledChance()

    async def decide(self, view: TableView, player: Player) -> BotTurn:
        """The bot's turn, once it has taken its time over it; well before the turn's deadline."""
        observation = observe(view)
        samples = player.level is BotLevel.HARD and may_sample(observation, self._shelf)
        time = thinking_time(observation, view.settings.bot_speed, self._chance, samples=samples)
        asked_at = self._clock.now()
        pause = _left(view, time, least=SAMPLING if samples else 0, now=asked_at)
        thought = await think(
            observation,
            level=player.level or BotLevel.EASY,
            style=player.style or BotStyle.BALANCED,
            rng=self._chance,
            means=Means(self._executor, sampling_budget(pause), self._shelf),
        )
        await self._sleep(max(0, asked_at + pause - self._clock.now()) / 1000)
        return BotTurn(to_command(thought.action, view, player.player), note_of(thought, player))


def note_of(thought: Thought, player: Player) -> Explanation:
    """What the bot says about its thought: in figures, where it gave some; else its words."""
    return completed(
        thought.action.explanation,
        rule=thought.action.why,
        path="" if player.level is BotLevel.HARD else Path.RULES.value,
        fallback="" if thought.fallback is Fallback.NONE else thought.fallback.value,
    )


def _left(view: TableView, time: int, *, least: int, now: Millis) -> int:
    """What is left, in ms, of a thinking time that began with the turn.

    A salon that is taken up in the middle of a turn asks late: the bot still gets `least`, and no more than half
    of what the turn has left, so that its clock never runs out over it.
    """
    began = view.deadline - view.settings.turn_time
    return max(0, min(max(began + time - now, least), (view.deadline - now) // 2))
