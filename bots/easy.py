"""The easy level: the strength of the hand at sight, whatever the others do."""

import random
from typing import Final

from bots import board, five_cards
from bots.actions import by_lot, discard, explained, give_up, stay, wager_share, wager_to
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
        decided = self._with_a_board if observation.board else self._without_a_board
        return explained(decided(observation, rng), pot_odds=call_odds(observation))

    def _without_a_board(self, observation: Observation, rng: random.Random) -> BotAction:
        place = percentile(observation.cards) / self._temper.looseness
        expensive = observation.call * 5 > own_seat(observation).stack
        passive = give_up(observation, "a weak start")
        if place < (_STACKS_OFF if expensive else _PLAYS):
            passive = stay(observation, "a start worth playing")
        if place < _RAISES and street_wagers(observation) == 0:
            return by_lot(0.7, wager_to(observation, 3 * observation.unit, "a strong start"), passive, rng)
        return passive

    def _with_a_board(self, observation: Observation, rng: random.Random) -> BotAction:
        reading = board.read(observation.cards, observation.board)
        odds = call_odds(observation)
        if reading.hold >= board.Hold.TWO_PAIR:
            return wager_share(observation, 0.5, "a strong hand")
        if reading.hold >= board.Hold.MIDDLE_PAIR or reading.outs >= 8:
            if not observation.call:
                bets = wager_share(observation, 0.4, "a pair or a draw")
                return by_lot(0.5 * self._temper.aggression, bets, stay(observation, "a pair or a draw"), rng)
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
        return explained(self._betting(observation, rng), pot_odds=call_odds(observation))

    def _betting(self, observation: Observation, rng: random.Random) -> BotAction:
        made = category_of(observation.cards)
        if made >= Category.TWO_PAIR:
            return wager_share(observation, 0.5, "two pair or better")
        if made is Category.PAIR:
            if not observation.call:
                return wager_share(observation, 0.5, "a pair")
            stays = stay(observation, "a pair")
            if street_wagers(observation) <= 1:
                return stays
            gives_up = give_up(observation, "a pair against raises")
            return by_lot(0.3 * self._temper.looseness, stays, gives_up, rng)
        gives_up = give_up(observation, "no pair")
        if observation.street == "predraw" and self._drawing(observation):
            stays = stay(observation, "one card short")
            return by_lot(min(1.0, 0.7 * self._temper.looseness), stays, gives_up, rng)
        return gives_up

    @staticmethod
    def _drawing(observation: Observation) -> bool:
        return five_cards.read(observation.cards).kind in (Kind.FOUR_FLUSH, Kind.OPEN_STRAIGHT)
