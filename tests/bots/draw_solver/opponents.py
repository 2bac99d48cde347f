"""Opponents of the best responder: a table's player, and two that play by a few rules, to see what he can do."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from bots.draw_solver.holding import read
from bots.draw_solver.table import WHOLE, Table
from engine.cards import parse_cards
from tests.bots.draw_solver import own_hands
from tests.bots.draw_solver.deals import STRENGTHS, Cards, Floats, Ints, hands, strengths
from tests.bots.draw_solver.limit_round import actions, bets_in


class Opponent(Protocol):
    """How a player plays, asked for all that he may hold at once. Actions are in the order of `limit_round.actions`."""

    def before(self, history: str) -> Floats:
        """(hands, actions): how often each of `hands()` does what before the draw."""
        ...

    def draws(self, way: str, seen: int) -> Floats:
        """(hands, 4): how often each draws so many; `seen` is what the other drew, -1 where he draws first."""
        ...

    def keeps(self, draws: int) -> Cards:
        """(hands, 5 - draws): what each keeps."""
        ...

    def after(self, way: str, first_drew: int, second_drew: int, history: str) -> Floats:
        """(strengths, actions): how often a final hand of each strength does what."""
        ...


class TableOpponent:
    """Plays by a table, asked hand by hand as its player asks it."""

    def __init__(self, table: Table) -> None:
        self._table = table
        readings = [read(cards) for cards in hands().cards.tolist()]
        self._place = np.array([reading.place for reading in readings])
        self._holdings = range(int(self._place.max()) + 1)
        self._keeps = []
        for draws in range(4):
            # Where it never draws so many, what it would keep is of no account.
            keeps = (reading.keeps[draws] or reading.keeps[0] or () for reading in readings)
            self._keeps.append(np.array([keep[: 5 - draws] for keep in keeps], np.uint8))

    def before(self, history: str) -> Floats:
        return self._by_hand([self._table.before(history, holding) for holding in self._holdings])

    def draws(self, way: str, seen: int) -> Floats:
        return self._by_hand([self._table.draws(way, holding, seen) for holding in self._holdings])

    def keeps(self, draws: int) -> Cards:
        return self._keeps[draws]

    def after(self, way: str, first_drew: int, second_drew: int, history: str) -> Floats:
        drawn = (first_drew, second_drew)
        each = [self._table.after(way, drawn, history, max(1, strength)) for strength in range(STRENGTHS)]
        return _shares(each)

    def _by_hand(self, by_holding: list[bytes]) -> Floats:
        shares: Floats = _shares(by_holding)[self._place]
        return shares


def _shares(rows: list[bytes]) -> Floats:
    found: Floats = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1) / WHOLE
    return found


@dataclass(frozen=True)
class Thresholds:
    """The weakest hands, by example, with which a player bets, calls and raises, by the bets that he faces."""

    bet: str
    call: tuple[str, ...]
    raises: tuple[str, ...]

    def shares(self, history: str, cap: int, strength: Ints) -> Floats:
        """(strengths, actions): one action each."""
        faced = bets_in(history)
        if not faced:
            bets = strength >= least(self.bet)
            return np.stack([~bets, bets], axis=1).astype(np.float64)
        calls = strength >= least(self.call[min(faced, len(self.call)) - 1])
        raises = strength >= least(self.raises[min(faced, len(self.raises)) - 1])
        if len(actions(history, cap)) == 2:
            return np.stack([~calls, calls], axis=1).astype(np.float64)
        return np.stack([~calls & ~raises, calls & ~raises, raises], axis=1).astype(np.float64)


class RuleOpponent:
    """Plays by thresholds and draws as every book has it; `chases` says whether it calls one bet to draw to a flush
    or an open straight.
    """

    def __init__(self, before: Thresholds, after: Thresholds, cap: int, *, chases: bool) -> None:
        self._before, self._after, self._cap, self._chases = before, after, cap, chases

    @cached_property
    def _hands(self) -> Cards:
        return own_hands.ordered(hands().cards)

    @cached_property
    def _strength(self) -> Ints:
        return strengths(hands().cards)

    @cached_property
    def _draw(self) -> Ints:
        """3 or more to a flush, 2 to an open straight."""
        classes = own_hands.hand_class(self._hands)
        return np.where(classes < 4 * 5 * 169, classes // 169 % 5, 0)

    def before(self, history: str) -> Floats:
        shares = self._before.shares(history, self._cap, self._strength)
        if self._chases and bets_in(history) == 1:
            chasing = (self._draw >= 2) & (shares[:, 0] == 1)
            shares[chasing] = np.eye(shares.shape[1])[1]
        return shares

    def draws(self, way: str, seen: int) -> Floats:
        return np.eye(4)[self._drawn]

    @cached_property
    def _drawn(self) -> Ints:
        strength = self._strength
        pairs = (
            least("2c 2d 5h 4s 3c"),
            least("3c 3d 2h 2s 4c"),
            least("2c 2d 2h 4s 3c"),
            least("5c 4d 3h 2s Ac"),
        )
        made = np.digitize(strength, pairs)
        draws = np.array([3, 3, 1, 2, 0])[made]
        return np.where((made < 2) & (self._draw >= 2), 1, draws)

    def keeps(self, draws: int) -> Cards:
        keeps = own_hands.kept(self._hands)
        if draws != 1:
            return keeps[(0, 1, 2, 3)[draws]]
        flush, straight = (self._draw >= 3)[:, None], (self._draw == 2)[:, None]
        return np.where(flush, keeps[4], np.where(straight, keeps[5], keeps[1]))

    def after(self, way: str, first_drew: int, second_drew: int, history: str) -> Floats:
        return self._after.shares(history, self._cap, np.arange(STRENGTHS))


def least(example: str) -> int:
    """The strength of five cards."""
    return int(strengths(np.array([parse_cards(example)], np.uint8))[0])


_NOTHING, _PAIR, _JACKS = "7c 5d 4h 3s 2c", "2c 2d 5h 4s 3c", "Jc Jd 4h 3s 2c"
_KINGS, _ACES = "Kc Kd 4h 3s 2c", "Ac Ad 4h 3s 2c"
_TWO_PAIR, _ACES_UP, _TRIPS = "3c 3d 2h 2s 4c", "Ac Ad 2h 2s 3c", "2c 2d 2h 4s 3c"
_STRAIGHT, _FULL_HOUSE = "5c 4d 3h 2s Ac", "2c 2d 2h 3s 3c"


def textbook(cap: int) -> RuleOpponent:
    """Opens with jacks or better, raises with two pair, bets two pair after the draw, never bluffs."""
    before = Thresholds(_JACKS, (_JACKS, _ACES, _TWO_PAIR), (_TWO_PAIR, _TRIPS, _STRAIGHT))
    after = Thresholds(_TWO_PAIR, (_JACKS, _TWO_PAIR, _TRIPS), (_TRIPS, _STRAIGHT, _FULL_HOUSE))
    return RuleOpponent(before, after, cap, chases=True)


def pair_or_better(cap: int) -> RuleOpponent:
    """Bets and calls with a pair or better, raises with two pair or better, and folds the rest."""
    play = Thresholds(_PAIR, (_PAIR,), (_TWO_PAIR, _TRIPS))
    return RuleOpponent(play, play, cap, chases=False)
