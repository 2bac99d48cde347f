"""The processes that `croupier up` started: how they are known for certain, and how they are ended.

A process's identity is its pid with its start time, since pids come back. Beyond those written down, each of
them carries a mark in its environment (Ray's agents and workers inherit it), so that those which Ray started,
or which began a moment before a kill -9, are found too. Nothing else is ever ended.
"""

import contextlib
import os
import time
from collections.abc import Iterable
from typing import Any, Final, Self

import psutil

from engine.value import value

_START_TIME_DRIFT: Final = 1.0
"""Seconds: the boot time, from which start times are computed, is rounded."""
_PAUSE: Final = 0.05
_ROUNDS: Final = 5
"""A raylet that is being ended may start one more worker, which would bring its directory back."""


@value
class Process:
    """One process: `started` is in seconds since the Unix epoch."""

    name: str
    pid: int
    started: float

    @classmethod
    def of(cls, name: str, pid: int) -> Self:
        """The process that runs as `pid` now. Raises psutil.NoSuchProcess."""
        return cls(name, pid, psutil.Process(pid).create_time())

    def to_plain(self) -> list[Any]:
        """As JSON takes it."""
        return [self.name, self.pid, self.started]

    @classmethod
    def from_plain(cls, plain: list[Any]) -> Self:
        """The inverse. Raises ValueError."""
        name, pid, started = plain
        return cls(str(name), int(pid), float(started))

    def running(self) -> psutil.Process | None:
        """The process, if it runs still."""
        with contextlib.suppress(psutil.Error):
            found = psutil.Process(self.pid)
            if abs(found.create_time() - self.started) < _START_TIME_DRIFT and _alive(found):
                return found
        return None


def marked(variable: str, mark: str) -> list[psutil.Process]:
    """The processes of this user that have `variable=mark` in their environment, this one left out."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            ours = process.pid != os.getpid() and process.uids().real == os.getuid()
            if ours and process.environ().get(variable) == mark and _alive(process):
                found.append(process)
    return found


def end(processes: Iterable[psutil.Process], *, grace: float) -> list[psutil.Process]:
    """Ask the processes to end, wait up to `grace` seconds, then kill. Answers those that had to be killed."""
    left = [process for process in processes if _alive(process)]
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.terminate()
    left = _wait(left, grace)
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    _wait(left, grace=5.0)
    return left


def end_marked(variable: str, mark: str, *, grace: float, spare: int = 0) -> int:
    """End every process with the mark but `spare`, those too that they start meanwhile; answers how many there were."""
    ended = 0
    for _ in range(_ROUNDS):
        found = [process for process in marked(variable, mark) if process.pid != spare]
        if not found:
            break
        ended += len(found)
        end(found, grace=grace)
    return ended


def _wait(processes: list[psutil.Process], grace: float) -> list[psutil.Process]:
    deadline = time.monotonic() + grace
    left = [process for process in processes if _alive(process)]
    while left and time.monotonic() < deadline:
        time.sleep(_PAUSE)
        left = [process for process in left if _alive(process)]
    return left


def _alive(process: psutil.Process) -> bool:
    """A process that has ended and that nobody waits for counts as ended."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
