"""The town's Ray: three nodes of one `ray.cluster_utils.Cluster`, whose head keeps what it knows in a Redis.

What dies can be begun again, as a supervisor does it: a raylet as a node of its own, the GCS at its old address.
Everything listens on loopback. Ray reads its environment when it is imported, so `environment` stands in this
process's before that.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import psutil

from cluster.routing.drains import NodeId
from cluster.routing.leases import HostName
from engine.value import value
from tests.conftest import RAY_ENVIRONMENT

HOSTS_A_NODE: Final = 6
MIB: Final = 1024 * 1024
_TRIES: Final = 3
"""At adding a node: Ray's own patience is short where the machine is busy."""
_GCS: Final = "gcs_server"
_RAYLET: Final = "raylet"


def environment(redis: str, token: str, home: Path) -> dict[str, str]:
    """What Ray is told; `redis` is where its GCS writes, as "host:port", and `home` the town's."""
    return {
        **RAY_ENVIRONMENT,
        # Where the cluster was begun it notes its address, also in a folder that only other clusters would make.
        "RAY_TMPDIR": str(home),
        "RAY_REDIS_ADDRESS": redis,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": token,
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_preload_python_modules": "cluster.actors.salon_actor",
        # By default a node that is silent is dead after half a minute and more.
        "RAY_health_check_initial_delay_ms": "1000",
        "RAY_health_check_period_ms": "1000",
        "RAY_health_check_timeout_ms": "2000",
        "RAY_health_check_failure_threshold": "3",
        # Workers rename themselves; without this they overwrite the mark of the run in their environment.
        "SPT_NOENV": "1",
    }


class RaySilent(Exception):
    """The GCS did not answer."""


@value
class Actor:
    """A host's process, as the GCS knows it."""

    host: HostName
    node: NodeId
    pid: int


class Machines:
    """The nodes. Of one event loop; what blocks runs in threads."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._cluster: Any = None
        self._wanted = 0
        self._under_way: set[asyncio.Future[Any]] = set()
        self.address = ""

    async def start(self, workers: int) -> None:
        self._wanted = workers
        await self._in_thread(self._start)

    def _start(self) -> None:
        from ray.cluster_utils import Cluster  # noqa: PLC0415 - reads its environment when it is imported

        self._cluster = Cluster(shutdown_at_exit=False)
        self._cluster.add_node(
            include_dashboard=False,
            no_monitor=True,
            ray_client_server_port=None,
            temp_dir=str(self._home / "ray"),  # what Ray makes of RAY_TMPDIR
            **_room(),
        )
        self.address = self._cluster.gcs_address
        tries = _TRIES
        while self.lacks_node():
            try:
                self._revive_node()
            except Exception:
                tries -= 1
                if not tries:
                    raise

    async def stop(self) -> None:
        """End all nodes, also one that is being added while nobody waits for it any more."""
        self._wanted = 0
        if self._under_way:
            await asyncio.wait(self._under_way)
        if self._cluster is not None:
            await asyncio.to_thread(self._cluster.shutdown)

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do what blocks; it goes on where the caller is cancelled."""
        task = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)

    # What there is

    def raylets(self) -> dict[NodeId, psutil.Process]:
        """Those that run, of the nodes beside the head."""
        found = {}
        for node in self._workers():
            with contextlib.suppress(KeyError, psutil.NoSuchProcess):
                if _runs(node, _RAYLET):
                    found[NodeId(node.node_id)] = psutil.Process(_process(node, _RAYLET).pid)
        return found

    def running(self) -> set[NodeId]:
        """The nodes whose raylet runs, the head too."""
        return {
            NodeId(node.node_id)
            for node in (self._cluster.head_node, *self._workers())
            if _runs(node, _RAYLET)
        }

    def gcs(self) -> psutil.Process:
        return psutil.Process(_process(self._cluster.head_node, _GCS).pid)

    async def _asked(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """What the GCS answers. Raises RaySilent."""
        from ray.exceptions import RayError  # noqa: PLC0415 - as above

        try:
            return await self._in_thread(question, *arguments)
        except (RayError, ConnectionError) as error:
            raise RaySilent(str(error)) from error

    async def actors(self) -> dict[HostName, Actor]:
        """The hosts that Ray says are alive. Waits for the GCS, for a while. Raises RaySilent."""
        table = await self._asked(self._cluster.global_state.actor_table, None, None, "ALIVE")
        return {
            HostName(row["Name"]): Actor(HostName(row["Name"]), NodeId(row["Address"]["NodeID"]), row["Pid"])
            for row in table.values()
            if row["Name"]
        }

    async def alive(self) -> set[NodeId]:
        """The nodes that Ray says are alive. Waits for the GCS, for a while. Raises RaySilent."""
        table = await self._asked(self._cluster.global_state.node_table)
        return {NodeId(row["NodeID"]) for row in table if row["Alive"]}

    # What ends is begun again

    def lacks_gcs(self) -> bool:
        """Whether the GCS has ended."""
        return not _runs(self._cluster.head_node, _GCS)

    async def revive_gcs(self) -> None:
        """Begin the GCS again at its old address. It waits for no node, since nodes wait for it."""
        head = self._cluster.head_node
        head.kill_gcs_server(check_alive=False)
        await self._in_thread(head.start_gcs_server)

    def lacks_node(self) -> bool:
        """Whether a worker node has ended."""
        running = [node for node in self._workers() if _runs(node, _RAYLET)]
        return len(running) < self._wanted

    async def revive_node(self) -> None:
        """Put a new node in the place of one that has ended. Raises what Ray does where it cannot."""
        await self._in_thread(self._revive_node)

    def _revive_node(self) -> None:
        for node in self._workers():
            if not _runs(node, _RAYLET):
                # Its workers see by themselves that their raylet has gone.
                self._cluster.remove_node(node, allow_graceful=False)
        known = self._workers()
        try:
            self._cluster.add_node(**_room())
        except Exception:
            for node in set(self._workers()) - set(known):
                self._cluster.remove_node(node, allow_graceful=False)
            raise

    def _workers(self) -> list[Any]:
        return list(self._cluster.worker_nodes) if self._cluster is not None else []


def _room() -> Mapping[str, Any]:
    return {
        "num_cpus": 1,
        "resources": {"salon_host": HOSTS_A_NODE, "equity": 1},
        "object_store_memory": 80 * MIB,
        "node_ip_address": "127.0.0.1",
        "include_log_monitor": False,
    }


def _process(node: Any, kind: str) -> Any:
    """The Popen of one of a node's processes."""
    return node.all_processes[kind][0].process


def _runs(node: Any, kind: str) -> bool:
    """Whether that process is there: not of a node that is being put together or away."""
    return kind in node.all_processes and _process(node, kind).poll() is None
