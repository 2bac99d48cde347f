"""The river heads-up as a game tree: what may still be bet, in a few sizes, and who gets what at the end.

Amounts are what each player adds from now on. Player 0 is the one to act at the root.
"""

from dataclasses import dataclass
from typing import Final

FIRST_BETS: Final = (0.5, 1.0)
"""Sizes of a first bet, as shares of the pot; all-in comes on top of them."""
RAISES: Final = (0.9,)
_ALL_IN_UP_TO: Final = 3.0
"""Pots up to which all-in is a size."""
MOST_WAGERS: Final = 2
"""Bets and raises on the street, after which one calls or folds; at the root there is always one more."""


@dataclass(frozen=True, slots=True)
class Showdown:
    """The hands are compared; each player has added `added`."""

    added: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Folded:
    """One player gave up."""

    who: int
    added: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's turn. `names` say what each branch does: fold, check, call, or a bet or raise to so many chips added."""

    who: int
    names: tuple[tuple[str, float], ...]
    branches: tuple["Node", ...]


Node = Showdown | Folded | Choice


@dataclass(frozen=True, slots=True)
class RiverBetting:
    """Where the river's betting stands. The stacks are what each can still add, the same for both but for the bet."""

    pot: float
    """With all bets so far."""
    to_call: float
    """What player 0 has to add to call; 0 where he may check."""
    stack: float
    """What player 0 can still add, and be called for."""
    wagers: int
    checked: bool
    """Whether a check by player 0 ends the hand."""
    least_raise: float
    """The least that a bet, or a raise on top of the call, adds."""


def tree(betting: RiverBetting) -> Choice:
    """The game from here."""
    added = (0.0, 0.0)
    return _choice(
        betting, who=0, added=added, owed=betting.to_call, wagers=betting.wagers, closes=betting.checked
    )


def _choice(
    betting: RiverBetting, *, who: int, added: tuple[float, float], owed: float, wagers: int, closes: bool
) -> Choice:
    names: list[tuple[str, float]] = []
    branches: list[Node] = []
    called = _plus(added, who, owed)
    if owed > 0:
        names.append(("fold", 0.0))
        branches.append(Folded(who, added))
        names.append(("call", called[who]))
        branches.append(Showdown(called))
    else:
        names.append(("check", 0.0))
        if closes:
            branches.append(Showdown(added))
        else:
            branches.append(_choice(betting, who=1 - who, added=added, owed=0.0, wagers=wagers, closes=True))
    for more in _wagers(betting, called, who, wagers):
        names.append(("raise" if owed > 0 or wagers else "bet", called[who] + more))
        branches.append(
            _choice(
                betting,
                who=1 - who,
                added=_plus(called, who, more),
                owed=more,
                wagers=wagers + 1,
                closes=True,
            )
        )
    return Choice(who, tuple(names), tuple(branches))


def _wagers(betting: RiverBetting, called: tuple[float, float], who: int, wagers: int) -> list[float]:
    """What may be added on top of a call."""
    left = _limit(betting, who) - called[who]
    if left <= 0 or wagers >= max(MOST_WAGERS, betting.wagers + 1):
        return []
    pot = betting.pot + sum(called)
    shares = RAISES if wagers else FIRST_BETS
    found = {min(left, max(betting.least_raise, share * pot)) for share in shares}
    found = {left if more > 0.75 * left else more for more in found}
    if left <= _ALL_IN_UP_TO * pot:
        found.add(left)
    return sorted(found)


def _limit(betting: RiverBetting, who: int) -> float:
    """All that a player can add: the other one has the bet less in front of him."""
    return betting.stack if who == 0 else betting.stack - betting.to_call


def _plus(added: tuple[float, float], who: int, more: float) -> tuple[float, float]:
    return (added[0] + more, added[1]) if who == 0 else (added[0], added[1] + more)
