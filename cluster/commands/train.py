"""`croupier train`: compute what bots play by."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Lines

from bots.draw_solver.stakes import DEFAULT, MOST_RAISES, Stakes
from bots.draw_solver.table import dump, save
from cluster.commands.terminal import EXIT_CODES, Misused, out, run, say_json

if TYPE_CHECKING:
    from bots.draw_solver.table import Table

UNWRITTEN = "{file} cannot be written: {why}"
NO_FILE = "a file in a directory that can be written is right"
NOWHERE = "not kept: --out FILE keeps it"
EXPLAINED = "exploitability: what a best response wins from it, inside the classes of hands that the trainer tells apart"

train = typer.Typer(help="Compute what bots play by.", no_args_is_help=True)


@train.callback()
def _train() -> None:
    """Let `draw` be a command of its own while it is the only one."""


@train.command(epilog=EXIT_CODES)
def draw(
    *,
    ante: Annotated[int, typer.Option(help="Chips.")] = DEFAULT.ante,
    small_bet: Annotated[int, typer.Option(help="Chips; only the ratios matter.")] = DEFAULT.small_bet,
    big_bet: Annotated[int | None, typer.Option(help="Chips.", show_default="twice the small bet")] = None,
    cap: Annotated[
        int, typer.Option(help=f"Raises a round after the bet, 1 to {MOST_RAISES}.")
    ] = DEFAULT.raise_cap,
    iterations: Annotated[
        int | None,
        typer.Option(min=1, help="More come nearer.", show_default="as many as are usual at the cap"),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to keep the table.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Train a near-equilibrium strategy for heads-up draw; the same arguments make the same bytes everywhere.

    Examples: croupier train draw; croupier train draw --ante 1 --small-bet 1 --cap 4 --out draw.table --json
    """
    stakes = (ante, small_bet, 2 * small_bet if big_bet is None else big_bet, cap)
    if file is not None and (file.is_dir() or (file.parent.is_dir() and not os.access(file.parent, os.W_OK))):
        raise typer.BadParameter(UNWRITTEN.format(file=file, why=NO_FILE))
    run(_draw(stakes, iterations or 0, file, as_json=as_json))


async def _draw(
    stakes: tuple[int, int, int, int], iterations: int, file: Path | None, *, as_json: bool
) -> None:
    """Train, keep and show.

    Raises:
        Misused: nobody plays for such stakes, or the file cannot be written.
    """
    try:
        wanted = Stakes(*stakes)
    except ValueError as error:
        raise Misused(str(error)) from None
    if file is not None and not file.parent.is_dir():
        raise Misused(UNWRITTEN.format(file=file, why=f"there is no directory {file.parent}"))
    wall, cpu = time.perf_counter(), time.process_time()
    table = _trained(wanted, iterations, quiet=as_json)
    seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    if file is not None:
        try:
            save(table, file)
        except OSError as error:
            raise Misused(UNWRITTEN.format(file=file, why=error.strerror)) from None
    found = _report(table, seconds, file)
    if as_json:
        say_json(found)
    else:
        _show(found)


def _trained(stakes: Stakes, iterations: int, *, quiet: bool) -> "Table":
    """The table, with a bar on the terminal while it is made."""
    # Sums are small here: threads of the library's would wait for each other for as long as they work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from bots.draw_solver.trainer import train as trained  # noqa: PLC0415 - numpy takes a while, and --help does not

    columns = (TextColumn("training"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    terminal = Console(stderr=True)
    with Progress(
        *columns, console=terminal, transient=True, disable=quiet or not terminal.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)
        return trained(stakes, iterations, lambda done, of: bar.update(task, completed=done, total=of))


def _report(table: "Table", seconds: dict[str, float], file: Path | None) -> dict[str, Any]:
    from bots.draw_solver.exploitability import exploitability  # noqa: PLC0415 - as above

    stakes = table.stakes
    return {
        "game": "draw",
        "ante": stakes.ante,
        "small_bet": stakes.small_bet,
        "big_bet": stakes.big_bet,
        "raise_cap": stakes.raise_cap,
        "iterations": table.iterations,
        "exploitability_milli_small_bets": round(exploitability(table), 3),
        **{name: round(each, 3) for name, each in seconds.items()},
        "bytes": len(dump(table)),
        "file": None if file is None else str(file),
    }


def _show(found: dict[str, Any]) -> None:
    table = Lines(box=None, show_header=False)
    chips = " / ".join(str(found[name]) for name in ("ante", "small_bet", "big_bet"))
    table.add_row("ante / small bet / big bet", f"{chips}, cap {found['raise_cap']}")
    table.add_row(
        "iterations",
        f"{found['iterations']} in {found['seconds']:.1f} s, {found['cpu_seconds']:.1f} s of CPU",
    )
    loss = found["exploitability_milli_small_bets"]
    table.add_row("exploitability", f"{loss:.2f} milli small bets a hand")
    table.add_row("table", f"{found['bytes']:,} bytes, {found['file'] or NOWHERE}")
    console = out()
    console.print(table)
    console.print(EXPLAINED, soft_wrap=True)
