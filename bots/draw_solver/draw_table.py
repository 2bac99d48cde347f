"""Playing by a table: heads-up draw as near the equilibrium as the table is.

What a table does not know is left to others: more than two players, other stakes, and hands in which somebody put in
less than a whole bet, which is then all-in.
"""

import random
from typing import Final, NamedTuple

from bots.actions import give_up, stay, wager_to
from bots.advice import Advice, Option, drawn
from bots.draw_solver.betting_round import bets_in, betting_round
from bots.draw_solver.holding import read
from bots.draw_solver.strengths import strength_of_five
from bots.draw_solver.table import WHOLE, Table
from bots.explanation import Explanation, Path
from bots.protocol import BotAction, Observation
from engine.game import Game, Street

_LETTERS: Final = {"check": "k", "bet": "b", "call": "c", "raise": "r", "fold": "f"}
_WHY: Final = Explanation("equilibrium", path=Path.TABLE.value)


class _Spot(NamedTuple):
    """Where a hand stands in public, in the words of `betting_round`."""

    before: str
    drawn: tuple[int, int]
    """By the player who acts first, and by the other; -1 before his draw."""
    after: str
    first: bool
    """Whether the bot acts first."""


class DrawTable:
    """Plays heads-up draw by a table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._nodes = {node.history: node.actions for node in betting_round(table.stakes.raise_cap).nodes}

    def knows(self, observation: Observation) -> bool:
        """Whether the table has the turn observed; by public facts alone."""
        return self._spot(observation) is not None

    def decide(self, observation: Observation, rng: random.Random) -> BotAction | None:
        """The table's action, with its mix and the lot; None where the table has no answer."""
        options = self.mix(observation)
        return drawn(Advice(options, _WHY), observation, rng) if options else None

    def mix(self, observation: Observation) -> tuple[Option, ...]:
        """What the table mixes in the turn observed, every action legal; empty where it has no answer."""
        spot = self._spot(observation)
        if spot is None:
            return ()
        if observation.draw:
            return self._draws(observation, spot)
        if observation.street == Street.PREDRAW:
            history = spot.before
            shares = self._table.before(history, read(observation.cards).place)
        else:
            history = spot.after
            strength = strength_of_five(observation.cards)
            shares = self._table.after(spot.before, spot.drawn, history, strength)
        return _bets(observation, self._nodes[history], shares)

    def _draws(self, observation: Observation, spot: _Spot) -> tuple[Option, ...]:
        holding = read(observation.cards)
        seen = -1 if spot.first else spot.drawn[0]
        options = []
        for draws, share in enumerate(self._table.draws(spot.before, holding.place, seen)):
            keep = holding.keeps[draws]
            if share and keep is not None:
                gone = tuple(card for card in observation.cards if card not in keep)
                options.append(Option("draw", 0, share / WHOLE, gone))
        return tuple(options)

    def _spot(self, observation: Observation) -> _Spot | None:
        """Where the hand stands, if the table has it."""
        stakes = self._table.stakes
        alike = observation.ante * stakes.small_bet == observation.unit * stakes.ante
        if observation.game != Game.DRAW or len(observation.seats) != 2 or not alike:
            return None
        before = self._history(observation, Street.PREDRAW, observation.unit)
        big = observation.unit * stakes.big_bet // stakes.small_bet
        after = self._history(observation, Street.POSTDRAW, big)
        if before is None or after is None:
            return None
        drawn = {seen.seat == observation.button: seen.drawn for seen in observation.seats}
        spot = _Spot(before, (drawn[False], drawn[True]), after, observation.seat != observation.button)
        return spot if self._has(observation, spot) else None

    def _has(self, observation: Observation, spot: _Spot) -> bool:
        """Whether the table has a decision for the bot there."""
        turn = 0 if spot.first else 1
        if observation.street == Street.PREDRAW:
            return spot.before in self._nodes and len(spot.before) % 2 == turn
        called = spot.before not in self._nodes and bets_in(spot.before) <= 1 + self._table.stakes.raise_cap
        if observation.draw:
            return called and (spot.first or spot.drawn[0] >= 0)
        return called and spot.after in self._nodes and len(spot.after) % 2 == turn and min(spot.drawn) >= 0

    def _history(self, observation: Observation, street: Street, unit: int) -> str | None:
        """The betting of a street; None if a bet is not as many whole units as there were bets."""
        history = ""
        for action in observation.history:
            if action.street == street:
                history += _LETTERS.get(action.kind, "?")
                if action.kind in ("bet", "raise", "call") and action.amount != bets_in(history) * unit:
                    return None
        return history


def _bets(observation: Observation, letters: str, shares: bytes) -> tuple[Option, ...]:
    """The mix of a betting turn; what is not offered (a raise that nobody could answer) becomes the next best."""
    found: dict[str, Option] = {}
    for letter, share in zip(letters, shares, strict=True):
        if share:
            action = _action(observation, letter)
            before = found[action.kind].chance if action.kind in found else 0.0
            found[action.kind] = Option(action.kind, action.to, before + share / WHOLE)
    return tuple(found.values())


def _action(observation: Observation, letter: str) -> BotAction:
    if letter in "br":
        return wager_to(observation, max(observation.bet_max, observation.raise_max))
    return give_up(observation) if letter == "f" else stay(observation)
