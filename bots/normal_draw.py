"""The normal level at draw: the hand, position, the number of opponents, the chance to improve and the odds.

What a hand wins after the draw is told by how many cards each opponent drew: three is a pair that improves
in 29 of 100, one is two pair or a draw, none is a made hand or a rare bluff.
"""

import random
from math import prod
from typing import Final

from bots import five_cards, odds
from bots.actions import discard
from bots.five_cards import CHANCE, Kind
from bots.protocol import BotAction, Observation
from bots.situation import players_behind, rivals, street_wagers
from bots.strength import category_of
from bots.styles import Temper
from engine.ranking import Category

_COLUMNS: Final = (
    Category.HIGH_CARD,
    Category.PAIR,
    Category.TWO_PAIR,
    Category.THREE_OF_A_KIND,
    Category.STRAIGHT,
    Category.FLUSH,
    Category.FULL_HOUSE,
)
_AGAINST_DRAWN: Final = {
    3: (0.10, 0.40, 0.79, 0.92, 0.97, 0.98, 0.99),
    2: (0.07, 0.30, 0.68, 0.82, 0.93, 0.95, 0.98),
    1: (0.12, 0.36, 0.60, 0.80, 0.87, 0.93, 0.98),
    0: (0.08, 0.15, 0.22, 0.30, 0.55, 0.75, 0.95),
}
"""How often a made hand wins against one opponent, by the cards that he drew; a pair is one of eights."""
_RANK_WORTH: Final = {3: 0.045, 2: 0.04, 1: 0.012, 0: 0.0}
"""What each rank of a pair above eights adds."""
_EIGHT: Final = 6


class NormalDraw:
    """See the module."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        if observation.draw:
            keep = five_cards.read(observation.cards).keep
            return discard(five_cards.discards(observation.cards, keep), "the standard draw")
        return odds.decide(observation, estimate(observation), self._temper, rng)


def estimate(observation: Observation) -> float:
    """The win probability by rule of thumb, before or after the draw."""
    if observation.street == "postdraw":
        win = prod(after_the_draw(observation.cards, seat.drawn) for seat in rivals(observation))
        return max(0.02, win - 0.05 * street_wagers(observation))
    return max(0.02, _before_the_draw(observation))


def after_the_draw(cards: tuple[int, ...], drawn: int) -> float:
    """How often final `cards` beat one opponent who drew so many; -1, who never drew, counts as three."""
    drawn = drawn if drawn >= 0 else 3
    made = category_of(cards)
    column = min(int(made), len(_COLUMNS) - 1)
    high = five_cards.read(cards).pair
    worth = _RANK_WORTH[drawn] * (high - _EIGHT) if made is Category.PAIR else 0.0
    if made is Category.TWO_PAIR:
        worth = 0.01 * (high - _EIGHT)
    return min(0.99, max(0.02, _AGAINST_DRAWN[drawn][column] + worth))


def _before_the_draw(observation: Observation) -> float:
    """As it stands and as it may become; who is yet to act holds anything, who has bet a good pair or more."""
    reading = five_cards.read(observation.cards)
    chance = CHANCE[reading.kind]
    opponents = len(rivals(observation))
    as_it_is = after_the_draw(observation.cards, 3)
    if reading.kind is Kind.PAIR:
        as_it_is = min(0.68, 0.34 + 0.035 * (reading.pair - 2))
    improved = 0.86 if reading.kind is not Kind.HIGH else 0.6
    alone = chance * improved + (1 - chance) * as_it_is
    alone -= 0.07 * street_wagers(observation) + 0.012 * players_behind(observation)
    return float(max(0.02, alone) ** (1 + 0.5 * (opponents - 1)))
