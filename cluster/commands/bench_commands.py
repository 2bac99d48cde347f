"""What `croupier bench commands` does: measure, with a progress bar, and show the figures."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table

from cluster.bench.commands import Contest, Lane, SideFault, report, rounds, salons_each
from cluster.bench.guests import sign_in
from cluster.bench.own_cluster import PACKED, OwnCluster
from cluster.bench.players import Refused
from cluster.bench.tables import SEATS, NotSeated
from cluster.commands.bench_run import end_in_order, machine, progress, say_if_busy
from cluster.commands.terminal import Declined, Misused, out, say_json
from engine.value import value

HOW: Final = (
    "a durable command a stream at a time, each an accepted action at a six-seat table whose every seat watches, beside a "
    "bare grpc.aio service that sends the same bytes to the same streams; median of {rounds} rounds of {seconds} s a side. "
    "CPU: microseconds a command, of all that have to do with it."
)


@value
class Wanted:
    """What is to be measured."""

    lanes: tuple[Lane, ...]
    streams: tuple[int, ...]
    rounds: int
    seconds: float
    salons: int
    """That each stream sits in; 0: by the number of streams."""


async def measure(wanted: Wanted, *, as_json: bool) -> None:
    """Measure and show.

    Raises:
        Misused: fewer streams than a table has seats.
        SetupFault: the cluster does not start.
        Declined: what was played is not what is measured.
    """
    if min(wanted.streams) < SEATS:
        raise Misused(
            f"--streams {min(wanted.streams)} refused: a table has {SEATS} seats, so write {SEATS} or more"
        )
    end_in_order()
    load = machine()
    try:
        with progress(quiet=as_json) as bar:
            found = report(await _measured(wanted, bar)) | load
    except (NotSeated, Refused, SideFault) as error:
        raise Declined(str(error)) from None
    if as_json:
        say_json(found)
    else:
        _show(found, wanted)


async def _measured(wanted: Wanted, bar: Progress) -> Sequence[Contest]:
    starting = bar.add_task("starting a cluster", total=1)
    async with OwnCluster(salons_per_actor=PACKED) as cluster:
        tokens = await sign_in(cluster, max(wanted.streams))
        bar.update(starting, advance=1, refresh=True)
        contests = [
            Contest(lane, streams, wanted.salons or salons_each(streams))
            for lane in wanted.lanes
            for streams in wanted.streams
        ]
        for contest in contests:
            at_work = bar.add_task(contest.name, total=wanted.rounds)
            guests = tokens[: contest.streams]
            async for _ in rounds(cluster, contest, guests, count=wanted.rounds, seconds=wanted.seconds):
                bar.update(at_work, advance=1, refresh=True)
                await asyncio.sleep(0)  # for Ctrl-C
    return contests


def _show(found: dict[str, Any], wanted: Wanted) -> None:
    numbers = ("streams", "commands/s", "x bare", "p50 ms", "x", "p99 ms", "x", "CPU us", "x")
    table = Table("lane", "by", *(Column(name, justify="right") for name in numbers), box=None)
    for name, contest in found["contests"].items():
        ratios = [found["ratios"][f"{name}{of}"] for of in ("", "_p50", "_p99", "_cpu")]
        _row(table, contest, "croupier", [f"{ratio:.2f}" for ratio in ratios])
        _row(table, contest, "bare", [""] * 4)
    console = out()
    console.print(table)
    console.print(HOW.format(rounds=wanted.rounds, seconds=wanted.seconds), soft_wrap=True)
    _show_cpu(console, found)
    say_if_busy(found)


def _row(table: Table, contest: dict[str, Any], by: str, ratios: Sequence[str]) -> None:
    side = contest[by]
    figures = (
        f"{side['commands_per_second']:,.0f}",
        f"{side['p50_ms']:.1f}",
        f"{side['p99_ms']:.1f}",
        f"{sum(side['cpu_us'].values()):,.0f}",
    )
    pairs = (each for pair in zip(figures, ratios, strict=True) for each in pair)
    table.add_row(contest["lane"], by, str(contest["streams"]), *pairs)


def _show_cpu(console: Console, found: dict[str, Any]) -> None:
    parts = list(next(iter(found["contests"].values()))["croupier"]["cpu_us"])
    table = Table("CPU us", *(Column(part, justify="right") for part in parts), box=None)
    for name, contest in found["contests"].items():
        table.add_row(name, *(f"{contest['croupier']['cpu_us'][part]:,.0f}" for part in parts))
    console.print()
    console.print(table)
