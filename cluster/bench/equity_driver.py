"""A program that joins a Ray and works out equity on it, a job a line, for the benchmark that began it.

A process is driver of one Ray, and the benchmark compares two. A line of its input is a job as JSON, with a seed and
fields of a `Budget`; a line of its output is what came of it. It ends with its input.
"""

import sys
import time
from typing import Any, Final

from bots.equity.budget import Budget, Exactness
from bots.equity.estimate import estimate
from bots.equity.executor import Executor
from bots.equity.sampling import OutOfTime
from bots.equity.spots import make_holdem_spot
from cluster.actors.equity_workers import EquityWorkers
from cluster.bench.driver import serve

SPOT: Final = make_holdem_spot(["AsKs", "random"])


async def answer(job: dict[str, int], executor: Executor) -> dict[str, Any]:
    """What came of a job, and how many seconds that took by the clock on the wall."""
    began = time.perf_counter()
    budget = Budget(samples=job.get("samples"), deadline_ms=job.get("deadline_ms"), exact=Exactness.NEVER)
    try:
        found = await estimate(SPOT, budget, executor, seed=job["seed"])
    except OutOfTime:
        return {"seconds": time.perf_counter() - began, "samples": 0, "equity": None, "alone": False}
    seconds = time.perf_counter() - began
    equity = found.players[0].equity
    return {"seconds": seconds, "samples": found.samples, "equity": equity, "alone": found.alone}


if __name__ == "__main__":
    workers = EquityWorkers()
    serve(sys.argv[1], lambda job: answer(job, workers))
