"""The game in arrays: what every class of hands is worth to a player against a given strategy of the other.

Shapes: B holdings, F final classes, W ways to the draw, A actions of a node. Worth is in small bets, and counts how
often the other player comes there (counterfactual); a player's own chance of coming there is left out.

Law of this file: the result is the same to the bit on every machine. Sums of many terms, which libraries add in an
order of their own, are of whole multiples of a power of two below 2^53 of it, so that each sum is exact in any order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from bots.draw_solver.betting_round import Round, betting_round
from bots.draw_solver.card_sets import Numbers
from bots.draw_solver.chances import Chances
from bots.draw_solver.holding import DRAWS
from bots.draw_solver.stakes import Stakes

_REACH_BITS: Final = 28
_CHANCE_BITS: Final = 24
_PAIR_BITS: Final = 20
_WORTH_BITS: Final = 20


@dataclass(frozen=True, slots=True)
class Strategy:
    """How one player plays: the shares of the actions, which add up to 1. Nodes that are not his have an empty array."""

    before: Sequence[Numbers]
    """(A, B) for each node of the betting before the draw."""
    draw: Numbers
    """How many cards to draw: (4, W, B) of the first to act; (4, 4, W, B) of the second, who sees the first's draw."""
    after: Sequence[Numbers]
    """(A, 4, 4, W, F) for each node after it, by what the first drew and then the second."""


class Chooser(Protocol):
    """What a player makes of the worth of his actions: the worth of having the choice."""

    def before(self, node: int, worth: Sequence[Numbers], /) -> Numbers:
        """At a node before the draw; for each action (B,)."""
        ...

    def draw(self, worth: Sequence[Numbers]) -> Numbers:
        """At the draw; for each number of cards (W, B), or (4, W, B) of the second player."""
        ...

    def after(self, node: int, worth: Sequence[Numbers], /) -> Numbers:
        """At a node after the draw; for each action (4, 4, W, F)."""
        ...


