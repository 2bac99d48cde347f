"""Chances: what is dealt and drawn between the classes of hands that the solver tells apart.

All of it is counted over all cards, so nothing is sampled; `Chances.after` says what it leaves out.
"""

from dataclasses import dataclass
from functools import cache
from math import comb, fsum
from typing import Final

import numpy as np

from bots.draw_solver.card_sets import FULL, Numbers, Places, card_sets, containing
from bots.draw_solver.catalogue import catalogue, finals, outcomes
from bots.draw_solver.holding import DRAWS, HOLDINGS, KINDS
from bots.equity.numpy_cards import CATEGORY, DECK

_MOST_FINALS: Final = 256
"""Classes of final hands; where a single strength is common, some fewer."""
_DISJOINT: Final = comb(DECK - FULL, FULL) / comb(DECK, FULL)
"""How often two hands from two decks share no card."""

_USUAL: Final = {
    "nothing": (0.01, 0.01, 0.05, 0.28),
    "gutshot": (0.02, 0.10, 0.05, 0.20),
    "open_straight": (0.02, 0.78, 0.0, 0.0),
    "four_flush": (0.02, 0.98, 0.0, 0.0),
    "straight_flush_draw": (0.0, 1.0, 0.0, 0.0),
    "pair": (0.005, 0.005, 0.15, 0.84),
    "pair_and_open_straight": (0.005, 0.045, 0.1, 0.85),
    "pair_and_four_flush": (0.005, 0.345, 0.1, 0.55),
    "two_pair": (0.03, 0.97, 0.0, 0.0),
    "trips": (0.0, 0.45, 0.55, 0.0),
    "straight": (1.0, 0.0, 0.0, 0.0),
    "flush": (1.0, 0.0, 0.0, 0.0),
    "full_house": (1.0, 0.0, 0.0, 0.0),
    "quads": (0.5, 0.5, 0.0, 0.0),
    "straight_flush": (1.0, 0.0, 0.0, 0.0),
}
"""How often each kind of holding goes to the draw and draws none, one, two, three, as equilibrium play has it about.

It decides no strategy: final hands are told apart more finely where they are common, and `Chances.after` is a mean
over the holdings that they may have come from.
"""


@dataclass(frozen=True, slots=True)
class Chances:
    """The chance moves of the game: B holdings before the draw, F classes of final hands after it."""

    dealt: Numbers
    """(B,): how often a holding is dealt."""
    before: Numbers
    """(B, B): how much more often two holdings are dealt together than they would be from two decks."""
    sensible: Numbers
    """(4, B): 1 where it may be sensible to draw so many, else 0."""
    drawn: Numbers
    """(4, B, F): how a holding ends that draws so many, whatever the other player holds."""
    after: Numbers
    """(4, 4, F, F): as `before`, for the final hands of a first player and of a second who drew so many.

    Counted over the final cards alone, as if the two players' discards had nothing to do with each other.
    """
    thresholds: tuple[int, ...]
    """(F,): the least strength of each final class, ascending."""


@cache
def chances() -> Chances:
    """All of them, always the same to the bit; a few seconds at the first time."""
    hands = catalogue()
    ended = [finals(draws, _usual(draws)) for draws in range(DRAWS)]
    thresholds = _thresholds(ended)
    labels = np.searchsorted(thresholds, hands.strength, side="right") - 1
    kinds = len(thresholds)
    dealt = hands.dealt
    before = containing(hands.place, HOLDINGS)
    after = _containing_finals(labels, kinds, ended)
    pairs = _disjoint_pairs(after, after).reshape(DRAWS, kinds, DRAWS, kinds)
    return Chances(
        dealt=dealt / hands.count.sum(),
        # A hand has all five cards in common with itself.
        before=(_disjoint_pairs(before, before) - np.diag(dealt))
        / np.maximum(dealt[:, None] * dealt, 1)
        / _DISJOINT,
        sensible=hands.sensible,
        drawn=np.array([outcomes(draws, labels, kinds) for draws in range(DRAWS)]),
        after=pairs.transpose(0, 2, 1, 3) / _DISJOINT,
        thresholds=tuple(thresholds.tolist()),
    )


def _usual(draws: int) -> Numbers:
    shares = np.zeros(HOLDINGS)
    for kind, usual in _USUAL.items():
        shares[KINDS[kind]] = usual[draws]
    return shares


def _thresholds(ended: list[Numbers]) -> Places:
    """The least strength of each final class: all about as common, the four numbers drawn having the same weight."""
    shares = np.zeros(len(CATEGORY))
    for each in ended:
        shares += np.bincount(catalogue().strength, each, len(shares)) / fsum(each)
    middle = np.cumsum(shares) - shares / 2
    return np.unique(np.floor(middle / len(ended) * _MOST_FINALS), return_index=True)[1]


def _containing_finals(labels: Places, kinds: int, ended: list[Numbers]) -> list[Numbers]:
    """How often a final hand contains a set of cards, by cards drawn and then by class; a row for each class of sets.

    Sets of up to three cards: final hands of two classes hardly ever have four in common. To 2^-24, so that sums of
    products of two are exact in any order.
    """
    found: list[list[Numbers]] = [[] for _ in range(FULL - 1)]
    for weights in ended:
        every, *others = containing(labels, kinds, weights / catalogue().count)[: FULL - 1]
        for size, sets in enumerate((every, *others)):
            found[size].append(np.rint(sets / np.maximum(every, 1e-12) * 2.0**24) / 2.0**24)
    return [np.hstack(sets) for sets in found]


def _disjoint_pairs(first: list[Numbers], second: list[Numbers]) -> Numbers:
    """How many pairs without a common card two lists of kinds have, from how many hands contain each set of cards.

    All pairs, less those with a card in common, more those with two, and so on, as far as the lists go; a list ends with
    sets of four cards at the most.
    """
    found = np.zeros((first[0].shape[1], second[0].shape[1]))
    for size, (ours, theirs) in enumerate(zip(first, second, strict=True)):
        found += (-1) ** size * ((ours * card_sets(size).count[:, None]).T @ theirs)
    return np.maximum(found, 0)
