"""Equity on Ray workers: the same bits as in one process, whatever happens to the workers, and in time."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path as File
from typing import Final

import psutil
import pytest
import ray

from bots.equity.budget import Budget, Exactness
from bots.equity.chunks import CHUNK, ChunkTask, Ran, run_task
from bots.equity.estimate import estimate, estimate_now, estimates, question_of
from bots.equity.executor import Executor, ExecutorLost, InProcess
from bots.equity.paths import Path, PathMissing, chosen
from bots.equity.questions import DrawQuestion
from bots.equity.spots import make_holdem_spot
from bots.equity.tally import Estimate, Stop
from cluster.actors import equity_workers
from cluster.actors.equity_workers import EquityWorkers
from tests.integration.site import until

pytestmark = pytest.mark.integration

ROOT: Final = File(__file__).parents[2]
SLOW = make_holdem_spot(["22+, A2+, K9+"] * 6)
"""Some milliseconds a chunk, on any path."""
QUICK = make_holdem_spot(["AsKs", "random"])
TASK = ChunkTask(question_of(QUICK), chosen(), 7, 0, 3)


class OneAtATime:
    """An executor of which one worker is used."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._free = asyncio.Semaphore(1)

    async def workers(self) -> int:
        return min(1, await self._executor.workers())

    async def run(self, task: ChunkTask) -> Ran:
        async with self._free:
            return await self._executor.run(task)


def sampling(samples: int) -> Budget:
    return Budget(samples=samples, exact=Exactness.NEVER)


def busy() -> list[psutil.Process]:
    """The workers that run equity tasks now: Ray names a process by what it runs."""
    found: list[psutil.Process] = []
    for process in psutil.Process().children(recursive=True) + _workers_of_raylets():
        try:
            if process.cmdline()[:1] == ["ray::run_task"] and process not in found:
                found.append(process)
        except psutil.Error:
            continue
    return found


def _workers_of_raylets() -> list[psutil.Process]:
    raylets = [process for process in psutil.Process().children(recursive=True) if process.name() == "raylet"]
    return [worker for raylet in raylets for worker in raylet.children(recursive=True)]


async def none_busy() -> bool:
    return not busy()


async def estimate_after(signals: list[signal.Signals], samples: int) -> tuple[Estimate, list[int]]:
    """An estimate of `SLOW` on Ray, one of whose busy workers is sent each of the signals, with the processes that were."""
    work = asyncio.ensure_future(estimate(SLOW, sampling(samples), EquityWorkers(), seed=7))
    struck: list[int] = []
    some: list[psutil.Process] = []

    async def some_busy() -> bool:
        some[:] = busy()
        return bool(some)

    for number in signals:
        await until(some_busy)
        struck.append(some[0].pid)
        os.kill(struck[-1], number)
    assert not work.done(), "the workers were struck too late"
    return await work, struck


@pytest.fixture
def workers(ray_cluster: None) -> EquityWorkers:
    return EquityWorkers()


async def test_any_number_of_workers_gives_the_bits_of_one_process(workers: EquityWorkers) -> None:
    budget = sampling(100 * CHUNK + 17)
    here = estimate_now(SLOW, budget, seed=7)
    assert await estimate(SLOW, budget, OneAtATime(workers), seed=7) == here
    assert await estimate(SLOW, budget, workers, seed=7) == here
    assert await estimate(SLOW, budget, InProcess(2), seed=7) == here
    assert (here.samples, here.stop, here.alone) == (100 * CHUNK + 17, Stop.SAMPLES, False)


async def test_a_task_on_a_worker_counts_what_it_counts_here(workers: EquityWorkers) -> None:
    assert (await workers.run(TASK)).tally == run_task(TASK).tally
    assert await workers.workers() == 2


async def test_workers_killed_in_the_middle_change_no_bit(workers: EquityWorkers) -> None:
    """By kill -9, twice, in a job of fixed samples."""
    samples = 400 * CHUNK
    await workers.run(TASK)
    async with asyncio.timeout(60):
        found, struck = await estimate_after([signal.SIGKILL, signal.SIGKILL], samples)
    assert len(struck) == 2
    assert found == await estimate(SLOW, sampling(samples), InProcess(), seed=7)


