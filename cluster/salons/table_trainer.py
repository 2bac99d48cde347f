"""The table trainer: has draw tables trained for the stakes that a host's bots meet, while they play without.

A table is trained by a child at low priority, `python -m cluster.salons.table_trainer`, so that numpy and its memory
(0.2 to 1 GB for under a minute) are gone with it. Of all processes that share the directory one trains at a time: it
holds the lock, and whoever waited for it looks for the file first.

Crash contract: a table's file is written whole or not at all. The lock ends with its process, and the child soon after
its parent; whoever meets the stakes next has them trained.
"""

import asyncio
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

from bots.draw_solver.shelf import PACKAGED, Shelf, kept
from bots.draw_solver.stakes import Stakes
from bots.draw_solver.table import file_name, save

_LOCK: Final = "training.lock"
_PATIENCE: Final = 2.0
"""Seconds between two looks at a lock that another holds."""
_NICENESS: Final = 10
_ORPHANED: Final = 3
"""The exit code of a child whose parent is gone."""
_log: Final = structlog.get_logger()


class TableTrainer:
    """Trains tables into a directory, on one event loop. 0 iterations are the usual number."""

    def __init__(self, directory: Path, *, iterations: int = 0, patience: float = _PATIENCE) -> None:
        self._directory = directory
        self._iterations = iterations
        self._patience = patience
        self._wanted: dict[Stakes, asyncio.Task[None]] = {}

    def want(self, stakes: Stakes) -> None:
        """Have a table trained, once; where that fails it is not tried again. It comes back at once."""
        if stakes not in self._wanted:
            self._wanted[stakes] = asyncio.get_running_loop().create_task(self._see_to(stakes))

    async def done(self) -> None:
        """Wait for all that is wanted."""
        await asyncio.gather(*self._wanted.values())

    async def _see_to(self, stakes: Stakes) -> None:
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            while True:
                if await asyncio.to_thread(self._trained, stakes):
                    return
                await asyncio.sleep(self._patience)
        except (OSError, subprocess.CalledProcessError) as error:
            _log.warning("draw_table_not_trained", stakes=file_name(stakes), why=str(error))

    def _trained(self, stakes: Stakes) -> bool:
        """Whether the table is there; False where another process is training. Blocks while this one does.

        Raises:
            OSError: the directory cannot be written.
            CalledProcessError: the child failed.
        """
        with _held(self._directory / _LOCK) as held:
            if kept(self._directory, stakes) is not None:
                return True
            if held:
                subprocess.run(
                    self._command(stakes), check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}
                )
        return held

    def _command(self, stakes: Stakes) -> list[str]:
        numbers = (stakes.ante, stakes.small_bet, stakes.big_bet, stakes.raise_cap, self._iterations)
        return [
            sys.executable,
            "-m",
            "cluster.salons.table_trainer",
            str(self._directory),
            *map(str, numbers),
        ]


def shelf_at(directory: str) -> Shelf:
    """The tables of a host's bots, those that are missing trained; without a directory the packaged one alone."""
    return Shelf(Path(directory), TableTrainer(Path(directory)).want) if directory else PACKAGED


@contextmanager
def _held(lock: Path) -> Iterator[bool]:
    """Hold a lock file while the block runs; whether it could be had.

    Raises:
        OSError: it cannot be made.
    """
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def main(arguments: list[str]) -> None:
    """Train one table, as `TableTrainer` asks for it."""
    from bots.draw_solver.trainer import train  # noqa: PLC0415 - numpy, which the host does without

    directory, (*chips, iterations) = Path(arguments[0]), map(int, arguments[1:])
    parent = os.getppid()

    def watch(_done: int, _of: int) -> None:
        if os.getppid() != parent:
            sys.exit(_ORPHANED)

    os.nice(_NICENESS)
    stakes = Stakes(*chips)
    save(train(stakes, iterations, watch), directory / file_name(stakes))


if __name__ == "__main__":
    main(sys.argv[1:])
