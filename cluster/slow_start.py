"""A slow start: a function whose first call takes long is called in a thread until a call of it came back."""

import asyncio
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class SlowStart(Generic[P, T]):
    """Calls a function from an event loop, which goes on meanwhile."""

    def __init__(self, function: Callable[P, T]) -> None:
        self._function = function
        self._started = False

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns. Who is cancelled does not wait for it; the call goes on. Raises what it raises."""
        if self._started:
            return self._function(*args, **kwargs)
        answer = await asyncio.to_thread(self._function, *args, **kwargs)
        self._started = True
        return answer