@pytest.mark.slow
async def test_a_frozen_worker_is_not_waited_for(workers: EquityWorkers) -> None:
    samples = 400 * CHUNK
    await workers.run(TASK)
    struck: list[int] = []
    try:
        async with asyncio.timeout(60):
            found, struck = await estimate_after([signal.SIGSTOP], samples)
    finally:
        for pid in struck:
            os.kill(pid, signal.SIGKILL)
    assert found == await estimate(SLOW, sampling(samples), InProcess(), seed=7)


async def test_closing_a_stream_frees_the_workers(workers: EquityWorkers) -> None:
    async with aclosing(estimates(SLOW, sampling(10**11), workers, seed=7)) as stream:
        async for found in stream:
            if found.samples > CHUNK:
                break
    await until(none_busy)
    assert (await workers.run(TASK)).tally.samples == 3 * CHUNK


async def test_a_deadline_stops_work_on_ray(workers: EquityWorkers) -> None:
    """How exactly it is kept is measured below, and not in a test that runs beside others."""
    found = await estimate(SLOW, Budget(deadline_ms=500, exact=Exactness.NEVER), workers, seed=7)
    assert found.stop is Stop.DEADLINE
    assert found.samples >= CHUNK
    await until(none_busy)


@pytest.mark.slow
async def test_a_deadline_of_50_ms_is_kept_within_20_ms(workers: EquityWorkers) -> None:
    """In 95 % of 200 runs."""
    await workers.run(TASK)
    late: list[float] = []
    for seed in range(200):
        began = time.perf_counter()
        found = await estimate(QUICK, Budget(deadline_ms=50, exact=Exactness.NEVER), workers, seed=seed)
        late.append((time.perf_counter() - began) * 1000 - 50)
        assert found.stop is Stop.DEADLINE
    late.sort()
    print(f"late by {late[100]:.1f} ms in the median, {late[190]:.1f} ms at 95 %, {late[-1]:.1f} ms at most")
    assert late[189] <= 20


async def test_a_thousand_deadlines_do_not_abort_the_process_that_asked(workers: EquityWorkers) -> None:
    """In a process of its own, which Ray would end without a word to Python."""
    asking = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.integration.short_deadlines"),
        ray.get_runtime_context().gcs_address,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said, wrong = await asking.communicate()
    assert (asking.returncode, said.strip()) == (0, b"answered 1000"), wrong[-2000:]


async def test_without_equity_nodes_this_process_does_the_work(
    workers: EquityWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(equity_workers, "_equity_units", lambda: 0)
    with pytest.raises(ExecutorLost, match="no node of the cluster offers equity"):
        await workers.workers()
    found = await estimate(SLOW, sampling(5 * CHUNK), workers, seed=7)
    assert found == replace(estimate_now(SLOW, sampling(5 * CHUNK), seed=7), alone=True)


async def test_a_task_that_no_node_takes_is_not_waited_for(
    workers: EquityWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray would keep it until a node comes."""
    import ray  # noqa: PLC0415 - reads its environment when it is imported

    nowhere = ray.remote(run_task).options(num_cpus=0, resources={"nowhere": 1})
    monkeypatch.setattr(equity_workers, "_chunks", nowhere)
    monkeypatch.setattr(equity_workers, "_equity_units", lambda: 0)
    with pytest.raises(ExecutorLost, match="no node"):
        await workers.run(TASK)


async def test_what_a_worker_cannot_do_is_told_as_it_would_be_here(workers: EquityWorkers) -> None:
    with pytest.raises(PathMissing, match="fpga"):
        await workers.run(replace(TASK, path="fpga"))  # type: ignore[arg-type]  # a path of a newer version
    with pytest.raises(ValueError, match="two to five cards"):
        await workers.run(replace(TASK, question=DrawQuestion(b"\1", (None,), b""), path=Path.NUMPY))
