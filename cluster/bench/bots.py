"""The bots' benchmark: what a decision takes, by game and level, and what works out those of the hard level.

What is timed is what a salon does for a bot's turn: the observation made from the seat's view, the decision, and the
check that it is legal (`bots.brain.think`), each in the middle of the hand that it is taken in. A hard bot gets the
least time that any salon gives it, however slow its bots are to seem.
"""

import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final

from bots.brain import Fallback, think
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
    began = time.perf_counter_ns()
    observe(view)
    observing = time.perf_counter_ns() - began
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    thought = await think(
        view, level=turn.level, style=turn.style, rng=chance, executor=executor, budget_ms=budget_ms
    )
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    explanation = thought.action.explanation
    path = Path(explanation.path) if explanation and explanation.path else Path.RULES
    decided = Decided(turn.level, wall, cpu, observing, path, thought.fallback)
    return decided, to_command(thought.action, view, player.player)


@dataclass(slots=True)
class Level:
    """What the decisions of one level were."""

    taken: list[Decided] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """As JSON takes them; times are milliseconds."""
        walls = [one.wall for one in self.taken]
        return {
            "decisions": len(self.taken),
            "mean_ms": _mean(walls),
            "p50_ms": quantile(walls, 0.5),
            "p99_ms": quantile(walls, 0.99),
            "cpu_ms": _mean([one.cpu for one in self.taken]),
            "observing_ms": _mean([one.observing for one in self.taken]),
        }

    def made_by(self) -> dict[str, float]:
        """The share of the decisions that each path made."""
        return _shares(Counter(one.path for one in self.taken))


def levels(taken: Iterable[Decided]) -> dict[BotLevel, Level]:
    """The decisions by level."""
    found = {level: Level() for level in BotLevel}
    for one in taken:
        found[one.level].taken.append(one)
    return found


def report(taken: Mapping[Game, Iterable[Decided]]) -> dict[str, Any]:
    """What was measured in this process, by game and level."""
    return {game.value: _of_game(levels(of_game)) for game, of_game in taken.items()}


def on_workers(taken: Iterable[Decided]) -> dict[str, Any]:
    """What became of hard decisions where workers were to make all that no table does; times are milliseconds."""
    outside = [one for one in taken if one.level is BotLevel.HARD and one.path is not Path.TABLE]
    walls = [one.wall for one in outside if one.path is Path.WORKERS]
    return {
        "outside_tables": len(outside),
        "by_workers": round(len(walls) / len(outside), 4) if outside else None,
        "made_by": _shares(Counter(one.path for one in outside)),
        "fallbacks": {
            fallback.value: sum(one.fallback is fallback for one in outside) for fallback in Fallback
        },
        "p50_ms": quantile(walls, 0.5),
        "p99_ms": quantile(walls, 0.99),
    }


def quantile(nanoseconds: list[int], share: float) -> float | None:
    """Milliseconds that `share` of the times do not exceed; None without any."""
    if not nanoseconds:
        return None
    return _ms(sorted(nanoseconds)[max(0, ceil(share * len(nanoseconds)) - 1)])


def _of_game(found: Mapping[BotLevel, Level]) -> dict[str, Any]:
    figures = {level.value: of_level.figures() for level, of_level in found.items()}
    figures[BotLevel.HARD.value]["made_by"] = found[BotLevel.HARD].made_by()
    return figures


def _shares(counts: Mapping[Path, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {path.value: round(counts.get(path, 0) / total, 4) if total else 0.0 for path in Path}


def _mean(nanoseconds: list[int]) -> float | None:
    return _ms(sum(nanoseconds) / len(nanoseconds)) if nanoseconds else None


def _ms(nanoseconds: float) -> float:
    return float(f"{nanoseconds / 1e6:.4g}")
