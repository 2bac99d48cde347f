"""The push/fold game heads-up without antes: the small blind is all-in or folds, the big blind calls or folds.

Values are in big blinds a hand, over all 1,624,350 ways to deal two hands, with the exact equity of each pair of
classes. A strategy is 169 frequencies: of being all-in for the small blind, of calling for the big blind.
"""

from typing import TYPE_CHECKING, NamedTuple

from bots.push_fold.equities import equities, meetings

if TYPE_CHECKING:
    import numpy as np

    Frequencies = np.ndarray[tuple[int], np.dtype[np.float64]]


class Exploitability(NamedTuple):
    """What a best answer wins more than the strategies do against each other, in big blinds a hand."""

    small_blind: float
    """By a small blind who knows how the big blind calls."""
    big_blind: float

    @property
    def mean(self) -> float:
        """A hand in each seat."""
        return (self.small_blind + self.big_blind) / 2


class PushFold:
    """The game at one stack, in big blinds with the blinds in it."""

    def __init__(self, stack: float) -> None:
        self._chances = meetings() / meetings().sum()
        self._called = self._chances * (2 * stack * equities() - stack)
        """What the small blind wins when it is all-in and called, by both classes, weighted."""

    def jamming(self, calls: "Frequencies") -> "Frequencies":
        """What being all-in wins the small blind more than folding does, by class, weighted."""
        uncalled: Frequencies = self._chances @ (1 - calls)
        called: Frequencies = self._called @ calls
        folded: Frequencies = -0.5 * self._chances.sum(axis=1)
        return uncalled + called - folded

    def calling(self, jams: "Frequencies") -> "Frequencies":
        """What calling wins the big blind more than folding does, by class, weighted."""
        lost: Frequencies = -(jams @ self._called)
        folded: Frequencies = -(jams @ self._chances)
        return lost - folded

    def value(self, jams: "Frequencies", calls: "Frequencies") -> float:
        """What the small blind wins a hand."""
        return float(jams @ self.jamming(calls)) - 0.5

    def exploitability(self, jams: "Frequencies", calls: "Frequencies") -> Exploitability:
        """See `Exploitability`."""
        small, big = self.jamming(calls), self.calling(jams)
        return Exploitability(
            float(small.clip(0).sum() - jams @ small), float(big.clip(0).sum() - calls @ big)
        )
