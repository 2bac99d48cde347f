"""The product without one of its rules: the simulation finds a violation, within a thousand schedules."""

import pytest

from tests.simulation.mutations import without
from tests.simulation.schedule import run

WITHIN = 1_000
TOLD = {
    "fence": "fence:",
    "dedupe": "twice:",
    "vault before deal": "vault:",
    "log before answer": "lost:",
    "detect the lost tail": "fork:",
    "say how far it was": "fork:",
    "look after silence": "liveness:",
    "own cards": "secrets:",
    "alarms of a loaded salon": "liveness:",
}
"""What the violation is that the rule keeps off."""


def first_violation(rule: str) -> str:
    with without(rule):
        for seed in range(WITHIN):
            outcome = run(seed)
            if outcome.violations:
                return outcome.violations[0]
    return "none"


@pytest.mark.parametrize("rule", TOLD)
def test_a_rule_that_is_taken_out_is_missed(rule: str) -> None:
    assert TOLD[rule] in first_violation(rule)


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_a_hot_set_that_is_not_read_is_missed_too() -> None:
    """The other rules of `mutations` are needed in fewer than one schedule of a thousand."""
    assert "liveness:" in first_violation("hot set")
