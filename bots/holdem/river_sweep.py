"""The river sweep: what every combo wins, ties and meets against a weighted range, in one pass over sorted strengths.

What a combo beats is the weight below its strength, without the combos that hold one of its two cards (inclusion
and exclusion: no other combo holds both). Everything that depends on the board alone is worked out once.
"""

from collections.abc import Sequence

import numpy as np

from bots.equity.combos import combo
from bots.equity.paths import chosen, kernel
from bots.holdem.combo_arrays import CARDS, COUNT, FIRST, SECOND, Duels, Floats, live, meetings

Whole = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
_OF_CARD = np.array([[combo(card, other) for other in range(52) if other != card] for card in range(52)])
"""By card, the 51 combos that hold it."""


class RiverSweep:
    """The sweep on one board."""

    def __init__(self, board: Sequence[int]) -> None:
        self._live = live(tuple(board)) > 0
        strength = self._strengths(board)
        self._order = np.argsort(strength, kind="stable")
        ordered = strength[self._order]
        self._below = np.searchsorted(ordered, strength, side="left")
        self._upto = np.searchsorted(ordered, strength, side="right")
        of_card = strength[_OF_CARD]
        orders = np.argsort(of_card, axis=1, kind="stable")
        self._by_card = np.take_along_axis(_OF_CARD, orders, axis=1)
        sorted_by_card = np.take_along_axis(of_card, orders, axis=1)
        self._cards_below = self._places(sorted_by_card, strength, upto=False)
        self._cards_upto = self._places(sorted_by_card, strength, upto=True)

    def _strengths(self, board: Sequence[int]) -> Whole:
        """The strength of each combo; 0 of those that the board rules out."""
        found = np.zeros(COUNT, dtype=np.int64)
        there = np.flatnonzero(self._live)
        hands = np.hstack([CARDS[there], np.tile(np.array(board, dtype=np.uint8), (len(there), 1))])
        found[there] = np.frombuffer(kernel(chosen()).ranks(hands.tobytes(), 7), dtype=np.uint16)
        return found

    def _places(self, ordered: Whole, strength: Whole, *, upto: bool) -> Whole:
        """For both cards of each combo, the place in the running sums of that card (a row of 52 sums a card)."""
        places = np.empty((2, COUNT), dtype=np.int64)
        for row, cards in enumerate((FIRST, SECOND)):
            for card in range(52):
                mine = np.flatnonzero(cards == card)
                found = np.searchsorted(ordered[card], strength[mine], side="right" if upto else "left")
                places[row, mine] = card * 52 + found
        return places

    def duels(self, weights: Floats) -> Duels:
        """All combos against a range that holds no card of the board."""
        sums = np.zeros(COUNT + 1)
        np.cumsum(weights[self._order], out=sums[1:])
        by_card = np.zeros((52, 52))
        np.cumsum(weights[self._by_card], axis=1, out=by_card[:, 1:])
        flat = by_card.ravel()
        below = sums[self._below] - flat[self._cards_below[0]] - flat[self._cards_below[1]]
        upto = sums[self._upto] - flat[self._cards_upto[0]] - flat[self._cards_upto[1]] + weights
        met = meetings(weights)
        return Duels(below * self._live, (upto - below) * self._live, met * self._live)
