"""The caretaker's gateway is killed: another one, which had nothing to do, takes the role over and does its work."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import ray
from redis.asyncio import Redis

from cluster.commands.gateway import SERVES
from cluster.routing.caretaker import ROLE_LEASE
from cluster.routing.leases import HostName
from tests.conftest import RAY_ENVIRONMENT
from tests.edge.running import environment
from tests.integration.gateways import Guest
from tests.integration.site import Site, until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]

ROLE = "role:caretaker"
PATIENCE = 60
"""Seconds for processes to start, which takes cores that others use too."""


class Process:
    """A `croupier gateway` of the run's cluster."""

    def __init__(self, home: Path, url: str) -> None:
        self._output = home / "gateway.log"
        # The token of the run's Ray, which made one when it started.
        places = {name: text for name, text in os.environ.items() if name.startswith("RAY_AUTH_")} | {
            "CROUPIER_REDIS_URL": url,
            "CROUPIER_RAY_ADDRESS": ray.get_runtime_context().gcs_address,
            "CROUPIER_LISTEN": "127.0.0.1:0",
        }
        home.mkdir()
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "cluster.cli", "gateway"],
                env=environment(home, **RAY_ENVIRONMENT, **places),
                stdout=output,
                stderr=output,
            )

    async def address(self) -> str:
        """Where it serves, once it does."""
        before, _, after = SERVES.partition("{address}")
        found: list[str] = []

        async def serves() -> bool:
            assert self.process.poll() is None, self._output.read_text()
            lines = self._output.read_text().splitlines()
            found[:] = [
                line.removeprefix(before).removesuffix(after) for line in lines if line.startswith(before)
            ]
            return bool(found)

        await until(serves, PATIENCE)
        return found[0]

    def end(self, number: int) -> None:
        self.process.send_signal(number)
        self.process.wait(30)


@pytest.fixture
def start(ray_cluster: None, tmp_path: Path, redis_url: str) -> Iterator[Callable[[], Process]]:
    """Starts gateways, which end with the test."""
    started: list[Process] = []

    def begin() -> Process:
        started.append(Process(tmp_path / f"gateway-{len(started)}", redis_url))
        return started[-1]

    yield begin
    for each in started:
        if each.process.poll() is None:
            each.end(signal.SIGTERM)


async def test_the_role_of_a_killed_gateway_is_taken_over_and_its_work_done(
    start: Callable[[], Process], sites: Callable[..., Site], store: Redis
) -> None:
    """A host falls silent as its caretaker dies, and nobody asks for its salon: one finds the other, in this order.

    The lease of the role and the pause between two tries to take it make less than five seconds.
    """
    site = sites()
    first = start()
    address = await first.address()

    async def taken() -> bool:
        return await store.get(ROLE) is not None

    await until(taken)
    caretaker = await store.get(ROLE)
    await start().address()
    async with Guest(address, "Ann") as ann:
        salon = await ann.open()
        await ann.join(salon)
    host = await _host(site, salon)
    assert await store.get(ROLE) == caretaker
    process = await site.process(salon)  # type: ignore[arg-type]  # a salon's id is a string
    process.suspend()
    first.end(signal.SIGKILL)
    left = await store.pttl(ROLE)
    assert 0 < left <= ROLE_LEASE <= 4_000
    seen: list[str] = []

    async def done() -> bool:
        holder = await store.get(ROLE)
        if holder not in (None, caretaker) and "taken over" not in seen:
            seen.append("taken over")
        if await _host(site, salon) != host and "moved" not in seen:
            seen.append("moved")
        return len(seen) == 2

    await until(done, PATIENCE)
    assert seen == ["taken over", "moved"]


async def _host(site: Site, salon: str) -> HostName:
    return await site.host(salon)  # type: ignore[arg-type]  # a salon's id is a string
