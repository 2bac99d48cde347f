"""Everything that is Ray: hosts as actors, hard bots' jobs as tasks. The only module that talks to a Ray cluster.

Crash contract: a host's actor is never restarted (`max_restarts=0`): a new host is there sooner, and Ray's own
restart would be a second activator. A call to one is never repeated by Ray (`max_task_retries=0`): the
directory does it, with the same request_id. Hosts are detached: they outlive the gateway that made them. When
no unit of `salon_host` is free Ray would wait in silence, so whoever starts a host has counted them.
"""

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

import ray
from ray._private.state import state as _state
from ray.exceptions import (
    ActorDiedError,
    RayError,
    RayTaskError,
    RuntimeEnvSetupError,
    TaskUnschedulableError,
)

from bots.advice import Advice
from bots.arena import Misbehaved
from bots.deadlines import after
from bots.duplicate import Block, Match, play_block
from bots.equity.chunks import ChunkTask, Ran, run_task
from bots.equity.executor import ExecutorLost, WorkerLost
from bots.equity.flights import look
from bots.equity.paths import PathMissing
from bots.explanation import Path
from bots.foreign import ForeignMissing
from bots.jobs import Job, parts, run_part
from cluster.chance import hand_start
from cluster.clock import RedisClock
from cluster.coalesced import Coalesced
from cluster.envelope import Envelope, SalonId
from cluster.garbage import Garbage
from cluster.journal.redis_journal import Journal
from cluster.lobby import Lobby, LobbyDesk
from cluster.redis_door import connect
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
from cluster.routing.leases import HostName, Leases
from cluster.routing.pulses import Pulses
from cluster.routing.sleepers import Sleepers
from cluster.salons.botplay import BotPlay
from cluster.salons.host import Host
from cluster.salons.house import House
from cluster.salons.table_trainer import shelf_at
from cluster.slow_start import SlowStart
from cluster.watching.presence import Presence
from engine.units import Millis
from engine.value import value

NAMESPACE: Final = "croupier"
HOST_RESOURCE: Final = "salon_host"
"""A node offers one unit for each host that it may run."""
EQUITY_RESOURCE: Final = "equity"
"""A node offers one unit for each job of a hard bot that it may run at a time."""
_NODE_LABEL: Final = "ray.io/node-id"
_CAPACITY_FOR: Final = 1.0
_MOST_HANDLES: Final = 10_000
_START_PATIENCE: Final = 60.0
"""Seconds for a process to start, where many start at once on few cores."""


@value
class HostSettings:
    """What a host is started with."""

    redis_url: str
    lease: Millis
    tables: str = ""
    """The directory for tables of draw, on the machine of the host; empty to play by the packaged one alone."""
    idle: Millis = Millis(120_000)
    """How long a salon is idle before nobody runs it."""


class SalonActor:
    """A host as a Ray actor. Its methods run on one event loop; a salon's commands are in order in one call only."""

    def __init__(self, name: HostName, settings: HostSettings) -> None:
        self._name = name
        self._settings = settings
        self._host: Host | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> bool:
        """Take the lease; False where the host was given up before it began. Twice is once, after a fault it is tried anew."""
        if self._host is None:
            self._host = _host(self._name, self._settings)
        if not await self._host.start():
            return False
        if not self._tasks:
            loop = asyncio.get_running_loop()
            self._tasks = [loop.create_task(work) for work in (self._keep(self._host), Garbage().run())]
        return True

    async def pid(self) -> int:
        """The process that this is."""
        return os.getpid()

    async def admit(self, salon: SalonId) -> Admitted | NotHere | Refusing:
        """Load a salon that is this host's."""
        return await self._host.admit(salon) if self._host else NotHere()

    async def deliver(self, batches: Sequence[Sequence[Envelope]], patient: bool) -> list[list[HostAnswer]]:  # noqa: FBT001 - Ray's calls are positional
        """Answer envelopes, one salon's together."""
        if self._host is None:
            return [[NotHere()] * len(batch) for batch in batches]
        return await self._host.deliver(batches, patient=patient)

    async def ready_to_leave(self, most: int) -> list[SalonId]:
        """Which of so many salons have no hand; the others start no other for a moment."""
        return self._host.ready_to_leave(most) if self._host else []

    async def hand_over(self, salon: SalonId, to: HostName, mid_hand: bool) -> bool:  # noqa: FBT001 - as above
        """Give a salon to another host, or keep it."""
        return self._host is not None and await self._host.hand_over(salon, to, mid_hand=mid_hand)

    async def _keep(self, host: Host) -> None:
        """Keep the lease as long as the host is wanted, and end the process then: nothing of it may go on."""
        try:
            await host.run()
        finally:
            os._exit(0)


