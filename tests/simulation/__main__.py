"""The simulation from the command line: as many seeded schedules as asked, and what was injected how often.

    python -m tests.simulation --schedules 100000 --jobs 2
    python -m tests.simulation --seed 123 --schedules 1 --trace     # that one, step by step
    python -m tests.simulation --without fence                      # the product with a rule taken out

Exits with 1 where a schedule violates anything, with 2 where a product without a rule was not found by the violation
that the rule keeps off, and with 3 where a thousand schedules or more never tried something that is to be injected.
"""

import argparse
import sys
import time
from collections import Counter
from typing import Final

from tests.simulation import troubles, weather
from tests.simulation.chunks import chunks
from tests.simulation.mutations import RULES
from tests.simulation.schedule import Outcome, run

_ALL_WITHIN: Final = 1_000
"""Schedules within which everything is injected."""
_REPORT_EVERY: Final = 10.0
_SHOWN: Final = 20


def main() -> int:
    """Run what was asked for."""
    asked = _asked()
    if asked.trace:
        return _show(run(asked.seed, traced=True))
    began = reported = time.monotonic()
    counts: Counter[str] = Counter()
    done, found = 0, False
    missed = RULES[asked.without].missed if asked.without else ""
    violated: list[tuple[int, tuple[str, ...]]] = []
    for outcomes in chunks(range(asked.seed, asked.seed + asked.schedules), asked.without, asked.jobs):
        for seed, violations, happened in outcomes:
            done += 1
            counts.update(happened)
            if violations:
                violated.append((seed, violations))
                print(f"VIOLATION at seed {seed}", *violations[:4], sep="\n    ", flush=True)
        if time.monotonic() > reported + _REPORT_EVERY:
            reported = time.monotonic()
            speed = done / (reported - began)
            print(f"{done:8d} schedules, {len(violated)} violated, {speed:.0f}/s", flush=True)
        found = bool(missed) and any(missed in each for _, violations in violated for each in violations)
        if found or (not missed and len(violated) >= _SHOWN):
            break
    never = _report(counts, done, len(violated), time.monotonic() - began)
    if missed:
        return 0 if found else 2
    if violated:
        return 1
    return 3 if never and done >= _ALL_WITHIN else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--schedules", type=int, default=1_000, help="how many seeds, one after the other")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--without", choices=sorted(RULES), help="take this rule out of the product")
    parser.add_argument("--trace", action="store_true", help="show what happens in the first seed")
    return parser.parse_args()


def _report(counts: "Counter[str]", done: int, violated: int, seconds: float) -> list[str]:
    """Print what happened; what never did and was to be injected."""
    print(
        f"\n{done} schedules in {seconds:.0f} s ({done / max(seconds, 1e-9):.0f}/s), {violated} of them violated"
    )
    injected = (
        *troubles.KINDS,
        *weather.KINDS,
        "message into a partition",
        "kill came to nothing",
        "kill came late",
    )
    print("\ninjected")
    for kind in injected:
        print(f"{counts[kind]:10d}  {kind}{'' if counts[kind] else '   NEVER'}")
    print("\nwhat came of it")
    for kind in sorted(counts.keys() - set(injected)):
        print(f"{counts[kind]:10d}  {kind}")
    return [kind for kind in injected if not counts[kind]]


def _show(outcome: Outcome) -> int:
    """Print a schedule as it went."""
    for at, kind, who, what in outcome.trace:
        print(f"{at - 1_000:9.4f}  {kind:28} {who:16.16}  {'' if what is None else what!s:.300}")
    print(f"\nseed {outcome.seed}, digest {outcome.digest}, {outcome.seconds:.3f} virtual seconds")
    print(*outcome.violations or ("nothing was violated",), sep="\n")
    return 1 if outcome.violations else 0


if __name__ == "__main__":
    sys.exit(main())
