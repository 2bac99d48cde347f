"""The river solver: both players' ranges at once, by counterfactual regret minimisation (CFR+), in numpy.

Every number is a vector over the 1,326 combos. A showdown is one sweep over both sorted ranges, a fold one
inclusion and exclusion of two cards. Regrets are floored at 0, players take turns, and strategies are averaged with
weights that grow with the iteration (Tammelin, "Solving Large Imperfect Information Games Using CFR+", 2014).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from bots.deadlines import Late, never
from bots.equity.paths import Path, chosen
from bots.holdem.combo_arrays import CARDS, COUNT, Duels, Floats, duels, live, meetings, normal
from bots.holdem.river_game import Choice, Folded, Node, RiverBetting, Showdown, tree
from bots.holdem.river_sweep import RiverSweep

Mix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
"""A row an action, a column a combo."""
ITERATIONS: Final = 32
_LIGHT: Final = 1e-6
"""The part of a range below which a combo is left out of it."""
_NOTHING: Final = 1e-30
"""The weight of a combo that does not get somewhere: the kernel takes none of 0."""


class RiverSolver:
    """Solves one river; `weights` are the ranges of the player to act and of the other."""

    def __init__(self, board: Sequence[int], weights: tuple[Floats, Floats], betting: RiverBetting) -> None:
        self.root = tree(betting)
        self._board = tuple(board)
        self._pot = betting.pot
        mask = live(self._board)
        self._ranges = [_kept(normal(held * mask)) for held in weights]
        self._held = [np.flatnonzero(held > 0) for held in self._ranges]
        self._cards = [CARDS[held].tobytes() for held in self._held]
        self._sweep = RiverSweep(self._board) if chosen() is Path.NUMPY else None
        self._regrets: dict[int, Mix] = {}
        self._sums: dict[int, Mix] = {}
        self._prepare(self.root)
        self.iterations = 0

    def _prepare(self, node: Node) -> None:
        if isinstance(node, Choice):
            self._regrets[id(node)] = np.zeros((len(node.branches), COUNT))
            self._sums[id(node)] = np.zeros((len(node.branches), COUNT))
            for branch in node.branches:
                self._prepare(branch)

    def run(self, iterations: int = ITERATIONS, *, late: Late = never) -> bool:
        """Go on for so many iterations; whether all were done before it was `late`."""
        for _ in range(iterations):
            if late():
                return False
            self.iterations += 1
            for player in (0, 1):
                self._walk(self.root, player, self._ranges[0], self._ranges[1])
        return True

    def mix(self, node: Choice) -> Mix:
        """The average strategy at a choice."""
        return _shares(self._sums[id(node)])

    def exploitability(self) -> float:
        """What a best answer wins from each player's average strategy, in pots, the mean of both."""
        answers = [self._best(self.root, player, *self._ranges) for player in (0, 1)]
        met = float(self._ranges[0] @ meetings(self._ranges[1]))
        worth = [float(self._ranges[player] @ answers[player]) / met for player in (0, 1)]
        return (sum(worth) - self._pot) / (2 * self._pot)

    def _walk(self, node: Node, player: int, mine: Floats, theirs: Floats) -> Floats:
        """The counterfactual values of `player`'s combos; `mine` and `theirs` are how far players 0 and 1 reach."""
        if not isinstance(node, Choice):
            return self._end(node, player, theirs if player == 0 else mine)
        strategy = _shares(self._regrets[id(node)])
        reach = (mine, theirs)[node.who]
        if node.who != player:
            total = np.zeros(COUNT)
            for branch, chance in zip(node.branches, strategy, strict=True):
                total += self._walk(branch, player, *_reaches(node.who, mine, theirs, chance))
            return total
        values = np.stack(
            [
                self._walk(branch, player, *_reaches(node.who, mine, theirs, chance))
                for branch, chance in zip(node.branches, strategy, strict=True)
            ]
        )
        value: Floats = (strategy * values).sum(axis=0)
        regrets = self._regrets[id(node)]
        regrets += values - value
        np.maximum(regrets, 0.0, out=regrets)
        self._sums[id(node)] += self.iterations * reach * strategy
        return value

    def _best(self, node: Node, player: int, mine: Floats, theirs: Floats) -> Floats:
        """As `_walk`, with the best action of `player` against the other's average strategy."""
        if not isinstance(node, Choice):
            return self._end(node, player, theirs if player == 0 else mine)
        if node.who == player:
            answers = [self._best(branch, player, mine, theirs) for branch in node.branches]
            best: Floats = np.stack(answers).max(axis=0)
            return best
        total = np.zeros(COUNT)
        for branch, chance in zip(node.branches, self.mix(node), strict=True):
            total += self._best(branch, player, *_reaches(node.who, mine, theirs, chance))
        return total

    def _against(self, others: Floats, who: int) -> Duels:
        """All combos against what is left of a player's range: by the kernel, or by the sweep where it is in numpy."""
        if self._sweep is not None:
            return self._sweep.duels(others)
        weights = np.maximum(others[self._held[who]], _NOTHING)
        return duels((self._cards[who], weights.tobytes()), self._board)

    def _end(self, node: Showdown | Folded, player: int, others: Floats) -> Floats:
        """What each combo gets at an end against what is left of the other's range, the weight of it counted in."""
        if isinstance(node, Folded):
            gets = -node.added[player] if node.who == player else self._pot + node.added[1 - player]
            return gets * meetings(others)
        pot = self._pot + sum(node.added)
        found = self._against(others, 1 - player)
        value: Floats = (found.won + found.tied / 2) * pot - found.met * node.added[player]
        return value


def _kept(weights: Floats) -> Floats:
    """The range without combos that hardly ever happen."""
    return normal(np.where(weights > _LIGHT, weights, 0.0))


def _reaches(who: int, mine: Floats, theirs: Floats, chance: Floats) -> tuple[Floats, Floats]:
    return (mine * chance, theirs) if who == 0 else (mine, theirs * chance)


def _shares(amounts: Mix) -> Mix:
    """Each combo's amounts as shares; the same for each action where there are none."""
    total = amounts.sum(axis=0)
    found: Mix = np.where(total > 0, amounts / np.where(total > 0, total, 1.0), 1 / len(amounts))
    return found
