"""Many schedules, some at a time: in this process, or in several others."""

import gc
import multiprocessing
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Final

from tests.simulation.mutations import without
from tests.simulation.schedule import run

_CHUNK: Final = 50
Short = tuple[int, tuple[str, ...], Counter[str]]
"""A schedule's seed, what it violated, and what happened how often."""


def chunks(seeds: Sequence[int], rule: str | None, jobs: int) -> Iterator[list[Short]]:
    """What came of the seeds, in their order, a few of them at a time; with `rule` taken out of the product."""
    works = [(seeds[at : at + _CHUNK], rule) for at in range(0, len(seeds), _CHUNK)]
    gc.freeze()
    if jobs == 1:
        yield from map(_chunk, works)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(_chunk, works)


def _chunk(work: tuple[Sequence[int], str | None]) -> list[Short]:
    seeds, rule = work
    with without(rule) if rule else nullcontext():
        outcomes = [run(seed) for seed in seeds]
    return [(outcome.seed, outcome.violations, outcome.counts) for outcome in outcomes]
