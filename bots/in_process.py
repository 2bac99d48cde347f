"""The executor of this process: for work under a few milliseconds, for arenas, and when no worker answers."""

import asyncio

from bots.old_equity import EquityJob, Tally, chunk_seed, combined, run_chunk


class InProcess:
    """Runs a job's chunks one after the other, and lets others go on between two of them."""

    async def run(self, job: EquityJob, *, chunks: int, deadline_ms: int) -> Tally:
        """See `Executor.run`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + deadline_ms / 1000
        tallies: list[Tally] = []
        for chunk in range(chunks):
            if loop.time() >= deadline:
                break
            tallies.append(run_chunk(job, chunk_seed(job, chunk), job.samples))
            await asyncio.sleep(0)
        return combined(tallies)
