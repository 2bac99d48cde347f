"""Garbage: when a host's process looks for objects that hold each other. Python by itself does it far too often here.

A salon is some two hundred objects that are new after every turn. Python goes through all objects whenever a quarter of
them is: with thousands of salons that is most of what a host does, and it stands still meanwhile. It finds next
to nothing, since tables hold nobody who holds them.
"""

import asyncio
import gc
import time
from collections.abc import Callable
from typing import Final

import structlog

_EVERY: Final = 1.0
_LEAST: Final = 60.0
"""Seconds between two collections that nothing asks for,"""
_SHARE: Final = 0.001
"""and the most of the time that they may take."""
_MANY: Final = 500_000
"""Objects more than after the last collection, new salons' too, which ask for one,"""
_MOST: Final = 0.05
"""and the most of the time that it may take then."""
_log = structlog.get_logger()


class Garbage:
    """This process's garbage. Made once, by whoever the process belongs to; `monotonic` gives seconds."""

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
        since = self._monotonic() - self._last
        return since >= max(_LEAST, self._took / _SHARE) or (more >= _MANY and since >= self._took / _MOST)

    def collect(self) -> int:
        """Let go of what nobody can reach; answers how many objects that were."""
        began = self._monotonic()
        found = gc.collect()
        self._last = self._monotonic()
        self._took = self._last - began
        _log.debug("garbage_collected", objects=found, seconds=round(self._took, 3))
        return found
