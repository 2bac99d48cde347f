"""What `croupier bench equity` does: measure, with a progress bar, and show the figures."""

import asyncio
import importlib.metadata
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table

from bots.equity.paths import PathMissing, chosen
from cluster.bench.answers import Library
from cluster.bench.equity import Disagreement, Played, contests, report, rounds, worth
from cluster.bench.equity_on_ray import SIZES, deadlines, jobs, two_workers
from cluster.bench.equity_on_ray import report as report_on_ray
from cluster.bench.equity_workers import Workers
from cluster.commands.bench_run import end_in_order, machine, progress, say_if_busy
from cluster.commands.terminal import Declined, complain, out, say_json
from cluster.settings import SetupFault
from engine.value import value

ABSENT: Final = "pokerfast, which equity is measured against, is not installed: pip install 'croupier[bench]'"
WITHOUT_EVAL7: Final = "eval7 is not installed, and its figures are left out: pip install eval7"
"""It has no wheels for some machines: the extra leaves it out there."""
HOW: Final = (
    "one core, CPU time, median of {rounds} rounds; {versions}. * is the path in use, {path}. Worth: how many "
    "independent samples, such as all of ours are, one of the library's is worth, by its standard error."
)


@value
class Wanted:
    """What is to be measured."""

    rounds: int
    seconds: float
    """Of CPU time, for a side in a round."""
    longest: float | None
    """Seconds that a job may take one Ray worker; None: nothing on Ray."""
    deadlines: int


async def measure(wanted: Wanted, *, as_json: bool) -> None:
    """Measure and show.

    Raises:
        SetupFault: pokerfast is missing, a path, or Ray does not start.
        Declined: two sides did not do the same work.
    """
    end_in_order()
    libraries = _libraries()
    load = machine()
    bar = progress(quiet=as_json)
    try:
        chosen()
        with bar:
            found = report(await _played(wanted, libraries, bar))
            if wanted.longest is not None:
                found["ray"], ratios = await _on_ray(wanted, wanted.longest, bar)
                found["ratios"] |= ratios
    except PathMissing as error:
        raise SetupFault(str(error)) from None
    except Disagreement as error:
        raise Declined(str(error)) from None
    found |= load
    found["versions"] = {library.name: importlib.metadata.version(library.name) for library in libraries}
    if as_json:
        say_json(found)
    else:
        _show(found, wanted)


def _libraries() -> list[Library]:
    """What there is to measure against. Raises SetupFault."""
    try:
        from cluster.bench.pokerfast_equity import Pokerfast, PokerfastMissing  # noqa: PLC0415  # an extra of its own
    except ModuleNotFoundError as error:
        if error.name != "pokerfast":
            raise
        raise SetupFault(ABSENT) from None
    try:
        libraries: list[Library] = [Pokerfast()]
    except PokerfastMissing as error:
        raise SetupFault(str(error)) from None
    try:
        from cluster.bench.eval7_equity import Eval7  # noqa: PLC0415  # an extra of its own
    except ModuleNotFoundError as error:
        if error.name != "eval7":
            raise
        complain(WITHOUT_EVAL7)
        return libraries
    return [*libraries, Eval7()]


async def _played(wanted: Wanted, libraries: Sequence[Library], bar: Progress) -> list[Played]:
    found = []
    for contest in contests(libraries):
        played = []
        going = rounds(contest, count=wanted.rounds, seconds=wanted.seconds)
        for one in bar.track(going, total=wanted.rounds, description=contest.what):
            played.append(one)
            await asyncio.sleep(0)  # for Ctrl-C
        found.append(Played(contest, played, worth(contest, played, seconds=wanted.seconds)))
    return found


async def _on_ray(wanted: Wanted, longest: float, bar: Progress) -> tuple[dict[str, Any], dict[str, float]]:
    """All that was measured on Ray, and the ratio of it."""
    starting = bar.add_task("starting Ray", total=2)
    async with Workers(1) as one, Workers(2) as two:
        growth = await one.warm_up()
        bar.update(starting, advance=1, refresh=True)
        await two.warm_up()
        bar.update(starting, advance=1, refresh=True)
        at_work = bar.add_task("jobs on Ray", total=len(SIZES) * wanted.rounds)
        done = []
        async for job in jobs(one, two, count=wanted.rounds, longest=longest):
            done.append(job)
            bar.update(at_work, advance=1, refresh=True)
        in_time = bar.add_task("deadlines on Ray", total=wanted.deadlines)
        kept = []
        async for deadline in deadlines(two, count=wanted.deadlines):
            kept.append(deadline)
            bar.update(in_time, advance=1, refresh=True)
    ratio = two_workers(done)
    return report_on_ray(done, kept, growth), {} if ratio is None else {"two_workers": ratio}


def _show(found: dict[str, Any], wanted: Wanted) -> None:
    names = list(found["versions"])
    numbers = ("samples/s", "worth", *(f"x {name}" for name in names))
    table = Table("spot", "by", *(Column(name, justify="right") for name in numbers), box=None)
    for key, spot in found["spots"].items():
        _rows(table, key, spot, found["ratios_by_path"], names)
    console = out()
    console.print(table)
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    console.print(
        HOW.format(rounds=wanted.rounds, versions=versions, path=found["path"]), soft_wrap=True, markup=False
    )
    if "ray" in found:
        _show_ray(console, found["ray"])
    say_if_busy(found)


def _rows(
    table: Table, key: str, spot: dict[str, Any], by_path: dict[str, dict[str, float]], names: Sequence[str]
) -> None:
    what = spot["what"]
    for side, rate in spot["rates"].items():
        ratios = [by_path.get(side, {}).get(f"{key}_vs_{name}") for name in names]
        table.add_row(
            what,
            f"{side} *" if side == spot["path"] else side,
            f"{1000 / rate:.3f} ms" if spot["exact"] else f"{rate / 1e6:.1f} M",
            f"{spot['worth'][side]:.2f}" if side in spot["worth"] else "",
            *("" if ratio is None else f"{ratio:.1f}" for ratio in ratios),
        )
        what = ""


def _show_ray(console: Console, found: dict[str, Any]) -> None:
    numbers = ("samples on Ray", "1 worker", "2 workers", "ratio")
    table = Table(*(Column(name, justify="right") for name in numbers), box=None)
    for job in found["jobs"]:
        times = (f"{job[name]:.4f} s" for name in ("one_seconds", "two_seconds"))
        table.add_row(f"{job['samples']:,}", *times, f"{job['ratio']:.2f}")
    console.print()
    console.print(table)
    if growth := found.get("growth_mib"):
        console.print(
            f"with its first job a worker grew by {growth['rss']:.1f} MiB, {growth['uss']:.1f} of them its own"
        )
    if deadline := found.get("deadline"):
        console.print(
            f"a deadline of {deadline['ms']} ms: {deadline['kept']:.1%} of {deadline['runs']} answered within "
            f"{deadline['late_ms']} ms of it, the slowest after {deadline['slowest_ms']} ms"
        )
