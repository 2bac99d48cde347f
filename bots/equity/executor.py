"""Executors: where a job's chunks run. The one of this process is here, others are brought by who has workers."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, Protocol, TypeVar

from bots.equity.chunks import ChunkTask, Ran, run_task

P = ParamSpec("P")
T = TypeVar("T")


class WorkerLost(Exception):
    """A task's worker is gone, and its tally with it; another may run it."""


class ExecutorLost(Exception):
    """No worker can run anything."""


class Executor(Protocol):
    """Where tasks run: on threads of this process, or on workers elsewhere."""

    async def workers(self) -> int:
        """How many tasks run at a time; it may be what was so a moment ago.

        Raises:
            ExecutorLost: none will.
        """
        ...

    async def run(self, task: ChunkTask) -> Ran:
        """The task's tally. To cancel this is to cancel the task.

        Raises:
            WorkerLost: it has to be run again.
            ExecutorLost: it cannot be run here, nor can others.
            PathMissing: the worker does not have the path.
        """
        ...


class InProcess:
    """Runs tasks on threads, as many as this process has cores; the kernels let go of the interpreter."""

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or _cores()
        self._free = asyncio.Semaphore(self._threads)

    async def workers(self) -> int:
        """See `Executor.workers`."""
        return self._threads

    async def run(self, task: ChunkTask) -> Ran:
        """See `Executor.run`. A task that is cancelled ends after the chunk that it is at."""
        unwanted = threading.Event()
        async with self._free:
            try:
                return await in_thread(run_task, task, unwanted.is_set)
            finally:
                unwanted.set()


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in a thread of its own, so that the event loop goes on.

    A thread that is no longer waited for does not keep the process: a program that is interrupted ends at once.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            outcome.set_exception(error)

    outcome.set_running_or_notify_cancel()
    threading.Thread(target=run, name="equity", daemon=True).start()
    return await asyncio.wrap_future(outcome)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
