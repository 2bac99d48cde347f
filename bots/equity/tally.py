"""Tallies: whole numbers counted over deals, and the equities with their standard errors that follow from them.

Law of this file: a tally is a sum of whole numbers, so that it is the same in whatever order and from however
many workers its parts came; an estimate is worked out from the sums alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import Final, Self

from bots.equity.paths import Path

_POT: Final = 2520
"""A pot in whole parts: divisible by any number of winners up to ten."""


class Stop(StrEnum):
    """Why no more was counted."""

    NONE = "none"
    """It goes on: a partial result."""
    EXACT = "exact"
    """Every deal was counted."""
    SAMPLES = "samples"
    ERROR = "error"
    DEADLINE = "deadline"


@dataclass(frozen=True, slots=True)
class Tally:
    """Outcomes over samples; two tallies of one question are combined by adding them."""

    counts: tuple[int, ...]
    """For n players n rows of n: entry p * n + k - 1 says in how many samples player p was among k winners."""
    samples: int

    @classmethod
    def empty(cls, players: int) -> Self:
        """Nothing counted yet."""
        return cls((0,) * (players * players), 0)

    def __add__(self, other: "Tally") -> "Tally":
        counts = tuple(map(int.__add__, self.counts, other.counts))
        return Tally(counts, self.samples + other.samples)

    @property
    def players(self) -> int:
        """How many players there are."""
        return round(sqrt(len(self.counts)))

    @property
    def stderr(self) -> float:
        """The largest standard error of a player's equity; infinite for a single sample. There must be one."""
        return max(player.error for player in equities(self))


@dataclass(frozen=True, slots=True)
class PlayerEquity:
    """What a player gets, each as a part of 1."""

    win: float
    """Probability to win alone."""
    tie: float
    """Probability to share the pot."""
    equity: float
    """Expected part of the pot: a pot won alone is 1, one shared by k is 1/k."""
    error: float
    """Standard error of `equity`; 0 if exact, infinite for a single sample."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How often each player wins, and how sure that is."""

    exact: bool
    samples: int
    """Samples; the deals counted if exact."""
    players: tuple[PlayerEquity, ...]
    """In the order of the spot; at draw the own hand first."""
    path: Path
    """What counted; a sampled estimate is repeated bit by bit with the same path, seed and samples."""
    stop: Stop
    alone: bool = False
    """The executor was lost on the way: this process counted what was left."""

    @property
    def stderr(self) -> float:
        """The largest of the players' standard errors."""
        return max(player.error for player in self.players)


def sampled(tally: Tally, path: Path, stop: Stop, *, alone: bool = False) -> Estimate:
    """What a tally of at least one sample says."""
    return Estimate(False, tally.samples, equities(tally), path, stop, alone)


def equities(tally: Tally) -> tuple[PlayerEquity, ...]:
    """Each player's, of a tally of at least one sample."""
    n = tally.players
    return tuple(_player(tally.counts[row * n : (row + 1) * n], tally.samples) for row in range(n))


def counted(weights: Sequence[float], deals: int, path: Path) -> Estimate:
    """The exact result: deals of what weight each player was among how many winners in, laid out as in a tally."""
    n = round(sqrt(len(weights)))
    rows = [weights[row * n : (row + 1) * n] for row in range(n)]
    total = sum(weight / k for row in rows for k, weight in enumerate(row, 1))
    players = tuple(
        PlayerEquity(
            win=row[0] / total,
            tie=sum(row[1:]) / total,
            equity=sum(weight / k for k, weight in enumerate(row, 1)) / total,
            error=0.0,
        )
        for row in rows
    )
    return Estimate(True, deals, players, path, Stop.EXACT)


def _player(row: Sequence[int], samples: int) -> PlayerEquity:
    """A sample is worth 1/k to each of k winners and 0 to the others.

    Its error is the sample variance (with n - 1) over the number of samples, its root; in whole numbers to the last step.
    """
    parts = [(count, _POT // k) for k, count in enumerate(row, 1)]
    first = sum(count * part for count, part in parts)
    second = sum(count * part * part for count, part in parts)
    spread = samples * second - first * first
    return PlayerEquity(
        win=row[0] / samples,
        tie=sum(row[1:]) / samples,
        equity=first / (samples * _POT),
        error=sqrt(spread / (samples * samples * (samples - 1))) / _POT if samples > 1 else float("inf"),
    )
