"""Bots' decisions as a benchmark takes them: how long each took, and what made it.

What is timed is what a salon does for a bot's turn: the observation made from the seat's view, the decision, and the
check that it is legal (`bots.brain.think`), each in the middle of the hand that it is taken in. A hard bot gets the
least time that any salon gives it, however slow its bots are to seem.
"""

import random
import time
from collections.abc import AsyncGenerator
from typing import Final

from bots.brain import Fallback, Means, think
from bots.explanation import Path
from bots.jobs import Executor
from bots.manners import SAMPLING, sampling_budget
from bots.protocol import observe, to_command
from cluster.bench.mixed_play import MOST, Turn, at_table, turns
from engine.commands import TurnCommand
from engine.game import Game
from engine.settings import BotLevel
from engine.value import value

BUDGET_MS: Final = sampling_budget(SAMPLING)
_WARM_HANDS: Final = 4
"""At a table of each size, not counted: tables are read, and workers begin."""
_WARM_BUDGET_MS: Final = 60_000


@value
class Decided:
    """A decision; times are nanoseconds, on the wall and of this process's CPU."""

    level: BotLevel
    wall: int
    cpu: int
    observing: int
    """Of the wall's, how long an observation takes."""
    path: Path
    """What made it."""
    fallback: Fallback


async def decisions(
    game: Game, executor: Executor, *, count: int, seed: int
) -> AsyncGenerator[Decided, None]:
    """`count` decisions of each level, in the order in which they are taken.

    Raises:
        Misbehaved: a bot's command was refused.
    """
    await _warm_up(game, executor, seed=seed)
    cards, chance = random.Random(f"cards {seed}"), random.Random(f"bots {seed}")
    left = dict.fromkeys(BotLevel, count)
    play = turns(game, cards)
    turn = next(play)
    while any(left.values()):
        decided, command = await _decide(turn, executor, chance, BUDGET_MS)
        if left[decided.level]:
            left[decided.level] -= 1
            yield decided
        turn = play.send(command)


async def _warm_up(game: Game, executor: Executor, *, seed: int) -> None:
    cards, chance = random.Random(f"warm cards {seed}"), random.Random(f"warm bots {seed}")
    for players in range(2, MOST[game] + 1):
        play = at_table(game, players, _WARM_HANDS, cards)
        turn: Turn | None = next(play)
        while turn:
            _, command = await _decide(turn, executor, chance, _WARM_BUDGET_MS)
            try:
                turn = play.send(command)
            except StopIteration:
                turn = None


async def _decide(
    turn: Turn, executor: Executor, chance: random.Random, budget_ms: int
) -> tuple[Decided, TurnCommand]:
    view, player = turn
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    observation = observe(view)
    observing = time.perf_counter_ns() - wall
    thought = await think(
        observation, level=turn.level, style=turn.style, rng=chance, means=Means(executor, budget_ms)
    )
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    explanation = thought.action.explanation
    path = Path(explanation.path) if explanation and explanation.path else Path.RULES
    decided = Decided(turn.level, wall, cpu, observing, path, thought.fallback)
    return decided, to_command(thought.action, view, player.player)
