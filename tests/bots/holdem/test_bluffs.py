"""Bluffs have the frequency that street, size and number of opponents give them."""

import random
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from bots.advice import drawn
from bots.equity.combos import COMBOS
from bots.holdem.bluffs import frequencies, ratio
from bots.holdem.combo_arrays import COUNT
from bots.holdem.values import PostflopSpot
from bots.holdem.weighing import advise, betting_range
from bots.holdem.weight_tables import follow
from bots.protocol import Observation
from bots.styles import TEMPERS
from engine.settings import BotStyle
from tests.bots.positions import river, seat

BOARD = "Ks 9d 7h 4c 2s"
BALANCED = TEMPERS[BotStyle.BALANCED]


@pytest.mark.parametrize("size, alpha", [(0.5, 1 / 3), (0.75, 3 / 7), (1.0, 0.5), (2.0, 2 / 3)])
def test_on_the_river_there_are_alpha_bluffs_for_a_bet_for_value(size: float, alpha: float) -> None:
    """S / (1 + s), at which a caller does not care."""
    assert ratio("river", size, 1) == pytest.approx(alpha)


def test_earlier_streets_bluff_more_and_crowds_less() -> None:
    assert ratio("flop", 0.75, 1) > ratio("turn", 0.75, 1) > ratio("river", 0.75, 1)
    assert 0 < ratio("river", 0.75, 2) < ratio("river", 0.75, 1) / 3
    assert [ratio(street, 1.0, 3) for street in ("flop", "turn", "river")] == [0, 0, 0]


@pytest.mark.parametrize("bluffs", [0.2, 0.5, 1.0])
def test_the_weight_that_bluffs_is_that_share_of_the_weight_that_bets_for_value(bluffs: float) -> None:
    rng = np.random.default_rng(3)
    weights = rng.random(COUNT) / COUNT
    value = (np.arange(COUNT) > 1200).astype(float)
    liking = np.where(np.arange(COUNT) < 600, -np.arange(COUNT, dtype=float), -np.inf)
    chance = frequencies(weights, value, liking, bluffs)
    assert weights @ chance == pytest.approx(bluffs * (weights @ value), rel=0.02)
    assert chance[value > 0].max() == 0
    assert chance[600:].max() == 0
    assert (np.diff(chance[:600]) <= 1e-12).all()


def test_the_observed_share_of_bluffs_is_the_theoretical_one() -> None:
    """Hands from the own range, each with a lot of its own: bluffs for each bet for value, in its 95 % interval."""
    observation = river("Kd Jc", BOARD)
    spot = PostflopSpot(observation, follow(observation))
    bets = betting_range(spot, 15)
    own = spot.tables.weights[1]
    rng = random.Random(11)
    hands = rng.choices(range(COUNT), weights=own.tolist(), k=6000)
    value = sum(bool(bets.value[hand]) for hand in hands)
    bluffs = sum(rng.random() < bets.bluffs[hand] for hand in hands)
    expected = ratio("river", 0.75, 1)
    interval = 1.96 * expected * sqrt(1 / max(1, bluffs) + 1 / value)
    assert bluffs / value == pytest.approx(expected, abs=interval)


def test_a_hand_without_a_chance_bets_as_often_as_its_frequency_says() -> None:
    """Through the decision, with lots of the bot's own."""
    observation = next(
        spot
        for spot in (replace(river("Kd Jc", BOARD), cards=COMBOS[number]) for number in range(COUNT))
        if not {*spot.cards} & {*spot.board} and 0.2 < _bluff_chance(spot) < 0.8
    )
    advice = advise(observation, BALANCED)
    rng = random.Random(5)
    bets = sum(drawn(advice, observation, rng).kind == "bet" for _ in range(2000)) / 2000
    expected = _bluff_chance(observation)
    assert bets == pytest.approx(expected, abs=1.96 * sqrt(expected * (1 - expected) / 2000) + 0.005)


def test_nobody_bluffs_into_three() -> None:
    crowd = tuple(seat(number, stack=190, contribution=10) for number in (1, 2, 3, 4))
    observation = replace(river("5c 3d", BOARD, pot=40), seats=crowd)
    assert {option.kind for option in advise(observation, BALANCED).options} == {"check"}


def _bluff_chance(observation: Observation) -> float:
    options = advise(observation, BALANCED).options
    bets = [option.chance for option in options if option.kind == "bet"]
    return bets[0] if len(bets) == 1 and len(options) == 2 and _weak(observation) else 0.0


def _weak(observation: Observation) -> bool:
    return PostflopSpot(observation, follow(observation)).equity < 0.35
