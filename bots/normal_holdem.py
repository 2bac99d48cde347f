"""The normal level at hold'em: position, stacks, pot odds and the board, from rules of thumb.

Before the flop it plays the position tables; after it, it estimates its win probability from what its cards
make of the board and decides by the odds.
"""

import random
from typing import Final

from bots import odds, preflop
from bots.board import Hold, Reading, read
from bots.protocol import BotAction, Observation
from bots.situation import rivals, street_wagers
from bots.styles import Temper

AGAINST_ONE: Final[dict[Hold, float]] = {
    Hold.NOTHING: 0.22,
    Hold.LOW_PAIR: 0.43,
    Hold.MIDDLE_PAIR: 0.53,
    Hold.TOP_PAIR: 0.68,
    Hold.OVERPAIR: 0.76,
    Hold.TWO_PAIR: 0.82,
    Hold.THREE_OF_A_KIND: 0.87,
    Hold.STRAIGHT: 0.90,
    Hold.FLUSH: 0.93,
    Hold.FULL_HOUSE: 0.97,
}
"""How often a hand wins against one opponent who goes on with it, on a dry board."""
_A_CARD: Final = 0.021
"""What an out is worth for each card to come: one of 47."""


class NormalHoldem:
    """See the module."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        if not observation.board:
            return preflop.decide(observation, self._temper, rng)
        return odds.decide(observation, estimate(observation), self._temper, rng)


def estimate(observation: Observation) -> float:
    """The win probability by rule of thumb: the made hand, the draw, the board, the number of opponents, their bets."""
    reading = read(observation.cards, observation.board)
    to_come = 5 - len(observation.board)
    win = _made(reading)
    win += (1 - win) * min(0.5, _A_CARD * reading.outs * to_come + 0.01 * reading.overcards * to_come)
    win -= 0.06 * max(0, street_wagers(observation) - (0 if observation.call else 1))
    opponents = max(1, len(rivals(observation)))
    return float(max(0.02, win) ** (1 + 0.45 * (opponents - 1)))


def _made(reading: Reading) -> float:
    """The made hand against one; a dangerous board takes most from hands that a straight or flush beats."""
    win = AGAINST_ONE[reading.hold]
    if reading.hold in (Hold.NOTHING, Hold.LOW_PAIR, Hold.MIDDLE_PAIR, Hold.TOP_PAIR):
        win += 0.006 * (reading.kicker - 6)
    exposed = 0.25 if reading.hold <= Hold.THREE_OF_A_KIND else 0.1
    return win * (1 - exposed * reading.danger)
