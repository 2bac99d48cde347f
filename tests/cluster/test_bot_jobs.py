"""Hard bots' jobs: one that Ray never answers holds up the others of its host for a while, and not for ever."""

import asyncio
from typing import Any

import pytest

from bots.equity.executor import ExecutorLost
from bots.jobs import HoldemJob, parts
from bots.protocol import observe
from bots.styles import TEMPERS
from cluster.actors.bot_jobs import MOST_JOBS, MOST_OUT, RayExecutor
from engine.settings import BotStyle
from engine.view import view_of
from tests.cluster.bench import Bench, HandClock


async def a_job() -> HoldemJob:
    bench = await Bench().opened()
    await bench.seated("ann", "bob")
    await bench.ring()
    assert bench.table.hand is not None
    view = view_of(bench.table, bench.table.hand.to_act)
    bench.salon.close()
    return HoldemJob(observe(view), TEMPERS[BotStyle.BALANCED])


async def test_jobs_that_nobody_answers_are_given_up_for_those_that_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No node offers `equity` any more: when one comes back it is asked, though the old jobs are still out."""
    clock, job = HandClock(0), await a_job()
    executor = RayExecutor(monotonic=lambda: clock.now() / 1_000)
    loop = asyncio.get_running_loop()
    there, asked = False, 0

    async def ask(*_: Any) -> list[Any]:
        nonlocal asked
        asked += 1
        answers = [loop.create_future() for _ in range(parts(job))]
        for answer in answers if there else ():
            answer.set_result(None)
        return answers

    monkeypatch.setattr(executor, "_ask", ask)
    for _ in range(MOST_JOBS + 8):
        try:
            await executor.run(job, deadline_ms=1)
        except ExecutorLost:
            break
    before = asked
    assert 0 < before <= MOST_JOBS
    clock.time = 9_000
    with pytest.raises(ExecutorLost):
        await executor.run(job, deadline_ms=1)
    there = True
    clock.time = 10_002
    assert await executor.run(job, deadline_ms=1_000) == (None,) * parts(job)
    assert asked == before + 1
    for task in list(executor._out):
        task.cancel()
    await asyncio.sleep(0)


async def test_no_more_jobs_wait_for_a_node_than_it_has_done_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half an hour without a node that offers `equity`: Ray keeps what it was asked, and does it when one comes."""
    clock, job = HandClock(0), await a_job()
    executor = RayExecutor(monotonic=lambda: clock.now() / 1_000)
    waiting: list[asyncio.Future[None]] = []

    async def ask(*_: Any) -> list[Any]:
        answers = [asyncio.get_running_loop().create_future() for _ in range(parts(job))]
        waiting.extend(answers)
        return answers

    monkeypatch.setattr(executor, "_ask", ask)
    refused = 0
    for _ in range(180):
        clock.time += 10_002
        try:
            await executor.run(job, deadline_ms=1)
        except ExecutorLost:
            refused += 1
    assert len(waiting) == MOST_OUT * parts(job)
    assert refused == 180 - MOST_OUT
    for answer in waiting:
        answer.set_result(None)
    await asyncio.sleep(0.01)
    running = asyncio.create_task(executor.run(job, deadline_ms=60_000))
    await asyncio.sleep(0.01)
    assert len(waiting) == (MOST_OUT + 1) * parts(job)
    for answer in waiting[-parts(job) :]:
        answer.set_result(None)
    assert await running == (None,) * parts(job)
