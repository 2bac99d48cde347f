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
SAMPLING: Final = 400
"""Milliseconds that a bot which samples takes at least, at every speed: some cards are more work than others."""
_SPARE: Final = 100
"""Milliseconds of its time in which a bot that samples does the rest."""
_FASTER: Final = {BotSpeed.NATURAL: 1, BotSpeed.FAST: 4}


def thinking_time(
    observation: Observation, speed: BotSpeed, rng: random.Random, *, samples: bool = False
) -> int:
    """Milliseconds from the start of the turn until the bot acts; at most a third of the turn time.

    The more a call costs of the pot that it makes, the longer; nothing to call is quick. With `samples` it is
    long enough for `sampling_budget`, whatever the cards are.
    """
    seeming = _seeming(observation, speed, rng)
    return min(max(seeming, SAMPLING) if samples else seeming, observation.turn_time // 3)


def sampling_budget(time: int) -> int:
    """How much of a thinking time may be spent on sampling, in ms, so that nobody sees how much was."""
    return max(0, time - _SPARE)


def _seeming(observation: Observation, speed: BotSpeed, rng: random.Random) -> int:
    if speed is BotSpeed.INSTANT:
        return 0
    weight = min(1.0, 2 * call_odds(observation) + (0.2 if observation.draw or observation.board else 0.0))
    natural = LEAST + (MOST - LEAST) * min(1.0, rng.random() * (0.4 + 0.6 * weight) + 0.2 * weight)
    return round(natural / _FASTER[speed])
