"""One betting round of two players as a tree; both rounds of draw are the same tree with bets of another size.

A history is a word of its actions: k check, b bet, c call, r raise, f fold; "kbr" is check, bet, raise. Folding
where a check is free is left out: it is legal, and never better. The player left of the button acts first, in both
rounds (rules D3), and is player 0; the cap counts raises after the bet (rules D5).
"""

from functools import cache
from typing import NamedTuple


class Node(NamedTuple):
    """A decision."""

    history: str
    actor: int
    actions: str
    """The words' next letters, the least aggressive first: "kb", "fcr" or, at the cap, "fc"."""
    children: tuple[int, ...]
    """For each action the place of a node, or -1 - the place of an end."""


class End(NamedTuple):
    """A closed round: with a fold, or with bets matched."""

    history: str
    folder: int
    """The player who folded; -1 if both are in."""
    bets: int
    """What the player who put in less has put in, in bets of the round."""


class Round(NamedTuple):
    """The tree; a node comes before its children."""

    nodes: tuple[Node, ...]
    ends: tuple[End, ...]

    @property
    def called(self) -> tuple[End, ...]:
        """The ends with both players in, in the order of `ends`: the ways on to the draw, or to the showdown."""
        return tuple(end for end in self.ends if end.folder < 0)

    @property
    def folded(self) -> tuple[End, ...]:
        """The other ends."""
        return tuple(end for end in self.ends if end.folder >= 0)


@cache
def betting_round(raise_cap: int) -> Round:
    """The tree of a round with at most one bet and `raise_cap` raises."""
    histories = ["", "k"]
    for start in ("b", "kb"):
        histories += [start + "r" * raises for raises in range(raise_cap + 1)]
    ends: list[End] = []
    nodes: list[Node] = []
    for history in histories:
        children: list[int] = []
        actions = _actions(history, raise_cap)
        for action in actions:
            after = history + action
            if after in histories:
                children.append(histories.index(after))
            else:
                children.append(-1 - len(ends))
                ends.append(_end(after))
        nodes.append(Node(history, len(history) % 2, actions, tuple(children)))
    return Round(tuple(nodes), tuple(ends))


def bets_in(history: str) -> int:
    """The bets and raises of a history."""
    return history.count("b") + history.count("r")


def _actions(history: str, raise_cap: int) -> str:
    if not bets_in(history):
        return "kb"
    return "fcr" if bets_in(history) <= raise_cap else "fc"


def _end(history: str) -> End:
    if history.endswith("f"):
        return End(history, (len(history) - 1) % 2, bets_in(history) - 1)
    return End(history, -1, bets_in(history))
