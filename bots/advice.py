"""Advice: what a worker hands back for a decision, in plain data: the mix of actions, and why."""

import random
from dataclasses import dataclass

from bots.actions import give_up
from bots.explanation import Explanation
from bots.protocol import BotAction, Observation, is_legal
from engine.value import changed


@dataclass(frozen=True, slots=True)
class Option:
    """An action with its share of the mix."""

    kind: str
    to: int
    chance: float
    cards: tuple[int, ...] = ()
    """Those that a draw gives up."""

    @property
    def text(self) -> str:
        """As in "raise to 40" or "draw 3"; it names no card."""
        if self.kind == "draw":
            return f"draw {len(self.cards)}"
        return f"{self.kind} to {self.to}" if self.to else self.kind


@dataclass(frozen=True, slots=True)
class Advice:
    """A mix of actions whose chances add up to 1, and the figures that it rests on."""

    options: tuple[Option, ...]
    explanation: Explanation


def drawn(advice: Advice, observation: Observation, rng: random.Random) -> BotAction:
    """One of the options by a lot of the bot's own; what is not legal after all is given up."""
    lot = rng.random()
    mix = tuple((option.text, option.chance) for option in advice.options)
    why = changed(advice.explanation, mix=mix, lot=lot)
    left = lot
    chosen = advice.options[-1]
    for option in advice.options:
        left -= option.chance
        if left < 0:
            chosen = option
            break
    action = BotAction(chosen.kind, to=chosen.to, cards=chosen.cards, why=why.rule, explanation=why)
    return action if is_legal(action, observation) else give_up(observation, why.rule)
