"""Budgets that nothing could obey are refused, and the message says what is right."""

from typing import Any

import pytest

from bots.equity.budget import DEFAULT_SAMPLES, Budget, BudgetError


@pytest.mark.parametrize(
    "budget, words",
    [
        ({"samples": 0}, "samples is 0: a whole number from 1"),
        ({"samples": -5}, "samples is -5"),
        ({"samples": 1.5}, "samples is 1.5: a whole number"),
        ({"samples": True}, "samples is True"),
        ({"samples": 10**14}, "from 1 to 10000000000000 is right"),
        ({"error": 0.0}, "error is 0.0: a standard error from"),
        ({"error": -0.1}, "error is -0.1"),
        ({"error": float("nan")}, "error is nan"),
        ({"error": float("inf")}, "error is inf"),
        ({"error": 1e-9}, "from 1e-06 to below 1 is right"),
        ({"error": 1}, "error is 1"),
        ({"error": "0.1"}, "error is '0.1'"),
        ({"deadline_ms": 0}, "deadline_ms is 0: a whole number from 1 to 86400000 is right"),
        ({"deadline_ms": -50}, "deadline_ms is -50"),
        ({"deadline_ms": 10**17}, "to 86400000 is right"),
        ({"deadline_ms": float("nan")}, "deadline_ms is nan"),
    ],
)
def test_nonsense_is_refused(budget: dict[str, Any], words: str) -> None:
    with pytest.raises(BudgetError, match=words.replace("(", r"\(")) as caught:
        Budget(**budget)
    assert isinstance(caught.value, ValueError)


def test_without_a_rule_it_is_a_million_samples() -> None:
    assert Budget().most_samples == DEFAULT_SAMPLES
    assert Budget(error=0.01).most_samples is None
    assert Budget(deadline_ms=5).most_samples is None
    assert Budget(error=0.01, samples=9).most_samples == 9
