"""What `croupier bench recovery` does: measure, with a progress bar, and show the figures."""

from typing import Any, Final

from rich.table import Column, Table

from cluster.bench.own_cluster import PACKED, OwnCluster
from cluster.bench.recovery import kills, report
from cluster.bench.sitter import Lost
from cluster.bench.waking import IDLE_MS, wakings
from cluster.commands.bench_run import end_in_order, machine, progress, say_if_busy
from cluster.commands.terminal import Declined, out, say_json

HOW: Final = (
    "kill -9 of a host with {salons} salons beside a spare one, all asked at once; an answer is a player's command on disk under a new epoch. "
    "x: beside Ray's own restart of one actor that reads nothing back, in the same cluster and in turn"
)
ASLEEP: Final = (
    "a salon that slept answers its first command in {asleep_ms[median]} ms at the median ({asleep_ms[most]} at most), and the next "
    "in {awake_ms[median]} ms: {ratio} x"
)


async def measure(salons: int, count: int, *, as_json: bool) -> None:
    """Measure and show.

    Raises:
        SetupFault: the cluster does not start.
        Declined: a salon did not go on where it was.
    """
    end_in_order()
    load = machine()
    done, woken = [], []
    try:
        with progress(quiet=as_json) as bar:
            at_work = bar.add_task("kills", total=count)
            async with OwnCluster(salons_per_actor=PACKED, salon_idle_ms=IDLE_MS) as cluster:
                async for one in kills(cluster, salons=salons, count=count):
                    done.append(one)
                    bar.update(at_work, advance=1, refresh=True)
                at_work = bar.add_task("salons that sleep", total=salons)
                async for each in wakings(cluster, salons=salons):
                    woken.append(each)
                    bar.update(at_work, advance=1, refresh=True)
    except Lost as error:
        raise Declined(str(error)) from None
    found = report(done, woken, salons=salons) | load
    if as_json:
        say_json(found)
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    names = ("median s", "most s", "x")
    table = Table("answer", *(Column(name, justify="right") for name in names), box=None)
    for name, what in (("first", "the first salon's"), ("last", "the last salon's")):
        ratio = found["ratios"][f"{name}_vs_ray_restart"]
        _row(table, what, found[f"{name}_seconds"], f"{ratio:.2f}")
    _row(table, "of an actor that Ray restarts", found["ray_restart_seconds"], "")
    console = out()
    console.print(table)
    console.print(HOW.format(salons=found["salons"]), soft_wrap=True)
    console.print(ASLEEP.format(**found, ratio=found["ratios"]["asleep_vs_awake"]), soft_wrap=True)
    say_if_busy(found)


def _row(table: Table, what: str, seconds: dict[str, Any], ratio: str) -> None:
    table.add_row(what, f"{seconds['median']:.2f}", f"{seconds['most']:.2f}", ratio)
