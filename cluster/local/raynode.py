"""The Ray head of one machine, for `croupier up`: started and stopped.

Law of this file: it starts a program and reads files; Ray itself is imported elsewhere. The head listens on
loopback alone and lets in only who holds its token, keeps its files in a short directory of its own, and
`ray start --block` is its one root, which takes the others with it when it is told to end.
"""

import asyncio
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Final

import psutil

from cluster.local.child import Child
from cluster.settings import ClusterSettings, SetupFault
from engine.value import value

START_DEADLINE: Final = 120.0
STOP_DEADLINE: Final = 15.0
MIB: Final = 1024 * 1024
_HOST_MIB: Final = 120
"""What a salon's host is counted with: 70 to 90 MiB of its own, and some for what it holds."""
_MOST_HOSTS: Final = 64
"""More would start for minutes on the cores of one machine; CROUPIER_SALON_HOSTS may say otherwise."""
_OBJECT_STORE: Final = 80 * MIB
"""Next to nothing travels through it; Ray takes no less than 75 MiB."""
_PAUSE: Final = 0.05


FOREIGN = ("RAY_ADDRESS", "RAY_AUTH_TOKEN", "RAY_NAMESPACE")
"""Variables of another cluster of the user's, which would lead ours astray."""


class RayFault(SetupFault):
    """Ray could not be started; the text says why and what would be right."""


_IDLE_WORKERS: Final = 8
"""Processes that wait for the next hard bot's job, or for the next host."""


@value
class Room:
    """What this machine offers to the cluster."""

    cpus: int
    salon_hosts: int
    equity: int


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def room(settings: ClusterSettings) -> Room:
    """By the settings, or by the machine's cores and free memory where they leave it open."""
    cpus = cores()
    free = psutil.virtual_memory().available // MIB
    by_memory = max(4, min(_MOST_HOSTS, free // 2 // _HOST_MIB))
    return Room(cpus, settings.salon_hosts or by_memory, settings.equity_slots or cpus)


def environment(run_dir: Path) -> dict[str, str]:
    """What must stand in the environment of the head, and of every driver that joins it."""
    return {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(run_dir / "ray_token"),
        # Ray on one machine would listen on all addresses, whatever address it is given.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_worker_niceness": "0",
        # Ray would end idle workers after a second and start others, at most of a CPU second each, for the
        # next hard bot's decision.
        "RAY_num_workers_soft_limit": str(_IDLE_WORKERS),
        "RAY_idle_worker_killing_time_threshold_ms": "60000",
        # A stop waits for no actor: their salons are in the log.
        "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0",
        # Workers that wait for work have imported it already: a host starts sooner by most of a second.
        "RAY_preload_python_modules": "cluster.actors.salon_actor",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_START_HOOK": "cluster.local.raystart.without_client_server",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DISABLE_IMPORT_WARNING": "1",
        # Workers rename themselves; without this they overwrite the mark of `up` in their environment.
        "SPT_NOENV": "1",
    }


class RayHead:
    """One Ray head with its files in `run_dir`; what `environment` says must stand in the child's environment."""

    def __init__(self, run_dir: Path, *, child: Child) -> None:
        self._run_dir = run_dir
        self._temp_dir = run_dir / "ray"
        self._child = child
        self.address = ""
        """Where it answers, such as 127.0.0.1:40123; empty before `start`."""

    async def start(self, room: Room) -> None:
        """Start the head and wait until it takes drivers.

        Raises:
            RayFault: it ended, or was not there in time; its last words are in the text.
        """
        token = self._run_dir / "ray_token"
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
        ready = self._temp_dir / "ray_current_cluster"
        ready.unlink(missing_ok=True)
        await self._child.begin(sys.executable, *_arguments(self._temp_dir, room))
        try:
            async with asyncio.timeout(START_DEADLINE):
                while not (address := _written(ready)):
                    if self._child.ended:
                        raise RayFault(f"Ray ended at once: {self._child.last_words(3)}")
                    await asyncio.sleep(_PAUSE)
        except TimeoutError:
            await self.stop()
            raise RayFault(
                f"Ray is not there after {START_DEADLINE:.0f} s: {self._child.last_words(3)}"
            ) from None
        self.address = address

    async def stop(self) -> None:
        """End the head. Its workers follow; who does not is left to the sweep of what carries the mark."""
        await self._child.stop(STOP_DEADLINE)


def _arguments(temp_dir: Path, room: Room) -> list[str]:
    return [
        "-m",
        "ray.scripts.scripts",
        "start",
        "--head",
        "--block",
        "--port=0",
        "--node-ip-address=127.0.0.1",
        f"--num-cpus={room.cpus}",
        f"--resources={json.dumps({'salon_host': room.salon_hosts, 'equity': room.equity})}",
        f"--object-store-memory={_OBJECT_STORE}",
        f"--temp-dir={temp_dir}",
        "--include-dashboard=false",
        "--include-log-monitor=false",
        "--no-monitor",
        "--disable-usage-stats",
        "--log-style=record",
    ]


def _written(ready: Path) -> str:
    try:
        return ready.read_text().strip()
    except OSError:
        return ""
