"""The background: work that gives way to all else on its machine, in a thread of its own that the kernel runs last.

A process that works for hard bots today may be a salon's host tomorrow, and whoever lowered its priority could not raise it
again; a thread's own is another matter, on Linux.
"""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final, TypeVar

NICENESS: Final = 10
"""A tenth of a thread's share that has none, where both want to run."""
_T = TypeVar("_T")


def in_background(work: Callable[[], _T]) -> _T:
    """What `work` returns or raises, done in the background. Blocks."""
    return _thread().submit(work).result()


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "background", _give_way)


def _give_way() -> None:
    thread = threading.get_native_id()
    if sys.platform == "linux" and os.getpriority(os.PRIO_PROCESS, thread) < NICENESS:
        os.setpriority(os.PRIO_PROCESS, thread, NICENESS)
