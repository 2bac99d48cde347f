"""Hosts as gateways know them: actors that are started, found, asked and killed by name.

Crash contract: a host's actor is never restarted (`max_restarts=0`): a new host is there sooner, and Ray's own
restart would be a second activator. A call to one is never repeated by Ray (`max_task_retries=0`): the
directory does it, with the same request_id. Hosts are detached: they outlive the gateway that made them. When
no unit of `salon_host` is free Ray would wait in silence, so whoever starts a host has counted them.
"""

import asyncio
import threading
import time
from collections.abc import Collection, Sequence
from typing import Any, Final

import ray
from ray._private.state import state as _state
from ray.exceptions import ActorDiedError, RayError

from cluster.actors.joining import HOST_RESOURCE, NAMESPACE
from cluster.actors.salon_actor import HostSettings, SalonActor
from cluster.envelope import Envelope, SalonId
from cluster.routing.drains import NodeId
from cluster.routing.hosts import (
    Admitted,
    HostAnswer,
    HostDied,
    HostFault,
    HostMissing,
    Node,
    NotHere,
    Refusing,
)
from cluster.routing.leases import HostName
from engine.units import Millis

_NODE_LABEL: Final = "ray.io/node-id"
_CAPACITY_FOR: Final = 1.0
_MOST_HANDLES: Final = 10_000
_START_PATIENCE: Final = 60.0
"""Seconds for a process to start, where many start at once on few cores."""


