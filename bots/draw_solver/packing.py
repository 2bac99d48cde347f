"""Packing: strategies in arrays to the bytes of a table, and back."""

import numpy as np
from numpy.typing import NDArray

from bots.draw_solver.card_sets import Numbers
from bots.draw_solver.game import DrawGame, Strategy
from bots.draw_solver.holding import DRAWS, HOLDINGS
from bots.draw_solver.table import WHOLE, Table

Pair = tuple[Strategy, Strategy]
"""The first player's and the second's."""


def packed(game: DrawGame, pair: Pair, iterations: int) -> Table:
    """The table of two strategies."""
    nodes = list(enumerate(game.round.nodes))
    parts = [
        *(pair[node.actor].before[at] for at, node in nodes),
        pair[0].draw,
        pair[1].draw,
        *(pair[node.actor].after[at] for at, node in nodes),
    ]
    shares = b"".join(_bytes(part).tobytes() for part in parts)
    return Table(game.stakes, iterations, game.chances.thresholds, shares)


def unpacked(game: DrawGame, table: Table) -> Pair:
    """The two strategies of a table, for the game it was made for."""
    rest = np.frombuffer(table.shares, np.uint8)
    actions = [len(node.actions) for node in game.round.nodes]
    before = [(width, HOLDINGS) for width in actions]
    draw = [(DRAWS, game.ways, HOLDINGS), (DRAWS, DRAWS, game.ways, HOLDINGS)]
    after = [(width, DRAWS, DRAWS, game.ways, game.finals) for width in actions]
    found: list[Numbers] = []
    for width, *shape in (*before, *draw, *after):
        size = width * int(np.prod(shape))
        found.append(np.moveaxis(rest[:size].reshape(*shape, width), -1, 0) / WHOLE)
        rest = rest[size:]
    nodes = len(actions)
    at_nodes = (found[:nodes], found[nodes + 2 :])
    return Strategy(at_nodes[0], found[nodes], at_nodes[1]), Strategy(
        at_nodes[0], found[nodes + 1], at_nodes[1]
    )


def _bytes(shares: Numbers) -> NDArray[np.uint8]:
    """Shares in 255ths, actions last: rounded down, and what is missing to 255 goes to the largest remainders.

    Of equal remainders the earlier action's comes first. A decision without any share keeps none.
    """
    exact = np.moveaxis(shares, 0, -1) * WHOLE
    low = np.floor(exact)
    rest = exact - low
    order = np.argsort(-rest, axis=-1, kind="stable")
    total = low[..., :1] * 0
    for action in range(low.shape[-1]):
        total = total + low[..., action : action + 1]
    some = np.asarray(exact.any(axis=-1, keepdims=True))
    missing = np.where(some, WHOLE - total, 0)
    place = np.argsort(order, axis=-1, kind="stable")
    return (low + (place < missing)).astype(np.uint8)
