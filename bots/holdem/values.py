"""Values: what each action that a turn offers is worth in chips, against the tables and the answers they would give.

Amounts are from now on: folding is worth 0. Cards to come are worth what a hand's equity is, bent by position: who
acts last gets more out of it, and strong hands win more later than they do now.
"""

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final

import numpy as np

from bots.equity.paths import Path, chosen, kernel
from bots.holdem import street_model
from bots.holdem.combo_arrays import Floats, duels, hand_of, player_of
from bots.holdem.street_model import Answers
from bots.holdem.weight_tables import Tables
from bots.protocol import Observation, SeenSeat
from bots.situation import own_seat, players_behind, rivals, street_wagers

HAND_BOARDS: Final = 100
SAMPLES: Final = 8192
"""Of the equity that is told and that sampled boards are set right by."""
_BENT: Final = 0.22
_PIVOT_LAST: Final = 0.42
_PIVOT_FIRST: Final = 0.54
_USUAL_BET: Final = 0.6


@dataclass(frozen=True, slots=True)
class Rival:
    """An opponent as the bot sees him."""

    seat: SeenSeat
    weights: Floats
    places: Floats
    equity: Floats
    """The bot's share of the pot against each of his combos."""


class PostflopSpot:
    """A turn after the flop with everything that values need."""

    def __init__(self, observation: Observation, tables: Tables) -> None:
        self.observation = observation
        self.own = own_seat(observation)
        self.tables = tables
        self.river = len(observation.board) == 5
        self.last = players_behind(observation) == 0
        self.wagers = street_wagers(observation)
        self.equity, self.error, self.samples = self._sampled()
        self.rivals = [self._rival(seat) for seat in rivals(observation)]
        behind = max((rival.seat.stack for rival in self.rivals), default=0)
        self.behind = min(self.own.stack, behind)

    def _sampled(self) -> tuple[float, float, int]:
        """The equity against all tables at once, its standard error, and its samples; exact where there are none."""
        observation = self.observation
        held = [player_of(self.tables.weights[seat.seat]) for seat in rivals(observation)]
        players = [hand_of(observation.cards), *held]
        if len(players) == 2 and len(observation.board) > 3:
            seat = rivals(observation)[0].seat
            weights = self.tables.weights[seat]
            against = 1 - duels(hand_of(observation.cards), observation.board).equity
            return float(weights @ against), 0.0, 0
        count, path = len(players), chosen()
        seed = int.from_bytes(bytes((*observation.cards, *observation.board)), "big")
        try:
            outcomes = kernel(path).holdem_sample(
                players, bytes(observation.board), b"", seed, SAMPLES, path is Path.AVX512
            )
        except RuntimeError:
            return 1 / count, 0.5, 0
        share = sum(outcomes[k] / (k + 1) for k in range(count)) / SAMPLES
        return share, float((share * (1 - share) / SAMPLES) ** 0.5), SAMPLES

    def _rival(self, seat: SeenSeat) -> Rival:
        """Where boards are sampled, what they have in common is set right by the better estimate."""
        weights = self.tables.weights[seat.seat]
        flop = len(self.observation.board) == 3
        cards = hand_of(self.observation.cards)
        equity = 1 - duels(cards, self.observation.board, HAND_BOARDS if flop else 0).equity
        if flop and len(self.tables.weights) == 2:
            equity = np.clip(equity + (self.equity - float(weights @ equity)), 0.0, 1.0)
        return Rival(seat, weights, self.tables.places[seat.seat], equity)

    def realised(self, equity: float, behind: float, pot: float) -> float:
        """The share of the pot that an equity comes to, with so much behind and cards to come."""
        if self.river or behind <= 0:
            return equity
        depth = min(1.0, behind / max(pot, 1.0))
        pivot = _PIVOT_LAST if self.last else _PIVOT_FIRST
        return min(1.0, max(0.0, equity + depth * _BENT * (equity - pivot)))

    def passing(self) -> float:
        """What a check is worth."""
        pot = float(self.observation.pot)
        if len(self.rivals) > 1 or self.last or self.behind <= 0:
            return pot * self.realised(self.equity, self.behind, pot)
        rival = self.rivals[0]
        bets = street_model.bets(rival.places, _USUAL_BET, 1)
        betting = float(rival.weights @ bets)
        after_bet = float((rival.weights * bets) @ rival.equity) / max(betting, 1e-9)
        after_check = float((rival.weights * (1 - bets)) @ rival.equity) / max(1 - betting, 1e-9)
        size = min(self.behind, _USUAL_BET * pot)
        called = (pot + 2 * size) * self.realised(after_bet, self.behind - size, pot + 2 * size) - size
        return betting * max(0.0, called) + (1 - betting) * pot * self.realised(after_check, self.behind, pot)

    def calling(self) -> float:
        """What a call is worth."""
        cost = float(self.observation.call)
        pot = self.observation.pot + cost
        return pot * self.realised(self.equity, self.behind - cost, pot) - cost

    def answers(self, rival: Rival, to: int) -> Answers:
        """What a rival's combos do against a bet or raise to `to`."""
        observation = self.observation
        call = max(0, min(to - rival.seat.bet, rival.seat.stack))
        if call == 0:
            return Answers(
                np.zeros(len(rival.weights)), np.ones(len(rival.weights)), np.zeros(len(rival.weights))
            )
        cost = to - self.own.bet
        size = call / max(1.0, observation.pot + cost - call)
        found = street_model.answers(rival.places, size, len(self.rivals), wagers=self.wagers + 1)
        if rival.seat.stack <= call or self.own.stack <= cost:
            return Answers(found.fold, found.call + found.again, np.zeros(len(rival.weights)))
        return found

    def wagering(self, to: int) -> tuple[float, float]:
        """What a bet or raise to `to` is worth, and the bot's equity when it is called."""
        if len(self.rivals) == 1:
            return self._against_one(self.rivals[0], to)
        return self._against_many(to)

    def _against_one(self, rival: Rival, to: int) -> tuple[float, float]:
        pot = float(self.observation.pot)
        call = max(0, min(to - rival.seat.bet, rival.seat.stack))
        cost = min(to - self.own.bet, call + rival.seat.bet - self.own.bet)
        answer = self.answers(rival, to)
        folds, calls, again = (rival.weights * chance for chance in answer)
        folding, calling, raising = float(folds.sum()), float(calls.sum()), float(again.sum())
        when_called = float(calls @ rival.equity) / max(calling, 1e-9)
        made = pot + cost + call
        left = self.behind - cost
        worth = folding * pot + calling * (made * self.realised(when_called, left, made) - cost)
        if raising > 0:
            when_raised = float(again @ rival.equity) / raising
            more = min(left, made)
            big = made + 2 * more
            stays = big * self.realised(when_raised, left - more, big) - cost - more
            worth += raising * max(-cost, stays)
        return worth, when_called

    def _against_many(self, to: int) -> tuple[float, float]:
        """Each may fold or stay, independently; who stays is beaten one by one."""
        pot = float(self.observation.pot)
        cost = to - self.own.bet
        stays: list[float] = []
        beaten: list[float] = []
        calls: list[float] = []
        for rival in self.rivals:
            staying = rival.weights * (1 - self.answers(rival, to).fold)
            stays.append(float(staying.sum()))
            beaten.append(float(staying @ rival.equity) / max(stays[-1], 1e-9))
            calls.append(float(max(0, min(to - rival.seat.bet, rival.seat.stack))))
        worth = called = weight = 0.0
        for who in product((False, True), repeat=len(self.rivals)):
            chance = prod(stay if there else 1 - stay for stay, there in zip(stays, who, strict=True))
            wins = prod(beat for beat, there in zip(beaten, who, strict=True) if there)
            if not any(who):
                worth += chance * pot
                continue
            paid = [call for call, there in zip(calls, who, strict=True) if there]
            made = pot + cost + sum(paid)
            worth += chance * (made * self.realised(wins, self.behind - cost, made) - cost)
            called += chance * wins
            weight += chance
        return worth, called / max(weight, 1e-9)
