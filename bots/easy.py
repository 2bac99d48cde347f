"""The easy level: the strength of the hand at sight, whatever the others do."""

import random
from typing import Final

from bots import board, five_cards
from bots.actions import discard, give_up, stay, wager_share, wager_to
from bots.five_cards import Kind
from bots.protocol import BotAction, Observation
from bots.situation import call_odds, own_seat, street_wagers
from bots.starting_hands import percentile
from bots.strength import category_of
from bots.styles import Temper
from engine.ranking import Category

_RAISES: Final = 0.08
_PLAYS: Final = 0.38
_STACKS_OFF: Final = 0.05


class EasyHoldem:
    """Hold'em by the class of the hole cards, then by the made hand."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        if observation.board:
            return self._with_a_board(observation, rng)
        place = percentile(observation.cards) / self._temper.looseness
        expensive = observation.call * 5 > own_seat(observation).stack
        if place < _RAISES and street_wagers(observation) == 0 and rng.random() < 0.7:
            return wager_to(observation, 3 * observation.unit, "a strong start")
        if place < (_STACKS_OFF if expensive else _PLAYS):
            return stay(observation, "a start worth playing")
        return give_up(observation, "a weak start")

    def _with_a_board(self, observation: Observation, rng: random.Random) -> BotAction:
        reading = board.read(observation.cards, observation.board)
        odds = call_odds(observation)
        if reading.hold >= board.Hold.TWO_PAIR:
            return wager_share(observation, 0.5, "a strong hand")
        if reading.hold >= board.Hold.MIDDLE_PAIR or reading.outs >= 8:
            if not observation.call and rng.random() < 0.5 * self._temper.aggression:
                return wager_share(observation, 0.4, "a pair or a draw")
            return stay(observation, "a pair or a draw") if odds < 0.34 else give_up(observation, "too dear")
        if reading.hold is board.Hold.LOW_PAIR and odds < 0.25 * self._temper.looseness:
            return stay(observation, "a small pair")
        return give_up(observation, "nothing")


class EasyDraw:
    """Draw by the hand: a pair or better bets, and the standard cards are exchanged."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        if observation.draw:
            keep = five_cards.read(observation.cards).keep
            return discard(five_cards.discards(observation.cards, keep), "the standard draw")
        made = category_of(observation.cards)
        if made >= Category.TWO_PAIR:
            return wager_share(observation, 0.5, "two pair or better")
        if made is Category.PAIR:
            if not observation.call:
                return wager_share(observation, 0.5, "a pair")
            if street_wagers(observation) <= 1 or rng.random() < 0.3 * self._temper.looseness:
                return stay(observation, "a pair")
            return give_up(observation, "a pair against raises")
        hopeful = observation.street == "predraw" and self._drawing(observation)
        if hopeful and rng.random() < 0.7 * self._temper.looseness:
            return stay(observation, "one card short")
        return give_up(observation, "no pair")

    @staticmethod
    def _drawing(observation: Observation) -> bool:
        return five_cards.read(observation.cards).kind in (Kind.FOUR_FLUSH, Kind.OPEN_STRAIGHT)
