"""What benchmarks share that run for minutes: a progress bar, an end in order, and the machine's load beside the figures."""

import asyncio
import os
import signal
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress

from cluster.commands.terminal import complain

BUSY: Final = (
    "the machine was busy when this began, a load of {load} on {cores} cores: look at no time on the wall"
)


def progress(*, quiet: bool) -> Progress:
    """A bar on standard error, where that is a terminal, for as long as it is entered."""
    terminal = Console(stderr=True)
    return Progress(
        console=terminal, transient=True, disable=quiet or not terminal.is_terminal, auto_refresh=False
    )


def end_in_order() -> None:
    """Let whoever ends this process by a signal leave no process behind."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task, "no task runs this"
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)


def machine() -> dict[str, Any]:
    """How busy this machine is now, as it stands in a report."""
    return {"load_before": round(os.getloadavg()[0], 2), "cores": os.cpu_count() or 1}


def say_if_busy(found: dict[str, Any]) -> None:
    """Warn where the report's figures were made on a busy machine."""
    if found["load_before"] > found["cores"] / 2:
        complain(BUSY.format(load=found["load_before"], cores=found["cores"]))
