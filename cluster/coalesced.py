"""Redis commands that are asked for at the same moment, sent together: one write and one read for many of them.

Law of this file: nothing is sent twice. Where a batch is not answered, the outcome of each of its commands is
unknown, and each of their callers is told so.
"""

import asyncio
from typing import Any, Final

from redis.asyncio import Redis

_UNDER_WAY: Final = 2
"""Batches without an answer after which the next one fills."""
_MOST: Final = 256


class Coalesced(Redis):
    """A client over another's pool, for a process that asks for much at once, such as a gateway.

    Not for commands that block. Pipelines and subscriptions take connections of their own, as ever.
    """

    def __init__(self, redis: Redis) -> None:
        """Share the pool of `redis`, which stays its owner."""
        super().__init__(connection_pool=redis.connection_pool)
        self._asked: list[tuple[tuple[Any, ...], dict[str, Any], asyncio.Future[Any]]] = []
        self._batches: set[asyncio.Task[None]] = set()

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send a command with those that are asked for meanwhile. Raises RedisError, OSError."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._asked.append((args, options, future))
        if len(self._asked) == 1:
            # Whoever else asks in this turn of the loop comes along.
            loop.call_soon(self._pump)
        return await future

    def _pump(self) -> None:
        while self._asked and len(self._batches) < _UNDER_WAY:
            batch = self._asked[:_MOST]
            del self._asked[:_MOST]
            task = asyncio.get_running_loop().create_task(self._send(batch))
            self._batches.add(task)
            task.add_done_callback(self._sent)

    def _sent(self, task: asyncio.Task[None]) -> None:
        self._batches.discard(task)
        self._pump()

    async def _send(self, batch: list[tuple[tuple[Any, ...], dict[str, Any], asyncio.Future[Any]]]) -> None:
        outcomes: list[Any]
        try:
            pipeline: Any = self.pipeline(transaction=False)
            for args, options, _ in batch:
                pipeline.execute_command(*args, **options)
            outcomes = await pipeline.execute(raise_on_error=False)
        except Exception as error:  # noqa: BLE001 - whatever it was, whoever waits for an answer hears of it
            outcomes = [error] * len(batch)
        for (_, _, future), outcome in zip(batch, outcomes, strict=True):
            if future.done():
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)
