"""Ranges at hold'em: which hole cards an opponent's public actions leave him, and drawing a pair of them."""

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

from bots.board import connects
from bots.protocol import Observation
from bots.situation import AGGRESSIVE
from bots.starting_hands import percentile
from bots.taking import take

_PAIRS: Final = tuple(sorted(combinations(range(52), 2), key=percentile))
"""All starting hands, the best first."""
_SURPRISE: Final = 0.07
"""How often an opponent holds anything at all: nothing is ever excluded."""
_TRIES: Final = 20

_OPENED: Final = 28
_CALLED_A_RAISE: Final = 30
_RAISED_AGAIN: Final = 9
_RAISED_MORE: Final = 4
_LIMPED: Final = 60
_HEADS_UP: Final = 2
"""Heads-up every share is so many times wider."""
_UNCONNECTED: Final = {"check": 100, "call": 45, "bet": 40, "raise": 18}
"""How many of 100 hands without a pair or draw an opponent goes on with, by what he did after the flop."""


def share_of(observation: Observation, seat: int) -> int:
    """The share of starting hands, in percent, that `seat` plays as it did before the flop."""
    raises, share = 0, 100
    for action in observation.history:
        if action.street != "preflop":
            break
        raises += action.kind in AGGRESSIVE
        if action.seat == seat and action.kind in ("call", *AGGRESSIVE):
            share = min(share, _share_after(action.kind, raises))
    return min(100, share * (_HEADS_UP if len(observation.seats) == 2 else 1))


def _share_after(kind: str, raises: int) -> int:
    if kind == "call":
        return (_LIMPED, _CALLED_A_RAISE, 14, 6)[min(raises, 3)]
    return (_OPENED, _RAISED_AGAIN, _RAISED_MORE)[min(raises, 3) - 1]


def unconnected_share(observation: Observation, seat: int) -> int:
    """The share of hands without a pair or flush draw, in percent, that `seat` plays as it did after the flop."""
    kinds = [a.kind for a in observation.history if a.seat == seat and a.street != "preflop"]
    return min((_UNCONNECTED[kind] for kind in kinds if kind in _UNCONNECTED), default=100)


class Range(NamedTuple):
    """What an opponent may hold, by `share_of` and `unconnected_share`."""

    share: int
    unconnected: int


def draw_pair(held: Range, board: Sequence[int], used: set[int], rng: random.Random) -> tuple[int, int]:
    """Hole cards of that range that are not in `used`, which they are from then on."""
    within = len(_PAIRS) if rng.random() < _SURPRISE else max(12, len(_PAIRS) * held.share // 100)
    pair = _unused_pair(within, used, rng)
    for _ in range(_TRIES):
        if held.unconnected >= 100 or rng.random() * 100 < held.unconnected or connects(pair, board):
            break
        pair = _unused_pair(within, used, rng)
    used.update(pair)
    return pair


def _unused_pair(within: int, used: set[int], rng: random.Random) -> tuple[int, int]:
    """One of the best `within` pairs, or of all, should every try meet a card that is gone."""
    for _ in range(_TRIES):
        pair = _PAIRS[int(rng.random() * within)]
        if pair[0] not in used and pair[1] not in used:
            return pair
    one, other = take(2, set(used), rng)
    return one, other
