"""A whole cluster on one machine: Valkey, Ray and a gateway as children of this process, kept running.

What `croupier up` runs. Redis and Ray are its own unless the settings name others. Whatever dies is started
again; whatever a kill -9 of the last one left is ended before anything is started.
"""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final

import psutil

from cluster.client import Client
from cluster.local.child import Child
from cluster.local.datadir import MARK_VARIABLE, DataDir, make_run_dir
from cluster.local.embedded import EmbeddedValkey, find_server
from cluster.local.places import answers, check_ray, check_redis, free_port
from cluster.local.processes import Process, end, end_marked, marked
from cluster.local.raynode import FOREIGN, RayHead, environment, room
from cluster.settings import ClusterSettings, SetupFault, split_address, variable_of

GATEWAY_DEADLINE: Final = 90.0
GATEWAY_GRACE: Final = 8.0
_SWEEP_GRACE: Final = 8.0
_MOST_RESTARTS: Final = 5
_RESTARTS_WITHIN: Final = 120.0
_PAUSE: Final = 0.1


class LocalFault(SetupFault):
    """The cluster cannot start, or cannot be kept running; the text says why and what would be right."""


class Part(StrEnum):
    """A child, as people read it."""

    VALKEY = "Valkey"
    RAY = "Ray"
    GATEWAY = "the gateway"


