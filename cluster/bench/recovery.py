"""Recovery's benchmark: a host with many salons is killed, and all of them answer again.

Beside the host another waits for salons, as every node keeps one by default. A salon answers when it has executed a
player's command under a new epoch: its log is read, and the command is on disk. All are asked at once, in the moment of the
kill, by one client over the gateway. That nothing that was answered is lost and nothing is done twice shows in each salon's
seq, which has to be the next one after every kill, and that it was read anew in its epoch, which has to be another, or the run
fails. Beside it, in the same cluster and in turn, Ray restarts an actor by itself that has nothing to read back.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from statistics import median
from typing import Any, Final, Self

from cluster.bench.guests import sign_in
from cluster.bench.own_cluster import OwnCluster
from cluster.bench.sitter import Lost, Sitter, opened
from cluster.bench.usage import Role, Watch, cpu_of
from cluster.bench.waking import Woken
from cluster.client import Client
from cluster.local.raynode import environment
from cluster.play_stream import PlayStream
from cluster.redis_door import connect
from cluster.routing.leases import Leases
from engine.value import value

_ANSWERS_WITHIN: Final = 60.0
_JOINS_WITHIN: Final = 60.0
_SPARE_WITHIN: Final = 60.0
_PAUSE: Final = 0.02
_CLEAR: Final = 50_000
"""Microseconds of CPU time more than any other that tell the host that works: five ticks of the kernel's clock."""
SAYS: Final = "restarted after "
"""How the program that has Ray restart actors begins its lines."""


@value
class Recovered:
    """One kill: seconds to the first and to the last salon's answer; and Ray's restart beside it."""

    first: float
    last: float
    ray: float


class Restarts:
    """Ray's own restarts, from `__aenter__` to `__aexit__`."""

    def __init__(self, cluster: OwnCluster) -> None:
        self._cluster = cluster
        self._driver: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        run_dir = self._cluster.run_dir
        with (run_dir / "restarts.log").open("ab") as log:
            self._driver = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "cluster.bench.ray_restart", self._cluster.ray_address),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={**os.environ, **environment(run_dir)},
                start_new_session=True,
            )
        await self._reply()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._driver, "not begun"
        assert self._driver.stdin, "not a pipe"
        self._driver.stdin.close()
        await self._driver.wait()

    async def one(self) -> float:
        """Seconds of a restart. Raises Lost where Ray does not do it."""
        assert self._driver, "not begun"
        assert self._driver.stdin, "not a pipe"
        self._driver.stdin.write(b"\n")
        return await self._reply()

    async def _reply(self) -> float:
        assert self._driver, "not begun"
        assert self._driver.stdout, "not a pipe"
        try:
            async with asyncio.timeout(_JOINS_WITHIN):
                while line := (await self._driver.stdout.readline()).decode():
                    if line.startswith(SAYS):
                        return float(line.removeprefix(SAYS))
        except TimeoutError:
            pass
        raise Lost("Ray restarted no actor")


async def kills(cluster: OwnCluster, *, salons: int, count: int) -> AsyncIterator[Recovered]:
    """`count` kills of the host with all `salons`, each beside a restart by Ray.

    Raises:
        Lost: a salon did not answer, or lost a command, or did one twice.
    """
    (token,) = await sign_in(cluster, 1)
    async with Client(cluster.address, plaintext=True) as client, Restarts(cluster) as restarts:
        client.token = token
        async with PlayStream(client) as stream:
            sitter = Sitter(stream)
            for salon in await opened(client, salons):
                await sitter.sit_down(salon)
            for _ in range(count):
                first, last = await _kill(cluster, sitter)
                yield Recovered(first, last, await restarts.one())


async def _busiest(cluster: OwnCluster, sitter: Sitter) -> int:
    """The process that executes the sitter's commands: the other hosts wait for salons, and do next to nothing. Raises Lost."""
    hosts = Watch(cluster.run_dir).processes[Role.HOSTS]
    if not hosts:
        raise Lost("no host runs")
    before = [cpu_of([host]) for host in hosts]
    while True:
        await sitter.ask_all()
        used = sorted((cpu_of([host]) - cpu, host.pid) for host, cpu in zip(hosts, before, strict=True))
        if len(used) == 1 or used[-1][0] >= used[-2][0] + _CLEAR:
            return used[-1][1]


async def _spare(cluster: OwnCluster) -> None:
    """Wait until a host is there that has no salon. Raises Lost."""
    redis = connect(cluster.redis_url)
    leases = Leases(redis)
    try:
        async with asyncio.timeout(_SPARE_WITHIN):
            while not any(  # noqa: ASYNC110 - the caretaker sees to it
                not (host.salons or host.starting or host.given_up) for host in await leases.census()
            ):
                await asyncio.sleep(_PAUSE)
    except TimeoutError:
        raise Lost(f"no spare host was there within {_SPARE_WITHIN:.0f} s") from None
    finally:
        await redis.aclose()


async def _kill(cluster: OwnCluster, sitter: Sitter) -> tuple[float, float]:
    await _spare(cluster)
    host = await _busiest(cluster, sitter)
    held = await sitter.hosts(cluster)
    if len(held) != 1:
        raise Lost(f"the salons are on {len(held)} hosts, and all of them should be on one")
    began = time.perf_counter()
    os.kill(host, signal.SIGKILL)
    try:
        async with asyncio.timeout(_ANSWERS_WITHIN):
            answered = await sitter.ask_all(anew=True)
    except TimeoutError:
        raise Lost(f"not every salon answered within {_ANSWERS_WITHIN:.0f} s") from None
    if held & await sitter.hosts(cluster):
        raise Lost("the host that was killed was not the one that had the salons")
    return min(answered) - began, max(answered) - began


def report(done: Sequence[Recovered], woken: Sequence[Woken], *, salons: int) -> dict[str, Any]:
    """All that was measured, as JSON takes it.

    A ratio is the median of the rounds' own: how many times as long as Ray takes to restart one actor the first
    and the last of the salons take; and how many times as long as an awake salon one takes that slept.
    """
    return {
        "ratios": {
            "first_vs_ray_restart": round(median(each.first / each.ray for each in done), 3),
            "last_vs_ray_restart": round(median(each.last / each.ray for each in done), 3),
            "asleep_vs_awake": round(median(each.first / each.next for each in woken), 3),
        },
        "salons": salons,
        "first_seconds": _seconds([each.first for each in done]),
        "last_seconds": _seconds([each.last for each in done]),
        "ray_restart_seconds": _seconds([each.ray for each in done]),
        "asleep_ms": _milliseconds([each.first for each in woken]),
        "awake_ms": _milliseconds([each.next for each in woken]),
    }


def _milliseconds(times: Sequence[float]) -> dict[str, float]:
    return {"median": round(1000 * median(times), 2), "most": round(1000 * max(times), 2)}


def _seconds(times: Sequence[float]) -> dict[str, Any]:
    return {
        "median": round(median(times), 3),
        "most": round(max(times), 3),
        "rounds": [round(each, 3) for each in times],
    }
