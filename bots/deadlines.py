"""Deadlines: whether there is time left, asked again and again by work that can end early."""

import time
from collections.abc import Callable

Late = Callable[[], bool]
"""Whether there is no time left."""


def never() -> bool:
    """There is always time: for matches, which have to be repeatable."""
    return False


def after(milliseconds: float) -> Late:
    """Late from so many milliseconds on."""
    deadline = time.monotonic() + milliseconds / 1000
    return lambda: time.monotonic() >= deadline
