"""Advice: a decision before its lot is drawn, in plain data: the mix of actions, and why."""

import random
from dataclasses import dataclass, replace

from bots.actions import give_up
from bots.explanation import Explanation
from bots.lots import fallen_on
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
    def action(self) -> BotAction:
        """The action alone."""
        return BotAction(self.kind, self.to, self.cards)


@dataclass(frozen=True, slots=True)
class Advice:
    """A mix of actions whose chances add up to 1, and the figures that it rests on."""

    options: tuple[Option, ...]
    explanation: Explanation


def drawn(advice: Advice, observation: Observation, rng: random.Random) -> BotAction:
    """One of the options by a lot of the bot's own; what is not legal after all is given up."""
    lot = rng.random()
    mix = tuple((option.action.text, option.chance) for option in advice.options)
    why = changed(advice.explanation, mix=mix, lot=lot)
    chosen = advice.options[fallen_on(lot, (option.chance for option in advice.options))]
    action = replace(chosen.action, why=why.rule, explanation=why)
    return action if is_legal(action, observation) else give_up(observation, why.rule)
