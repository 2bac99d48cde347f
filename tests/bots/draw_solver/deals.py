"""Deals for the best responder: real cards from a seed, for him and an opponent who is known by the class of his hand.

Nothing here is shared with the solver. The opponent's hand is one of the 134,459 that differ by more than their suits,
each as often as its suits can change places; all other cards are then dealt from the 47 that are left.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from bots.equity.paths import chosen, kernel

Cards = NDArray[np.uint8]
"""A hand a row."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STRENGTHS = 7463
"""Strengths are 1 to 7462."""
CHUNK = 250_000


@dataclass(frozen=True, slots=True)
class Hands:
    """Hands of five, and how many of all 2,598,960 each stands for."""

    cards: Cards
    count: Ints


@dataclass(frozen=True, slots=True)
class Deals:
    """Some deals: the place of the opponent's hand in `hands()`, one's own hand, and what each would draw first to third."""

    theirs: Ints
    own: Cards
    own_new: Cards
    their_new: Cards

    def of(self, some: Ints) -> "Deals":
        return Deals(self.theirs[some], self.own[some], self.own_new[some], self.their_new[some])


@cache
def hands() -> Hands:
    """One hand of every class: that whose suits' ranks, as numbers, come in order."""
    every = np.fromiter(chain.from_iterable(combinations(range(52), 5)), np.uint8).reshape(-1, 5)
    ranks = 1 << (every >> 2).astype(np.int64)
    suits = np.array([np.where(every & 3 == suit, ranks, 0).sum(axis=1) for suit in range(4)])
    first = (suits[:-1] >= suits[1:]).all(axis=0)
    suits = suits[:, first]
    # A class has 24 hands, less what suits with the same ranks could change places: by twos, threes or fours.
    alike = (suits[:, None] == suits[None, :]).sum(axis=0)
    places = np.prod(np.array([0, 1, 2 ** (1 / 2), 6 ** (1 / 3), 24 ** (1 / 4)])[alike], axis=0)
    return Hands(every[first], np.rint(24 / places).astype(np.int64))


def deals(count: int, seed: int) -> Iterator[Deals]:
    """`count` deals in chunks; the opponent's hands are spread evenly over all within a chunk."""
    rng = np.random.default_rng(seed)
    upto = np.cumsum(hands().count)
    for start in range(0, count, CHUNK):
        some = min(CHUNK, count - start)
        places = (np.arange(some) + rng.random()) / some * upto[-1]
        theirs = np.searchsorted(upto, places, side="right")
        cards = _shuffled(rng, some, 11, hands().cards[theirs])
        yield Deals(theirs, cards[:, :5], cards[:, 5:8], cards[:, 8:])


def own_draws(count: int, seed: int) -> Iterator[tuple[Cards, Cards]]:
    """`count` hands with three cards to draw, in chunks, from the whole deck."""
    rng = np.random.default_rng(seed)
    for start in range(0, count, CHUNK):
        cards = _shuffled(rng, min(CHUNK, count - start), 8, None)
        yield cards[:, :5], cards[:, 5:]


def strengths(cards: Cards) -> Ints:
    """The strength of each row of five."""
    packed = np.ascontiguousarray(cards, np.uint8).tobytes()
    return np.frombuffer(kernel(chosen()).ranks(packed, 5), np.uint16).astype(np.int64)


def _shuffled(rng: np.random.Generator, rows: int, cards: int, gone: Cards | None) -> Cards:
    """So many cards a row in the order of a shuffle, none of those that are gone."""
    order = rng.random((rows, 52), np.float32)
    if gone is not None:
        np.put_along_axis(order, gone.astype(np.int64), 2.0, axis=1)
    return np.argpartition(order, range(cards), axis=1)[:, :cards].astype(np.uint8)
