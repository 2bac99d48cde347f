"""Scores: means and intervals against examples worked out by hand."""

import random
from math import inf, sqrt

import pytest

from bots.scores import score_of, t_quantile


def test_interval_of_an_example_by_hand() -> None:
    """1, 3, 5, 7: mean 4, variance (9 + 1 + 1 + 9) / 3 = 20/3, error sqrt(20/3/4), and 3.182 of it for 3 degrees."""
    score = score_of([1.0, 3.0, 5.0, 7.0])
    assert score.mean == 4.0
    assert score.error == pytest.approx(sqrt(5 / 3))
    assert score.deviation == pytest.approx(sqrt(20 / 3))
    assert score.half_width == pytest.approx(3.182 * sqrt(5 / 3), rel=0.002)


@pytest.mark.parametrize(
    "freedom,point",
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423), (10**6, 1.9600)],
)
def test_quantile_is_that_of_the_tables(freedom: int, point: float) -> None:
    assert t_quantile(freedom) == pytest.approx(point, rel=0.002)


@pytest.mark.parametrize("results", [[], [2.0]])
def test_too_few_deals_say_nothing_of_the_spread(results: list[float]) -> None:
    assert score_of(results).half_width == inf


def test_nineteen_of_twenty_intervals_hold_the_mean() -> None:
    rng = random.Random(1)
    held = 0
    for _ in range(4000):
        score = score_of([rng.gauss(10, 3) for _ in range(6)])
        held += abs(score.mean - 10) <= score.half_width
    assert held / 4000 == pytest.approx(0.95, abs=0.012)
