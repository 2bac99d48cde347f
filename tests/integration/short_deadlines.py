"""A process that joins the Ray at the address given and asks for many estimates that end at their deadlines.

Where it calls tasks off by `ray.cancel` it dies within seconds: Ray 2.60 aborts a process whose call meets the
end of the task.
"""

import asyncio
import random
import sys

from bots.equity.budget import Budget, Exactness
from bots.equity.estimate import estimate
from bots.equity.spots import make_holdem_spot
from cluster.actors.equity_workers import EquityWorkers
from cluster.actors.joining import join, leave

CALLERS, CALLS = 4, 250
SPOT = make_holdem_spot(["AhKh", "random", "random"])


async def ask(workers: EquityWorkers, chance: random.Random) -> None:
    for _ in range(CALLS):
        budget = Budget(deadline_ms=chance.randint(45, 84), exact=Exactness.NEVER)
        result = await estimate(SPOT, budget, workers, seed=chance.getrandbits(63))
        assert result.samples > 0


async def main() -> None:
    workers = EquityWorkers()
    await asyncio.gather(*(ask(workers, random.Random(caller)) for caller in range(CALLERS)))


if __name__ == "__main__":
    join(sys.argv[1])
    asyncio.run(main())
    leave()
    print("answered", CALLERS * CALLS)
