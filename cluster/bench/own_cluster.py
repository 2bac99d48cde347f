"""A whole cluster for a benchmark: started as `croupier up` starts its own, and gone without a trace afterwards.

Its settings are those that the benchmark names and no others: what the user's environment says of his own
cluster is put aside while it runs.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

from bots.equity.paths import VARIABLE as EQUITY_PATH
from cluster.local.datadir import DataDir
from cluster.local.local_cluster import LocalCluster
from cluster.settings import PREFIX, load_settings, variable_of

PACKED: Final = 10_000
"""Salons an actor: as many as the settings allow, so that one process has them all."""
_ANY_PORT: Final = "127.0.0.1:0"


class OwnCluster:
    """Valkey, Ray and a gateway, from `__aenter__` to `__aexit__`. `settings` are fields of the settings."""

    def __init__(self, **settings: str | int) -> None:
        self._given = settings
        self._kept = contextlib.ExitStack()
        self._cluster: LocalCluster | None = None

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    @property
    def address(self) -> str:
        """Where the gateway is."""
        return self._running.reachable

    @property
    def redis_url(self) -> str:
        """Where Redis is."""
        return self._running.redis_url

    @property
    def ray_address(self) -> str:
        """Where Ray is."""
        return self._running.ray_address

    @property
    def run_dir(self) -> Path:
        """The mark of its processes, and where their files are."""
        recorded = self._data.recorded()
        assert recorded, "not started"
        return recorded[0]

    @property
    def _running(self) -> LocalCluster:
        assert self._cluster, "not started"
        return self._cluster

    async def _start(self) -> None:
        path = Path(tempfile.mkdtemp(prefix="croupier-bench-"))
        self._kept.callback(shutil.rmtree, path, ignore_errors=True)
        given = {"data_dir": path, "listen": _ANY_PORT, "log_level": "error", **self._given}
        self._kept.enter_context(_environment({variable_of(name): str(each) for name, each in given.items()}))
        self._data = DataDir(path)
        self._data.take()
        self._kept.callback(self._data.release)
        self._cluster = LocalCluster(load_settings(), self._data, say=_nothing)
        await self._cluster.start()

    async def _stop(self) -> None:
        try:
            if self._cluster:
                await self._cluster.stop()
        finally:
            self._kept.close()


def _nothing(_: str) -> None:
    """Hear of what is started again; nothing is, since the cluster is not kept running."""


@contextlib.contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """`settings` in the place of the user's own, for this process and those that it starts."""
    own = {name: text for name, text in os.environ.items() if name.startswith(PREFIX) and name != EQUITY_PATH}
    for name in own:
        del os.environ[name]
    os.environ.update(settings)
    try:
        yield
    finally:
        for name in settings:
            os.environ.pop(name, None)
        os.environ.update(own)
