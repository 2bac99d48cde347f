"""The Ray that `croupier bench equity` starts for itself."""

import pytest

from bots.equity.budget import Budget, Exactness
from bots.equity.estimate import estimate_now
from bots.equity.spots import make_holdem_spot
from cluster.bench.equity_workers import Workers
from cluster.local.datadir import MARK_VARIABLE
from cluster.local.processes import marked
from cluster.local.raynode import MIB

pytestmark = [pytest.mark.integration, pytest.mark.slow]


async def test_workers_do_jobs_and_leave_nothing() -> None:
    samples = 3_000_000
    async with Workers(1) as workers:
        run_dir = workers.run_dir
        growth = await workers.warm_up()
        done = await workers.job(samples=samples, seed=5)
        in_time = await workers.job(deadline_ms=100, seed=5)
    budget = Budget(samples=samples, exact=Exactness.NEVER)
    here = estimate_now(make_holdem_spot(["AsKs", "random"]), budget, seed=5)
    assert done["equity"] == here.players[0].equity
    assert in_time["samples"] > 0
    assert growth
    assert growth.rss < 10 * MIB
    assert not run_dir.exists()
    assert not marked(MARK_VARIABLE, str(run_dir))
