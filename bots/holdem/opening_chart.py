"""Before the flop: how often each starting hand raises, calls or folds, by position, price and stack.

The tables are shares of starting hands by their place in `bots.holdem.order` (0 the best, 1 the worst). Opening
shares are common six-handed ranges by the number of players behind, carried on to nine; shares that raise again or
call follow from the share that the last raiser plays so, and from the price.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

OPENING: Final = (0.45, 0.45, 0.48, 0.30, 0.23, 0.18, 0.155, 0.135, 0.12)
"""The share opened for a raise, by the players still to act; 1 is the small blind, 2 the button."""
HEADS_UP_OPENING: Final = 0.84
HEADS_UP_ISOLATING: Final = 0.36
ISOLATING: Final = 0.20
"""Raised by the big blind over limpers."""
LEAST_AGAIN: Final = 0.014
"""The best share that raises again, whatever happened: kings and aces, and a little more."""
USUAL_ODDS: Final = 0.30
"""What a call of a usual raise costs of the pot that it makes."""
_LIMPING: Final = 0.25
_BLUFFS: Final = 0.35
"""Raises again, of those for value, with hands just below the ones that call."""
_EDGE: Final = 0.04
"""How softly a share ends, so that its last hands are mixed."""


class Spot(NamedTuple):
    """The public facts about a decision before the flop."""

    seats: int
    behind: int
    """Live opponents who have not acted and come after."""
    raises: int
    limpers: int
    free: bool
    """Whether a check is offered."""
    last: bool
    """Whether nobody acts behind."""
    in_position: bool
    """Whether he acts after the last raiser on later streets."""
    odds: float
    """What the call costs of the pot that it makes."""
    opened: float
    """The share of hands that the last raiser plays like this."""


class Plan(NamedTuple):
    """What shares of starting hands do."""

    value: float
    """The best share raises."""
    call: float
    """The best share at least calls."""
    bluff: float
    """So much more, just below those that call, raises."""


def plan(spot: Spot, looseness: float = 1.0, aggression: float = 1.0) -> Plan:
    """The shares for a spot."""
    if spot.raises == 0:
        return _unopened(spot, looseness)
    return _opened(spot, looseness, aggression)


def raising(of: Plan) -> tuple[Sequence[float], Sequence[float]]:
    """How often a hand raises, as a line over its place: the places, and the frequency at each."""
    edge = min(_EDGE, of.value / 2)
    bluffs_from = max(of.call, of.value + edge) + 0.005
    xs = (0.0, of.value - edge, of.value + edge, bluffs_from, bluffs_from + 0.002)
    more = (bluffs_from + 0.002 + of.bluff / 0.6, bluffs_from + 0.005 + of.bluff / 0.6, 1.0)
    chance = 0.6 if of.bluff > 0 else 0.0
    return (*xs, *more), (0.97, 0.97, 0.0, 0.0, chance, chance, 0.0, 0.0)


def staying(of: Plan) -> tuple[Sequence[float], Sequence[float]]:
    """How often a hand at least calls, as a line over its place."""
    edge = min(_EDGE, of.call / 2)
    return (0.0, of.call - edge, of.call + edge, 1.0), (1.0, 1.0, 0.0, 0.0)


def on_line(line: tuple[Sequence[float], Sequence[float]], place: float) -> float:
    """The height of a line at a place."""
    xs, ys = line
    for at in range(1, len(xs)):
        if place < xs[at]:
            width = xs[at] - xs[at - 1]
            part = (place - xs[at - 1]) / width if width > 0 else 1.0
            return ys[at - 1] + part * (ys[at] - ys[at - 1])
    return ys[-1]


def opening_share(spot: Spot) -> float:
    """The share that opens, or raises over limpers."""
    if spot.free:
        share = HEADS_UP_ISOLATING if spot.seats == 2 else ISOLATING
        return float(share * 0.8 ** max(0, spot.limpers - 1))
    share = HEADS_UP_OPENING if spot.seats == 2 else OPENING[min(spot.behind, 8)]
    return float(share * 0.7**spot.limpers)


def _unopened(spot: Spot, looseness: float) -> Plan:
    share = min(1.0, opening_share(spot) * looseness)
    if spot.free:
        return Plan(share, 1.0, 0.0)
    call = share + _LIMPING * looseness if spot.limpers and spot.odds < USUAL_ODDS else share
    return Plan(share, min(1.0, call), 0.0)


def _opened(spot: Spot, looseness: float, aggression: float) -> Plan:
    opened = min(1.0, spot.opened)
    price = min(1.7, max(0.3, (USUAL_ODDS / max(spot.odds, 0.05)) ** 0.85))
    if spot.raises == 1:
        again, wide = (0.15 if spot.seats == 2 else 0.20) * opened + 0.012, _against_an_opening(spot)
    elif spot.raises == 2:
        again, wide = 0.30 * opened, 1.9 if spot.in_position else 1.6
    else:
        again, wide = 0.40 * opened, 1.3
    again = max(LEAST_AGAIN, again * aggression * looseness)
    call = max(again, min(0.97, wide * opened * price * looseness))
    bluff = _BLUFFS * again if spot.raises < 3 and spot.odds < 0.4 else 0.0
    return Plan(again, call, min(bluff, max(0.0, 0.98 - call)))


def _against_an_opening(spot: Spot) -> float:
    """The share that calls an opening, in shares of the one that opens."""
    if spot.last:
        return 0.80 if spot.seats == 2 else 0.88
    return 0.7 if spot.in_position else 0.48