class DrawGame:
    """The game for some stakes."""

    def __init__(self, stakes: Stakes, chances: Chances) -> None:
        self.stakes, self.chances = stakes, chances
        self.round: Final[Round] = betting_round(stakes.raise_cap)
        self.ways: Final = len(self.round.called)
        self.finals: Final = len(chances.thresholds)
        self._big = stakes.big_bet / stakes.small_bet
        self._ante = stakes.ante / stakes.small_bet
        self._paid = self._ante + np.array([float(end.bets) for end in self.round.called])
        self._drawn = _grid(chances.drawn, _CHANCE_BITS)
        self._before = _grid(chances.before, _PAIR_BITS)
        pairs = _grid(chances.after, _PAIR_BITS).reshape(DRAWS * DRAWS, self.finals, self.finals)
        ahead = np.sign(np.arange(self.finals)[:, None] - np.arange(self.finals))
        # By player: rows are the other's finals, columns his own.
        self._meet = (np.ascontiguousarray(pairs.transpose(0, 2, 1)), pairs)
        self._beat = (np.ascontiguousarray((pairs * ahead).transpose(0, 2, 1)), -pairs * ahead)

    def reach_before(self, player: int, before: Sequence[Numbers]) -> tuple[list[Numbers], list[Numbers]]:
        """How often a player does his part of coming to each node and each end before the draw, (B,)."""
        return _reaches(self.round, before, player, self.chances.dealt)

    def on_ways(self, ends: Sequence[Numbers]) -> Numbers:
        """(W, B): of what stands for each end, the ways to the draw."""
        return np.array([each for each, end in zip(ends, self.round.ends, strict=True) if end.folder < 0])

    def reach_drawn(self, player: int, ways: Numbers, draw: Numbers) -> Numbers:
        """How often he does his part of coming to the betting after the draw, by the first's draw and the second's.

        (4, 4, W, F) of the second player; (4, 1, W, F) of the first, whose draw does not depend on the second's.
        """
        drawing = _grid(ways * draw, _REACH_BITS)
        ended = np.array([part @ self._drawn[draws] for draws, part in enumerate(drawing)])
        return ended[:, None] if player == 0 else np.ascontiguousarray(ended.transpose(1, 0, 2, 3))

    def reach_after(self, player: int, after: Sequence[Numbers], start: Numbers) -> list[Numbers]:
        """The same to each node after the draw, from `reach_drawn`."""
        return _reaches(self.round, after, player, start)[0]

    def worth(self, player: int, other: Strategy, choose: Chooser) -> Numbers:
        """(B,): what each holding is worth to a player, who chooses as `choose` does."""
        _, ends = self.reach_before(1 - player, other.before)
        start = self.reach_drawn(1 - player, self.on_ways(ends), other.draw)
        shape = (DRAWS, DRAWS, self.ways, self.finals)
        _, finals = _reaches(self.round, other.after, 1 - player, np.broadcast_to(start, shape))
        after = _choose(self.round, self._settled(player, finals), player, choose.after)
        drawn = self._drawing(player, _grid(after, _WORTH_BITS), choose)
        called = iter(drawn)
        each = [
            next(called) if end.folder < 0 else self._folded_before(player, end.folder, end.bets, ends[at])
            for at, end in enumerate(self.round.ends)
        ]
        return _choose(self.round, each, player, choose.before)

    def _drawing(self, player: int, after: Numbers, choose: Chooser) -> Numbers:
        """(W, B): what holdings are worth that are about to draw, from what final hands are worth."""
        if player == 0:
            hidden = total(np.moveaxis(after, 1, 0))
            return choose.draw([hidden[draws] @ self._drawn[draws].T for draws in range(DRAWS)])
        return total(choose.draw([after[:, draws] @ self._drawn[draws].T for draws in range(DRAWS)]))

    def _folded_before(self, player: int, folder: int, bets: int, reach: Numbers) -> Numbers:
        price = self._ante + bets
        met = self._before @ _grid(reach, _REACH_BITS)
        return met * (-price if folder == player else price)

    def _settled(self, player: int, reaches: Sequence[Numbers]) -> list[Numbers]:
        """What final hands are worth at each end of the betting after the draw, from the other's reach of it."""
        ends = self.round.ends
        found: list[Numbers] = [self._paid] * len(ends)
        for shown, table in ((True, self._beat[player]), (False, self._meet[player])):
            which = [at for at, end in enumerate(ends) if (end.folder < 0) is shown]
            shape = (DRAWS * DRAWS, len(which), self.ways, self.finals)
            reach = np.stack(
                [reaches[at].reshape(DRAWS * DRAWS, self.ways, self.finals) for at in which], axis=1
            )
            flat = _grid(reach, _REACH_BITS).reshape(DRAWS * DRAWS, -1, self.finals)
            met = np.matmul(flat, table).reshape(shape)
            for place, at in enumerate(which):
                price = self._paid + ends[at].bets * self._big
                sign = -1 if ends[at].folder == player else 1
                worth = met[:, place] * (sign * price[:, None])
                found[at] = worth.reshape(DRAWS, DRAWS, self.ways, self.finals)
        return found


def _grid(values: Numbers, bits: int) -> Numbers:
    """The nearest whole multiples of 2^-bits."""
    scaled = values * 2.0**bits
    np.rint(scaled, out=scaled)
    scaled *= 2.0**-bits
    return scaled


def total(parts: Sequence[Numbers] | Numbers) -> Numbers:
    """The sum of a few parts, in their order."""
    found: Numbers = parts[0]
    for part in parts[1:]:
        found = found + part
    return found


def _reaches(
    betting: Round, shares: Sequence[Numbers], player: int, start: Numbers
) -> tuple[list[Numbers], list[Numbers]]:
    """How often a player does his part of coming to every node and every end of a round."""
    nodes = [start] * len(betting.nodes)
    ends = [start] * len(betting.ends)
    for at, node in enumerate(betting.nodes):
        for action, child in enumerate(node.children):
            reach = nodes[at] * shares[at][action] if node.actor == player else nodes[at]
            if child >= 0:
                nodes[child] = reach
            else:
                ends[-1 - child] = reach
    return nodes, ends


class _Choose(Protocol):
    def __call__(self, node: int, worth: Sequence[Numbers], /) -> Numbers: ...


def _choose(betting: Round, ends: Sequence[Numbers], player: int, choose: _Choose) -> Numbers:
    """What a round is worth at its start, from its ends backwards."""
    nodes = [ends[0]] * len(betting.nodes)
    for at in range(len(betting.nodes) - 1, -1, -1):
        node = betting.nodes[at]
        worth = [nodes[child] if child >= 0 else ends[-1 - child] for child in node.children]
        nodes[at] = choose(at, worth) if node.actor == player else total(worth)
    return nodes[0]
