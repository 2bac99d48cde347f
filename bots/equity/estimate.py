"""Estimates: what a spot is worth to each player, exactly where that is cheap, sampled as far as a budget goes.

A sampled estimate that stopped at its number of samples is the same, bit by bit, for the same spot, seed, number
and path, whatever ran it; one that stopped by its error or at its deadline is not.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from math import inf
from typing import Any

from bots.equity import exact
from bots.equity.budget import Budget, Exactness
from bots.equity.chunks import CHUNK, run_task
from bots.equity.executor import Executor, InProcess, in_thread
from bots.equity.ledger import Ledger
from bots.equity.newest import newest
from bots.equity.paths import Path, chosen
from bots.equity.questions import DrawQuestion, HoldemQuestion, Question
from bots.equity.sampling import PROBE, Job, OutOfTime, fitting, sample, stop_of
from bots.equity.spots import HoldemSpot, Spot
from bots.equity.tally import Estimate, Stop, sampled


async def estimates(
    spot: Spot, budget: Budget, executor: Executor, *, seed: int
) -> AsyncGenerator[Estimate, None]:
    """Partial results, about ten a second, and the final one last: the one whose `stop` is not `Stop.NONE`.

    Whoever is slow to take them gets the newest, and holds up nothing. The deadline counts from the first one
    asked for. Close the iterator (`contextlib.aclosing`) to end the work early. If the executor is lost on the
    way, one thread of this process does what is left, and the estimate says so.

    Raises:
        OutOfTime: the deadline came before anything was counted.
        TooManyDeals: an exact result was asked for that would take too long.
        NoDeal: no deal fits the hands.
        PathMissing: the environment names a path that is not there.
    """

    def work(tell: Callable[[Estimate], None]) -> Coroutine[Any, Any, Estimate]:
        return _final(spot, budget, executor, seed, tell)

    async with aclosing(newest(work)) as found:
        async for one in found:
            yield one


async def estimate(spot: Spot, budget: Budget, executor: Executor, *, seed: int) -> Estimate:
    """The final result; see `estimates`. Cancel it to end the work early."""
    return await _final(spot, budget, executor, seed, lambda _: None)


def estimate_now(spot: Spot, budget: Budget, *, seed: int) -> Estimate:
    """The final result, computed in this thread, with the samples that `estimate` would draw. Blocks.

    Raises:
        As `estimates`, except OutOfTime: at least a few samples are drawn, whatever the deadline.
    """
    left = inf if budget.deadline_ms is None else budget.deadline_ms / 1000
    deadline = time.monotonic() + left
    question, path = question_of(spot), chosen()
    if _is_exact(question, budget, path, left):
        return exact.exactly(question, path)
    return _sample_now(question, budget, path, seed=seed, deadline=deadline)


async def _final(
    spot: Spot, budget: Budget, executor: Executor, seed: int, tell: Callable[[Estimate], None]
) -> Estimate:
    left = inf if budget.deadline_ms is None else budget.deadline_ms / 1000
    deadline = asyncio.get_running_loop().time() + left
    question, path = question_of(spot), chosen()
    if _is_exact(question, budget, path, left):
        always = budget.exact is Exactness.ALWAYS
        try:
            async with asyncio.timeout(None if left == inf else left if always else left / 2):
                return await in_thread(exact.exactly, question, path)
        except TimeoutError:
            if always:
                raise OutOfTime(f"not all deals were counted within {budget.deadline_ms} ms") from None
    job = Job(question, budget, seed, executor, here=InProcess(1))
    return await sample(job, path, deadline=deadline, tell=tell)


def _is_exact(question: Question, budget: Budget, path: Path, left: float) -> bool:
    """Whether to count all deals.

    Raises:
        TooManyDeals: it is wanted, and would take too long.
    """
    if budget.exact is Exactness.ALWAYS:
        exact.check(question, path, left=left)
        return True
    return budget.exact is Exactness.IF_CHEAP and exact.is_cheap(question, path, left=left)


def _sample_now(question: Question, budget: Budget, path: Path, *, seed: int, deadline: float) -> Estimate:
    """Chunk after chunk; where not even one fits before the deadline, a part of the first."""
    ledger = Ledger(question, path, seed=seed, samples=budget.most_samples)
    pace = 0.0
    if deadline < inf:
        whole = ledger.first_part(CHUNK).samples
        ran = run_task(ledger.first_part(PROBE))
        while (fit := fitting(ran, deadline - time.monotonic())) < whole:
            if fit <= ran.tally.samples:
                return sampled(ran.tally, path, Stop.DEADLINE)
            ran = run_task(ledger.first_part(fit))
    while (stop := stop_of(budget, ledger.tally)) is None:
        if time.monotonic() + pace > deadline:
            return sampled(ledger.tally, path, Stop.DEADLINE)
        ran = run_task(task := ledger.take(1))
        ledger.count(task, ran.tally)
        pace = ran.seconds
    return sampled(ledger.tally, path, stop)


def question_of(spot: Spot) -> Question:
    """What a kernel is asked about a spot."""
    if isinstance(spot, HoldemSpot):
        return HoldemQuestion(spot.kernel_players(), bytes(spot.board), bytes(spot.dead))
    return DrawQuestion(bytes(spot.kept), spot.kernel_opponents(), bytes(spot.gone))
