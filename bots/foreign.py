"""Foreign bots: classes of the bot protocol that are named by module and class, whoever wrote them.

Law of this file: nothing that a foreign bot does ends a match. What it may not do is counted, and answered by
the check where it is free, else by the fold.
"""

import importlib
import random
import sys
from collections import Counter
from collections.abc import Callable
from operator import index
from typing import Any, Final

from bots.actions import give_up
from bots.protocol import Bot, BotAction, Observation, is_legal

SEPARATOR: Final = ":"


class ForeignMissing(Exception):
    """A foreign bot cannot be had; the message says why and what would be right."""


def is_foreign(name: str) -> bool:
    """Whether a bot's name is of the form MODULE:CLASS."""
    return SEPARATOR in name


def foreign_class(name: str, path: str) -> Callable[[], Bot]:
    """The class that MODULE:CLASS names; modules are looked for in the directory `path`, then where Python does.

    Raises:
        ForeignMissing: there is none, or it is no bot.
    """
    module_name, _, class_name = name.partition(SEPARATOR)
    if not module_name or not class_name.isidentifier():
        raise ForeignMissing(f"{name!r} is no bot: write MODULE:CLASS, such as my.module:MyBot")
    if path and path not in sys.path:
        sys.path.insert(0, path)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise ForeignMissing(f"{name} cannot be imported from {path or 'here'}: {_said(error)}") from error
    made = getattr(module, class_name, None)
    if not isinstance(made, type):
        there = ", ".join(sorted(word for word in vars(module) if isinstance(vars(module)[word], type)))
        raise ForeignMissing(f"{module_name} has no class {class_name}; it has: {there or 'none'}")
    if not callable(getattr(made, "decide", None)):
        raise ForeignMissing(f"{name} is no bot: it has no method decide(observation, rng)")
    return made


def make_foreign(name: str, path: str = "") -> "Foreign":
    """A new bot of the class that MODULE:CLASS names.

    Raises:
        ForeignMissing: it cannot be made.
    """
    made = foreign_class(name, path)
    try:
        return Foreign(made())
    except (Exception, SystemExit) as error:
        raise ForeignMissing(f"{name} cannot be made: {_said(error)}") from error


class Foreign:
    """A foreign bot that is held to the protocol."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.faults: Counter[str] = Counter()
        """How often it crashed, answered with what is no action, or did what is not legal."""
        self.first_fault = ""
        """What was wrong the first time."""

    @property
    def notes(self) -> Counter[str]:
        """What the bot itself counts under the name `notes`, such as amounts that its adapter had to change."""
        try:
            notes = getattr(self._bot, "notes", None)
        except Exception:  # noqa: BLE001 - it is not ours, and the match goes on
            return Counter()
        return Counter(notes) if isinstance(notes, Counter) else Counter()

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """Its action if that is legal, else the check or the fold."""
        try:
            action: Any = self._bot.decide(observation, rng)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is not ours, and the match goes on
            return self._passed(observation, "crashed", _said(error))
        if not isinstance(action, BotAction):
            return self._passed(observation, "no_action", f"it answered a {type(action).__name__}")
        try:
            # Numbers of the rules are Python's own: numpy's are made so, and parts of a chip or of a card are none.
            own = BotAction(action.kind, index(action.to), tuple(map(index, action.cards)), action.why)
            if is_legal(own, observation):
                return own
        except Exception as error:  # noqa: BLE001 - as above
            return self._passed(observation, "no_action", _said(error))
        return self._passed(observation, "illegal", f"{action} on {observation}")

    def _passed(self, observation: Observation, fault: str, what: str) -> BotAction:
        self.faults[fault] += 1
        self.first_fault = self.first_fault or f"{fault}: {what}"
        return give_up(observation)


def _said(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - as above
        return type(error).__name__
