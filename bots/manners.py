"""Manners: how long a bot takes, so that a table of bots is bearable and nobody learns anything from it.

Law of this file: the time depends on public facts and on chance alone, never on the bot's cards or on how
long it really had to think. It runs from the start of the turn, so that the work is hidden inside it.
"""

import random
from typing import Final

from bots.protocol import Observation
from bots.situation import call_odds
from engine.settings import BotSpeed

LEAST: Final = 600
MOST: Final = 2500
_FASTER: Final = {BotSpeed.NATURAL: 1, BotSpeed.FAST: 4}


def thinking_time(observation: Observation, speed: BotSpeed, rng: random.Random) -> int:
    """Milliseconds from the start of the turn until the bot acts; at most a third of the turn time.

    The more a call costs of the pot that it makes, the longer; nothing to call is quick.
    """
    if speed is BotSpeed.INSTANT:
        return 0
    weight = min(1.0, 2 * call_odds(observation) + (0.2 if observation.draw or observation.board else 0.0))
    natural = LEAST + (MOST - LEAST) * min(1.0, rng.random() * (0.4 + 0.6 * weight) + 0.2 * weight)
    return min(round(natural / _FASTER[speed]), observation.turn_time // 3)
