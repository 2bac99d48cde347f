"""Findings: what a check counted, and every violation by the law that it breaks."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

_KEPT: Final = 50
"""Violations of one law that are kept in words; all are counted."""


class Law(StrEnum):
    """What must be true of every run."""

    LOST = "lost"
    """What was answered as done is in the log, just there and for good; what was refused is not."""
    TWICE = "twice"
    """No request is done twice."""
    CHIPS = "chips"
    """Chips are neither made nor lost, and a void hand gives all back."""
    FORK = "fork"
    """A log is one sequence without gaps, each commit bound to those before it, and nothing of it is written anew."""
    EPOCHS = "epochs"
    """Nothing is committed under an epoch that was superseded, and none is given out twice."""
    GAPS = "gaps"
    """Each watcher's sequence is without gaps."""
    SHOWN = "shown"
    """What a watcher or asker was shown is what the log says at that place."""
    SECRETS = "secrets"
    """Nobody was shown what is another's."""
    HANDS = "hands"
    """Every hand is ended or void, and recorded as it was played."""
    TIMERS = "timers"
    """No turn times out twice, or too early."""
    RULES = "rules"
    """The engine decides every commit again just so, from the table before it."""
    FAULTS = "faults"
    """Nobody was told of a fault of the server, and no salon was taken out of play."""


@dataclass
class Findings:
    """`counts` tell how much was looked at; `violations` must be empty."""

    counts: Counter[str] = field(default_factory=Counter)
    totals: Counter[Law] = field(default_factory=Counter)
    """Of violations, by law."""
    violations: dict[Law, list[str]] = field(default_factory=lambda: defaultdict(list))

    def violate(self, law: Law, text: str) -> None:
        """Note a violation."""
        self.totals[law] += 1
        if len(self.violations[law]) < _KEPT:
            self.violations[law].append(text)

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not self.totals

    @property
    def text(self) -> str:
        """The findings as they are printed."""
        lines = [f"{count:>12,}  {name}" for name, count in sorted(self.counts.items())]
        lines += [f"{self.totals[law]:>12,}  violations: {law}" for law in Law]
        lines += [f"  {law}: {text}" for law, texts in self.violations.items() for text in texts]
        return "\n".join(lines)
