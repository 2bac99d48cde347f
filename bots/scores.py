"""Scores: what a sample of independent results says about their mean, with its interval."""

from collections.abc import Sequence
from math import fsum, inf, pi, sqrt, tan
from typing import Final, NamedTuple

_NORMAL: Final = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


class Score(NamedTuple):
    """The mean of a bot's results, in their unit, with its standard error."""

    mean: float
    error: float
    """Infinite for fewer than two deals."""
    deals: int

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval around the mean."""
        return t_quantile(self.deals - 1) * self.error if self.deals > 1 else inf

    @property
    def deviation(self) -> float:
        """The standard deviation of one deal's result."""
        return self.error * sqrt(self.deals)


def score_of(results: Sequence[float]) -> Score:
    """The score of independent results, one a deal; their order changes nothing."""
    deals = len(results)
    if not deals:
        return Score(0.0, inf, 0)
    mean = fsum(results) / deals
    if deals < 2:
        return Score(mean, inf, deals)
    variance = fsum((result - mean) ** 2 for result in results) / (deals - 1)
    return Score(mean, sqrt(variance / deals), deals)


def t_quantile(freedom: int) -> float:
    """The 97.5 % point of Student's distribution, exact for one and two degrees of freedom, else to 0.2 %.

    From three on by the expansion around the normal point (Abramowitz and Stegun, 26.7.5).
    """
    if freedom == 1:
        return tan(pi * 0.475)
    if freedom == 2:
        return 0.95 * sqrt(2 / (1 - 0.95**2))
    x = _NORMAL
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + fsum(term / float(freedom) ** power for power, term in enumerate(terms, 1))
