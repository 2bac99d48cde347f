"""Random play: the policy that both sides of the engine's benchmark follow, move by move.

The kinds of action that are legal are equally likely (fold only where there is something to call, so that no
side plays hands that end sooner), the size of a bet or raise is uniform between its limits, and at the draw every
number of cards from 0 to 3, the first of a hand whose order is chance. The same seed makes the same choices on
both sides. It is kept cheap, because both sides' figures hold its time.
"""

import random
from enum import IntEnum
from typing import Final, Protocol

PLAYERS: Final = 6
SMALL_BLIND: Final = 1
BIG_BLIND: Final = 2
STACK: Final = 100 * BIG_BLIND
"""Of hold'em and of draw alike, where the small bet is as large as the big blind."""
SMALL_BET: Final = 2
BIG_BET: Final = 4
ANTE: Final = 1
RAISE_CAP: Final = 3
MOST_DRAWN: Final = 3


class Engine(Protocol):
    """One side: a game on the benchmark's table."""

    def play(self, rng: random.Random) -> int:
        """Play one hand from the shuffle to the last pot; the number of actions, draws counted."""
        ...


class Kind(IntEnum):
    """The kinds of action, a call being the check of who owes something."""

    PASS = 0
    FOLD = 1
    RAISE = 2


PASS: Final = Kind.PASS
FOLD: Final = Kind.FOLD
RAISE: Final = Kind.RAISE
_ALL: Final = tuple(Kind)


def a_kind(rng: random.Random, call: int, most: int) -> Kind:
    """One of the legal kinds of action, each equally likely; to pass is always one of them.

    There are `call` chips to call, and `most` is the highest bet or raise that is legal, 0 for none.
    """
    if call:
        return _ALL[int(rng.random() * (3 if most else 2))]
    return RAISE if most and rng.random() < 0.5 else PASS


def between(rng: random.Random, low: int, high: int) -> int:
    """A whole number from `low` to `high`, each equally likely."""
    return low + int(rng.random() * (high - low + 1))
