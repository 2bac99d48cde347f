"""Blocks of a match on Ray: on the cluster that the settings name, or on a private one of this machine."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final, Self

from bots.duplicate import Block, Match
from cluster.local.child import Child
from cluster.local.datadir import MARK_VARIABLE, make_run_dir
from cluster.local.places import check_ray
from cluster.local.processes import end_marked
from cluster.local.raynode import FOREIGN, RayFault, RayHead, Room, environment
from cluster.settings import load_settings

LOST: Final = (
    "Ray was lost in the middle of the match ({why}); with --resume FILE it goes on from the finished blocks"
)


class OnRay:
    """A Ray with room for `workers` blocks at a time, and this process as its driver, from start to end.

    A process is driver of one Ray at a time.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._run_dir: Path | None = None
        self._ray: RayHead | None = None

    async def __aenter__(self) -> Self:
        address = load_settings().ray_address
        if address:
            await check_ray(address)
        try:
            self._join(address or await self._start())
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        from cluster.actors.joining import leave  # noqa: PLC0415 - its environment had to be there before Ray was imported

        leave()
        await self._stop()

    async def play(self, match: Match, numbers: Sequence[int]) -> AsyncIterator[Block]:
        """The blocks of `match` with these numbers, each as soon as it is finished.

        Raises:
            RayFault: Ray did not play them.
            Misbehaved, ForeignMissing: see `play_block`.
        """
        from cluster.actors.arena_blocks import BlocksLost, play_blocks  # noqa: PLC0415 - as above

        try:
            async for block in play_blocks(match, numbers, at_once=2 * self._workers):
                yield block
        except BlocksLost as error:
            raise RayFault(LOST.format(why=error)) from error

    async def _start(self) -> str:
        """The address of a new private Ray."""
        self._run_dir = make_run_dir()
        for name in FOREIGN:
            os.environ.pop(name, None)
        os.environ.update(environment(self._run_dir), **{MARK_VARIABLE: str(self._run_dir)})
        child = Child(log=self._run_dir / "ray.log", environment=os.environ)
        self._ray = RayHead(self._run_dir, child=child)
        await self._ray.start(Room(self._workers, salon_hosts=1, equity=self._workers))
        return self._ray.address

    def _join(self, address: str) -> None:
        from cluster.actors.joining import join  # noqa: PLC0415 - as above

        try:
            join(address)  # here, where Ray may set its handlers of signals
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise RayFault(f"no driver could join the Ray at {address}: {error}") from error

    async def _stop(self) -> None:
        if self._ray:
            await self._ray.stop()
        if self._run_dir:
            os.environ.pop(MARK_VARIABLE, None)
            await asyncio.to_thread(end_marked, MARK_VARIABLE, str(self._run_dir), grace=1.0)
            shutil.rmtree(self._run_dir, ignore_errors=True)
