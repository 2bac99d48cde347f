"""Ranges at hold'em: which hole cards an opponent's public actions leave him, and drawing a pair of them."""

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

from bots.protocol import Observation
from bots.situation import AGGRESSIVE
from bots.starting_hands import percentile
from bots.strength import strength_of
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
_GOES_ON: Final = {"check": (100, 100), "call": (55, 25), "bet": (45, 25), "raise": (16, 8)}
"""By what an opponent did on a later street: the best share of his hands that does so, and the share of the
rest, both in percent."""
_AGAIN: Final = 0.75
"""What a second street of betting leaves of the best share."""
_SAMPLE: Final = 80


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


class Range(NamedTuple):
    """What an opponent may hold, in percent."""

    share: int
    """The best starting hands that he plays as he did."""
    best: int
    """Of those the best on this board, which he goes on with."""
    rest: int
    """How many of the others he goes on with all the same."""


ANYTHING: Final = Range(100, 100, 100)


def range_of(observation: Observation, seat: int) -> Range:
    """What the public actions of `seat` leave of its range."""
    best, rest, streets = 100, 100, set()
    for action in observation.history:
        if action.seat == seat and action.street != "preflop" and action.kind in _GOES_ON:
            keeps, others = _GOES_ON[action.kind]
            best, rest = min(best, keeps), min(rest, others)
            if keeps < 100:
                streets.add(action.street)
    best = round(best * _AGAIN ** max(0, len(streets) - 1))
    return Range(share_of(observation, seat), best, rest)


def least_strength(held: Range, board: Sequence[int], gone: set[int], rng: random.Random) -> int:
    """The strength on this board from which a hand is among the range's best; from a sample of the range."""
    if held.best >= 100 or len(board) < 3:
        return 0
    within = _within(held)
    strengths = sorted(strength_of((*_unused_pair(within, gone, rng), *board)) for _ in range(_SAMPLE))
    return strengths[min(_SAMPLE - 1, _SAMPLE * (100 - held.best) // 100)]


def draw_pair(
    held: Range, least: int, board: Sequence[int], used: set[int], rng: random.Random
) -> tuple[int, int]:
    """Hole cards of that range that are not in `used`, which they are from then on.

    `least` is the range's `least_strength`; a flush draw counts as strong while there are cards to come.
    """
    within = len(_PAIRS) if rng.random() < _SURPRISE else _within(held)
    pair = _unused_pair(within, used, rng)
    if least:
        for _ in range(_TRIES):
            if (
                strength_of((*pair, *board)) >= least
                or rng.random() * 100 < held.rest
                or _flush_draw(pair, board)
            ):
                break
            pair = _unused_pair(within, used, rng)
    used.update(pair)
    return pair


def _within(held: Range) -> int:
    """How many of the best starting hands the range has; never fewer than kings and aces."""
    return max(12, len(_PAIRS) * held.share // 100)


def _flush_draw(pair: tuple[int, int], board: Sequence[int]) -> bool:
    suit = pair[0] & 3
    return len(board) < 5 and pair[1] & 3 == suit and sum(card & 3 == suit for card in board) == 2


def _unused_pair(within: int, used: set[int], rng: random.Random) -> tuple[int, int]:
    """One of the best `within` pairs, or of all, should every try meet a card that is gone."""
    for _ in range(_TRIES):
        pair = _PAIRS[int(rng.random() * within)]
        if pair[0] not in used and pair[1] not in used:
            return pair
    one, other = take(2, set(used), rng)
    return one, other
