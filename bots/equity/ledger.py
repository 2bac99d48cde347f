"""The ledger of a job: which chunks are still to be handed out, which are out, and what was counted."""

from math import inf

from bots.equity.chunks import CHUNK, ChunkTask
from bots.equity.paths import Path
from bots.equity.questions import Question
from bots.equity.tally import Tally


class Ledger:
    """Hands out every chunk of a job until it is counted once, and counts none twice.

    `samples` is how many the job has in all; None: as many as somebody asks for.
    """

    def __init__(self, question: Question, path: Path, *, seed: int, samples: int | None) -> None:
        self._question = question
        self._seed = seed
        self._samples = samples
        self._next = 0
        self._again: list[ChunkTask] = []
        self._out: set[ChunkTask] = set()
        self.path = path
        self.tally = Tally.empty(question.players)

    @property
    def chunks_left(self) -> float:
        """How many chunks nobody has been asked for; infinite where there is no end."""
        if self._samples is None:
            return inf
        again = sum(task.count for task in self._again)
        return -(-self._samples // CHUNK) - self._next + again

    @property
    def samples_out(self) -> int:
        """Samples that were asked for and are not here."""
        return sum(task.samples for task in self._out)

    def take(self, chunks: int) -> ChunkTask:
        """A task of at least one and at most `chunks` of the chunks that are left; lost ones come first."""
        task = self._lost(chunks) if self._again else self._new(chunks)
        self._out.add(task)
        return task

    def count(self, task: ChunkTask, tally: Tally) -> None:
        """Enter what came for a task that is out."""
        if tally.samples != task.samples:
            raise ValueError(f"{tally.samples} samples came for a task of {task.samples}")
        self._out.remove(task)
        self.tally += tally

    def lose(self, task: ChunkTask) -> None:
        """Take a task that is out back, to be handed out again."""
        self._out.remove(task)
        self._again.append(task)

    def first_part(self, samples: int) -> ChunkTask:
        """Up to so many of the first chunk's samples, for whoever has no time for all; they are not entered."""
        most = samples if self._samples is None else min(samples, self._samples)
        return ChunkTask(self._question, self.path, self._seed, first=0, count=1, last=min(most, CHUNK))

    def _new(self, chunks: int) -> ChunkTask:
        count = int(min(chunks, self.chunks_left))
        first, self._next = self._next, self._next + count
        last = CHUNK if self._samples is None else min(CHUNK, self._samples - (self._next - 1) * CHUNK)
        return ChunkTask(self._question, self.path, self._seed, first, count, last)

    def _lost(self, chunks: int) -> ChunkTask:
        """A lost task, or the first part of it."""
        task = self._again.pop()
        if task.count <= chunks:
            return task
        rest = (task.first + chunks, task.count - chunks, task.last)
        self._again.append(ChunkTask(self._question, self.path, self._seed, *rest))
        return ChunkTask(self._question, self.path, self._seed, task.first, chunks)
