"""Workers in virtual time: what they count is made up from chunks' seeds, what goes wrong is scripted."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

from bots.equity.chunks import CHUNK, ChunkTask, Ran, chunk_seed
from bots.equity.executor import ExecutorLost, WorkerLost
from bots.equity.paths import Path, PathMissing
from bots.equity.questions import HoldemQuestion
from bots.equity.tally import Tally

T = TypeVar("T")

QUESTION: Final = HoldemQuestion((None, None), b"", b"")
PACE: Final = 0.001
"""Seconds that a fake chunk takes."""


class _Jumping(selectors.DefaultSelector):
    """Waits for nothing: the clock jumps to when something is due."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("everybody waits, and nothing is due: a hang")
        self.now += max(0.0, timeout)
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def in_virtual_time(main: Coroutine[Any, Any, T]) -> T:
    """What `main` returns, on a loop whose clock jumps."""
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(main)


def counted(task: ChunkTask) -> Tally:
    """What a fake kernel counts: wins of the first player, a few ties, and the rest."""
    wins = ties = 0
    for chunk in range(task.first, task.first + task.count):
        samples = task.last if chunk == task.first + task.count - 1 else CHUNK
        seed = chunk_seed(task.seed, chunk)
        wins += samples // 3 + seed % (samples // 3 + 1)
        ties += seed % (samples // 9 + 1)
    return Tally((wins, ties, task.samples - wins - ties, ties), task.samples)


def whole(samples: int, seed: int = 7, path: Path = Path.C) -> Tally:
    """What all chunks of a job have to add up to."""
    last = (samples - 1) % CHUNK + 1
    return counted(ChunkTask(QUESTION, path, seed, 0, -(-samples // CHUNK), last))


Fault = Callable[[ChunkTask], Awaitable[None]]


async def lost(task: ChunkTask) -> None:
    raise WorkerLost("killed")


async def gone(task: ChunkTask) -> None:
    raise ExecutorLost("no node")


async def frozen(task: ChunkTask) -> None:
    await asyncio.sleep(1e9)


async def stubborn(task: ChunkTask) -> None:
    """Goes on when it is cancelled, and answers all the same."""
    try:
        await asyncio.sleep(1e9)
    except asyncio.CancelledError:
        return


async def without_wide(task: ChunkTask) -> None:
    if task.path is Path.AVX512:
        raise PathMissing("no avx512")


async def slow(task: ChunkTask) -> None:
    await asyncio.sleep(0.4)


class Workers:
    """`count` workers; the faults happen to the first tasks, one each, `always` to each of the others.

    Where the first player wins `surely`, he wins every sample. A task's way there and back takes `trip` seconds.
    """

    def __init__(
        self,
        count: int,
        faults: Iterable[Fault | None] = (),
        always: Fault | None = None,
        *,
        surely: bool = False,
        trip: float = 0.0,
    ) -> None:
        self._count = count
        self._surely = surely
        self._trip = trip
        self._free = asyncio.Semaphore(count)
        self._faults = iter(faults)
        self._always = always
        self.asked: list[ChunkTask] = []
        self.cancelled = 0
        self.most_out = 0
        self.out = 0

    async def workers(self) -> int:
        if not self._count:
            raise ExecutorLost("no node")
        return self._count

    async def run(self, task: ChunkTask) -> Ran:
        self.asked.append(task)
        fault = next(self._faults, self._always)
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        try:
            await asyncio.sleep(self._trip)
            async with self._free:
                if fault is not None:
                    await fault(task)
                seconds = task.samples / CHUNK * PACE
                await asyncio.sleep(seconds)
                won = Tally((task.samples, 0, 0, 0), task.samples)
                return Ran(won if self._surely else counted(task), seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.out -= 1
