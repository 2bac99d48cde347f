"""Actions in terms of intent: from "bet two thirds of the pot" to what the turn allows.

Law of this file: whatever comes out is legal in the turn observed, and nobody folds where a check is free.
"""

import random
from dataclasses import replace
from typing import Any

from bots.explanation import Explanation
from bots.protocol import BotAction, Observation
from engine.value import changed


def give_up(observation: Observation, why: str = "") -> BotAction:
    """Check where it is free, else fold; at the draw, stand pat."""
    if observation.draw:
        return BotAction("draw", why=why)
    return BotAction("check" if observation.check else "fold", why=why)


def stay(observation: Observation, why: str = "") -> BotAction:
    """Check where it is free, else call."""
    if observation.call:
        return BotAction("call", why=why)
    return give_up(observation, why)


def wager_to(observation: Observation, to: int, why: str = "") -> BotAction:
    """Bet or raise to `to`, or the nearest that is allowed; check or call where neither is offered."""
    for kind, least, most in (
        ("bet", observation.bet_min, observation.bet_max),
        ("raise", observation.raise_min, observation.raise_max),
    ):
        if least:
            return BotAction(kind, clear_of_crumbs(max(least, min(to, most)), most), why=why)
    return stay(observation, why)


def wager_share(observation: Observation, share: float, why: str = "") -> BotAction:
    """Bet or raise to `share_to`; in fixed limit the one size there is."""
    return wager_to(observation, share_to(observation, share), why)


def share_to(observation: Observation, share: float) -> int:
    """The total of a bet or raise by `share` of the pot as it is after calling."""
    return max(observation.bet, observation.call_to) + round(share * (observation.pot + observation.call))


def shove(observation: Observation, why: str = "") -> BotAction:
    """Put in the whole stack, or as much as the turn allows."""
    return wager_to(observation, observation.raise_max or observation.bet_max, why)


def discard(cards: tuple[int, ...], why: str = "") -> BotAction:
    """Exchange `cards` at the draw."""
    return BotAction("draw", cards=cards, why=why)


def explained(action: BotAction, **figures: Any) -> BotAction:
    """The action with figures, fields of an `Explanation`, beside the rule and the figures that it has."""
    given = action.explanation or Explanation(action.why)
    return replace(action, explanation=changed(given, **figures))


def by_lot(share: float, action: BotAction, otherwise: BotAction, rng: random.Random) -> BotAction:
    """`action` in `share` of all cases, else `otherwise`; the explanation tells the mix and the lot, where there is one."""
    if share <= 0:
        return otherwise
    lot = rng.random()
    mix = ((action.kind, share), (otherwise.kind, 1 - share))
    return explained(action if lot < share else otherwise, mix=mix, lot=lot)


def can_wager(observation: Observation) -> bool:
    """Whether a bet or a raise is offered."""
    return observation.bet_min > 0 or observation.raise_min > 0


def clear_of_crumbs(to: int, most: int) -> int:
    """`most` where `to` would leave less than a fifth of it behind: chips that can no longer be folded."""
    return most if to * 5 > most * 4 else to
