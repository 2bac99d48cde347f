"""Rate limits: buckets of this process. A bucket holds `burst` tokens and gains `rate` a second."""

import time
from collections import OrderedDict
from collections.abc import Callable
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
    """On a Play stream, each command in a message."""


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
