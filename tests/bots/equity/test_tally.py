"""Tallies add up to equities, and their error is that of a share that is 1, 1/2, 1/3 ... or 0."""

from math import inf, sqrt
from statistics import variance

import pytest

from bots.equity.paths import Path
from bots.equity.tally import Stop, Tally, counted, equities, sampled


def test_wins_ties_and_shares() -> None:
    # Of 10 samples the first wins 4, the second 3, and in 2 they share; in 1 all three do.
    tally = Tally((4, 2, 1, 3, 2, 1, 0, 0, 1), 10)
    first, second, third = equities(tally)
    assert (first.win, first.tie) == (0.4, 0.3)
    assert first.equity == pytest.approx((4 + 2 / 2 + 1 / 3) / 10)
    assert second.equity == pytest.approx((3 + 2 / 2 + 1 / 3) / 10)
    assert third.equity == pytest.approx(1 / 30)
    assert first.equity + second.equity + third.equity == pytest.approx(1)


def test_the_error_is_that_of_the_mean_of_the_shares() -> None:
    shares = [1.0] * 4 + [1 / 2] * 2 + [1 / 3] + [0.0] * 3
    first = equities(Tally((4, 2, 1, 3, 2, 1, 0, 0, 1), 10))[0]
    assert first.error == pytest.approx(sqrt(variance(shares) / 10))


def test_the_error_of_many_samples_loses_no_digit() -> None:
    """A million million samples of which one is lost: sums of floats would say 0 or less."""
    n = 10**12
    (first, _) = equities(Tally((n - 1, 0, 1, 0), n))
    assert first.error == pytest.approx(1 / n, rel=1e-9)


def test_a_single_sample_says_nothing_of_its_error() -> None:
    assert equities(Tally((1, 0, 0, 0), 1))[0].error == inf


def test_the_error_of_an_estimate_is_the_largest() -> None:
    estimate = sampled(Tally((900, 0, 0, 100, 0, 0, 0, 0, 0), 1000), Path.C, Stop.SAMPLES)
    assert estimate.stderr == estimate.players[0].error > estimate.players[2].error == 0


def test_tallies_add_in_any_order() -> None:
    parts = [Tally((k, 2, 3, 2), k + 5) for k in range(5)]
    assert sum(parts, Tally.empty(2)) == sum(reversed(parts), Tally.empty(2)) == Tally((10, 10, 15, 10), 35)


def test_an_exact_result_weighs_deals_and_has_no_error() -> None:
    estimate = counted([1.5, 1.0, 0.5, 1.0], 7, Path.C)
    assert estimate.exact
    assert estimate.stop is Stop.EXACT
    assert estimate.samples == 7
    assert estimate.players[0].win == 0.5
    assert estimate.players[0].tie == pytest.approx(1 / 3)
    assert estimate.players[0].equity == pytest.approx(2 / 3)
    assert estimate.stderr == 0
