"""The driver's side of a benchmark on Ray: a process that joins it, and answers jobs that come as lines of JSON."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from cluster.actors.joining import join, leave

Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""What comes of a job."""


def serve(address: str, answer: Answer) -> None:
    """Join the Ray at `address`, say so by an empty object, and answer each line, until there are none. Blocks."""
    join(address)
    try:
        asyncio.run(_serve(answer))
    finally:
        leave()


async def _serve(answer: Answer) -> None:
    _say({})
    while line := await asyncio.to_thread(sys.stdin.readline):
        _say(await answer(json.loads(line)))


def _say(reply: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
