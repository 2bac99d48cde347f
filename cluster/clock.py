"""The log's clock: Redis TIME, carried by this process's monotonic clock, never going back nor standing still.

Every process that writes or judges a time uses one of these, so that a turn's deadline means the same
wherever its salon runs.
"""

import time
from collections.abc import Callable
from typing import Final, Protocol

from redis.asyncio import Redis

from engine.units import Millis

_TRIES: Final = 3
_PACE_AHEAD: Final = 0.5
"""Of a second: a clock that stood still until Redis is as late would let no turn run out, for hours perhaps."""


class Clock(Protocol):
    """Where a salon's `now` comes from."""

    def now(self) -> Millis:
        """Milliseconds since the Unix epoch by the log's clock; never less than before."""


class RedisClock:
    """A clock that follows Redis TIME from `synchronise` to `synchronise`, and this machine in between."""

    def __init__(self, redis: Redis, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._redis = redis
        self._monotonic = monotonic
        self._offset = time.time() - monotonic()
        self._last = 0.0
        self._asked = monotonic()

    def now(self) -> Millis:
        """Milliseconds since the Unix epoch; where it was ahead it goes on at half the pace until it is no more."""
        asked = self._monotonic()
        slowly = self._last + (asked - self._asked) * 1000 * _PACE_AHEAD
        self._last = max(slowly, (asked + self._offset) * 1000)
        self._asked = asked
        return Millis(int(self._last))

    async def synchronise(self) -> None:
        """Take the offset of the quickest of three answers; half its round trip is the error. Raises RedisError."""
        best = float("inf")
        for _ in range(_TRIES):
            before = self._monotonic()
            seconds, micros = await self._redis.time()
            took = self._monotonic() - before
            if took < best:
                best = took
                self._offset = seconds + micros / 1e6 - (before + took / 2)
