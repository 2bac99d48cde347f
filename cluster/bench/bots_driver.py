"""A program that joins a Ray and has hard bots decide on it, for the benchmark that began it.

A line of its input is a job as JSON: a game, how many decisions of each level, a seed. A line of its output is what
came of it, see `on_workers`. It ends with its input.
"""

import sys
from typing import Any

from bots.jobs import Executor
from cluster.actors.bot_jobs import RayExecutor
from cluster.bench.bots import decisions
from cluster.bench.bots_figures import on_workers
from cluster.bench.driver import serve
from engine.game import Game


async def answer(job: dict[str, Any], executor: Executor) -> dict[str, Any]:
    """What came of a job."""
    going = decisions(Game(job["game"]), executor, count=job["decisions"], seed=job["seed"])
    return on_workers([one async for one in going])


if __name__ == "__main__":
    workers = RayExecutor()
    serve(sys.argv[1], lambda job: answer(job, workers))
