"""A Ray of this machine's own for a benchmark, with room for a few equity jobs at a time and a driver that joined it.

It is started as `croupier up` starts its own, and leaves no process and no file.
"""

import asyncio
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any, Final, Self

import psutil

from cluster.local.child import Child
from cluster.local.datadir import MARK_VARIABLE, make_run_dir
from cluster.local.processes import end_marked, marked
from cluster.local.raynode import FOREIGN, MIB, RayFault, RayHead, Room, cores, environment
from engine.value import value

WARM_UP_MS: Final = 500
"""Long enough for tasks to be sent to the workers, and for each to have some."""
_JOINS_WITHIN: Final = 120.0
_ENDS_WITHIN: Final = 10.0
_SETTLED: Final = 1.0
"""Seconds that workers have not grown."""
_SETTLES_WITHIN: Final = 30.0
_DRIFT: Final = MIB / 16
_PAUSE: Final = 0.25


@value
class Memory:
    """A process's memory, or what it grew by, in bytes."""

    rss: int
    """All of it."""
    uss: int
    """What it shares with no other process."""


class Workers:
    """A Ray with room for `units` jobs at a time, from `start` to `stop`, and `driver`, a program, that joins it."""

    def __init__(self, units: int, driver: str = "cluster.bench.equity_driver") -> None:
        self._units = units
        self._program = driver
        self.run_dir = make_run_dir()
        """Its files, and the mark of its processes."""
        kept = {name: text for name, text in os.environ.items() if name not in FOREIGN}
        self._surroundings = {**kept, MARK_VARIABLE: str(self.run_dir), **environment(self.run_dir)}
        child = Child(log=self.run_dir / "ray.log", environment=self._surroundings)
        self._ray = RayHead(self.run_dir, child=child)
        self._driver: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    async def job(self, **fields: int | str) -> dict[str, Any]:
        """What came of a job; see the driver.

        Raises:
            RayFault: Ray did not do it.
        """
        assert self._driver, "not started"
        assert self._driver.stdin, "not a pipe"
        self._driver.stdin.write(json.dumps(fields).encode() + b"\n")
        reply = await self._reply()
        if reply.get("alone"):
            raise RayFault("Ray was lost in the middle of a job")
        return reply

    async def warm_up(self) -> Memory | None:
        """Give the workers their first job; the most that one of them grew by, None if that was not seen."""
        before = await self._settled()
        await self.job(deadline_ms=WARM_UP_MS, seed=0)
        after = await self._settled()
        grown = [
            Memory(after[pid].rss - memory.rss, after[pid].uss - memory.uss)
            for pid, memory in before.items()
            if pid in after
        ]
        return max(grown, key=lambda memory: memory.rss, default=None)

    async def _start(self) -> None:
        await self._ray.start(Room(cores(), salon_hosts=1, equity=self._units))
        with (self.run_dir / "driver.log").open("ab") as log:
            self._driver = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self._program, self._ray.address),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=self._surroundings,
                start_new_session=True,
            )
        try:
            async with asyncio.timeout(_JOINS_WITHIN):
                await self._reply()
        except TimeoutError:
            raise RayFault(f"Ray has taken no driver for {_JOINS_WITHIN:.0f} s") from None

    async def _stop(self) -> None:
        if self._driver and self._driver.stdin:
            self._driver.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ENDS_WITHIN):
                    await self._driver.wait()
        await self._ray.stop()
        await asyncio.to_thread(end_marked, MARK_VARIABLE, str(self.run_dir), grace=1.0)
        shutil.rmtree(self.run_dir, ignore_errors=True)

    async def _reply(self) -> dict[str, Any]:
        assert self._driver, "not started"
        assert self._driver.stdout, "not a pipe"
        line = await self._driver.stdout.readline()
        if not line:
            words = (self.run_dir / "driver.log").read_text().strip().splitlines()[-3:]
            raise RayFault(f"nothing was worked out on Ray: {' / '.join(words) or 'the driver ended'}")
        reply: dict[str, Any] = json.loads(line)
        return reply

    async def _settled(self) -> Mapping[int, Memory]:
        """The workers' memory by their pids, once it has been the same for a while."""
        found, same_for = self._memory(), 0.0
        for _ in range(round(_SETTLES_WITHIN / _PAUSE)):
            await asyncio.sleep(_PAUSE)
            last, found = found, self._memory()
            same_for = same_for + _PAUSE if found and _alike(last, found) else 0.0
            if same_for >= _SETTLED:
                break
        return found

    def _memory(self) -> dict[int, Memory]:
        found = {}
        for process in marked(MARK_VARIABLE, str(self.run_dir)):
            with contextlib.suppress(psutil.Error):
                if "".join(process.cmdline()[:1]).startswith("ray::"):
                    memory = process.memory_full_info()
                    found[process.pid] = Memory(memory.rss, memory.uss)
        return found


def _alike(one: Mapping[int, Memory], other: Mapping[int, Memory]) -> bool:
    return one.keys() == other.keys() and all(abs(one[pid].uss - other[pid].uss) < _DRIFT for pid in one)
