"""Sampling: one job's chunks on an executor, until a rule of its budget is met.

The first chunk is always drawn in this process: it tells how long a chunk takes, and a job that is done soon
after needs no worker. Then as many tasks are out as keep the workers busy, each of some tens of milliseconds.
What a lost worker had is run again; what has not come back for long is run here; when no worker runs anything,
all that is left is. A deadline is kept by tasks that take a part of the time that is left, and by waiting for
none of them when it is over.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from math import ceil, inf
from typing import Any, Final, TypeVar

from bots.equity.budget import Budget
from bots.equity.chunks import CHUNK, Ran
from bots.equity.executor import Executor, ExecutorLost
from bots.equity.flights import Flights
from bots.equity.ledger import Ledger
from bots.equity.paths import Path, PathMissing
from bots.equity.questions import Question
from bots.equity.tally import Estimate, Stop, Tally, sampled

T = TypeVar("T")

PERIOD: Final = 0.1
"""Seconds from one partial result to the next."""
SMALL: Final = 0.005
"""Seconds of work that no worker is asked for, and the least that one is given: some Ray calls' worth."""
_TASK: Final = 0.04
"""Seconds of work in a task where there is enough of it."""
_OVERHEAD: Final = 0.004
"""Seconds for a task to get to a worker and back."""
_PARTS: Final = 8
"""A task takes no more than this part of what a deadline leaves."""
_GRACE: Final = 0.01
"""Seconds after a deadline that the first samples may come: some answer a little late is better than none."""
PROBE: Final = 1024
"""Samples that tell whether a chunk can be drawn before the deadline."""


def fitting(probe: Ran, left: float) -> int:
    """How many samples should be drawn in half of `left` seconds, going by those of a probe."""
    return int(probe.tally.samples * left / 2 / max(probe.seconds, 1e-9))


class OutOfTime(Exception):
    """The deadline came before anything was counted."""


def stop_of(budget: Budget, tally: Tally) -> Stop | None:
    """The rule that a tally has met, deadlines aside.

    An outcome that was never seen may come once in as many samples: no smaller error than that is believed.
    """
    if budget.most_samples is not None and tally.samples >= budget.most_samples:
        return Stop.SAMPLES
    if budget.error is not None and tally.samples and _error(tally) <= budget.error:
        return Stop.ERROR
    return None


def _error(tally: Tally) -> float:
    return max(tally.stderr, 1 / tally.samples)


@dataclass(frozen=True, slots=True)
class Job:
    """What is sampled, and where. `here` runs the first chunk, small jobs, and what the executor does not."""

    question: Question
    budget: Budget
    seed: int
    executor: Executor
    here: Executor


