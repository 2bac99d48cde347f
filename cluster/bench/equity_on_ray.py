"""Equity's benchmark on Ray: one worker beside two, deadlines, and what the kernel adds to a worker's memory.

The same job goes to a Ray with room for one at a time and to one with room for two, in turn; its time is that on
the wall, from when it was asked for to its answer, by the way that the product takes. So a job that the product
does not send to Ray, since that would cost more than it saves, is not sent here. That both do the same work shows in
their equities, which have to be the same to the last bit.
"""

from collections.abc import AsyncIterator, Sequence
from statistics import median
from typing import Any, Final, Protocol

from cluster.bench.equity import Disagreement
from cluster.bench.equity_workers import Memory
from cluster.local.raynode import MIB
from engine.value import value

SIZES: Final = tuple(10**power for power in range(5, 10))
LONG_ENOUGH: Final = 0.5
"""Seconds on one worker from which on a second one should be worth it."""
DEADLINE_MS: Final = 50
LATE_MS: Final = 20
"""A deadline that is missed by no more counts as kept."""


class AtWork(Protocol):
    """Workers that take jobs, such as `Workers`."""

    async def job(self, **fields: int) -> dict[str, Any]:
        """What came of a job; see the driver."""
        ...


@value
class Job:
    """So many samples on one worker and on two, in seconds, one directly after the other."""

    samples: int
    one: float
    two: float


@value
class Deadline:
    """What came of a job with a deadline."""

    seconds: float
    samples: int

    @property
    def kept(self) -> bool:
        """Whether there was an answer, and in time or a little late."""
        return self.samples > 0 and 1000 * self.seconds <= DEADLINE_MS + LATE_MS


async def jobs(one: AtWork, two: AtWork, *, count: int, longest: float) -> AsyncIterator[Job]:
    """`count` rounds of each size that is expected to take no longer than so many seconds on one worker.

    Raises:
        Disagreement: they found different equities.
        RayFault: see `Workers.job`.
    """
    seconds = 0.0
    for size in SIZES:
        if 10 * seconds > longest:
            return
        for seed in range(count):
            alone = await one.job(samples=size, seed=seed)
            together = await two.job(samples=size, seed=seed)
            if alone["equity"] != together["equity"]:
                raise Disagreement(
                    f"{size} samples of seed {seed}: {alone['equity']} on one worker, {together['equity']} on two"
                )
            seconds = alone["seconds"]
            yield Job(size, seconds, together["seconds"])


async def deadlines(workers: AtWork, *, count: int) -> AsyncIterator[Deadline]:
    """`count` jobs that are to be answered in so many milliseconds. Raises RayFault: see `Workers.job`."""
    for seed in range(count):
        reply = await workers.job(deadline_ms=DEADLINE_MS, seed=seed)
        yield Deadline(reply["seconds"], reply["samples"])


def two_workers(done: Sequence[Job]) -> float | None:
    """How many times as fast two are as one: the least of the sizes that are long enough on one."""
    ratios = [figures["ratio"] for figures in _sizes(done) if figures["one_seconds"] >= LONG_ENOUGH]
    return min(ratios, default=None)


def report(done: Sequence[Job], kept: Sequence[Deadline], growth: Memory | None) -> dict[str, Any]:
    """All that was measured, as JSON takes it."""
    found: dict[str, Any] = {"jobs": _sizes(done)}
    if growth:
        found["growth_mib"] = {"rss": round(growth.rss / MIB, 2), "uss": round(growth.uss / MIB, 2)}
    if kept:
        found["deadline"] = {
            "ms": DEADLINE_MS,
            "runs": len(kept),
            "kept": sum(one.kept for one in kept) / len(kept),
            "late_ms": LATE_MS,
            "median_ms": round(1000 * median(one.seconds for one in kept), 1),
            "slowest_ms": round(1000 * max(one.seconds for one in kept), 1),
            "median_samples": median(one.samples for one in kept),
        }
    return found


def _sizes(done: Sequence[Job]) -> list[dict[str, Any]]:
    sizes = sorted({job.samples for job in done})
    return [_size(size, [job for job in done if job.samples == size]) for size in sizes]


def _size(samples: int, done: Sequence[Job]) -> dict[str, Any]:
    return {
        "samples": samples,
        "one_seconds": float(f"{median(job.one for job in done):.4g}"),
        "two_seconds": float(f"{median(job.two for job in done):.4g}"),
        "ratio": round(median(job.one / job.two for job in done), 2),
        "round_ratios": [round(job.one / job.two, 2) for job in done],
    }
