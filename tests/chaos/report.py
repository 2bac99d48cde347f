"""The report of a run: what happened, how soon play went on, what was played, and what was violated."""

import dataclasses
import json
import statistics
from collections import Counter
from pathlib import Path
from typing import Any, Final

from engine.value import value
from tests.chaos.findings import Findings, Law
from tests.chaos.recovery import Happened
from tests.chaos.schedule import Kind

FULL: Final = 200
"""The faults of a full run, by which the floors are scaled."""
_OF_EACH: Final = 10
_ACKNOWLEDGED: Final = 50_000
_WOKEN: Final = 5
"""Of the hosts and of the nodes that were frozen, how many must have woken as zombies in a full run."""
_FROZEN: Final = (Kind.FREEZE_HOST, Kind.FREEZE_RAYLET)
_LOOKED_AT: Final = ("updates", "watches", "hands ended")
"""What the findings must have seen some of."""
_NONE: Final = ("commands without a definite answer", "hands in progress at the end")
"""What they must have seen nothing of, where the run was not broken off."""


@value
class Asked:
    """What the run was to be."""

    faults: int
    minutes: float
    seed: int
    salons: int


@value
class Report:
    """All that is known of a run."""

    asked: Asked
    happened: tuple[Happened, ...]
    seconds: float
    """From the first command to the last fault's end, or for as long as was asked where that is longer."""
    acknowledged: int
    """As the crowd counted them; the floor is on what its transcripts say."""
    returned: tuple[tuple[str, float], ...]
    """What was begun again, and in how many seconds."""
    findings: Findings
    broken: tuple[str, ...] = ()
    """Why the run is none, though nothing that was checked is wrong."""

    @property
    def unmet(self) -> list[str]:
        """The floors that were not reached, what must not be and is, and recoveries that took too long."""
        share = self.asked.faults / FULL
        counts = Counter(each.kind for each in self.happened)
        seen = self.findings.counts
        floors = [
            *((kind, counts[kind], int(_OF_EACH * share)) for kind in Kind),
            *((f"woken of {kind}", self._woken(kind), int(_WOKEN * share)) for kind in _FROZEN),
            ("faults", len(self.happened), self.asked.faults),
            ("minutes", self.seconds / 60, self.asked.minutes),
            ("commands done", seen["commands done"], max(self.acknowledged, int(_ACKNOWLEDGED * share))),
            *((name, seen[name], 1) for name in _LOOKED_AT),
        ]
        late = [each for each in self.happened if each.late]
        wrong = [] if self.broken else [name for name in _NONE if seen[name]]
        return [
            *(f"{name}: {reached:.6g} of {floor:.6g}" for name, reached, floor in floors if reached < floor),
            *(f"{name}: {seen[name]} of none" for name in wrong),
            *(
                f"late: {each.kind} of {each.victim}, healed after {each.healed:.1f} s, over after {each.whole:.1f} s"
                for each in late
            ),
        ]

    def _woken(self, kind: Kind) -> int:
        """How often one was alive when it went on, though others served its salons by then."""
        return sum(each.kind is kind and each.woken is True for each in self.happened)

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.broken or self.unmet or not self.findings.clean)

    def text(self) -> str:
        """For people."""
        asked = self.asked
        lines = [
            f"chaos: {len(self.happened)} faults in {self.seconds / 60:.1f} minutes, seed {asked.seed}, {asked.salons} salons",
            f"{self.acknowledged} acknowledged commands ({self.acknowledged / max(self.seconds, 1e-9):.0f}/s)",
            "",
            f"{'':22}   seconds (half within, all within) until",
            f"{'fault':16}{'times':>6}   it was healed   play went on somewhere   and everywhere",
            *(self._of_kind(kind) for kind in Kind),
            "a killed caretaker is healed when another gateway has its role, a frozen host or node when others serve its salons",
            *self._zombies(),
            "",
            *self._returns(),
            "",
            self.findings.text,
            "",
        ]
        lines += [f"UNMET {each}" for each in self.unmet]
        lines += [f"BROKEN {each}" for each in self.broken]
        lines.append("nothing is wrong" if self.good else "SOMETHING IS WRONG")
        return "\n".join(lines) + "\n"

    def _of_kind(self, kind: Kind) -> str:
        of_it = [each for each in self.happened if each.kind is kind]
        if not of_it:
            return f"{kind:16}{0:6d}"
        times = zip(*((each.healed, each.first, each.whole) for each in of_it), strict=True)
        spans = "  ".join(f"{statistics.median(span):7.1f} {max(span):7.1f}" for span in times)
        return f"{kind:16}{len(of_it):6d}   {spans}"

    def _zombies(self) -> list[str]:
        return [
            f"{self._woken(kind)} of {count} times a host was alive when it went on after {kind}"
            for kind in _FROZEN
            if (count := sum(each.kind is kind for each in self.happened))
        ]

    def _returns(self) -> list[str]:
        lines = []
        for part in sorted({name for name, _ in self.returned}):
            times = [seconds for name, seconds in self.returned if name == part]
            lines.append(
                f"{len(times):6d} times a {part} was begun again, in {statistics.median(times):.1f} s at the "
                f"median, {max(times):.1f} s at most"
            )
        return lines

    def plain(self) -> dict[str, Any]:
        """For programs."""
        return {
            "asked": dataclasses.asdict(self.asked),
            "good": self.good,
            "seconds": round(self.seconds, 3),
            "acknowledged": self.acknowledged,
            "faults": [
                {**{f.name: getattr(each, f.name) for f in dataclasses.fields(each)}, "late": each.late}
                for each in self.happened
            ],
            "returned": [list(each) for each in self.returned],
            "counts": dict(self.findings.counts),
            "violations": {law: self.findings.totals[law] for law in Law},
            "violated": {law: texts for law, texts in self.findings.violations.items() if texts},
            "unmet": self.unmet,
            "broken": list(self.broken),
        }

    def write(self, folder: Path) -> None:
        """Keep both."""
        (folder / "report.txt").write_text(self.text())
        (folder / "report.json").write_text(json.dumps(self.plain(), indent=1) + "\n")
