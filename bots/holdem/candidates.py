"""Candidates: the actions that a turn after the flop weighs, each with what it is worth."""

from dataclasses import dataclass
from typing import Final

from bots.actions import clear_of_crumbs, share_to
from bots.holdem.values import PostflopSpot
from bots.protocol import Observation
from bots.styles import Temper

BETS: Final = (0.4, 0.75, 1.2)
"""Sizes of a bet, as shares of the pot."""
RAISES: Final = (0.7, 1.1)
_ALL_IN_UP_TO: Final = 2.2
"""Pots up to which the whole stack is a candidate."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action, its value in chips, and for a bet the equity when it is called."""

    kind: str
    to: int
    worth: float
    when_called: float

    @property
    def wagers(self) -> bool:
        """Whether it is a bet or a raise."""
        return self.kind in ("bet", "raise")

    @property
    def text(self) -> str:
        """As in "bet to 12"."""
        return f"{self.kind} to {self.to}" if self.to else self.kind

    def bent(self, pot: float, temper: Temper) -> "Candidate":
        """The candidate as a style sees it."""
        leaning = 0.05 * (temper.aggression - 1) if self.wagers else 0.0
        leaning += 0.06 * (temper.looseness - 1) if self.kind == "call" else 0.0
        return Candidate(self.kind, self.to, self.worth + leaning * pot, self.when_called)


def candidates(spot: PostflopSpot) -> list[Candidate]:
    """Every candidate with its value, the passive ones first."""
    observation = spot.observation
    found: list[Candidate] = []
    if observation.check:
        found.append(Candidate("check", 0, spot.passing(), 0.0))
    else:
        found.append(Candidate("fold", 0, 0.0, 0.0))
        if observation.call:
            found.append(Candidate("call", 0, spot.calling(), 0.0))
    for kind, to in sizes(observation):
        found.append(Candidate(kind, to, *spot.wagering(to)))
    return found


def sizes(observation: Observation) -> list[tuple[str, int]]:
    """The bets or raises to weigh: some shares of the pot, and all-in where that is no folly."""
    kind, least, most = (
        ("bet", observation.bet_min, observation.bet_max)
        if observation.bet_min
        else ("raise", observation.raise_min, observation.raise_max)
    )
    if not least:
        return []
    shares = BETS if kind == "bet" else RAISES
    wanted = (max(least, min(most, share_to(observation, share))) for share in shares)
    found = {clear_of_crumbs(to, most) for to in wanted}
    if most - share_to(observation, 0) <= _ALL_IN_UP_TO * (observation.pot + observation.call):
        found.add(most)
    return [(kind, to) for to in sorted(found)]