class Sampling:
    """A job that is being sampled on one path, until `deadline` in the time of the event loop."""

    def __init__(self, job: Job, path: Path, *, deadline: float, tell: Callable[[Estimate], None]) -> None:
        self._job = job
        self._budget = job.budget
        self._deadline = deadline
        self._tell = tell
        self._clock = asyncio.get_running_loop().time
        self._told = self._clock()
        self._ledger = Ledger(job.question, path, seed=job.seed, samples=job.budget.most_samples)
        self._pace = 0.0
        """Seconds that a chunk takes a worker."""
        self._alone = False

    async def run(self) -> Estimate:
        """The final estimate; partial ones are told on the way.

        Raises:
            OutOfTime: see there.
            NoDeal: see there.
            PathMissing: a worker does not have the path.
        """
        least = await self._first_chunk()
        if least is not None:
            return sampled(least, self._ledger.path, Stop.DEADLINE)
        while (stop := self._stop()) is None:
            executor, workers = await self._workplace()
            flights = Flights(self._ledger, executor, workers=workers, here=self._job.here)
            try:
                stop = await self._keep_flying(flights, workers)
                break
            except ExecutorLost:
                self._alone = True
            finally:
                flights.call_off()
        return self._estimate(stop)

    async def _first_chunk(self) -> Tally | None:
        """Draw the first chunk here; where the deadline is too near for it, the tally of fewer samples."""
        part, fits = (None, True) if self._deadline == inf else await self._part_of_it()
        if not fits:
            return part
        task = self._ledger.take(1)
        ran = await self._by_deadline(self._job.here.run(task))
        if ran is None:
            return part
        self._ledger.count(task, ran.tally)
        self._pace = max(ran.seconds, 1e-9)
        return None

    async def _part_of_it(self) -> tuple[Tally, bool]:
        """As much of the first chunk as tells how long it takes, and whether all of it can be drawn in time."""
        here = self._job.here
        ran = await self._by_deadline(here.run(self._ledger.first_part(PROBE)), grace=_GRACE)
        if ran is None:
            raise OutOfTime(f"nothing was counted within {self._budget.deadline_ms} ms")
        while (fit := fitting(ran, self._left())) < self._ledger.first_part(CHUNK).samples:
            more = None
            if fit > ran.tally.samples:
                more = await self._by_deadline(here.run(self._ledger.first_part(fit)))
            if more is None:
                return ran.tally, False
            ran = more
        return ran.tally, True

    async def _workplace(self) -> tuple[Executor, int]:
        """Where the rest is run, and how many tasks at a time."""
        here = self._job.here, 1
        if self._alone or min(self._left(), self._chunks_wanted() * self._pace) <= SMALL:
            return here
        try:
            workers = await self._by_deadline(self._job.executor.workers())
        except ExecutorLost:
            self._alone = True
            return here
        return here if workers is None else (self._job.executor, workers)

    async def _keep_flying(self, flights: Flights, workers: int) -> Stop:
        """Have tasks out until there is reason to stop. Raises ExecutorLost."""
        while (stop := self._stop()) is None:
            while len(flights) < 2 * workers and (chunks := self._next_task(len(flights), workers)):
                flights.send(chunks, chunks * self._pace)
            if not flights:
                return Stop.DEADLINE
            if await flights.land(min(PERIOD, self._left())):
                self._pace += ((flights.pace or self._pace) - self._pace) / 2
                self._tell_at_times()
        return stop

    def _next_task(self, out: int, workers: int) -> int:
        """How many chunks to ask for beside `out` tasks; 0 if none are wanted, or none would be back in time."""
        wanted, left, pace = self._chunks_wanted(), self._left(), self._pace
        seconds = min(_TASK, left / _PARTS, wanted * pace / (2 * workers))
        chunks = min(max(1, round(max(seconds, SMALL) / pace)), wanted)
        in_front = out // workers
        return 0 if (in_front + 1) * chunks * pace + _OVERHEAD > left else int(chunks)

    def _chunks_wanted(self) -> float:
        """How many more to ask for: until the last sample, or until the error should be small enough."""
        wanted = self._ledger.chunks_left
        if self._budget.error is not None:
            tally, out = self._ledger.tally, self._ledger.samples_out
            needed = max(1 / self._budget.error, tally.samples * (tally.stderr / self._budget.error) ** 2)
            more = ceil((1.02 * needed - tally.samples - out) / CHUNK)
            wanted = min(wanted, max(more, 0 if out else 1))
        return wanted

    def _stop(self) -> Stop | None:
        stop = stop_of(self._budget, self._ledger.tally)
        return Stop.DEADLINE if stop is None and self._left() <= 0 else stop

    def _left(self) -> float:
        return self._deadline - self._clock()

    async def _by_deadline(self, work: Coroutine[Any, Any, T], *, grace: float = 0.0) -> T | None:
        """What comes of `work`; None if it is not done by the deadline, and so many seconds more."""
        if self._deadline == inf:
            return await work
        try:
            async with asyncio.timeout_at(self._deadline + grace):
                return await work
        except TimeoutError:
            return None

    def _tell_at_times(self) -> None:
        if self._stop() is None and self._clock() >= self._told + PERIOD:
            self._told = self._clock()
            self._tell(self._estimate(Stop.NONE))

    def _estimate(self, stop: Stop) -> Estimate:
        return sampled(self._ledger.tally, self._ledger.path, stop, alone=self._alone)


async def sample(job: Job, path: Path, *, deadline: float, tell: Callable[[Estimate], None]) -> Estimate:
    """The job's final estimate, on the next lower path where a worker does not have `path`. See `Sampling.run`."""
    try:
        return await Sampling(job, path, deadline=deadline, tell=tell).run()
    except PathMissing:
        below = list(Path)[list(Path).index(path) + 1 :]
        if not below:
            raise
    return await sample(job, below[0], deadline=deadline, tell=tell)
