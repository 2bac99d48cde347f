"""An explanation: why a bot decided as it did, in words and figures, for those who may read it after the hand.

Law of this file: an explanation decides nothing and names no card of the bot's own: its discards stay its own
even where its last five cards were turned up (S5). It holds primitives alone, and each field may be missing.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import StrEnum
from typing import Any, Final

from bots.lots import fallen_on
from engine.value import changed, value

Mix = tuple[tuple[str, float], ...]
"""Actions and their shares, which add up to 1, in the order in which a lot is laid along them."""


class Path(StrEnum):
    """What ran a decision."""

    RULES = "rules"
    """Rules of thumb, where the bot stood."""
    TABLE = "table"
    """A table that was computed beforehand."""
    IN_PROCESS = "in_process"
    """Computed in the process that asked."""
    WORKERS = "workers"
    """Computed by Ray workers."""


@value
class Explanation:
    """Why one decision was taken. Probabilities and shares are from 0 to 1."""

    rule: str = ""
    """Which rule decided, in words: "a pair against raises"."""
    ranges: str = ""
    """What the opponents were taken to hold, in a line, by classes: "seat 2: 22+ AT+ (18%)"."""
    equity: float | None = None
    """The share of the pot that the hand was taken to win."""
    error: float | None = None
    """The standard error of `equity`, None for a rule of thumb."""
    samples: int = 0
    """How many deals `equity` is the mean of; 0, and no error, where it was counted exactly."""
    pot_odds: float | None = None
    """The equity at which a call would have broken even; 0 where there was nothing to call."""
    mix: Mix = ()
    """What was drawn between; empty where nothing was left to chance."""
    lot: float | None = None
    """The number from 0 to below 1 that was drawn: `drawn` says on which action of the mix it fell."""
    path: str = ""
    """What ran it: a `Path`, or another version's word."""
    fallback: str = ""
    """What it had to fall back to, as a `bots.brain.Fallback`; empty where all went as meant."""

    @property
    def drawn(self) -> str:
        """The action of the mix on which the lot fell; empty without a lot or a mix."""
        if self.lot is None or not self.mix:
            return ""
        return self.mix[fallen_on(self.lot, (share for _, share in self.mix))][0]


_DEFAULTS: Final = {each.name: each.default for each in fields(Explanation)}
assert MISSING not in _DEFAULTS.values(), "every field of an explanation may be missing"
_WORDS: Final = ("rule", "ranges", "path", "fallback")
_FIGURES: Final = ("equity", "error", "pot_odds", "lot")
_FALLBACKS: Final = {
    "partial": "with fewer samples than asked for",
    "normal": "by the normal bot, for want of samples",
    "passive": "by giving up, for want of a decision",
}


def explanation_to_plain(explanation: Explanation) -> dict[str, Any]:
    """The explanation as msgpack and JSON take it, numpy's numbers as Python's: the fields that say something."""
    plain: dict[str, Any] = {name: str(getattr(explanation, name)) for name in _WORDS}
    for name in _FIGURES:
        figure = getattr(explanation, name)
        plain[name] = None if figure is None else float(figure)
    plain["samples"] = int(explanation.samples)
    plain["mix"] = [[str(action), float(share)] for action, share in explanation.mix]
    return {name: each for name, each in plain.items() if each or (name in _FIGURES and each is not None)}


def explanation_from_plain(plain: str | Mapping[str, Any]) -> Explanation:
    """The explanation that `explanation_to_plain` wrote; a text, as earlier versions kept, is its rule.

    A field that this version does not know is left out: another version wrote it, and it decides nothing.
    """
    if isinstance(plain, str):
        return Explanation(plain)
    known = {name: each for name, each in plain.items() if name in _DEFAULTS}
    if "mix" in known:
        known["mix"] = tuple((str(action), float(share)) for action, share in known["mix"])
    return Explanation(**known)


def completed(explanation: Explanation | None, **unsaid: Any) -> Explanation:
    """The explanation with those of its fields that say nothing filled in by `unsaid`."""
    given = explanation or Explanation()
    return changed(
        given, **{name: each for name, each in unsaid.items() if getattr(given, name) == _DEFAULTS[name]}
    )


def text_of(explanation: Explanation) -> str:
    """The explanation in one line for people."""
    parts = (
        explanation.rule,
        _equity(explanation),
        _pot_odds(explanation.pot_odds),
        _mix(explanation),
        f"ranges {explanation.ranges}" if explanation.ranges else "",
        f"ran: {explanation.path.replace('_', ' ')}" if explanation.path else "",
        _FALLBACKS.get(explanation.fallback, explanation.fallback),
    )
    return "; ".join(part for part in parts if part)


def _equity(explanation: Explanation) -> str:
    if explanation.equity is None:
        return ""
    if explanation.error is None:
        return f"equity about {explanation.equity:.0%}"
    if not explanation.error and not explanation.samples:
        return f"equity {_percent(explanation.equity)}, exactly"
    samples = f" over {explanation.samples} samples" if explanation.samples else ""
    return f"equity {_percent(explanation.equity)}, standard error {_percent(explanation.error)}{samples}"


def _pot_odds(pot_odds: float | None) -> str:
    if pot_odds is None:
        return ""
    return f"pot odds {_percent(pot_odds)}" if pot_odds else "nothing to call"


def _mix(explanation: Explanation) -> str:
    if not explanation.mix:
        return ""
    shares = ", ".join(f"{_percent(share)} {action}" for action, share in explanation.mix)
    if explanation.lot is None:
        return f"mix {shares}"
    return f"mix {shares}, lot {explanation.lot:.3f}: {explanation.drawn}"


def _percent(share: float) -> str:
    return f"{share:.1%}"
