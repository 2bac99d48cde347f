"""The town: three Ray nodes, two Valkeys and the gateways, each behind a proxy; what ends is begun again.

It is a deployment on one machine: nothing in it knows that faults are to come. Its supervisor looks every fifth
of a second, which is how long a part is gone at least. Every process carries the mark of the run, so that none
is left, however the run ends.
"""

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

import structlog
from redis.asyncio import Redis

from cluster.journal.redis_journal import Journal
from cluster.local.child import Child
from cluster.local.datadir import make_run_dir
from cluster.local.places import free_port
from cluster.local.processes import end_marked
from cluster.redis_door import connect
from cluster.routing.leases import Leases
from cluster.settings import split_address
from tests.chaos.judgement import VALKEY
from tests.chaos.machines import Machines, environment
from tests.chaos.proxy import Proxy
from tests.conftest import Valkey

MARK: Final = "CHAOS_RUN"
SALONS_PER_HOST: Final = 8
WORKERS: Final = 2
_LOOK: Final = 0.2
_AGAIN: Final = 1.0
_PATIENCE: Final = 90.0
_GRACE: Final = 5.0
_log = structlog.get_logger()


class GatewayProcess:
    """A `croupier gateway`, its port and its proxy."""

    def __init__(self, number: int, home: Path, settings: dict[str, str]) -> None:
        self.listen = free_port("127.0.0.1:0")
        self.proxy = Proxy(split_address(self.listen))
        own = {"CROUPIER_LISTEN": self.listen, "CROUPIER_DATA_DIR": str(home / f"gateway-{number}")}
        self._child = Child(log=home / f"gateway-{number}.log", environment={**os.environ, **settings, **own})

    async def start(self) -> None:
        await self._child.begin(sys.executable, "-m", "cluster.cli", "gateway")

    @property
    def ended(self) -> bool:
        return self._child.ended

    @property
    def name(self) -> str:
        """What it calls itself in Redis, this time; "" before it serves."""
        served = ""
        for line in self._child.log.read_text().splitlines():
            if '"gateway_serves"' in line:
                served = str(json.loads(line)["gateway"])
        return served

    def kill(self) -> None:
        os.kill(self._child.pid, signal.SIGKILL)

    async def ended_for_good(self) -> None:
        """Wait until the process is reaped."""
        await self._child.wait()

    async def revive(self) -> None:
        """Start it again, and wait until it serves; where it does not, it is for the supervisor to see."""
        await self.start()
        while not self.ended and not await self.listens():  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(_LOOK)

    async def stop(self) -> None:
        await self._child.stop(_GRACE)
        await self.proxy.stop()

    async def listens(self) -> bool:
        try:
            _, writer = await asyncio.open_connection(*split_address(self.listen))
        except OSError:
            return False
        writer.close()
        return True


class Town:
    """Use it as an async context. `folder` keeps what is worth reading afterwards: the salons' AOF, the logs."""

    def __init__(self, folder: Path, *, gateways: int = 2) -> None:
        self.folder = folder
        self.token = secrets.token_hex(32)
        """The operators'."""
        self._mark = secrets.token_hex(16)
        self._run_dir = make_run_dir()
        self._gcs_store = Valkey(self._run_dir / "gcs")
        # Nothing that was ever written may be dropped: the checker reads it all.
        self.valkey = Valkey(folder / VALKEY, "--auto-aof-rewrite-percentage", "0")
        self.machines = Machines(self._run_dir)
        self.gateways: list[GatewayProcess] = []
        self._wanted = gateways
        self._supervisors: list[asyncio.Task[None]] = []
        self.returned: list[tuple[str, float]] = []
        """What the supervisor has begun again, and in how many seconds."""
        self.store: Redis = connect(self.valkey.url)
        self._gcs_redis: Redis = connect(self._gcs_store.url)
        self.journal = Journal(self.store)
        self.leases = Leases(self.store)

    @property
    def doors(self) -> list[str]:
        """Where clients find the gateways."""
        return [gateway.proxy.address for gateway in self.gateways]

    async def gcs_keys(self) -> int:
        """How many keys the GCS has written. Raises RedisError."""
        return int(await self._gcs_redis.dbsize())

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._stop()

    async def _start(self) -> None:
        os.environ[MARK] = self._mark
        # Its notes about forks: no child of ours uses it before it is another program.
        os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
        for store in (self._gcs_store, self.valkey):
            await asyncio.to_thread(store.start)
        redis = self._gcs_store.url.removeprefix("redis://").removesuffix("/0")
        os.environ.update(environment(redis, secrets.token_hex(32), self._run_dir))
        await self.machines.start(WORKERS)
        settings = {
            "CROUPIER_REDIS_URL": self.valkey.url,
            "CROUPIER_RAY_ADDRESS": self.machines.address,
            "CROUPIER_SALONS_PER_ACTOR": str(SALONS_PER_HOST),
            "CROUPIER_OPERATOR_TOKEN": self.token,
        }
        for number in range(self._wanted):
            gateway = GatewayProcess(number, self.folder, settings)
            self.gateways.append(gateway)
            await gateway.proxy.start()
            await gateway.start()
        async with asyncio.timeout(_PATIENCE):
            for gateway in self.gateways:
                while not await gateway.listens():
                    if gateway.ended:
                        raise RuntimeError(f"a gateway ended at once: see {self.folder}")
                    await asyncio.sleep(_LOOK)
        self._supervise()

    async def _stop(self) -> None:
        for supervisor in self._supervisors:
            supervisor.cancel()
        await asyncio.gather(*self._supervisors, return_exceptions=True)
        await asyncio.gather(*(gateway.stop() for gateway in self.gateways))
        await self.store.aclose()
        await self._gcs_redis.aclose()
        try:
            await self.machines.stop()
        finally:
            for store in (self._gcs_store, self.valkey):
                if store.begun and not store.ended:
                    await asyncio.to_thread(store.end)
            await asyncio.to_thread(end_marked, MARK, self._mark, grace=_GRACE)
            with contextlib.suppress(OSError):
                shutil.copytree(self._run_dir / "ray" / "session_latest" / "logs", self.folder / "ray")
            shutil.rmtree(self._run_dir, ignore_errors=True)

    # Supervision

    def _supervise(self) -> None:
        machines = self.machines
        parts: list[tuple[str, Callable[[], bool], Callable[[], Awaitable[Any]]]] = [
            ("gcs", machines.lacks_gcs, machines.revive_gcs),
            ("node", machines.lacks_node, machines.revive_node),
            ("valkey", lambda: self.valkey.ended, lambda: asyncio.to_thread(self.valkey.start)),
            *(("gateway", partial(_ended, gateway), gateway.revive) for gateway in self.gateways),
        ]
        self._supervisors = [asyncio.create_task(self._keep(*part)) for part in parts]

    async def _keep(self, name: str, ended: Callable[[], bool], start: Callable[[], Awaitable[Any]]) -> None:
        """Begin a part again whenever it has ended."""
        while True:
            await asyncio.sleep(_LOOK)
            if not ended():
                continue
            began = time.monotonic()
            try:
                await start()
                self.returned.append((name, time.monotonic() - began))
            except Exception as fault:  # noqa: BLE001 - Ray's and Valkey's own kinds; whatever it is, it is tried again
                _log.warning("not_begun_again", part=name, fault=repr(fault))
                await asyncio.sleep(_AGAIN)


def _ended(gateway: GatewayProcess) -> bool:
    return gateway.ended
