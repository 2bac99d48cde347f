"""The weather: how long everything takes in one schedule, and what goes wrong by chance as long as it lasts.

Every number is drawn from the schedule's own chance, so that a seed has the same weather in every run.
"""

from collections import Counter
from random import Random

_LEVELS = (0.0, 0.0, 0.01, 0.04, 0.12)
"""How likely one thing is to go wrong: often not at all."""


class Weather:
    """Delays in seconds, and chances. `counts` is what happened. At first it is fine."""

    def __init__(self, rng: Random, counts: "Counter[str]") -> None:
        self.rng = rng
        self.counts = counts
        levels = [rng.choice(_LEVELS) for _ in _KINDS]
        self._chances = dict(zip(_KINDS, levels, strict=True))
        self._slowness = (rng.choice((0.0, 0.02, 0.1)), rng.choice((0.0, 0.02, 0.1)))
        self.clear()

    def clear(self) -> None:
        """From now on nothing goes wrong by chance."""
        self._now = dict.fromkeys(_KINDS, 0.0)
        self._slow_store = self._slow_wire = 0.0

    def settle(self) -> None:
        """From now on nothing goes wrong by chance but what may at any time: nobody promises a wake-up."""
        self.clear()
        self._now[_WAKE_UP] = self._chances[_WAKE_UP]

    def turn_bad(self) -> None:
        """From now on everything goes wrong as often as was drawn."""
        self._now = self._chances
        self._slow_store, self._slow_wire = self._slowness

    def strikes(self, kind: str) -> bool:
        """Whether a thing goes wrong now."""
        chance = self._now[kind]
        if chance and self.rng.random() < chance:
            self.counts[kind] += 1
            return True
        return False

    def store_lag(self) -> float:
        """One way to the store or back."""
        random = self.rng.random
        if self._slow_store and random() < self._slow_store:
            self.counts["store delayed"] += 1
            return 0.001 + random() ** 3
        return 0.0001 + 0.0005 * random()

    def wire_lag(self) -> float:
        """One way between a gateway and a host, or a client and a gateway."""
        random = self.rng.random
        if self._slow_wire and random() < self._slow_wire:
            self.counts["message delayed"] += 1
            return 0.001 + 1.2 * random() ** 2
        return 0.0002 + 0.001 * random()

    def until(self, most: float) -> float:
        """Some time, short ones as likely as long ones of another order."""
        return float(most * self.rng.random() ** 2)


_WAKE_UP = "wake-up lost"
_KINDS = (
    "message lost on the way there",
    "message lost on the way back",
    "message duplicated",
    "commit timed out unwritten",
    "commit timed out written",
    "store call failed",
    "store call answered too late",
    _WAKE_UP,
    "client's call lost",
)
KINDS = (*_KINDS, "store delayed", "message delayed")
"""What the weather may do."""
