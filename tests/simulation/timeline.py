"""A timeline: an event loop whose time is virtual, and the processes that live on it.

Callbacks of one moment run in the order in which they were asked for, as on any loop: what two processes do at
one time is put apart by the seeded delays of everything between them. Each callback belongs to the process in whose
context it was asked for. A dead process's are dropped, so that nothing of it is ever run, no `finally` either; a
frozen one's are kept for when it wakes, as those of a process that got SIGSTOP.
"""

import asyncio
import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

T = TypeVar("T")
_MOST_STEPS = 300_000
"""In one run: a hundred times what an eventful schedule takes,"""
_MOST_AT_ONCE = 20_000
"""and far more than happen without any time going by."""
_MOST_CANCELS = 20
"""A task may do something more before it ends, but not for ever."""


class Stuck(Exception):
    """What is waited for will not happen: nothing is due any more, or the same goes round and round."""


class Due:
    """A callback that is asked for: what a loop's Handle is, and no more."""

    __slots__ = ("args", "at", "callback", "context", "gone")

    def __init__(self, callback: Callable[..., object], args: tuple[Any, ...], context: Context) -> None:
        self.callback = callback
        self.args = args
        self.context = context
        self.at = 0.0
        self.gone = False

    def cancel(self) -> None:
        self.gone = True

    def cancelled(self) -> bool:
        return self.gone

    def when(self) -> float:
        return self.at


class SteppedTask(asyncio.Task[T]):
    """A task with a number for its hash, so that a set of tasks has the same order in every run."""

    def __init__(
        self, number: int, coroutine: Coroutine[Any, Any, T], loop: "Timeline", context: Any
    ) -> None:
        self._number = number
        self.process = OF_PROCESS.get() if context is None else context.get(OF_PROCESS)
        super().__init__(coroutine, loop=loop, name="", context=context)

    def __hash__(self) -> int:
        return self._number


