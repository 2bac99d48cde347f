"""Limits of this process: on rates by buckets, which hold `burst` tokens and gain `rate` a second; on what is done at once."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

_MOST_KEYS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Rate:
    """`rate` a second in the long run, `burst` at once."""

    rate: float
    burst: float


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one player, or before sign-in one address, may ask of one gateway."""

    sign_ins: Rate = Rate(20, 200)
    creations: Rate = Rate(20, 200)
    calls: Rate = Rate(500, 1_000)
    commands: Rate = Rate(5_000, 10_000)
    """On a Play stream, each command and each watch in a message."""
    computing: Rate = Rate(1_000, 30_000)
    """Of the calculator, in milliseconds of its jobs: one that never rests, and 30 s at once."""
    estimates: int = 2
    """Jobs of one player at the calculator, those that wait for their turn too."""
    estimates_at_once: int = 4
    """Jobs of all players that a gateway does at a time; where no Ray node computes, a thread each."""


class Buckets:
    """A bucket for each key, of the keys that asked last."""

    def __init__(self, rate: Rate, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._now = now
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, tokens: float = 1.0) -> int:
        """Take `tokens`; 0 if they were there, else how many milliseconds to wait, and none was taken."""
        now = self._now()
        level, since = self._buckets.pop(key, (self._rate.burst, now))
        level = min(self._rate.burst, level + (now - since) * self._rate.rate)
        taken = level >= tokens
        self._buckets[key] = (level - tokens if taken else level, now)
        if len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)
        return 0 if taken else max(1, round((tokens - level) / self._rate.rate * 1000))

    def give_back(self, key: str, tokens: float) -> None:
        """Put back what was taken and not used; where less than nothing, what was used more is owed."""
        level, since = self._buckets.get(key, (self._rate.burst, self._now()))
        self._buckets[key] = (level + tokens, since)


class Full(Exception):
    """There is no place, and there was none in time."""


class Places:
    """Places for jobs: so many at a time, the next when one is done, and so many a key, with those that wait."""

    def __init__(self, at_once: int, *, each: int) -> None:
        self._each = each
        self._free = asyncio.Semaphore(at_once)
        self._held: Counter[str] = Counter()

    @asynccontextmanager
    async def place(self, key: str, patience: float) -> AsyncIterator[None]:
        """A place, held while the context is open, which is waited for no longer than `patience` seconds. Raises Full."""
        if self._held[key] >= self._each:
            raise Full
        self._held[key] += 1
        try:
            try:
                async with asyncio.timeout(patience):
                    await self._free.acquire()
            except TimeoutError:
                raise Full from None
            try:
                yield
            finally:
                self._free.release()
        finally:
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]
