"""Newest: partial results of work that goes on, for whoever takes them at his own pace."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, TypeVar

from bots.equity.flights import look

T = TypeVar("T")


async def newest(work: Callable[[Callable[[T], None]], Coroutine[Any, Any, T]]) -> AsyncGenerator[T, None]:
    """What `work` tells by the function it is given, the newest each time, and at last what it returns.

    What nobody took in time is passed over. Close the generator (`contextlib.aclosing`) to cancel the work;
    what the work raises is raised here.
    """
    news = asyncio.Event()
    told: list[T] = []

    def tell(partial: T) -> None:
        told[:] = [partial]
        news.set()

    task = asyncio.ensure_future(work(tell))
    task.add_done_callback(look)
    task.add_done_callback(lambda _: news.set())
    try:
        while not task.done():
            await news.wait()
            news.clear()
            if told and not task.done():
                yield told.pop()
        yield task.result()
    finally:
        task.cancel()
        await asyncio.wait({task})
