"""Bluffs: how often a hand that cannot be called by worse bets all the same.

A bet of s times the pot lays its caller 1 + s to s, so on the river he does not care when there are s / (1 + s)
bluffs for each bet for value (alpha). Before the river a bluff may still win when it is called, so there are more of
them; each further opponent has to fold as well, so against two there are few, and against three none.
"""

from typing import Final

import numpy as np

from bots.holdem.combo_arrays import Floats

_BY_STREET: Final = {"flop": 1.8, "turn": 1.4, "river": 1.0}
"""What a bluff is worth that may still improve: bluffs for each that the river would have."""
_BY_OPPONENTS: Final = (0.0, 1.0, 0.25)
_EVEN: Final = 0.6
"""How far around the end of the share the frequency falls, as a part of it: the last bluffs are mixed."""


def ratio(street: str, size: float, opponents: int) -> float:
    """Bluffs for each bet for value."""
    alpha = size / (1 + size)
    crowd = _BY_OPPONENTS[opponents] if opponents < len(_BY_OPPONENTS) else 0.0
    return crowd * _BY_STREET[street] * alpha


def frequencies(weights: Floats, value: Floats, liking: Floats, bluffs: float) -> Floats:
    """How often each combo of a range bluffs: `bluffs` times the weight that bets for value, those liked best first.

    `value` is how often each combo bets for value; those that do so at all bluff never. `liking` is higher for
    better bluffs, and minus infinity for none.
    """
    able = (value <= 0) & np.isfinite(liking) & (weights > 0)
    due = bluffs * float(weights @ value)
    chance = np.zeros(len(weights))
    if due <= 0 or not able.any():
        return chance
    combos = np.flatnonzero(able)
    order = combos[np.argsort(-liking[combos], kind="stable")]
    mass = weights[order]
    before = np.cumsum(mass) - mass / 2
    chance[order] = np.clip((due * (1 + _EVEN) - before) / (2 * _EVEN * due), 0.0, 1.0)
    return chance