def _host(name: HostName, settings: HostSettings) -> Host:
    """The host of this process."""
    redis = Coalesced(connect(settings.redis_url))
    clock = RedisClock(redis)
    desk = LobbyDesk(Lobby(redis))
    presence = Presence(redis, clock)
    journal = Journal(redis)
    bots = BotPlay(RayExecutor(), clock, shelf=shelf_at(settings.tables))

    node = NodeId(ray.get_runtime_context().get_node_id())
    sleepers = Sleepers(redis)

    def house(gone: Callable[[SalonId], None]) -> House:
        return House(
            name,
            journal,
            clock,
            hand_start,
            bots,
            presence.seems_watched,
            desk.changed,
            gone,
            idle=settings.idle,
            sleeps=sleepers.lay_down,
        )

    return Host(
        house,
        leases=Leases(redis),
        desk=desk,
        clock=clock,
        lease=settings.lease,
        node=node,
        pulses=Pulses(redis, clock),
    )


def join(address: str, namespace: str = NAMESPACE) -> None:
    """Make this process a driver of the cluster at `address`. Blocks. Raises ConnectionError."""
    ray.init(
        address=address,
        namespace=namespace,
        log_to_driver=False,
        logging_level=logging.ERROR,
        configure_logging=False,
    )


def leave() -> None:
    """Leave the cluster; detached hosts live on. Blocks."""
    ray.shutdown()


