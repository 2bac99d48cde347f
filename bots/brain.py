"""The brain: one way to ask a bot of any level, which always comes back with a legal action.

Law of this file: whatever fails, the table goes on. A hard bot whose results are late decides by those that
came; without any, the normal bot decides; and should that fail, the bot checks, or folds. Each is told in
the thought, to be counted.
"""

import asyncio
import random
from enum import StrEnum
from typing import Final, NamedTuple

from bots.actions import explained, give_up
from bots.advice import Advice
from bots.draw_solver.shelf import PACKAGED, Shelf
from bots.equity.executor import ExecutorLost
from bots.hard import HardBot
from bots.jobs import Executor, Job, is_enough, is_whole
from bots.protocol import Bot, BotAction, Observation, is_legal
from bots.roster import bot, hard_bot
from engine.game import Game
from engine.settings import BotLevel, BotStyle

GRACE_MS: Final = 50
"""How long past its budget an executor is waited for, which should have come back by itself."""


class Fallback(StrEnum):
    """What a decision had to fall back to."""

    NONE = "none"
    PARTIAL = "partial"
    """Fewer results than asked for."""
    NORMAL = "normal"
    """No results: the normal bot decided."""
    PASSIVE = "passive"
    """No decision, or an illegal one: check, or fold."""


class Means(NamedTuple):
    """What a hard bot thinks with."""

    executor: Executor
    """Where its jobs run."""
    budget_ms: int
    """For a job."""
    shelf: Shelf = PACKAGED
    """The tables that it plays draw by."""


class Thought(NamedTuple):
    """A decision, and what it had to fall back to."""

    action: BotAction
    fallback: Fallback


async def think(
    observation: Observation, *, level: BotLevel, style: BotStyle, rng: random.Random, means: Means
) -> Thought:
    """What the bot that observes does with its turn; never fails for a lost executor or a bot's bug.

    `rng` is the bot's own, independent of every deck.
    """
    try:
        game = Game(observation.game)
        if level is BotLevel.HARD:
            hard, normal = hard_bot(game, style, means.shelf), bot(game, BotLevel.NORMAL, style)
            thought = await _think_hard(observation, rng, means, hard=hard, normal=normal)
        else:
            thought = Thought(bot(game, level, style).decide(observation, rng), Fallback.NONE)
    except Exception as bug:  # noqa: BLE001 - a bot's bug costs the bot a turn, and nobody the table
        return _passive(observation, f"failed: {type(bug).__name__}")
    if not is_legal(thought.action, observation):
        return _passive(observation, f"chose to {thought.action.kind}, which is not legal")
    return thought


async def _think_hard(
    observation: Observation, rng: random.Random, means: Means, *, hard: HardBot, normal: Bot
) -> Thought:
    job = hard.job(observation, rng)
    if job is None:
        return Thought(hard.answer(observation, (), rng), Fallback.NONE)
    results = await _worked_out(job, means)
    if not is_enough(results):
        return Thought(normal.decide(observation, rng), Fallback.NORMAL)
    action = explained(hard.answer(observation, results, rng), path=means.executor.path.value)
    return Thought(action, Fallback.NONE if is_whole(results) else Fallback.PARTIAL)


async def _worked_out(job: Job, means: Means) -> tuple[Advice | None, ...]:
    """What the executor found in time."""
    try:
        async with asyncio.timeout((means.budget_ms + GRACE_MS) / 1000):
            return await means.executor.run(job, deadline_ms=means.budget_ms)
    except (ExecutorLost, TimeoutError):
        return ()


def _passive(observation: Observation, why: str) -> Thought:
    return Thought(give_up(observation, why), Fallback.PASSIVE)
