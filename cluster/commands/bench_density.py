"""What `croupier bench density` does: open salons, with a progress bar, measure, and show the figures."""

from typing import Any, Final

from rich.table import Table

from cluster.bench.density import MOST_KIB, MOST_P99_MS, MOST_PACE, HostLost, Unanswered, measured, report
from cluster.bench.own_cluster import OwnCluster
from cluster.bench.players import Refused
from cluster.commands.bench_run import end_in_order, machine, progress, say_if_busy
from cluster.commands.terminal import Declined, out, say_json
from engine.value import value

HOW: Final = (
    "salons of both games with bots easy, normal and hard 60/30/10, counted for {seconds} s in Redis; memory beyond that of a host "
    "({base} MiB) and of the gateway with one salon, and of an empty Redis"
)


@value
class Wanted:
    """What is to be measured."""

    salons: int
    per_actor: int
    settle: float
    seconds: float


async def measure(wanted: Wanted, *, as_json: bool) -> None:
    """Measure and show.

    Raises:
        SetupFault: the cluster does not start.
        Declined: a client's command was refused or never answered, or a host was given up.
    """
    end_in_order()
    load = machine()
    try:
        with progress(quiet=as_json) as bar:
            opening = bar.add_task("opening salons", total=wanted.salons)
            async with OwnCluster(
                salons_per_actor=wanted.per_actor,
                # As many as are needed: what this machine holds is to be seen, not what is thought of it.
                salon_hosts=-(-wanted.salons // wanted.per_actor) + 1,
                warm_spares=0,
            ) as cluster:
                found = await measured(
                    cluster,
                    wanted.salons,
                    settle=wanted.settle,
                    seconds=wanted.seconds,
                    opened=lambda: bar.update(opening, advance=1, refresh=True),
                )
    except Refused as error:
        raise Declined(f"a client's command was refused: {error}") from None
    except (HostLost, Unanswered) as error:
        raise Declined(str(error)) from None
    shown = report(found) | {"per_actor": wanted.per_actor} | load
    if as_json:
        say_json(shown)
    else:
        _show(shown)


def _show(found: dict[str, Any]) -> None:
    answers, memory = found["client_answers"], found["kib_a_salon"]
    table = Table("what", "found", "asked for", box=None)
    table.add_row("salons", f"{found['salons']:,} on {found['hosts']} hosts", "")
    table.add_row("of which moved on", f"{found['moved_on']:,}", "all")
    table.add_row(
        "commits",
        f"{found['commits_per_second']:,.0f}/s, a salon's every {found['seconds_a_commit']} s at the mean, "
        f"the slowest one's {found['slowest_salon_commits']}",
        f"every {MOST_PACE:.0f} s",
    )
    table.add_row(
        f"answers to {found['clients']} clients",
        f"p50 {answers['p50_ms']} ms, p99 {answers['p99_ms']} ms of {answers['count']:,} and {answers['waiting']} under way"
        if answers["p99_ms"] is not None
        else f"{answers['count']}: too few",
        f"p99 {MOST_P99_MS} ms",
    )
    parts = ", ".join(f"{part} {size}" for part, size in memory.items())
    table.add_row("memory a salon", f"{sum(memory.values()):.1f} KiB: {parts}", f"{MOST_KIB} KiB")
    workers = found["workers"]
    table.add_row("memory of Ray's workers", f"{workers['count']}: {workers['mib']} MiB", "")
    cores = ", ".join(f"{part} {used:.2f}" for part, used in found["cores_used"].items())
    table.add_row("cores", f"{cores}; {sum(found['cores_used'].values()):.2f} in all", "")
    console = out()
    console.print(table)
    console.print(HOW.format(seconds=found["seconds"], base=found["host_base_mib"]), soft_wrap=True)
    say_if_busy(found)
