"""Balance: which node salons leave for which, so that each gets its share. A function; it knows no time.

A node's share is by how many hosts it may run. A node that lacks much of its share begins to be filled, and is
filled until it lacks less than one salon. Each move takes one from a node that has more than its share, so the
sum of the squares of what nodes have too much or too little shrinks with every move, and none is ever undone.
"""

from collections.abc import Collection, Iterable
from typing import Final

from cluster.routing.drains import NodeId
from cluster.routing.load import Load
from engine.value import value

_LEAST: Final = 2
"""Salons that a node must lack before it begins to be filled,"""
_PART: Final = 0.2
"""and the part of its share."""


@value
class Shift:
    """Salons to be moved from one node to another."""

    source: NodeId
    target: NodeId
    salons: int


def filling(loads: Iterable[Load], filled: Collection[NodeId]) -> set[NodeId]:
    """The nodes that are to be filled now; `filled` are those that were."""
    lacks = {node: -excess for node, excess in _excess(loads).items()}
    shares = _shares(loads)
    return {
        node
        for node, lack in lacks.items()
        if lack >= (1 if node in filled else max(_LEAST, _PART * shares[node]))
    }


def shift(loads: Iterable[Load], fill: Collection[NodeId], most: int) -> Shift | None:
    """What to move next, at most `most` salons; None where all is well, or there is one node alone."""
    excess = _excess(loads)
    wanting = [node for node in fill if excess.get(node, 0) <= -1]
    if not wanting or most < 1:
        return None
    target = min(wanting, key=lambda node: (excess[node], node))
    source = max(excess, key=lambda node: (excess[node], node))
    salons = min(most, int(-excess[target]), max(1, int(excess[source])))
    return Shift(source, target, salons) if excess[source] > 0 else None


def _excess(loads: Iterable[Load]) -> dict[NodeId, float]:
    """How many salons more than its share each node has."""
    shares = _shares(loads)
    return {load.node.node: load.salons - shares[load.node.node] for load in _sharing(loads)}


def _shares(loads: Iterable[Load]) -> dict[NodeId, float]:
    sharing = _sharing(loads)
    hosts = sum(load.node.hosts for load in sharing)
    salons = sum(load.salons for load in sharing)
    return {load.node.node: salons * load.node.hosts / hosts for load in sharing}


def _sharing(loads: Iterable[Load]) -> list[Load]:
    """The nodes that run salons, and are to go on doing so."""
    return [load for load in loads if load.node.hosts and load.draining is None]
