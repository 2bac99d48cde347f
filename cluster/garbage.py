"""The garbage collector of a server process: what was there before it served is not looked at again and again.

A host's tables and a gateway's streams live long, and cycles among what a command leaves are few: with Python's own
thresholds a quarter of the CPU time of both went into looking for them, most of it with thousands of salons in one
host, and each look at everything stopped the process. What remains differs: a gateway leaves many short-lived cycles,
which a look at what is young finds in no time; a host leaves none, and everything in it is young.
"""

import asyncio
import gc
import time
from collections.abc import Callable
from typing import Final

import structlog

_YOUNG: Final = 50_000
_MIDDLE: Final = 20
_OLD: Final = 100
_EVERY: Final = 1.0
_AN_OBJECT: Final = 1e-6
"""Seconds that a collection takes longer for each object more."""
_LEAST: Final = 60.0
"""Seconds between two collections that nothing asks for,"""
_SHARE: Final = 0.001
"""and the most of the time that they may take."""
_MANY: Final = 500_000
"""Objects more than after the last collection, new salons' too, which ask for one,"""
_MOST: Final = 0.05
"""and the most of the time that it may take then."""
_log = structlog.get_logger()


def settle() -> None:
    """Let a gateway's collector pass over all that there is now, and look less often at what comes. Call it once, before serving.

    A look at everything would stop its streams for some tenths of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)


class Garbage:
    """The collector of a host, which runs when this says so. Made once a process; `monotonic` gives seconds.

    A salon is some two hundred objects that are new after every turn, so that with thousands of them the collector
    always finds much to look at, and nothing to let go: tables hold nobody who holds them.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._last = monotonic()
        self._took = 0.0

    async def run(self) -> None:
        """Collect from now on here alone, until cancelled. What is there now, the program itself, is left out."""
        gc.collect()
        gc.freeze()
        gc.disable()
        try:
            while True:
                await asyncio.sleep(_EVERY)
                if self.is_due(more=gc.get_count()[0]):
                    self.collect()
        finally:
            gc.enable()
            gc.unfreeze()

    def is_due(self, *, more: int) -> bool:
        """Whether it is time, with so many objects more than after the last collection."""
        since, takes = self._monotonic() - self._last, self._took + more * _AN_OBJECT
        return since >= max(_LEAST, takes / _SHARE) or (more >= _MANY and since >= takes / _MOST)

    def collect(self) -> int:
        """Let go of what nobody can reach; answers how many objects that were."""
        began = self._monotonic()
        found = gc.collect()
        self._last = self._monotonic()
        self._took = self._last - began
        _log.debug("garbage_collected", objects=found, seconds=round(self._took, 3))
        return found