class LocalCluster:
    """The children, from `start` to `stop`. `data` is held by the caller; `say` gets a line when something happens."""

    def __init__(self, settings: ClusterSettings, data: DataDir, *, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._data = data
        self._say = say
        self._run_dir = Path()
        self._children: dict[Part, Child] = {}
        self._valkey: EmbeddedValkey | None = None
        self._ray: RayHead | None = None
        self._restarts: list[float] = []
        self.listen = settings.listen

    @property
    def redis_url(self) -> str:
        """Where Redis is."""
        return self._valkey.url if self._valkey else self._settings.redis_url

    @property
    def ray_address(self) -> str:
        """Where Ray is."""
        return self._ray.address if self._ray else self._settings.ray_address

    @property
    def reachable(self) -> str:
        """Where a client on this machine finds the gateway."""
        host, port = split_address(self.listen)
        return f"127.0.0.1:{port}" if host in ("0.0.0.0", "::") else self.listen

    async def sweep(self) -> None:
        """End what the last `up` on this data left running, and remove its files."""
        recorded = self._data.recorded()
        if recorded is None:
            return
        run_dir, processes = recorded
        found = {process.pid: process for process in marked(MARK_VARIABLE, str(run_dir))}
        found |= {process.pid: running for process in processes if (running := process.running())}
        if found:
            self._say(f"ending {len(found)} processes that the last `croupier up` left when it was killed")
            await asyncio.to_thread(end, found.values(), grace=_SWEEP_GRACE)
            await asyncio.to_thread(end_marked, MARK_VARIABLE, str(run_dir), grace=1.0)
        self._data.forget(run_dir)

    async def start(self) -> None:
        """Start everything and wait until the gateway answers.

        Raises:
            SetupFault: something does not start.
        """
        if self._settings.tls_cert:
            raise LocalFault(
                f"{variable_of('tls_cert')} is set, and `croupier up` is for one machine without encryption: "
                "unset it, or run `croupier gateway` beside a Redis and a Ray of your own"
            )
        await self.sweep()
        self.listen = free_port(self._settings.listen)
        self._run_dir = make_run_dir()
        self._record()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._start_redis())
                group.create_task(self._start_ray())
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        await self._start_gateway()
        self._record()

    async def run(self) -> None:
        """Start again whatever ends, until cancelled.

        Raises:
            SetupFault: something does not stay up.
        """
        while True:
            part = await self._first_to_end()
            self._say(f"{part} ended (see {self._children[part].log}); starting it again")
            self._count_restart(part)
            if part is Part.VALKEY and self._valkey:
                await self._valkey.start()
            elif part is Part.RAY and self._ray:
                await self._children[Part.GATEWAY].stop(GATEWAY_GRACE)
                await self._ray.stop()
                await self._end_all_but_valkey()  # a raylet that nobody waited for leaves its workers alive
                await self._ray.start(room(self._settings))
            if part is not Part.VALKEY:
                await self._start_gateway()
            self._record()
            self._say(f"{part} runs again")

    async def stop(self) -> None:
        """End everything that was started, in whatever state it is, and leave no process and no file but the data."""
        if Part.GATEWAY in self._children:
            await self._children[Part.GATEWAY].stop(GATEWAY_GRACE)
        if self._ray:
            await self._ray.stop()
        if self._run_dir != Path():
            await self._end_all_but_valkey()
        if self._valkey:
            await self._valkey.stop()
        if self._run_dir != Path():
            await asyncio.to_thread(end_marked, MARK_VARIABLE, str(self._run_dir), grace=1.0)
            self._data.forget(self._run_dir)

    def _child(self, part: Part, log: str) -> Child:
        surroundings = {**os.environ, MARK_VARIABLE: str(self._run_dir)}
        if not self._settings.ray_address:
            surroundings = {name: text for name, text in surroundings.items() if name not in FOREIGN}
            surroundings |= environment(self._run_dir)
        return self._children.setdefault(part, Child(log=self._data.logs / log, environment=surroundings))

    async def _start_redis(self) -> None:
        if self._settings.redis_url:
            await check_redis(self._settings.redis_url)
            return
        child = self._child(Part.VALKEY, "valkey.log")
        server = await asyncio.to_thread(find_server)
        self._valkey = EmbeddedValkey(
            server, self._data.valkey, socket=self._run_dir / "valkey.sock", child=child
        )
        await self._valkey.start()

    async def _start_ray(self) -> None:
        if self._settings.ray_address:
            await check_ray(self._settings.ray_address)
            return
        self._ray = RayHead(self._run_dir, child=self._child(Part.RAY, "ray.log"))
        await self._ray.start(room(self._settings))

    async def _start_gateway(self) -> None:
        child = self._child(Part.GATEWAY, "gateway.log")
        places = {
            variable_of("redis_url"): self.redis_url,
            variable_of("ray_address"): self.ray_address,
            variable_of("listen"): self.listen,
            variable_of("data_dir"): str(self._settings.data_dir),
        }
        await child.begin(sys.executable, "-m", "cluster.cli", "gateway", extra=places)
        deadline = time.monotonic() + GATEWAY_DEADLINE
        async with Client(self.reachable, patience=_PAUSE, plaintext=True) as client:
            while True:
                if child.ended:
                    raise LocalFault(f"the gateway ended at once: {child.last_words(3)}")
                if await answers(client):
                    return
                if time.monotonic() > deadline:
                    raise LocalFault(
                        f"the gateway is not there after {GATEWAY_DEADLINE:.0f} s: {child.last_words(3)}"
                    )
                await asyncio.sleep(_PAUSE)

    async def _first_to_end(self) -> Part:
        waits = {asyncio.create_task(child.wait()): part for part, child in self._children.items()}
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        ended = [waits[wait] for wait in done]
        return min(ended, key=list(Part).index)

    def _count_restart(self, part: Part) -> None:
        now = time.monotonic()
        self._restarts = [at for at in self._restarts if now - at < _RESTARTS_WITHIN] + [now]
        if len(self._restarts) > _MOST_RESTARTS:
            raise LocalFault(f"{part} does not stay up: {self._children[part].last_words(3)}")

    async def _end_all_but_valkey(self) -> None:
        child = self._children.get(Part.VALKEY)
        valkey = 0 if child is None or child.ended else child.pid
        await asyncio.to_thread(end_marked, MARK_VARIABLE, str(self._run_dir), grace=1.0, spare=valkey)

    def _marked(self) -> list[psutil.Process]:
        return marked(MARK_VARIABLE, str(self._run_dir))

    def _record(self) -> None:
        processes = []
        for process in self._marked():
            with contextlib.suppress(psutil.Error):
                processes.append(Process.of(process.name(), process.pid))
        self._data.record(self._run_dir, processes, listen=self.reachable)
