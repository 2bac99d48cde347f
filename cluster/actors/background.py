"""The background: work that gives way to all else on its machine, in a thread of its own that the kernel runs when nothing else wants to.

A process that works for hard bots today may be a salon's host tomorrow, and whoever lowered its priority could not raise it
again; a thread's own is another matter, on Linux.
"""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

_T = TypeVar("_T")


def in_background(work: Callable[[], _T]) -> _T:
    """What `work` returns or raises, done in the background. Blocks."""
    return _thread().submit(work).result()


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "background", _give_way)


def _give_way() -> None:
    """Be idle in the kernel's eyes. A thread that is merely nice keeps a core for a time slice, of some ms, from one that wakes up."""
    if sys.platform == "linux":
        os.sched_setscheduler(threading.get_native_id(), os.SCHED_IDLE, os.sched_param(0))
