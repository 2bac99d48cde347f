"""Jobs: a decision outside the tables as plain data, which any worker can answer part by part.

Law of this file: a job is made from an observation and from nothing else, and holds primitives alone. A part's
result depends on the job alone; only a part that was late brings less, or nothing.
"""

from dataclasses import dataclass
from typing import Protocol

from bots.advice import Advice
from bots.deadlines import Late, never
from bots.explanation import Path
from bots.protocol import Observation
from bots.situation import rivals
from bots.styles import Temper

RULES = 0
"""The part of a hold'em job that weighs actions by rules."""
RIVER = 1
"""The part that solves the river heads-up; better where both were done."""


@dataclass(frozen=True, slots=True)
class HoldemJob:
    """A turn of hold'em after the flop."""

    observation: Observation
    temper: Temper


@dataclass(frozen=True, slots=True)
class DrawJob:
    """A turn of draw without a table, and the seed of its samples."""

    observation: Observation
    temper: Temper
    seed: int


Job = HoldemJob | DrawJob


class Executor(Protocol):
    """Where jobs run: in this process, or on workers."""

    path: Path

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Advice | None, ...]:
        """A result for each of the job's parts that was done `deadline_ms` from now, None for the others.

        Raises:
            ExecutorLost (`bots.equity.executor`): nothing could be run.
        """
        ...


def parts(job: Job) -> int:
    """How many parts a job has; they may run in any order and at the same time."""
    return 2 if isinstance(job, HoldemJob) and is_solvable(job.observation) else 1


def is_solvable(observation: Observation) -> bool:
    """Whether the river solver applies: heads-up on the river; by public facts alone."""
    return len(observation.board) == 5 and len(rivals(observation)) == 1


def run_part(job: Job, part: int, *, late: Late = never) -> Advice | None:
    """The result of one part; None where it was late."""
    if isinstance(job, DrawJob):
        from bots import draw_advice  # noqa: PLC0415 - its ranges, which salons do without

        return None if late() else draw_advice.advise(job.observation, job.temper, job.seed)
    from bots.holdem import river_advice, weighing  # noqa: PLC0415 - numpy, which salons do without

    if part == RIVER:
        return river_advice.solved(job.observation, late=late)
    return weighing.advise(job.observation, job.temper)


def is_whole(results: tuple[Advice | None, ...]) -> bool:
    """Whether nothing is missing from the results."""
    return None not in results


def is_enough(results: tuple[Advice | None, ...]) -> bool:
    """Whether a decision can rest on the results: any advice will do."""
    return any(result is not None for result in results)
