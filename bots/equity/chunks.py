"""Chunks: samples of a question that are drawn from one seed, and the tasks that ask workers for some of them.

Law of this file: what a chunk counts depends on the question, the path, the job's seed and the chunk's number
alone. So the tally of a job is the same, bit by bit, however its chunks are put into tasks, whoever runs them
and in whatever order they come.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

from bots.equity.paths import Path, kernel
from bots.equity.questions import Question
from bots.equity.tally import Tally

CHUNK: Final = 32768
"""Samples of a chunk; a job's last one may have fewer. Part of what a seed means: never change it."""


class NoDeal(ValueError):
    """Hands were wanted that hardly any deal gives: fewer than one try in 4,096 is one."""


@dataclass(frozen=True, slots=True)
class ChunkTask:
    """Chunks of one job, for a worker; it can be pickled, and a kilobyte or so is all it has for each range."""

    question: Question
    path: Path
    seed: int
    first: int
    """The number of its first chunk, from 0."""
    count: int
    last: int = CHUNK
    """Samples of its last chunk."""

    @property
    def samples(self) -> int:
        """How many samples its tally has."""
        return (self.count - 1) * CHUNK + self.last


class Ran(NamedTuple):
    """A task's tally, and the seconds that it took where it ran."""

    tally: Tally
    seconds: float


def chunk_seed(seed: int, chunk: int) -> int:
    """The 64 bits that a chunk is drawn with, by its number."""
    return int.from_bytes(blake2b(f"{seed}:{chunk}".encode(), digest_size=8).digest(), "big")


def run_task(task: ChunkTask, unwanted: Callable[[], bool] = lambda: False) -> Ran:
    """Draw the task's chunks in this thread, and count. Blocks.

    It ends with what it has once `unwanted` says so; nobody looks at that.

    Raises:
        PathMissing: this process does not have the path.
        NoDeal: see there.
        ValueError: the kernel refuses the question.
    """
    path_kernel, wide = kernel(task.path), task.path is Path.AVX512
    began = time.perf_counter()
    tally = Tally.empty(task.question.players)
    for chunk in range(task.first, task.first + task.count):
        if unwanted():
            break
        samples = task.last if chunk == task.first + task.count - 1 else CHUNK
        try:
            counts = task.question.sample(path_kernel, chunk_seed(task.seed, chunk), samples, wide=wide)
        except RuntimeError as error:
            raise NoDeal(f"{error}: the hands leave each other (almost) no cards") from error
        tally += Tally(tuple(counts), samples)
    return Ran(tally, time.perf_counter() - began)
