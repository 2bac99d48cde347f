"""Processes that stand still: one, or one with all that it has begun. They go on as if no time had passed."""

import contextlib
from typing import Final, Self

import psutil

_LOOKS: Final = 5
"""At what there is to stop: those that still run may begin others meanwhile."""


class Frozen:
    """Made by `one` or `family`, which stop it; `thaw` must be called."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        self._processes = processes

    @classmethod
    def one(cls, process: psutil.Process) -> Self:
        """Stop a process. Raises psutil.NoSuchProcess."""
        process.suspend()
        return cls([process])

    @classmethod
    def family(cls, process: psutil.Process) -> Self:
        """Stop a process and all that it has begun. Raises psutil.NoSuchProcess where itself is not there."""
        frozen = cls.one(process)
        for _ in range(_LOOKS):
            known = frozen.pids
            new = [child for child in process.children(recursive=True) if child.pid not in known]
            for child in new:
                with contextlib.suppress(psutil.Error):
                    child.suspend()
                    frozen._processes.append(child)
            if not new:
                break
        return frozen

    @property
    def pids(self) -> set[int]:
        """Of all that were stopped."""
        return {process.pid for process in self._processes}

    def thaw(self) -> set[int]:
        """Let them go on, children first; the pids of those that had not been ended meanwhile."""
        woken = set()
        for process in reversed(self._processes):
            with contextlib.suppress(psutil.Error):
                if process.status() == psutil.STATUS_STOPPED:
                    woken.add(process.pid)
                process.resume()
        return woken


def has_ended(process: psutil.Process) -> bool:
    """Whether nothing of it runs any more."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
