"""What `croupier bench lobby` does: open salons, with a progress bar, measure pages, and show the figures."""

from typing import Any, Final

from rich.table import Table

from cluster.bench.lobby import (
    IDLE_MS,
    MOST_BYTES,
    MOST_PAGE_MS,
    PER_ACTOR,
    OpenerLost,
    Wanted,
    measured,
    report,
)
from cluster.bench.lobby_guests import NotPlayed
from cluster.bench.lobby_opener import NotOpened
from cluster.bench.lobby_pages import WALKED, Wrong
from cluster.bench.own_cluster import OwnCluster
from cluster.client import RefusedCall, Unreachable
from cluster.commands.bench_run import end_in_order, machine, progress, say_if_busy
from cluster.commands.terminal import Declined, out, say_json

HOW: Final = (
    "pages of 50 and 100 rows, of every game and number of free seats, first ones and ones behind a cursor in turn, one at a time "
    "through the gateway, with no salon awake; {opened}. All pages of {filters} filters were read: {rows} rows, each salon once"
)
_MB: Final = 1_000_000


async def measure(wanted: Wanted, *, as_json: bool) -> None:
    """Measure and show.

    Raises:
        SetupFault: the cluster does not start.
        Declined: the lobby does not say what was created, or the salons are not what is to be measured.
    """
    end_in_order()
    load = machine()
    try:
        with progress(quiet=as_json) as bar:
            totals = {"opening": wanted.salons, "reading all pages": len(WALKED), "pages": None}
            tasks = {name: bar.add_task(name, total=total) for name, total in totals.items()}
            async with OwnCluster(salons_per_actor=PER_ACTOR, salon_idle_ms=IDLE_MS) as cluster:
                found = await measured(
                    cluster,
                    wanted,
                    done=lambda what, more: bar.update(tasks[what], advance=more, refresh=what != "opening"),
                )
    except ExceptionGroup as several:
        raise Declined(str(several.exceptions[0])) from several
    except (Wrong, NotPlayed, NotOpened, OpenerLost, RefusedCall, Unreachable) as error:
        raise Declined(str(error)) from error
    shown = report(found) | load
    if as_json:
        say_json(shown)
    else:
        _show(shown)


def _show(found: dict[str, Any]) -> None:
    table = Table("what", "found", "asked for", box=None)
    table.add_row("salons", f"{found['salons']:,}, of which {found['played']:,} played", "")
    for name, pages in {"of the slowest filter": found["slowest"], **found["pages"]}.items():
        asked = f"p50 {MOST_PAGE_MS} ms" if pages is found["slowest"] else ""
        text = f"p50 {pages['p50_ms']} ms, p99 {pages['p99_ms']} ms of {pages['count']:,}"
        table.add_row(f"pages, {name.replace('_', ' ')}", text, asked)
    first = found["first_commands"]
    table.add_row(
        "first commands", f"p50 {first['p50_ms']} ms, p99 {first['p99_ms']} ms of {first['count']}", ""
    )
    redis = found["redis"]
    table.add_row(
        "Redis",
        f"{redis['used_bytes'] / _MB:,.0f} MB, resident {redis['resident_bytes'] / _MB:,.0f} MB, "
        f"at most {redis['most_bytes'] / _MB:,.0f} MB; "
        f"{redis['bytes_a_salon']:,} bytes a salon",
        f"{MOST_BYTES / _MB:,.0f} MB",
    )
    opened = "; ".join(
        f"{way['salons']:,} salons {name.replace('_', ' ')} at {way['per_second']:,.0f}/s"
        for name, way in found["opened"].items()
    )
    console = out()
    console.print(table)
    rows = sum(found["all_pages"].values())
    console.print(
        HOW.format(opened=opened, filters=len(found["all_pages"]), rows=f"{rows:,}"), soft_wrap=True
    )
    say_if_busy(found)
