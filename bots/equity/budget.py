"""Budgets: what an estimate may cost, and how good it has to be."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

DEFAULT_SAMPLES: Final = 1_000_000
"""What a budget without any rule stops at: a standard error of 0.05 % at an equity of a half."""
MOST_SAMPLES: Final = 10**13
"""More would take the fastest core half a day."""
MOST_MS: Final = 24 * 60 * 60 * 1000
"""A day."""
LEAST_ERROR: Final = 1e-6
"""A smaller standard error would take more than 10^11 samples."""


class BudgetError(ValueError):
    """A budget that makes no sense; the message says what is wrong and what would be right."""


class Exactness(StrEnum):
    """Whether all deals are counted in place of samples."""

    IF_CHEAP = "if_cheap"
    """Where that should take at most a fifth of a second, and a quarter of the deadline."""
    ALWAYS = "always"
    """Or else an error: see `TooManyDeals`."""
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop: at the first of the rules that are given; without any at `DEFAULT_SAMPLES`.

    An exact result obeys the deadline alone.

    Raises:
        BudgetError: a rule that nothing could obey.
    """

    samples: int | None = None
    """Stop at exactly so many samples."""
    error: float | None = None
    """Stop once no player's standard error is above this, such as 0.001."""
    deadline_ms: int | None = None
    """Stop so many milliseconds after the estimate was asked for."""
    exact: Exactness = Exactness.IF_CHEAP

    def __post_init__(self) -> None:
        if self.samples is not None:
            _check_whole("samples", self.samples, MOST_SAMPLES)
        if self.error is not None:
            _check_error(self.error)
        if self.deadline_ms is not None:
            _check_whole("deadline_ms", self.deadline_ms, MOST_MS)

    @property
    def most_samples(self) -> int | None:
        """At how many samples it stops; None where another rule alone decides."""
        if self.samples is None and self.error is None and self.deadline_ms is None:
            return DEFAULT_SAMPLES
        return self.samples


def _check_whole(name: str, number: object, most: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
        raise BudgetError(f"{name} is {number!r}: a whole number from 1 to {most} is right")


def _check_error(error: object) -> None:
    if not isinstance(error, int | float) or isinstance(error, bool) or not LEAST_ERROR <= error < 1:
        raise BudgetError(
            f"error is {error!r}: a standard error from {LEAST_ERROR} to below 1 is right, such as 0.001"
        )
