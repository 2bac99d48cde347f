"""The product without one of its rules: the simulation finds a violation, within a thousand schedules."""

import pytest

from tests.simulation.mutations import RULES, without
from tests.simulation.schedule import run

WITHIN = 1_000


def first_violations(rule: str) -> str:
    """All of the first schedule that has any."""
    with without(rule):
        for seed in range(WITHIN):
            outcome = run(seed)
            if outcome.violations:
                return "; ".join(outcome.violations)
    return "none"


@pytest.mark.parametrize("rule", list(RULES))
def test_a_rule_that_is_taken_out_is_missed(rule: str) -> None:
    assert RULES[rule].missed in first_violations(rule)
