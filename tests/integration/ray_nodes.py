"""More nodes for the run's Ray, each a `ray start --block` of its own, as a machine that joins has it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import ray

from tests.conftest import RAY_ENVIRONMENT
from tests.integration.site import until

IDLE_TERMINATION = 1
"""DrainNodeReason of Ray's autoscaler.proto, which its wheel types no stubs for."""
MIB = 1024 * 1024
STOP_DEADLINE = 60


def gcs() -> Any:
    """The client that Ray itself asks its head with."""
    worker: Any = ray._private.worker.global_worker
    return worker.gcs_client


class RayNode:
    """A node that joins, with room for so many hosts; `node` is its id. It is drained for `drain` seconds at SIGTERM."""

    def __init__(self, log: Path, hosts: int, drain: int) -> None:
        known = alive()
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--num-cpus=1"),
                    f"--address={ray.get_runtime_context().gcs_address}",
                    f'--resources={{"salon_host": {hosts}}}',
                    *("--node-ip-address=127.0.0.1", f"--object-store-memory={80 * MIB}"),
                    *("--include-log-monitor=false", "--disable-usage-stats"),
                ],
                env={
                    **os.environ,
                    **RAY_ENVIRONMENT,
                    # Else it joins nobody; so it listens on all addresses, to whoever holds the run's token.
                    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1",
                    "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": str(drain),
                },
                stdout=output,
                stderr=output,
            )
        self._known = known
        self._log = log
        self.node = ""

    @property
    def said(self) -> str:
        """What it has printed."""
        return self._log.read_text()

    async def joined(self) -> "RayNode":
        async def there() -> bool:
            assert self.process.poll() is None, self.said
            return bool(alive() - self._known)

        await until(there)
        (self.node,) = alive() - self._known
        return self

    def terminate(self) -> None:
        """Tell the node to end, as Kubernetes does with a pod."""
        self.process.send_signal(signal.SIGTERM)

    def takes_idle_termination(self) -> bool:
        """Whether Ray lets an autoscaler take the node: it does where no actor lives. The node ends then."""
        accepted, _ = gcs().drain_node(self.node, IDLE_TERMINATION, "it is idle", 0)
        return bool(accepted)

    def end(self) -> None:
        """End whatever is left of it."""
        if self.process.poll() is None:
            family = psutil.Process(self.process.pid).children(recursive=True)
            self.process.kill()
            for process in family:
                if process.is_running():
                    process.kill()
        self.process.wait(STOP_DEADLINE)


def alive() -> set[str]:
    """The ids of the nodes that are alive."""
    return {node["NodeID"] for node in ray.nodes() if node["Alive"]}  # type: ignore[no-untyped-call]  # it ships none


def head() -> str:
    """The id of the node that this process is on."""
    return str(ray.get_runtime_context().get_node_id())
