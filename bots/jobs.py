"""Jobs: a decision outside the tables as plain data, which any worker can answer part by part.

Law of this file: a job is made from an observation and from nothing else, and holds primitives alone. A part's
result depends on the job alone; only a part that was late brings less, or nothing.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bots.draw_equity import DrawQuestion, Tally, chunk_seed, combined, run_chunk
from bots.explanation import Path
from bots.holdem.advice import Advice
from bots.protocol import Observation
from bots.situation import rivals
from bots.styles import Temper

Late = Callable[[], bool]
"""Whether there is no time left."""
RULES = 0
"""The part of a hold'em job that weighs actions by rules."""
RIVER = 1
"""The part that solves the river heads-up; better where both were done."""
CHUNKS = 6
"""Chunks of samples for each question of a draw job."""


class ExecutorLost(Exception):
    """An executor could not run a job at all."""


@dataclass(frozen=True, slots=True)
class HoldemJob:
    """A turn of hold'em after the flop."""

    observation: Observation
    temper: Temper


@dataclass(frozen=True, slots=True)
class DrawJob:
    """Questions of equity at draw, one a part."""

    questions: tuple[DrawQuestion, ...]


Job = HoldemJob | DrawJob
Result = Advice | Tally


class Executor(Protocol):
    """Where jobs run: in this process, or on workers."""

    path: Path

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Result | None, ...]:
        """A result for each of the job's parts that was done `deadline_ms` from now, None for the others.

        Raises:
            ExecutorLost: nothing could be run.
        """
        ...


def never() -> bool:
    """There is always time: for matches, which have to be repeatable."""
    return False


def after(milliseconds: float) -> Late:
    """Late from so many milliseconds on."""
    deadline = time.monotonic() + milliseconds / 1000
    return lambda: time.monotonic() >= deadline


def parts(job: Job) -> int:
    """How many parts a job has; they may run in any order and at the same time."""
    if isinstance(job, DrawJob):
        return len(job.questions)
    return 2 if is_solvable(job.observation) else 1


def is_solvable(observation: Observation) -> bool:
    """Whether the river solver applies: heads-up on the river; by public facts alone."""
    return len(observation.board) == 5 and len(rivals(observation)) == 1


def run_part(job: Job, part: int, *, late: Late = never) -> Result | None:
    """The result of one part; None where it was late."""
    if isinstance(job, DrawJob):
        return _sampled(job.questions[part], late)
    from bots.holdem import river_advice, weighing  # noqa: PLC0415 - numpy, which salons do without

    if part == RIVER:
        return river_advice.solved(job.observation, late=late)
    return weighing.advise(job.observation, job.temper)


def is_whole(job: Job, results: tuple[Result | None, ...]) -> bool:
    """Whether nothing is missing from the results."""
    if isinstance(job, HoldemJob):
        return None not in results
    wanted = (CHUNKS * question.samples for question in job.questions)
    return all(
        isinstance(got, Tally) and got.samples >= want for got, want in zip(results, wanted, strict=True)
    )


def is_enough(job: Job, results: tuple[Result | None, ...]) -> bool:
    """Whether a decision can rest on the results: any advice will do, but every draw needs its samples."""
    if isinstance(job, HoldemJob):
        return any(result is not None for result in results)
    return bool(results) and all(isinstance(result, Tally) and result.samples > 0 for result in results)


def _sampled(question: DrawQuestion, late: Late) -> Tally:
    tallies: list[Tally] = []
    for chunk in range(CHUNKS):
        if late():
            break
        tallies.append(run_chunk(question, chunk_seed(question, chunk), question.samples))
    return combined(tallies)
