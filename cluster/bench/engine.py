"""The engine's benchmark: random legal play of both games, beside PokerKit doing the same work.

The same work is: six players with the same stacks and stakes; a shuffle a hand; the legal actions asked for before
every action and one of them chosen by the same policy (`policy.py`); every action checked and recorded (events here,
operations there); forced bets, deals, showdowns and payments done by the engine. That both sides play the same
game shows in the actions a hand, which are reported. The sides alternate in short rounds of one run, measured in CPU
time, so that a busy machine or a changing clock does not favour either; the ratio is the median of the rounds' own.
"""

import gc
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from cluster.bench.policy import Engine
from engine.game import Game

SEED: Final = 20


@dataclass(frozen=True, slots=True)
class Lap:
    """What one side did in a round."""

    hands: int
    actions: int
    seconds: float
    """Of CPU time."""

    @property
    def hands_per_second(self) -> float:
        """Hands a second of CPU time."""
        return self.hands / self.seconds


@dataclass(frozen=True, slots=True)
class Round:
    """Both sides, one directly after the other, with the same number of hands."""

    own: Lap
    other: Lap

    @property
    def ratio(self) -> float:
        """How many hands we play in the time of one of the other's."""
        return self.own.hands_per_second / self.other.hands_per_second


def rounds(own: Engine, other: Engine, *, hands: int, count: int) -> Iterator[Round]:
    """`count` rounds of `hands` hands a side, after one more that warms both up and is not kept."""
    ours, others = random.Random(SEED), random.Random(SEED)
    _lap(own, ours, hands)
    _lap(other, others, hands)
    for _ in range(count):
        yield Round(_lap(own, ours, hands), _lap(other, others, hands))


def _lap(engine: Engine, rng: random.Random, hands: int) -> Lap:
    gc.collect()
    actions = 0
    started = time.process_time()
    for _ in range(hands):
        actions += engine.play(rng)
    return Lap(hands, actions, time.process_time() - started)


def ratio(played: list[Round]) -> float:
    """The median of the rounds' ratios."""
    return round(median(one.ratio for one in played), 2)


def figures(laps: list[Lap]) -> dict[str, Any]:
    """One side of a game as plain numbers: the medians of its rounds, and what it played in all."""
    hands, actions = sum(lap.hands for lap in laps), sum(lap.actions for lap in laps)
    return {
        "hands_per_second": round(median(lap.hands_per_second for lap in laps), 1),
        "actions_per_second": round(median(lap.actions / lap.seconds for lap in laps), 1),
        "actions_per_hand": round(actions / hands, 2),
        "hands": hands,
    }


def report(played: dict[Game, list[Round]], names: dict[Game, str]) -> dict[str, Any]:
    """All that was measured, as JSON takes it; `names` are what each game was measured against."""
    return {
        "ratios": {f"{game.value}_vs_pokerkit": ratio(of_game) for game, of_game in played.items()},
        "games": {
            game.value: {
                "against": f"PokerKit's {names[game]}",
                "croupier": figures([one.own for one in of_game]),
                "pokerkit": figures([one.other for one in of_game]),
                "round_ratios": [round(one.ratio, 2) for one in of_game],
            }
            for game, of_game in played.items()
        },
    }