class RayHosts:
    """The hosts of the cluster that this process has joined."""

    def __init__(self, settings: HostSettings, namespace: str = NAMESPACE) -> None:
        self._settings = settings
        self._namespace = namespace
        self._handles: dict[HostName, Any] = {}
        self._nodes: list[Node] = []
        self._looked_at = -_CAPACITY_FOR
        self._looking = asyncio.Lock()
        self._turns: tuple[asyncio.Semaphore, asyncio.Semaphore] | None = None
        """To start: of hosts that salons wait for, and of spares."""
        self._counting = asyncio.Lock()

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
        async with self._counting:
            if self._turns is None:
                cores = max(1, sum(node.cores for node in await self.nodes()))
                self._turns = (asyncio.Semaphore(cores), asyncio.Semaphore(max(1, cores // 2)))
        async with self._turns[node is not None]:
            await self._start(host, {_NODE_LABEL: where} if where else None)

    async def _start(self, host: HostName, where: dict[str, str] | None) -> None:
        handle = self._handles[host] = await asyncio.to_thread(self._create, host, where)
        try:
            async with asyncio.timeout(_START_PATIENCE):
                if not await self._answer(handle.start.remote(), host):
                    raise HostDied(f"{host} was given up before it began")
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
            raise HostDied(f"{host}: {error!r}") from error
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


def _run_part(job: Job, part: int, deadline_ms: int) -> Advice | None:
    return run_part(job, part, late=after(deadline_ms))


MOST_JOBS: Final = 32
"""Jobs of hard bots that one host has under way: of 5 ms and more each, a few tenths of a second of one core."""
# The first submission of a function takes Ray a quarter of a second: it tells the cluster what to run.
_part: Final[Any] = ray.remote(_run_part).options(
    num_cpus=0, resources={EQUITY_RESOURCE: 1}, max_retries=0, enable_task_events=False
)


def _ask_for_parts(job: Job, deadline_ms: int) -> list[Any]:
    return [_part.remote(job, part, deadline_ms) for part in range(parts(job))]


class RayExecutor:
    """Runs hard bots' jobs on the nodes that offer `equity`.

    Late parts are not waited for. As with `EquityWorkers` none is called off: a part knows the deadline, and ends. Where
    as many jobs are under way as workers can hope to have done in time, no more are asked for: what Ray had to keep
    waiting would come too late for everybody.
    """

    path = Path.WORKERS

    def __init__(self) -> None:
        self._ask = SlowStart(_ask_for_parts)
        self._out: set[asyncio.Task[None]] = set()
        """The jobs that are not done, those for which nobody waits any more too."""

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Advice | None, ...]:
        """See `bots.jobs.Executor.run`."""
        if len(self._out) >= MOST_JOBS:
            raise ExecutorLost(f"{len(self._out)} jobs are under way, and no more are asked for")
        results: list[Advice | None] = [None] * parts(job)
        working = asyncio.ensure_future(self._work(job, deadline_ms, results))
        self._out.add(working)
        working.add_done_callback(self._landed)
        if (await asyncio.wait({working}, timeout=deadline_ms / 1000))[0]:
            working.result()
        return tuple(results)

    async def _work(self, job: Job, deadline_ms: int, results: list[Advice | None]) -> None:
        """Fill in the results as they come. Raises ExecutorLost."""
        try:
            refs = await self._ask(job, deadline_ms)
        except RayError as error:
            raise ExecutorLost(repr(error)) from error

        async def fill(part: int, ref: Any) -> None:
            with suppress(RayError):  # its worker was lost
                results[part] = await ref

        await asyncio.gather(*(fill(part, ref) for part, ref in enumerate(refs)))

    def _landed(self, working: asyncio.Task[None]) -> None:
        self._out.discard(working)
        look(working)


_chunks: Final[Any] = ray.remote(run_task).options(
    num_cpus=0, resources={EQUITY_RESOURCE: 1}, max_retries=0, enable_task_events=False
)
_COUNT_PATIENCE: Final = 5.0
"""Seconds for Ray to say what nodes there are; it does not while its head is away."""
_OUT: Final = 4
"""Tasks that are asked for at a time, for each that runs."""


class EquityWorkers:
    """Runs chunks on the nodes that offer `equity`, an `Executor` of `bots.equity` for the cluster that was joined.

    Ray repeats no task by itself: whoever asked does, and counts none twice.
    """

    def __init__(self) -> None:
        self._units = 0
        self._counted_at = -_CAPACITY_FOR
        self._counting: asyncio.Task[None] | None = None
        self._ask = SlowStart(_chunks.remote)
        self._out: set[asyncio.Task[Ran]] = set()
        """All that is asked for and not here, that which nobody waits for any more too."""

    async def workers(self) -> int:
        """How many tasks the nodes may run at a time, as it was when it was asked last. Raises ExecutorLost."""
        if time.monotonic() - self._counted_at >= _CAPACITY_FOR and self._counting is None:
            self._counting = asyncio.get_running_loop().create_task(self._count())
        if not self._units and self._counting:
            await asyncio.wait({self._counting})
        if not self._units:
            raise ExecutorLost("no node of the cluster offers equity")
        return self._units

    async def run(self, task: ChunkTask) -> Ran:
        """See `Executor.run`. What is cancelled while it runs ends after the chunk that it is at."""
        if not ray.is_initialized():
            raise ExecutorLost("this process has joined no cluster")
        # Nothing is called off by ray.cancel: where a task ends just then, Ray 2.60 aborts this process. So what is
        # not wanted any more is run to its end, and no more is asked for until there is little of it.
        while len(self._out) >= _OUT * await self.workers():
            await asyncio.wait(self._out, timeout=_CAPACITY_FOR, return_when=asyncio.FIRST_COMPLETED)
        try:
            ref = await self._ask(task)
        except RayError as error:
            raise ExecutorLost(repr(error)) from error
        answer = asyncio.ensure_future(_ran(ref))
        self._out.add(answer)
        answer.add_done_callback(self._landed)
        while not (await asyncio.wait({answer}, timeout=_CAPACITY_FOR))[0]:
            # Ray would wait for a node in silence.
            await self.workers()
        return answer.result()

    def _landed(self, answer: asyncio.Task[Ran]) -> None:
        self._out.discard(answer)
        look(answer)

    async def _count(self) -> None:
        try:
            async with asyncio.timeout(_COUNT_PATIENCE):
                self._units = await asyncio.to_thread(_equity_units)
        except (HostFault, TimeoutError):
            self._units = 0
        finally:
            self._counted_at, self._counting = time.monotonic(), None


async def _ran(ref: Any) -> Ran:
    """What a task brought. Raises WorkerLost where it has to be run again, and what it raised itself."""
    try:
        ran: Ran = await ref
    except RayTaskError as error:
        if isinstance(error.cause, PathMissing | ValueError):
            raise error.cause from error
        lost = WorkerLost if isinstance(error.cause, RayError) else ExecutorLost
        raise lost(repr(error)) from error
    except (RuntimeEnvSetupError, TaskUnschedulableError) as error:
        raise ExecutorLost(repr(error)) from error
    except RayError as error:
        raise WorkerLost(repr(error)) from error
    return ran


def _equity_units() -> int:
    """How many equity tasks the cluster's nodes may run at a time. Blocks. Raises HostFault."""
    if not ray.is_initialized():
        return 0
    try:
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]  # it ships none
    except RayError as error:
        raise HostFault(f"Ray does not say what room it has: {error!r}") from error
    return int(resources.get(EQUITY_RESOURCE, 0))


class BlocksLost(Exception):
    """Ray did not play a match's blocks."""


# A block comes out the same wherever it is played, so that Ray may repeat it.
_block: Final[Any] = ray.remote(play_block).options(
    num_cpus=0, resources={EQUITY_RESOURCE: 1}, max_retries=3, enable_task_events=False
)


async def play_blocks(match: Match, numbers: Sequence[int], *, at_once: int) -> AsyncIterator[Block]:
    """The blocks of an arena's match with these numbers, each as soon as it is finished, `at_once` of them asked for.

    Raises:
        BlocksLost: Ray did not play them.
        Misbehaved, ForeignMissing: see `play_block`.
    """
    left = iter(numbers)
    refs = {_block.remote(match, number) for number in islice(left, at_once)}
    try:
        while refs:
            done, _ = await asyncio.to_thread(ray.wait, list(refs), num_returns=1)
            for ref in done:
                block = await _played(ref)
                refs.discard(ref)
                refs |= {_block.remote(match, number) for number in islice(left, 1)}
                yield block
    except RayError as error:
        raise BlocksLost(repr(error)) from error


async def _played(ref: Any) -> Block:
    try:
        block: Block = await ref
    except RayTaskError as error:
        if isinstance(error.cause, Misbehaved | ForeignMissing):
            raise error.cause from error
        raise
    return block
