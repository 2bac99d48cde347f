"""What `croupier bench bots` does: measure, with a progress bar, and show the figures."""

import asyncio
from typing import Any, Final

from rich.progress import Progress
from rich.table import Column, Table

from bots.explanation import Path
from bots.in_process import InProcess
from cluster.bench.bots import BUDGET_MS, Decided, decisions
from cluster.bench.bots_figures import report
from cluster.bench.equity_workers import Workers
from cluster.commands.bench_run import end_in_order, machine, progress, say_if_busy
from cluster.commands.terminal import out, say_json
from engine.game import Game
from engine.settings import BotLevel
from engine.value import value

WORKERS: Final = 2
HOW: Final = (
    "{decisions:,} decisions a row, from the view to the legal action, of which making the observation takes the last "
    "column; hard bots have {budget} ms, as in a salon of instant bots"
)


@value
class Wanted:
    """What is to be measured."""

    decisions: int
    """Of each level and game."""
    seed: int
    ray: bool


async def measure(wanted: Wanted, *, as_json: bool) -> None:
    """Measure and show. Raises SetupFault: Ray does not start, or does not do it."""
    end_in_order()
    load = machine()
    with progress(quiet=as_json) as bar:
        found: dict[str, Any] = {"games": report({game: await _here(wanted, game, bar) for game in Game})}
        if wanted.ray:
            found["ray"] = await _on_ray(wanted, bar)
    found |= {"seed": wanted.seed, "budget_ms": BUDGET_MS, **load}
    if as_json:
        say_json(found)
        return
    _show(found, wanted)
    say_if_busy(found)


async def _here(wanted: Wanted, game: Game, bar: Progress) -> list[Decided]:
    """Decisions in this process."""
    taken = []
    at_work = bar.add_task(f"{game}", total=wanted.decisions * len(BotLevel))
    async for one in decisions(game, InProcess(), count=wanted.decisions, seed=wanted.seed):
        taken.append(one)
        bar.update(at_work, advance=1, refresh=len(taken) % 100 == 0)
        await asyncio.sleep(0)  # for Ctrl-C
    return taken


async def _on_ray(wanted: Wanted, bar: Progress) -> dict[str, Any]:
    """What came of hard decisions where there are workers, by game."""
    at_work = bar.add_task(f"{WORKERS} Ray workers", total=len(Game))
    found = {}
    async with Workers(WORKERS, "cluster.bench.bots_driver") as workers:
        for game in Game:
            found[game.value] = await workers.job(
                game=game.value, decisions=wanted.decisions, seed=wanted.seed
            )
            bar.update(at_work, advance=1, refresh=True)
    return found


def _show(found: dict[str, Any], wanted: Wanted) -> None:
    numbers = ("mean", "p50", "p99", "CPU mean", "observing")
    table = Table("game", "level", *(Column(name, justify="right") for name in numbers), "made by", box=None)
    for game, of_game in found["games"].items():
        for level, figures in of_game.items():
            times = (figures[name] for name in ("mean_ms", "p50_ms", "p99_ms", "cpu_ms", "observing_ms"))
            table.add_row(game, level, *map(_ms, times), _shares(figures.get("made_by", {})))
    console = out()
    console.print(table)
    console.print(HOW.format(decisions=wanted.decisions, budget=found["budget_ms"]), soft_wrap=True)
    for game, figures in found.get("ray", {}).items():
        if not figures["outside_tables"]:
            continue
        console.print(
            f"{game} on {WORKERS} Ray workers: they made {figures['by_workers']:.1%} of {figures['outside_tables']:,} hard "
            f"decisions outside the tables, half of them within {_ms(figures['p50_ms'])}, 99 in 100 within "
            f"{_ms(figures['p99_ms'])}",
            soft_wrap=True,
        )


def _ms(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.3f} ms"


def _shares(made_by: dict[str, float]) -> str:
    return ", ".join(
        f"{made_by[path.value]:.0%} {path.replace('_', ' ')}" for path in Path if made_by.get(path.value)
    )
