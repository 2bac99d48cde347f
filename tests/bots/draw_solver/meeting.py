"""A meeting after the draw: what the final hands of two players are to each other, and the best betting between them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.bots.draw_solver.deals import Floats, Ints
from tests.bots.draw_solver.limit_round import actions, both_paid, endings, folder, is_over

PRIOR = 1000.0
"""A final class that was met in so many deals is believed half; the rest is what both players' finals apart would give."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The game, in small bets."""

    ante: float
    big_bet: float
    raise_cap: int


@dataclass(frozen=True, slots=True)
class Meeting:
    """How often a final class of the responder's, a row, meets one of the opponent's, a column."""

    mass: Floats
    ahead: Floats
    """The same, times how much more often the responder is ahead than behind."""

    def smoothed(self, square: Floats, order: Floats) -> "Meeting":
        """What was seen, mixed with what the finals of each apart would give.

        `square` is the sum of the squares of the weights in a row, from which follows how many deals it is worth;
        `order` says who is ahead: 1, 0 or -1.
        """
        rows, columns = self.mass.sum(axis=1, keepdims=True), self.mass.sum(axis=0, keepdims=True)
        met = rows**2 / np.maximum(square[:, None], 1e-300)
        trust = met / (met + PRIOR)
        apart = (1 - trust) * rows * columns / max(float(rows.sum()), 1e-300)
        return Meeting(trust * self.mass + apart, trust * self.ahead + apart * order)


class BestBetting:
    """The best betting of the responder after the draw against one who bets as `shares` says.

    `shares(history)` has a row for each column of the meeting; `paid` is what each has in before.
    """

    def __init__(self, rules: Rules, seat: int, shares: Callable[[str], Floats]) -> None:
        self._rules, self._seat, self._shares = rules, seat, shares

    def against(self, meeting: Meeting, paid: float) -> tuple[Floats, Floats, Floats]:
        """What a row wins a deal, and what it wins in each cell: by folds, and, if it is ahead, by showing."""
        self._choice: dict[str, Ints] = {}
        rows, columns = meeting.mass.shape
        won = self._worth("", np.ones(columns), meeting, paid)
        folds, shows = np.zeros((rows, columns)), np.zeros((rows, columns))
        for end in endings(self._rules.raise_cap):
            ours, theirs = self._parts(end, rows, columns)
            cell = np.outer(ours, theirs) * self._price(end, paid)
            if end.endswith("f"):
                folds += cell
            else:
                shows += cell
        return won / np.maximum(meeting.mass.sum(axis=1), 1e-300), folds, shows

    def _worth(self, history: str, theirs: Floats, meeting: Meeting, paid: float) -> Floats:
        if is_over(history):
            table = meeting.mass if history.endswith("f") else meeting.ahead
            worth: Floats = (table @ theirs) * self._price(history, paid)
            return worth
        letters = actions(history, self._rules.raise_cap)
        if len(history) % 2 == self._seat:
            each = np.array([self._worth(history + letter, theirs, meeting, paid) for letter in letters])
            self._choice[history] = each.argmax(axis=0)
            best: Floats = each.max(axis=0)
            return best
        shares = self._shares(history)
        parts = [
            self._worth(history + a, theirs * shares[:, at], meeting, paid) for at, a in enumerate(letters)
        ]
        total: Floats = np.sum(parts, axis=0)
        return total

    def _price(self, end: str, paid: float) -> float:
        """What is won at an end: by the other's fold, or by being ahead at showing."""
        price = paid + both_paid(end) * self._rules.big_bet
        return -price if end.endswith("f") and folder(end) == self._seat else price

    def _parts(self, end: str, rows: int, columns: int) -> tuple[Floats, Floats]:
        ours, theirs = np.ones(rows), np.ones(columns)
        for at, letter in enumerate(end):
            action = actions(end[:at], self._rules.raise_cap).index(letter)
            if at % 2 == self._seat:
                ours = ours * (self._choice[end[:at]] == action)
            else:
                theirs = theirs * self._shares(end[:at])[:, action]
        return ours, theirs
