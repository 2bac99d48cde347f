"""The executor of this process: for work under a few milliseconds, for arenas, and when no worker answers."""

import asyncio

from bots.advice import Advice
from bots.deadlines import after
from bots.explanation import Path
from bots.jobs import Job, parts, run_part


class InProcess:
    """Runs a job's parts one after the other, and lets others go on between two of them."""

    path = Path.IN_PROCESS

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Advice | None, ...]:
        """See `Executor.run`."""
        late = after(deadline_ms)
        results: list[Advice | None] = []
        for part in range(parts(job)):
            results.append(None if late() else run_part(job, part, late=late))
            await asyncio.sleep(0)
        return tuple(results)
