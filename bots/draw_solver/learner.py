"""A learner: one player's regrets and average strategy over all his decisions.

Discounted counterfactual regret minimisation (Brown and Sandholm 2019) with their exponents 3/2, 0 and 2: after turn
t regrets above zero are multiplied by t^1.5 / (t^1.5 + 1) and those below by 1/2, and turn t counts t^2 in the average.
"""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final

import numpy as np

from bots.draw_solver.card_sets import Numbers
from bots.draw_solver.game import DrawGame, Strategy, total
from bots.draw_solver.holding import DRAWS, HOLDINGS

_NEVER: Final = 1e-9
"""Below such a weight of an average, no turn ever came there."""
_NOTHING: Final = np.zeros(0)


class _Decision:
    """The regrets of decisions that are alike, actions first; `allowed` has 0 for an action that is not there."""

    def __init__(self, shape: tuple[int, ...], allowed: Numbers | None = None) -> None:
        self._regrets = np.zeros(shape)
        self._sums = np.zeros(shape)
        self._allowed = allowed
        if allowed is None:
            self._even: Numbers | float = 1 / shape[0]
        else:
            self._even = allowed / np.maximum(total(allowed), 1)
        self.shares = self._matched()

    def learn(self, worth: Sequence[Numbers], turn: int) -> Numbers:
        """Take in what each action is worth; the worth of the choice as it was made."""
        value: Numbers = self.shares[0] * worth[0]
        for share, each in zip(self.shares[1:], worth[1:], strict=True):
            value += share * each
        for regret, each in zip(self._regrets, worth, strict=True):
            regret += each
            regret -= value
        keep = turn * sqrt(turn)
        self._regrets *= np.where(self._regrets > 0, keep / (keep + 1), 0.5)
        self.shares = self._matched()
        return value

    def remember(self, reach: Numbers, weight: float) -> None:
        """Count the strategy as it is into the average, for as often as the player comes there himself."""
        self._sums += (weight * reach) * self.shares

    def average(self) -> Numbers:
        """The average strategy; where the player never came himself, the last one."""
        return self._normal(self._sums, _NEVER, self.shares)

    def _matched(self) -> Numbers:
        """Shares in proportion to the regrets above zero; all alike if there is none."""
        regrets = np.maximum(self._regrets, 0)
        if self._allowed is not None:
            regrets *= self._allowed
        return self._normal(regrets, 0, self._even)

    def _normal(self, parts: Numbers, least: float, otherwise: Numbers | float) -> Numbers:
        whole = total(parts)
        there = whole > least
        found: Numbers = np.where(there, parts / np.where(there, whole, 1), otherwise)
        return found


class Learner:
    """A player who learns: a `Chooser` whose choices follow his regrets and change them."""

    def __init__(self, game: DrawGame, player: int) -> None:
        self._game, self._player = game, player
        self._turn = 0
        nodes = [node for node in game.round.nodes if node.actor == player]
        seen = () if player == 0 else (DRAWS,)
        ways, finals = game.ways, game.finals
        allowed = game.chances.sensible.reshape(DRAWS, *(1 for _ in seen), 1, HOLDINGS)
        self._places = {game.round.nodes.index(node): at for at, node in enumerate(nodes)}
        self._before = [_Decision((len(node.actions), HOLDINGS)) for node in nodes]
        self._draw = _Decision((DRAWS, *seen, ways, HOLDINGS), allowed)
        self._after = [_Decision((len(node.actions), DRAWS, DRAWS, ways, finals)) for node in nodes]

    def learn(self, other: Strategy) -> None:
        """One turn against a strategy of the other player."""
        self._turn += 1
        self._game.worth(self._player, other, self)
        self._remember()

    def before(self, node: int, worth: Sequence[Numbers], /) -> Numbers:
        """See `Chooser.before`."""
        return self._before[self._places[node]].learn(worth, self._turn)

    def draw(self, worth: Sequence[Numbers]) -> Numbers:
        """See `Chooser.draw`."""
        return self._draw.learn(worth, self._turn)

    def after(self, node: int, worth: Sequence[Numbers], /) -> Numbers:
        """See `Chooser.after`."""
        return self._after[self._places[node]].learn(worth, self._turn)

    def strategy(self) -> Strategy:
        """The strategy as it is now."""
        return self._strategy(lambda decision: decision.shares)

    def average(self) -> Strategy:
        """The average over all turns, which is what comes near the equilibrium."""
        return self._strategy(_Decision.average)

    def _strategy(self, shares: Callable[[_Decision], Numbers]) -> Strategy:
        def at_nodes(decisions: Sequence[_Decision]) -> list[Numbers]:
            nodes = range(len(self._game.round.nodes))
            return [shares(decisions[self._places[at]]) if at in self._places else _NOTHING for at in nodes]

        return Strategy(at_nodes(self._before), shares(self._draw), at_nodes(self._after))

    def _remember(self) -> None:
        """Count the strategy as it is now, from which the other player learns next, into the average."""
        game, strategy, weight = self._game, self.strategy(), float(self._turn * self._turn)
        nodes, ends = game.reach_before(self._player, strategy.before)
        ways = game.on_ways(ends)
        drawn = game.reach_drawn(self._player, ways, strategy.draw)
        finals = game.reach_after(self._player, strategy.after, drawn)
        self._draw.remember(ways, weight)
        for node, at in self._places.items():
            self._before[at].remember(nodes[node], weight)
            self._after[at].remember(finals[node], weight)
