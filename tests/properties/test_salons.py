"""Random salons of both games, legal and illegal play alike: every law holds after every event.

`make test` walks the same few every time, so that it fails for what was changed alone; `make fuzz` walks others.
"""

from random import Random

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as effort
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from engine.game import Game
from tests.properties.stakes import random_settings
from tests.properties.walk import Walk

WALKS = 30
STEPS = 300
chance = st.randoms(use_true_random=False)


@pytest.mark.parametrize("game", Game)
@pytest.mark.parametrize("seed", range(WALKS))
def test_every_law_holds_on_a_random_walk(game: Game, seed: int) -> None:
    """P9, N3, P1-P10, P6, S1-S5, D18, N21: by the thousand commands; see `laws.py`, each law by its name."""
    rng = Random(f"{game} {seed}")
    walk = Walk(random_settings(rng, game), rng)
    for _ in range(STEPS):
        walk.step()
    walk.end()


class Salon(RuleBasedStateMachine):
    """The same walk with hypothesis at every fork, which looks for a failure and makes it short."""

    walk: Walk

    @initialize(rng=chance, game=st.sampled_from(Game))
    def open(self, rng: Random, game: Game) -> None:
        self.walk = Walk(random_settings(rng, game), rng)
        self.walk.alarm()

    @rule(rng=chance)
    def somebody_does_something_about_a_seat(self, rng: Random) -> None:
        self.walk.rng = rng
        self.walk.ask_about_a_seat()

    @rule(rng=chance)
    def anybody_asks_anything(self, rng: Random) -> None:
        self.walk.rng = rng
        self.walk.ask_anything()

    @precondition(lambda self: self.walk.turn_runs)
    @rule(rng=chance)
    def some_movers_act(self, rng: Random) -> None:
        self.walk.rng = rng
        for _ in range(rng.randint(1, 6)):
            if self.walk.turn_runs:
                self.walk.act()

    @precondition(lambda self: self.walk.turn_runs)
    @rule(rng=chance)
    def every_bound_is_tried(self, rng: Random) -> None:
        self.walk.rng = rng
        self.walk.probe()

    @precondition(lambda self: not self.walk.over)
    @rule(rng=chance)
    def an_alarm_goes_off(self, rng: Random) -> None:
        self.walk.rng = rng
        self.walk.alarm()

    def teardown(self) -> None:
        self.walk.rng = Random(0)
        self.walk.end()


Salon.TestCase.settings = effort(
    max_examples=80,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
test_every_law_holds_wherever_hypothesis_goes = Salon.TestCase
