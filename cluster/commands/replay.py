"""`croupier replay`: recorded hands, played through the engine and held against their records."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from cluster.commands.terminal import Exit, complain, out, say, say_json
from engine.replay.compare import Report, Status, report_on, report_plain
from engine.replay.files import read_hands

UNREAD = "{file} cannot be read: {why}"
LISTED = "{file} {id}: {status}{detail}"
WRONG = (Status.MISMATCH, Status.UNSUPPORTED)


def replay(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Hands in .phh, .phhs or .jsonl.", show_default=False),
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a hand for programs.")] = False,
) -> None:
    """Replay recorded hands from their cards, posts and actions; exits with 1 if one differs from its record.

    Examples: croupier replay hands.phhs; croupier replay hands.jsonl --json | jq 'select(.status != "ok")'
    """
    reports: list[Report] = []
    try:
        for report in _replayed(files, quiet=as_json):
            reports.append(report)
            if as_json:
                say_json(report_plain(report))
    except OSError as error:
        complain(UNREAD.format(file=error.filename, why=error.strerror))
        raise SystemExit(Exit.USAGE) from None
    if not as_json:
        _summarize(files, reports)
    if any(report.status in WRONG for report in reports):
        raise SystemExit(Exit.REFUSED)


def _replayed(files: list[str], *, quiet: bool) -> Iterator[Report]:
    """Each hand's report, with a bar on the terminal while it goes on."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    terminal = Console(stderr=True)
    with Progress(
        *columns, console=terminal, transient=True, disable=quiet or not terminal.is_terminal
    ) as bar:
        for file in files:
            task = bar.add_task(file, total=None)
            hands = list(read_hands(file))
            for hand in bar.track(hands, task_id=task):
                yield report_on(hand)


def _summarize(files: list[str], reports: list[Report]) -> None:
    """A table of how many came out how, and the hands about which there is something to say."""
    table = Table(Column("file", overflow="fold"), "hands", *Status, box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    counts = {file: Counter(report.status for report in reports if report.file == file) for file in files}
    for file, count in counts.items():
        table.add_row(file, str(count.total()), *(str(count[status] or "") for status in Status))
    if len(counts) > 1:
        total = sum(counts.values(), Counter[Status]())
        table.add_row("all", str(total.total()), *(str(total[status] or "") for status in Status))
    out().print(table)
    for report in reports:
        if report.status not in (Status.OK, Status.PLAYED) or report.detail:
            detail = f": {report.detail}" if report.detail else ""
            say(LISTED.format(file=report.file, id=report.id, status=report.status, detail=detail))
