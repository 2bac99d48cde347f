"""An arena's blocks as Ray tasks, on the nodes that offer `equity`."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import islice
from typing import Any, Final

import ray
from ray.exceptions import RayError, RayTaskError

from bots.arena import Misbehaved
from bots.duplicate import Block, Match, play_block
from bots.foreign import ForeignMissing
from cluster.actors.joining import EQUITY_RESOURCE


class BlocksLost(Exception):
    """Ray did not play a match's blocks."""


# A block comes out the same wherever it is played, so that Ray may repeat it.
_block: Final[Any] = ray.remote(play_block).options(
    num_cpus=0, resources={EQUITY_RESOURCE: 1}, max_retries=3, enable_task_events=False
)


async def play_blocks(match: Match, numbers: Sequence[int], *, at_once: int) -> AsyncIterator[Block]:
    """The blocks of an arena's match with these numbers, each as soon as it is finished, `at_once` of them asked for.

    Raises:
        BlocksLost: Ray did not play them.
        Misbehaved, ForeignMissing: see `play_block`.
    """
    left = iter(numbers)
    refs = {_block.remote(match, number) for number in islice(left, at_once)}
    try:
        while refs:
            done, _ = await asyncio.to_thread(ray.wait, list(refs), num_returns=1)
            for ref in done:
                block = await _played(ref)
                refs.discard(ref)
                refs |= {_block.remote(match, number) for number in islice(left, 1)}
                yield block
    except RayError as error:
        raise BlocksLost(repr(error)) from error


async def _played(ref: Any) -> Block:
    try:
        block: Block = await ref
    except RayTaskError as error:
        if isinstance(error.cause, Misbehaved | ForeignMissing):
            raise error.cause from error
        raise
    return block
