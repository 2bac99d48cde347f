"""Answers: what a published bot wants to do, as an action that is legal in the turn; what had to be changed is counted."""

from collections import Counter

from bots.protocol import BotAction, Observation

FREE_FOLD = "folds where a check was free, played as checks"
NOT_OFFERED = "raises where none is open, played as calls or checks"
TO_LEAST = "amounts raised to the least that is legal"
TO_MOST = "amounts lowered to the most that is legal"


class YardstickMissing(Exception):
    """A published bot is not installed; the message says how it is."""


def fold(observation: Observation, notes: Counter[str]) -> BotAction:
    """A fold; a check where that is free, since to give up nothing is no strength to measure."""
    if observation.check:
        notes[FREE_FOLD] += 1
        return BotAction("check")
    return BotAction("fold")


def stay(observation: Observation) -> BotAction:
    """The call, or the check where nothing is owed."""
    return BotAction("call") if observation.call else BotAction("check")


def lift(observation: Observation, to: int, notes: Counter[str]) -> BotAction:
    """A bet or raise to `to` in all, or to the nearest that is legal."""
    kind = "bet" if observation.bet_min else "raise"
    least, most = (
        max(observation.bet_min, observation.raise_min),
        max(observation.bet_max, observation.raise_max),
    )
    if not least:
        notes[NOT_OFFERED] += 1
        return stay(observation)
    if to < least:
        notes[TO_LEAST] += 1
    elif to > most:
        notes[TO_MOST] += 1
    return BotAction(kind, max(least, min(to, most)))
