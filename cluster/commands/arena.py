"""`croupier arena`: matches between bots with duplicate dealing, to measure how strong they are."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from math import inf, isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table

from bots.duplicate import UNITS, BadMatch, Block, Match, check, play_block, scores, total_work
from bots.foreign import ForeignMissing
from bots.scores import Score
from bots.work import Work
from cluster.arena.ledger import Ledger, LedgerFault
from cluster.arena.on_ray import OnRay
from cluster.commands.terminal import Misused, complain, out, run, say_json
from cluster.settings import SetupFault
from engine.game import Game
from engine.settings import BotStyle
from engine.value import value

HOW = (
    "{deals:,} deals, each with the same cards in {rotations} rotations of the seats: {hands:,} hands of {stack} "
    "{units}, stacks reset each hand, no rake, seed {seed}. The mean of a deal's hands is one sample: SD is theirs, "
    "95 % the interval of the mean. {rate:,.0f} hands/s with {workers} {workers_word}."
)
FAULTY = (
    "{bot}: {faults} of {decisions:,} decisions were refused and taken as check or fold; the first: {first}"
)
DEALS, STARTING = "deals", "starting Ray"
SINGLE = "one deal has no interval: play more"
NO_SEAT = "--against has no seat to fill: --seats names {named} bots, and the table has {players} seats; see --players"
TOO_FEW = "the table has {players} seats, and --seats names {named} bots: name one a seat, or fill the rest with --against"


@value
class Wanted:
    """How a match is to be played."""

    match: Match
    workers: int
    ledger: Path | None


def arena(
    *,
    game: Annotated[Game, typer.Option(help="holdem, or draw.")] = Game.HOLDEM,
    seats: Annotated[
        str,
        typer.Option(
            metavar="BOT,...", help="Who plays: easy, normal, hard, hard/loose and so on, or MODULE:CLASS."
        ),
    ] = "hard,normal",
    deals: Annotated[int, typer.Option(min=1, help="Decks, each played in all rotations.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the decks and of the bots' chance.")] = 1,
    stack_bb: Annotated[int, typer.Option(min=1, help="Stacks in big blinds; in draw, in small bets.")] = 100,
    style: Annotated[BotStyle, typer.Option(help="Of the levels that name none.")] = BotStyle.BALANCED,
    against: Annotated[
        str | None,
        typer.Option(metavar="MODULE:CLASS", help="A bot of the bot protocol, in all other seats."),
    ] = None,
    players: Annotated[
        int | None, typer.Option(min=2, help="Seats with --against; by default one more than --seats names.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Ray workers; with 1 all is played in this process.")
    ] = 1,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write finished blocks there, and go on after those that it has."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Let bots play each other, each deck in every rotation of the seats, and tell what each wins, with its interval.

    The figures depend on the match and its seed alone, not on --workers. Results are big blinds in 100 hands, in draw
    small bets; `ci95` in the JSON is the interval's two ends. MODULE:CLASS is any class with the method
    decide(observation, rng) -> BotAction (see bots/protocol.py), looked for in the current directory first.

    Examples: croupier arena --seats hard,normal --deals 5000 --workers 2; croupier arena --game draw
    --seats hard,easy,normal --json; croupier arena --seats hard --against tests.yardsticks:FairpokerMedium --players 6
    """
    names = _names(seats, against, players)
    match = Match(game, names, style, stack_bb, deals, seed, str(Path.cwd()))
    run(_arena(Wanted(match, workers, resume), as_json=as_json))


def _names(seats: str, against: str | None, players: int | None) -> tuple[str, ...]:
    """The bots in the order of their seats; those that fit nowhere are refused when the match is run."""
    named = [name.strip() for name in seats.split(",") if name.strip()]
    if against is None:
        wrong = TOO_FEW if players is not None and players != len(named) else ""
        count = len(named)
    else:
        count = players or len(named) + 1
        wrong = NO_SEAT if count <= len(named) else ""
    if wrong:
        raise typer.BadParameter(wrong.format(named=len(named), players=players))
    return (*named, *[against or ""] * (count - len(named)))


async def _arena(wanted: Wanted, *, as_json: bool) -> None:
    """Play and show.

    Raises:
        Misused: there is no such match, or the ledger is another's.
        SetupFault: a foreign bot is missing, or Ray.
    """
    match = wanted.match
    began = time.perf_counter()
    try:
        check(match)
        known, blocks = await _played(wanted, quiet=as_json)
    except (BadMatch, LedgerFault) as error:
        raise Misused(str(error)) from None
    except ForeignMissing as error:
        raise SetupFault(str(error)) from None
    seconds = time.perf_counter() - began
    hands = len(match.bots) * (match.deals - known)
    found = _report(match, blocks) | {
        "workers": wanted.workers,
        "seconds": round(seconds, 3),
        "hands_per_second": round(hands / seconds, 1),
    }
    if as_json:
        say_json(found)
    else:
        _show(found, match)
    _complain(found)