class Timeline(asyncio.BaseEventLoop):
    """An event loop in virtual seconds. `steps` counts the callbacks that were run."""

    def __init__(self, start: float = 1_000.0) -> None:
        super().__init__()
        self.now = start
        self.steps = 0
        self.tasks: list[SteppedTask[Any]] = []
        """Every task that was ever made here: one that is dropped half-way would be closed at a time of Python's choice."""
        self.processes: list[Process] = []
        self.complaints: list[str] = []
        """What callbacks raised."""
        self._soon: deque[Due] = deque()
        self._later: list[tuple[float, int, Due]] = []
        self._number = 0
        self.outside = copy_context()
        """The context of what belongs to no process: the wires, the store, the faults."""

    def time(self) -> float:
        return self.now

    def call_soon(  # type: ignore[override]  # it is a Handle to all who use it
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Due:
        due = Due(callback, args, copy_context() if context is None else context)
        self._soon.append(due)
        return due

    def call_later(  # type: ignore[override]  # as above
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Due:
        return self.call_at(self.now + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]  # as above
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Due:
        due = Due(callback, args, copy_context() if context is None else context)
        due.at = when
        self._number += 1
        heapq.heappush(self._later, (when, self._number, due))
        return due

    def create_task(  # type: ignore[override]  # narrower than what it stands for
        self, coro: Coroutine[Any, Any, T], *, name: object = None, context: Context | None = None
    ) -> asyncio.Task[T]:
        task = SteppedTask(len(self.tasks), coro, self, context)
        self.tasks.append(task)
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.complaints.append(f"{context.get('message')}: {context.get('exception')!r}")

    def after(self, seconds: float, callback: Callable[..., object], *args: Any) -> None:
        """Call back after `seconds`, whatever becomes of the process that asks."""
        due = Due(callback, args, self.outside)
        self._number += 1
        heapq.heappush(self._later, (self.now + seconds, self._number, due))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run until `work` is done. Raises Stuck, and what the work raises."""
        task = self.create_task(work, context=self.outside.copy())
        previous = events._get_running_loop()
        events._set_running_loop(self)
        try:
            while not task.done():
                self._run_soon()
                if not task.done():
                    self._let_time_pass()
        finally:
            events._set_running_loop(previous)
        return task.result()

    def end(self) -> None:
        """Bring every task to its end by cancelling it, those of the dead too, and close."""
        for task in self.tasks:
            if task.done() and task._log_traceback and not (task.process and task.process.dead):
                self.complaints.append(f"a task raised {task.exception()!r}, and nobody looked")
        previous = events._get_running_loop()
        events._set_running_loop(self)
        try:
            for _ in range(_MOST_CANCELS):
                if not self._cancel_all():
                    break
            else:
                raise AssertionError("a task cannot be cancelled")
        finally:
            events._set_running_loop(previous)
        self._soon.clear()
        self._later.clear()
        self.close()

    def _cancel_all(self) -> bool:
        """Cancel whatever is not done and let it be; whether there was anything."""
        open_tasks = [task for task in self.tasks if not task.done()]
        for task in open_tasks:
            task.cancel()
        for process in self.processes:
            process.surrender(self._soon)
        self._run_soon(anybody=True)
        return bool(open_tasks)

    def _let_time_pass(self) -> None:
        """Go to when the next callback is due."""
        later, pop = self._later, heapq.heappop
        while later and later[0][2].gone:
            pop(later)
        if not later:
            raise Stuck("nothing is due any more")
        self.now = now = max(self.now, later[0][0])
        while later and later[0][0] <= now:
            due = pop(later)[2]
            if not due.gone:
                self._soon.append(due)

    def _run_soon(self, *, anybody: bool = False) -> None:
        """Run what is due now, and what that asks for."""
        soon, mine, steps = self._soon, OF_PROCESS, 0
        while soon:
            if steps >= _MOST_AT_ONCE:
                raise Stuck(f"{steps} steps were done at {self.now}, and there are more")
            due = soon.popleft()
            if due.gone:
                continue
            context = due.context
            process = context.get(mine)
            if process is not None and process.odd and not anybody and not process.may_run(due):
                continue
            steps += 1
            try:
                context.run(due.callback, *due.args)
            except Exception as error:  # noqa: BLE001 - whatever it was, it is reported with the schedule
                self.complaints.append(f"a callback raised {error!r}")
        self.steps += steps
        if self.steps > _MOST_STEPS and not anybody:
            raise Stuck(f"more than {_MOST_STEPS} steps were done, the last at {self.now}")


class Process:
    """A process that may freeze and die. `rate` and `skew` are how its monotonic clock differs from true time."""

    def __init__(self, loop: Timeline, name: str, *, skew: float = 0.0, rate: float = 1.0) -> None:
        self.name = name
        self.dead = False
        self.frozen = False
        self.odd = False
        """It is dead or frozen, or a fuse burns: its callbacks are looked at one by one."""
        self.on_death: list[Callable[[], None]] = []
        self._loop = loop
        self._skew, self._rate = skew, rate
        self._held: list[Due] = []
        self._fuse = 0
        loop.processes.append(self)
        self.context = copy_context()
        self.context.run(OF_PROCESS.set, self)

    def monotonic(self) -> float:
        """Seconds by the process's own clock."""
        return self._skew + self._rate * self._loop.now

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Have the process do `work`."""
        return self._loop.create_task(work, context=self.context)

    def die(self) -> None:
        """End as by SIGKILL: nothing of it is run any more."""
        if not self.dead:
            self.dead = self.odd = True
            for tell in self.on_death:
                tell()

    def die_after(self, callbacks: int) -> None:
        """End before the callback that comes after so many."""
        self._fuse = callbacks
        self.odd = True

    def defuse(self) -> None:
        """Live on, where an end was set."""
        self._fuse = 0

    def freeze(self) -> None:
        """Stop as by SIGSTOP."""
        if not self.dead:
            self.frozen = self.odd = True

    def thaw(self) -> None:
        """Go on: what became due meanwhile is done first."""
        if self.frozen and not self.dead:
            self.frozen = False
            self.odd = bool(self._fuse)
            held, self._held = self._held, []
            self._loop._soon.extend(held)

    def may_run(self, due: Due) -> bool:
        """Whether the callback may be run now; if not it is kept, for when the process wakes or all is over."""
        if self._fuse and not self.dead and not self.frozen:
            self._fuse -= 1
            if not self._fuse:
                self.die()
        if self.dead or self.frozen:
            self._held.append(due)
            return False
        return True

    def surrender(self, soon: deque[Due]) -> None:
        """Hand out what was kept, when all is over."""
        soon.extend(self._held)
        self._held.clear()


OF_PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)
"""Whose callback it is."""
