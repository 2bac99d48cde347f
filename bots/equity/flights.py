"""Flights: a job's tasks that are out, from the ledger to an executor and back; every one comes back or is lost."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from bots.equity.chunks import ChunkTask, Ran
from bots.equity.executor import Executor, ExecutorLost, WorkerLost
from bots.equity.ledger import Ledger

_PATIENCE: Final = 5.0
"""Seconds after which a task is run here: its worker may be frozen, of which nobody is told."""


@dataclass(frozen=True, slots=True)
class _Flight:
    task: ChunkTask
    patient_until: float


class Flights:
    """A ledger's tasks that an executor was asked for. `here` runs those that do not come back."""

    def __init__(self, ledger: Ledger, executor: Executor, *, workers: int, here: Executor) -> None:
        self._ledger = ledger
        self._executor = executor
        self._here = here
        self._workers = workers
        self._out: dict[asyncio.Task[Ran], _Flight] = {}
        self._losses = 0
        self._clock = asyncio.get_running_loop().time
        self.pace: float | None = None
        """Seconds that the last task took for a chunk."""

    def __len__(self) -> int:
        return len(self._out)

    def send(self, chunks: int, seconds: float) -> None:
        """Ask for up to so many of the chunks that are left, which should take so long."""
        patience = max(_PATIENCE, 20 * seconds) if self._executor is not self._here else float("inf")
        self._run(self._executor, self._ledger.take(chunks), patience)

    async def land(self, within: float) -> bool:
        """Wait until something comes back, at most `within` seconds; whether anything was counted.

        Raises:
            ExecutorLost: one task said so, or so many workers were lost that the next will be too.
            PathMissing: a worker does not have the path.
        """
        done, _ = await asyncio.wait(self._out, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        counted = False
        for flown in done:
            counted = self._enter(flown, self._out.pop(flown).task) or counted
        if self._losses > 4 * (self._workers + 1):
            raise ExecutorLost("all workers that were asked are lost")
        self._take_over()
        return counted

    def call_off(self) -> None:
        """Cancel all that is out, without waiting for it."""
        for flown, flight in self._out.items():
            flown.cancel()
            self._ledger.lose(flight.task)
        self._out.clear()

    def _enter(self, flown: asyncio.Task[Ran], task: ChunkTask) -> bool:
        """Count what a task brought; False where it has to be run again."""
        error = WorkerLost("cancelled") if flown.cancelled() else flown.exception()
        if error is not None:
            self._ledger.lose(task)
            if not isinstance(error, WorkerLost):
                raise error
            self._losses += 1
            return False
        ran = flown.result()
        self._ledger.count(task, ran.tally)
        self._losses = 0
        self.pace = ran.seconds / task.count
        return True

    def _take_over(self) -> None:
        now = self._clock()
        for flown, flight in [item for item in self._out.items() if item[1].patient_until <= now]:
            flown.cancel()
            del self._out[flown]
            self._run(self._here, flight.task, float("inf"))

    def _run(self, executor: Executor, task: ChunkTask, patience: float) -> None:
        flown = asyncio.ensure_future(_asked(executor, task))
        flown.add_done_callback(look)
        self._out[flown] = _Flight(task, self._clock() + patience)


async def _asked(executor: Executor, task: ChunkTask) -> Ran:
    return await executor.run(task)


def look(flown: asyncio.Task[Any]) -> None:
    """Nobody asks any more what became of a task that was called off; asyncio would complain about its error."""
    if not flown.cancelled():
        flown.exception()
