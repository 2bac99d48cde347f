"""The gate of a host: bots pass it a few at a time, so that whoever waits for an answer is not behind all of them.

An event loop does in one turn all that is ready, and a command needs several turns. Where more bots want to act than
the process has time for, its turns become longer and longer, and an answer takes seconds; behind the gate it is
the bots that wait, and nobody for them.
"""

import asyncio
from collections import deque
from typing import Final

_MOST: Final = 16
"""Bots that pass in one turn of the loop: of 0.3 ms each, a few ms."""


class Gate:
    """Of one event loop. Who comes first goes first."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._left = most
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def passed(self) -> None:
        """Wait until it is one's turn to pass, which is at once where few want to."""
        loop = asyncio.get_running_loop()
        if self._left == self._most:
            loop.call_soon(self._turn)
        if self._left:
            self._left -= 1
            return
        waiting = loop.create_future()
        self._waiting.append(waiting)
        await waiting

    def _turn(self) -> None:
        """The loop begins another turn: so many more may pass."""
        self._left = self._most
        while self._left and self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(None)
                self._left -= 1
        if self._left < self._most:
            asyncio.get_running_loop().call_soon(self._turn)