class RayHosts:
    """The hosts of the cluster that this process has joined."""

    def __init__(self, settings: HostSettings, namespace: str = NAMESPACE) -> None:
        self._settings = settings
        self._namespace = namespace
        self._handles: dict[HostName, Any] = {}
        self._nodes: list[Node] = []
        self._looked_at = -_CAPACITY_FOR
        self._looking = asyncio.Lock()
        self._cores = 0
        self._turns = (asyncio.Semaphore(0), asyncio.Semaphore(0))
        """To start, as many as there are cores: of hosts that salons wait for, and of spares."""

    async def nodes(self) -> list[Node]:
        """The nodes that are alive, as they were at most a second ago."""
        async with self._looking:
            if time.monotonic() - self._looked_at >= _CAPACITY_FOR:
                self._nodes = await asyncio.to_thread(_nodes)
                self._looked_at = time.monotonic()
        return self._nodes

    async def capacity(self, without: Collection[NodeId] = ()) -> int:
        """How many hosts fit on the nodes that Ray does not drain, and that are not among `without`."""
        nodes = await self.nodes()
        return sum(node.hosts for node in nodes if node.draining is None and node.node not in without)

    async def start(
        self, host: HostName, *, without: Collection[NodeId] = (), node: NodeId | None = None
    ) -> None:
        """Create the host, or find it, and wait for its lease; no more at once than the cluster has cores.

        A process takes one of them for a second, and all together would all come too late. Those for one `node`
        are spares, which nobody waits for and a full node starts late: they take no turn of those that salons wait for.
        """
        where = f"!in({','.join(sorted(without))})" if without else node
        cores = max(1, sum(node.cores for node in await self.nodes()))
        if cores != self._cores:
            # Whoever starts or waits by the old count goes on by it.
            self._cores = cores
            self._turns = (asyncio.Semaphore(cores), asyncio.Semaphore(max(1, cores // 2)))
        async with self._turns[node is not None]:
            await self._start(host, {_NODE_LABEL: where} if where else None)

    async def _start(self, host: HostName, where: dict[str, str] | None) -> None:
        handle = self._handles[host] = await asyncio.to_thread(self._create, host, where)
        try:
            async with asyncio.timeout(_START_PATIENCE):
                if not await self._answer(handle.start.remote(), host):
                    raise HostDied(host, "it was given up before it began")
        except TimeoutError as error:
            raise HostFault(f"{host} did not start in {_START_PATIENCE} s") from error

    async def pid(self, host: HostName) -> int:
        """The host's process, on its own machine."""
        handle = await self._handle(host)
        pid: int = await self._answer(handle.pid.remote(), host)
        return pid

    async def admit(self, host: HostName, salon: SalonId) -> Admitted | NotHere | Refusing:
        """Have the host load the salon."""
        handle = await self._handle(host)
        answer: Admitted | NotHere | Refusing = await self._answer(handle.admit.remote(salon), host)
        return answer

    async def deliver(
        self, host: HostName, batches: Sequence[Sequence[Envelope]], *, patient: bool
    ) -> list[list[HostAnswer]]:
        """Hand over envelopes in one call."""
        handle = await self._handle(host)
        answers: list[list[HostAnswer]] = await self._answer(handle.deliver.remote(batches, patient), host)
        return answers

    async def ready_to_leave(self, host: HostName, most: int) -> list[SalonId]:
        """Which salons have no hand."""
        handle = await self._handle(host)
        return list(await self._answer(handle.ready_to_leave.remote(most), host))

    async def hand_over(self, host: HostName, salon: SalonId, to: HostName, *, mid_hand: bool) -> bool:
        """Have the host give a salon to another."""
        handle = await self._handle(host)
        return bool(await self._answer(handle.hand_over.remote(salon, to, mid_hand), host))

    def kill(self, host: HostName) -> None:
        """End the host's process. Ray takes 5 s over one that is stopped, so nobody waits."""
        self._handles.pop(host, None)
        threading.Thread(target=self._kill, args=(host,), daemon=True).start()

    async def _answer(self, call: Any, host: HostName) -> Any:
        """What the actor answers."""
        try:
            return await call
        except ActorDiedError as error:
            self._handles.pop(host, None)
            raise HostDied(host, repr(error)) from error
        except RayError as error:
            raise HostFault(f"{host}: {error!r}") from error

    def _create(self, host: HostName, where: dict[str, str] | None) -> Any:
        actor = ray.remote(SalonActor).options(
            name=host,
            namespace=self._namespace,
            lifetime="detached",
            get_if_exists=True,
            num_cpus=0,
            resources={HOST_RESOURCE: 1},
            label_selector=where,
            max_restarts=0,
            max_task_retries=0,
            enable_task_events=False,
        )
        try:
            return actor.remote(host, self._settings)
        except RayError as error:
            raise HostFault(f"{host}: {error!r}") from error

    async def _handle(self, host: HostName) -> Any:
        handle = self._handles.get(host)
        if handle is None:
            while len(self._handles) >= _MOST_HANDLES:
                self._handles.pop(next(iter(self._handles)))
            handle = self._handles[host] = await asyncio.to_thread(self._find, host)
        return handle

    def _find(self, host: HostName) -> Any:
        try:
            return ray.get_actor(host, namespace=self._namespace)
        except ValueError as error:
            raise HostMissing(f"{host} is not there (yet)") from error
        except RayError as error:
            raise HostFault(repr(error)) from error

    def _kill(self, host: HostName) -> None:
        try:
            ray.kill(self._find(host))
        except (HostFault, RayError):
            return


def _nodes() -> list[Node]:
    """The nodes that are alive. Blocks. Raises HostFault."""
    try:
        known: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]  # it ships none
        draining: dict[str, int] = _state.get_draining_nodes()
    except (RayError, ConnectionError, RuntimeError) as error:
        raise HostFault(f"Ray does not say what nodes there are: {error!r}") from error
    return [
        Node(
            NodeId(node["NodeID"]),
            node["NodeManagerAddress"],
            node["NodeManagerHostname"],
            int(node["Resources"].get(HOST_RESOURCE, 0)),
            int(node["Resources"].get("CPU", 0)),
            Millis(draining[node["NodeID"]]) if node["NodeID"] in draining else None,
        )
        for node in known
        if node["Alive"]
    ]
