"""Hard bots' jobs as Ray tasks, on the nodes that offer `equity`."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import ray
from ray.exceptions import RayError

from bots.advice import Advice
from bots.deadlines import after
from bots.equity.executor import ExecutorLost
from bots.equity.flights import look
from bots.explanation import Path
from bots.jobs import Job, is_whole, parts, run_part
from cluster.actors.background import in_background
from cluster.actors.joining import EQUITY_RESOURCE
from cluster.actors.window import Window
from cluster.slow_start import SlowStart


def _run_part(job: Job, part: int, deadline_ms: int) -> Advice | None:
    return in_background(partial(run_part, job, part, late=after(deadline_ms)))


MOST_JOBS: Final = 32
"""Jobs of hard bots that one host has under way: of 5 ms and more each, a few tenths of a second of one core."""
MOST_OUT: Final = 2 * MOST_JOBS
"""Jobs that one host may have asked for and not got, given up or not: Ray keeps them, wants nodes for them, and runs them late."""
_GIVEN_UP: Final = 10.0
"""Seconds past its deadline after which a job holds no other up: Ray may have no node for it, and tell nobody."""
# The first submission of a function takes Ray a quarter of a second: it tells the cluster what to run.
_part: Final[Any] = ray.remote(_run_part).options(
    num_cpus=0, resources={EQUITY_RESOURCE: 1}, max_retries=0, enable_task_events=False
)


def _ask_for_parts(job: Job, deadline_ms: int) -> list[Any]:
    return [_part.remote(job, part, deadline_ms) for part in range(parts(job))]


class RayExecutor:
    """Runs hard bots' jobs on the nodes that offer `equity`.

    Late parts are not waited for. As with `EquityWorkers` none is called off: a part knows the deadline, and ends once it
    has a node. Where as many jobs are under way as workers can hope to have done in time, by how the last ones went, no more
    are asked for: what Ray had to keep waiting would come too late for everybody.
    """

    path = Path.WORKERS

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._ask = SlowStart(_ask_for_parts)
        self._window = Window(MOST_JOBS)
        self._monotonic = monotonic
        self._out: dict[asyncio.Task[None], float] = {}
        """The jobs that are not done, those for which nobody waits any more too, and when they are given up."""

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Advice | None, ...]:
        """See `bots.jobs.Executor.run`."""
        now = self._monotonic()
        under_way = sum(given_up > now for given_up in self._out.values())
        if len(self._out) >= MOST_OUT:
            raise ExecutorLost(f"{len(self._out)} jobs wait for a node, and no more are asked for")
        if under_way >= self._window.wide:
            raise ExecutorLost(f"{under_way} jobs are under way, and no more are asked for")
        results: list[Advice | None] = [None] * parts(job)
        number = self._window.begin()
        working = asyncio.ensure_future(self._work(job, deadline_ms, results))
        self._out[working] = now + deadline_ms / 1000 + _GIVEN_UP
        working.add_done_callback(self._landed)
        done = (await asyncio.wait({working}, timeout=deadline_ms / 1000))[0]
        found = tuple(results)
        self._window.landed(number, in_time=bool(done) and is_whole(found))
        if done:
            working.result()
        return found

    async def _work(self, job: Job, deadline_ms: int, results: list[Advice | None]) -> None:
        """Fill in the results as they come. Raises ExecutorLost."""
        try:
            refs = await self._ask(job, deadline_ms)
        except RayError as error:
            raise ExecutorLost(repr(error)) from error

        async def fill(part: int, ref: Any) -> None:
            with suppress(RayError):  # its worker was lost
                results[part] = await ref

        await asyncio.gather(*(fill(part, ref) for part, ref in enumerate(refs)))

    def _landed(self, working: asyncio.Task[None]) -> None:
        self._out.pop(working, None)
        look(working)
