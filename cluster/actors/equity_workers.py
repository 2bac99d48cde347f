"""Equity's chunks as Ray tasks, on the nodes that offer `equity`."""

import asyncio
import time
from typing import Any, Final

import ray
from ray.exceptions import RayError, RayTaskError, RuntimeEnvSetupError, TaskUnschedulableError

from bots.equity.chunks import ChunkTask, Ran, run_task
from bots.equity.executor import ExecutorLost, WorkerLost
from bots.equity.flights import look
from bots.equity.paths import PathMissing
from cluster.actors.joining import EQUITY_RESOURCE
from cluster.slow_start import SlowStart

_COUNTED_FOR: Final = 1.0
"""Seconds for which a count of the workers is good, and after which whoever waits for a task looks again."""
_chunks: Final[Any] = ray.remote(run_task).options(
    num_cpus=0, resources={EQUITY_RESOURCE: 1}, max_retries=0, enable_task_events=False
)
_COUNT_PATIENCE: Final = 5.0
"""Seconds for Ray to say what nodes there are; it does not while its head is away."""
_OUT: Final = 4
"""Tasks that are asked for at a time, for each that runs."""


class EquityWorkers:
    """Runs chunks on the nodes that offer `equity`, an `Executor` of `bots.equity` for the cluster that was joined.

    Ray repeats no task by itself: whoever asked does, and counts none twice.
    """

    def __init__(self) -> None:
        self._units = 0
        self._counted_at = -_COUNTED_FOR
        self._counting: asyncio.Task[None] | None = None
        self._ask = SlowStart(_chunks.remote)
        self._out: set[asyncio.Task[Ran]] = set()
        """All that is asked for and not here, that which nobody waits for any more too."""

    async def workers(self) -> int:
        """How many tasks the nodes may run at a time, as it was when it was asked last. Raises ExecutorLost."""
        if time.monotonic() - self._counted_at >= _COUNTED_FOR and self._counting is None:
            self._counting = asyncio.get_running_loop().create_task(self._count())
        if not self._units and self._counting:
            await asyncio.wait({self._counting})
        if not self._units:
            raise ExecutorLost("no node of the cluster offers equity")
        return self._units

    async def run(self, task: ChunkTask) -> Ran:
        """See `Executor.run`. What is cancelled while it runs ends after the chunk that it is at."""
        if not ray.is_initialized():
            raise ExecutorLost("this process has joined no cluster")
        # Nothing is called off by ray.cancel: where a task ends just then, Ray 2.60 aborts this process. So what is
        # not wanted any more is run to its end, and no more is asked for until there is little of it.
        while len(self._out) >= _OUT * await self.workers():
            await asyncio.wait(self._out, timeout=_COUNTED_FOR, return_when=asyncio.FIRST_COMPLETED)
        try:
            ref = await self._ask(task)
        except RayError as error:
            raise ExecutorLost(repr(error)) from error
        answer = asyncio.ensure_future(_ran(ref))
        self._out.add(answer)
        answer.add_done_callback(self._landed)
        while not (await asyncio.wait({answer}, timeout=_COUNTED_FOR))[0]:
            # Ray would wait for a node in silence.
            await self.workers()
        return answer.result()

    def _landed(self, answer: asyncio.Task[Ran]) -> None:
        self._out.discard(answer)
        look(answer)

    async def _count(self) -> None:
        try:
            async with asyncio.timeout(_COUNT_PATIENCE):
                self._units = await asyncio.to_thread(_equity_units)
        except (RayError, TimeoutError):
            self._units = 0
        finally:
            self._counted_at, self._counting = time.monotonic(), None


async def _ran(ref: Any) -> Ran:
    """What a task brought. Raises WorkerLost where it has to be run again, and what it raised itself."""
    try:
        ran: Ran = await ref
    except RayTaskError as error:
        if isinstance(error.cause, PathMissing | ValueError):
            raise error.cause from error
        lost = WorkerLost if isinstance(error.cause, RayError) else ExecutorLost
        raise lost(repr(error)) from error
    except (RuntimeEnvSetupError, TaskUnschedulableError) as error:
        raise ExecutorLost(repr(error)) from error
    except RayError as error:
        raise WorkerLost(repr(error)) from error
    return ran


def _equity_units() -> int:
    """How many equity tasks the cluster's nodes may run at a time. Blocks. Raises RayError."""
    if not ray.is_initialized():
        return 0
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]  # it ships none
    return int(resources.get(EQUITY_RESOURCE, 0))