async def _played(wanted: Wanted, *, quiet: bool) -> tuple[int, list[Block]]:
    """How many deals were in the ledger already, and all blocks."""
    match = wanted.match
    terminal = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=terminal, transient=True, disable=quiet or not terminal.is_terminal)
    blocks: dict[int, Block] = {}
    async with AsyncExitStack() as stack:
        ledger = stack.enter_context(Ledger(wanted.ledger, match)) if wanted.ledger else None
        if ledger:
            blocks |= ledger.blocks
        known = sum(len(block.won) for block in blocks.values())
        left = [number for number in range(match.blocks) if number not in blocks]
        stack.enter_context(bar)
        first = STARTING if wanted.workers > 1 and left else DEALS
        task = bar.add_task(first, total=match.deals, completed=known)
        async for block in _blocks(wanted, left, stack):
            blocks[block.number] = block
            if ledger:
                ledger.add(block)
            bar.update(task, advance=len(block.won), description=DEALS)
    return known, list(blocks.values())


async def _blocks(wanted: Wanted, left: Sequence[int], stack: AsyncExitStack) -> AsyncIterator[Block]:
    """The blocks with the numbers `left`, played here or on Ray."""
    if wanted.workers == 1 or not left:
        for number in left:
            yield play_block(wanted.match, number)
            await asyncio.sleep(0)
        return
    workers = await stack.enter_async_context(OnRay(wanted.workers))
    async for block in workers.play(wanted.match, left):
        yield block


def _report(match: Match, blocks: Sequence[Block]) -> dict[str, Any]:
    """All that does not depend on who played it, and the decision times."""
    results, work = scores(match, blocks), total_work(match, blocks)
    return {
        "game": match.game.value,
        "deals": match.deals,
        "unit": UNITS[match.game],
        "seats": [_seat(*row) for row in zip(match.bots, results, work, strict=True)],
        "hands": match.deals * len(match.bots),
        "groups": match.deals,
        "seed": match.seed,
        "stack": match.stack,
        "style": match.style.value,
    }


def _seat(name: str, score: Score, work: Work) -> dict[str, Any]:
    half = score.half_width
    known = isfinite(half)
    decisions = max(1, work.decisions)
    return {
        "bot": name,
        "mean": round(score.mean, 3),
        "ci95": [round(score.mean - half, 3), round(score.mean + half, 3)] if known else None,
        "sd": round(score.deviation, 3) if known else None,
        "decisions": {
            "count": work.decisions,
            "mean_ms": round(work.wall / decisions / 1e6, 4),
            "cpu_ms": round(work.cpu / decisions / 1e6, 4),
            "p99_ms": round(work.quantile(0.99) / 1e6, 4),
        },
        "faults": dict(sorted(work.faults.items())),
        "first_fault": work.first_fault,
        "notes": dict(sorted(work.notes.items())),
    }


def _show(found: dict[str, Any], match: Match) -> None:
    numbers = (found["unit"], "95 %", "SD", "decisions", "ms", "CPU ms", "p99 ms")
    table = Table("bot", *(Column(name, justify="right") for name in numbers), box=None)
    for seat in found["seats"]:
        taken = seat["decisions"]
        low, high = seat["ci95"] or (-inf, inf)
        table.add_row(
            seat["bot"],
            f"{seat['mean']:+.1f}",
            f"{low:+.1f} to {high:+.1f}" if isfinite(low) else "",
            f"{seat['sd']:.0f}" if isfinite(low) else "",
            f"{taken['count']:,}",
            *(f"{taken[name]:.3f}" for name in ("mean_ms", "cpu_ms", "p99_ms")),
        )
    console = out()
    console.print(table)
    words = HOW.format(
        deals=match.deals,
        rotations=len(match.bots),
        hands=found["hands"],
        stack=match.stack,
        units="big blinds" if match.game is Game.HOLDEM else "small bets",
        seed=match.seed,
        rate=found["hands_per_second"],
        workers=found["workers"],
        workers_word="worker" if found["workers"] == 1 else "workers",
    )
    console.print(words, soft_wrap=True, markup=False)
    for seat in found["seats"]:
        if seat["notes"]:
            notes = ", ".join(f"{count:,} {name}" for name, count in seat["notes"].items())
            console.print(f"{seat['bot']}: {notes}", soft_wrap=True, markup=False)


def _complain(found: dict[str, Any]) -> None:
    for seat in found["seats"]:
        if seat["faults"]:
            faults = ", ".join(f"{count:,} {name}" for name, count in seat["faults"].items())
            complain(
                FAULTY.format(
                    bot=seat["bot"],
                    faults=faults,
                    decisions=seat["decisions"]["count"],
                    first=seat["first_fault"],
                )
            )
    if found["groups"] < 2:
        complain(SINGLE)
