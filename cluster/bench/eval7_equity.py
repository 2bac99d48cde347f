"""eval7's side of the equity benchmark, and the one module that imports it (the extra `bench`).

It samples a hand against a range, heads-up. Its exact function is left out: it deals no cards, so that before the
river it answers another question.
"""

import warnings
from collections.abc import Sequence
from itertools import combinations
from statistics import variance as variance_of
from typing import Any, Final

from cluster.bench.answers import Answer

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eval7

_RUNS: Final = 1600
"""As many say what the variance is to one part in thirty."""


class Eval7:
    """What eval7 can be asked."""

    name: Final = "eval7"

    def sampled(self, players: Sequence[str], board: str, *, variance: float) -> "Eval7Samples | None":
        """The spot, sampled, where there are two players; `variance` is that of an independent sample."""
        if len(players) != 2:
            return None
        hand, other = players
        return Eval7Samples(hand, other, board, variance=variance)

    def counted(self, players: Sequence[str], board: str) -> None:
        """Nothing: see above."""


class Eval7Samples:
    """A hand against a range, whose combos it takes in turn, a new board for each."""

    def __init__(self, hand: str, other: str, board: str, *, variance: float) -> None:
        self._hand, self._board = _cards(hand), _cards(board)
        known = {*self._hand, *self._board}
        combos = _any_two() if other == "random" else _combos_of(other)
        self._combos = [(cards, 1.0) for cards in combos if known.isdisjoint(cards)]
        self._variance = variance

    def answer(self, amount: int) -> Answer:
        """About `amount` samples: as many for each of the combos."""
        samples = max(1, round(amount / len(self._combos))) * len(self._combos)
        equity = eval7.py_hand_vs_range_monte_carlo(self._hand, self._combos, self._board, samples)
        return Answer(samples, float(equity))

    def worth(self, pace: float, seconds: float) -> float:
        """How many independent samples one of these is worth, by how far short runs lie apart."""
        runs = [self.answer(round(pace * seconds / _RUNS)) for _ in range(_RUNS)]
        return self._variance / (variance_of(run.equity for run in runs) * runs[0].done)


def _cards(text: str) -> list[Any]:
    return [eval7.Card(text[at : at + 2]) for at in range(0, len(text), 2)]


def _any_two() -> list[tuple[Any, Any]]:
    return list(combinations(eval7.Deck().cards, 2))


def _combos_of(text: str) -> list[tuple[Any, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it calls pyparsing by old names, as when it is imported
        return [cards for cards, _ in eval7.HandRange(text)]
