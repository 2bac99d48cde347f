"""What players do after the flop: how often each combo bets, calls, raises or folds, by where it stands in its range.

One model serves twice: as the likelihood by which an action changes a weight table, and as the answer that a bet
is expected to get. `place` is a combo's place in its owner's range, 0 the worst and 1 the best; `size` is a bet as
a share of the pot before it, or a call's cost as a share of the pot before the bet. Nothing is ever excluded: each
action has a floor.
"""

from typing import Final, NamedTuple

import numpy as np

from bots.holdem.combo_arrays import Floats

FLOOR: Final = 0.04
"""How often any hand does anything."""


class Answers(NamedTuple):
    """How often each combo answers a bet in each way; they add up to 1."""

    fold: Floats
    call: Floats
    again: Floats


def bets(place: Floats, size: float, opponents: int) -> Floats:
    """How often each combo bets when it is checked to: the best for value, some of the worst as bluffs."""
    line = 0.62 + 0.07 * min(size, 2.0) + 0.06 * min(opponents - 1, 3)
    value = 0.72 * _step((place - line) / 0.07)
    bluff = 0.34 * size / (1 + 2 * size) * _step((0.42 - place) / 0.08) / opponents
    return np.clip(value + bluff + 0.10 / opponents, FLOOR, 1 - FLOOR)


def answers(place: Floats, size: float, opponents: int, *, wagers: int = 1) -> Answers:
    """What each combo does against a bet or raise, the `wagers`-th of the street."""
    alpha = size / (1 + size)
    folds_below = min(0.9, 0.95 * alpha + 0.12 * (wagers - 1) + 0.08 * min(opponents - 1, 3))
    stays = np.clip(_step((place - folds_below) / 0.08), FLOOR, 1 - FLOOR)
    raises_from = 0.88 + 0.05 * min(wagers - 1, 2)
    eager = np.clip(0.55 * _step((place - raises_from) / 0.03) + 0.03, 0.0, 0.9)
    again = stays * eager
    return Answers(1 - stays, stays - again, again)


def _step(distance: Floats) -> Floats:
    """A soft step from 0 to 1."""
    rising: Floats = 1 / (1 + np.exp(-np.clip(distance, -40, 40)))
    return rising
