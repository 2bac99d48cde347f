"""A process that joins the Ray at the address given and asks for many estimates that end at their deadlines.

Where it calls tasks off by `ray.cancel` it dies within seconds: Ray 2.60 aborts a process whose call meets the
end of the task.
"""

import asyncio
import random
import sys
from contextlib import suppress

from bots.equity.budget import Budget, Exactness
from bots.equity.estimate import estimate
from bots.equity.sampling import OutOfTime
from bots.equity.spots import make_holdem_spot
from cluster.actors.equity_workers import EquityWorkers
from cluster.actors.joining import join, leave

CALLERS, CALLS = 4, 250
SPOT = make_holdem_spot(["AhKh", "random", "random"])


async def ask(workers: EquityWorkers, chance: random.Random) -> int:
    """How many samples came in; a machine that is busy with other things may bring none in time."""
    samples = 0
    for _ in range(CALLS):
        budget = Budget(deadline_ms=chance.randint(45, 84), exact=Exactness.NEVER)
        with suppress(OutOfTime):
            samples += (await estimate(SPOT, budget, workers, seed=chance.getrandbits(63))).samples
    return samples


async def main() -> None:
    workers = EquityWorkers()
    assert all(await asyncio.gather(*(ask(workers, random.Random(caller)) for caller in range(CALLERS))))


if __name__ == "__main__":
    join(sys.argv[1])
    asyncio.run(main())
    leave()
    print("answered", CALLERS * CALLS)
