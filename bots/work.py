"""Work: how many decisions a bot took, how long they were, and what was wrong with them."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import log2
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_STEPS: Final = 16
"""Classes of decision times an octave: each is 4 % wide."""


@dataclass(slots=True)
class Work:
    """Decisions of one bot. Times are nanoseconds, by the clock on the wall and of this process's CPU."""

    decisions: int = 0
    wall: int = 0
    cpu: int = 0
    times: Counter[int] = field(default_factory=Counter)
    """How many decisions were of each class of times on the wall."""
    faults: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    first_fault: str = ""

    def took(self, wall: int, cpu: int) -> None:
        """Count one decision."""
        self.decisions += 1
        self.wall += wall
        self.cpu += cpu
        self.times[int(log2(wall + 1) * _STEPS)] += 1

    def add(self, other: "Work") -> None:
        """Count the decisions of `other`, which come after these."""
        self.decisions += other.decisions
        self.wall += other.wall
        self.cpu += other.cpu
        self.times += other.times
        self.faults += other.faults
        self.notes += other.notes
        self.first_fault = self.first_fault or other.first_fault

    def quantile(self, share: float) -> float:
        """The time on the wall that `share` of the decisions did not exceed, to 4 %."""
        below, wanted = 0, share * self.decisions
        for step in sorted(self.times):
            below += self.times[step]
            if below >= wanted:
                return float(2 ** ((step + 1) / _STEPS) - 1)
        return 0.0

    def to_plain(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {
            "decisions": self.decisions,
            "wall": self.wall,
            "cpu": self.cpu,
            "times": sorted(self.times.items()),
            "faults": dict(self.faults),
            "notes": dict(self.notes),
            "first_fault": self.first_fault,
        }

    @staticmethod
    def from_plain(plain: dict[str, Any]) -> "Work":
        """What `to_plain` made. Raises KeyError, TypeError or ValueError for what it did not."""
        return Work(
            decisions=int(plain["decisions"]),
            wall=int(plain["wall"]),
            cpu=int(plain["cpu"]),
            times=Counter({int(step): int(count) for step, count in plain["times"]}),
            faults=Counter(plain["faults"]),
            notes=Counter(plain["notes"]),
            first_fault=str(plain["first_fault"]),
        )


def timed(work: Work, decide: Callable[P, T]) -> Callable[P, T]:
    """`decide`, with its times counted as `work`."""
    wall, cpu = time.perf_counter_ns, time.process_time_ns

    def run(*arguments: P.args, **named: P.kwargs) -> T:
        at_cpu, at_wall = cpu(), wall()
        answer = decide(*arguments, **named)
        work.took(wall() - at_wall, cpu() - at_cpu)
        return answer

    return run
