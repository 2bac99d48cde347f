"""The product without one of its rules: the simulation finds a violation, within a thousand schedules."""

import pytest

from tests.simulation.mutations import RULES, without
from tests.simulation.schedule import run

WITHIN = 1_000
RARE = {"hot set", "look at the head"}
"""They are needed in fewer than one schedule of a thousand."""


def first_violations(rule: str) -> str:
    """All of the first schedule that has any."""
    with without(rule):
        for seed in range(WITHIN):
            outcome = run(seed)
            if outcome.violations:
                return "; ".join(outcome.violations)
    return "none"


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in RARE])
def test_a_rule_that_is_taken_out_is_missed(rule: str) -> None:
    assert RULES[rule].missed in first_violations(rule)


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_a_hot_set_that_is_not_read_is_missed_too() -> None:
    assert RULES["hot set"].missed in first_violations("hot set")
