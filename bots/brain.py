"""The brain: one way to ask a bot of any level, which always comes back with a legal action.

Law of this file: whatever fails, the table goes on. A hard bot whose samples are late decides by those that
came; without any, the normal bot decides; and should that fail, the bot checks, or folds. Each is told in
the thought, to be counted.
"""

import asyncio
import random
from enum import StrEnum
from typing import Final, NamedTuple

from bots.actions import explained, give_up
from bots.hard import CHUNKS
from bots.old_equity import EquityJob, Executor, ExecutorLost, Tally
from bots.protocol import BotAction, Observation, is_legal, observe
from bots.roster import bot, hard_bot
from engine.game import Game
from engine.settings import BotLevel, BotStyle
from engine.view import TableView

GRACE_MS: Final = 50
"""How long past its budget an executor is waited for, which should have come back by itself."""


class Fallback(StrEnum):
    """What a decision had to fall back to."""

    NONE = "none"
    PARTIAL = "partial"
    """Fewer samples than asked for."""
    NORMAL = "normal"
    """No samples: the normal bot decided."""
    PASSIVE = "passive"
    """No decision, or an illegal one: check, or fold."""


class Thought(NamedTuple):
    """A decision, why, and what it had to fall back to. The explanation is for after the hand."""

    action: BotAction
    explanation: str
    fallback: Fallback


class _Sampled(NamedTuple):
    tallies: tuple[Tally, ...]
    fallback: Fallback


async def think(
    view: TableView,
    *,
    level: BotLevel,
    style: BotStyle,
    rng: random.Random,
    executor: Executor,
    budget_ms: int,
) -> Thought:
    """What the bot in the view's seat does with its turn; never fails for a lost executor or a bot's bug.

    `rng` is the bot's own, independent of every deck. `budget_ms` is for sampling: a hard bot alone uses it.

    Raises:
        NotYourTurn: the view's seat is not to act.
    """
    observation = observe(view)
    try:
        if level is BotLevel.HARD:
            thought = await _think_hard(observation, style, rng, executor, budget_ms)
        else:
            action = bot(Game(observation.game), level, style).decide(observation, rng)
            thought = Thought(action, action.why, Fallback.NONE)
    except Exception as bug:  # noqa: BLE001 - a bot's bug costs the bot a turn, and nobody the table
        return _passive(observation, f"failed: {type(bug).__name__}")
    if not is_legal(thought.action, observation):
        return _passive(observation, f"chose to {thought.action.kind}, which is not legal")
    return thought


async def _think_hard(
    observation: Observation, style: BotStyle, rng: random.Random, executor: Executor, budget_ms: int
) -> Thought:
    game = Game(observation.game)
    player = hard_bot(game, style)
    jobs = player.questions(observation, rng)
    sampled = await _sample(jobs, executor, budget_ms)
    if sampled.fallback is Fallback.NORMAL:
        action = bot(game, BotLevel.NORMAL, style).decide(observation, rng)
    else:
        action = player.answer(observation, sampled.tallies, rng)
    samples = sum(tally.samples for tally in sampled.tallies)
    if sampled.fallback is not Fallback.NORMAL and len(sampled.tallies) == 1:
        action = explained(action, error=sampled.tallies[0].error, samples=samples)
    explanation = f"{action.why} ({samples} samples)" if samples else action.why
    return Thought(action, explanation, sampled.fallback)


async def _sample(jobs: tuple[EquityJob, ...], executor: Executor, budget_ms: int) -> _Sampled:
    """A tally for each job, the budget shared out evenly."""
    tallies: list[Tally] = []
    fallback = Fallback.NONE
    for job in jobs:
        share = budget_ms // len(jobs)
        try:
            async with asyncio.timeout((share + GRACE_MS) / 1000):
                tally = await executor.run(job, chunks=CHUNKS, deadline_ms=share)
        except (ExecutorLost, TimeoutError):
            tally = Tally()
        if not tally.samples:
            return _Sampled((), Fallback.NORMAL)
        if tally.samples < CHUNKS * job.samples:
            fallback = Fallback.PARTIAL
        tallies.append(tally)
    return _Sampled(tuple(tallies), fallback)


def _passive(observation: Observation, why: str) -> Thought:
    return Thought(give_up(observation), why, Fallback.PASSIVE)
