"""`croupier bench`: how fast the product is, beside the best of its kind in the same run."""

import importlib.metadata
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from cluster.bench.engine import Round, report, rounds
from cluster.bench.salon_hands import SalonHands
from cluster.commands.terminal import EXIT_CODES, Exit, complain, out, run, say_json
from engine.game import Game

ABSENT = "PokerKit, which the engine is measured against, is not installed: pip install 'croupier[bench]'"
PLAYED = "random legal play, 6 players, 100 big blinds, CPU time, median of {rounds} rounds of {hands} hands a side"

bench = typer.Typer(
    help="Measure the product beside the best of its kind, both in one run.", no_args_is_help=True
)


@bench.command(epilog=EXIT_CODES)
def engine(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
    hands: Annotated[int, typer.Option(min=1, help="Hands a side and round.")] = 300,
    count: Annotated[int, typer.Option("--rounds", min=1, help="Rounds a game.")] = 15,
) -> None:
    """Hands and actions a second of the rules engine, beside PokerKit doing the same work.

    Examples: croupier bench engine; croupier bench engine --json | jq .ratios
    """
    try:
        from cluster.bench.pokerkit_hands import NAMES, PokerKitHands  # noqa: PLC0415  # an extra of its own
    except ModuleNotFoundError as error:
        if error.name != "pokerkit":
            raise
        complain(ABSENT)
        raise SystemExit(Exit.SETUP) from None
    terminal = Console(stderr=True)
    played: dict[Game, list[Round]] = {}
    for game in Game:
        going = rounds(SalonHands(game), PokerKitHands(game), hands=hands, count=count)
        quiet = as_json or not terminal.is_terminal
        bar = track(
            going, str(game), total=count, console=terminal, transient=True, disable=quiet, auto_refresh=False
        )
        played[game] = list(bar)
    found = report(played, NAMES)
    if as_json:
        say_json(found)
    else:
        _show(found, PLAYED.format(rounds=count, hands=hands))


@bench.command(epilog=EXIT_CODES)
def equity(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
    count: Annotated[int, typer.Option("--rounds", min=1, help="Rounds a spot, and a job on Ray.")] = 9,
    seconds: Annotated[
        float, typer.Option(min=0.001, max=10, help="CPU time of a side in a round, about.")
    ] = 0.15,
    ray: Annotated[bool, typer.Option(help="Measure 1 and 2 Ray workers too, which takes a minute.")] = True,
    longest: Annotated[
        float, typer.Option(min=0, help="Leave out jobs that would take one Ray worker more seconds.")
    ] = 5.0,
    deadlines: Annotated[
        int, typer.Option(min=0, help="Jobs with a deadline of 50 ms, to see how many keep it.")
    ] = 200,
) -> None:
    """Samples a second of each way to compute equity, beside pokerfast and eval7 doing the same work, and on Ray.

    Examples: croupier bench equity; croupier bench equity --no-ray --json | jq .ratios
    """
    from cluster.commands.bench_equity import Wanted, measure  # noqa: PLC0415  # so that --help is quick

    run(measure(Wanted(count, seconds, longest if ray else None, deadlines), as_json=as_json))


@bench.command(epilog=EXIT_CODES)
def bots(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
    decisions: Annotated[int, typer.Option(min=1, help="Decisions of each level and game.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the cards, and of the bots' own chance.")] = 1,
    ray: Annotated[
        bool, typer.Option(help="Have hard bots decide on two Ray workers too, which takes a minute.")
    ] = True,
) -> None:
    """What a bot's decision takes, by game and level, and how many of the hard ones Ray workers make.

    Real hands of bots of all levels, styles and numbers, in this process on one core: from the view of a seat to the
    legal action. As JSON: `games.GAME.LEVEL` has `decisions`, `mean_ms`, `p50_ms`, `p99_ms`, `cpu_ms`, `observing_ms`
    (of these, making the observation), and for hard `made_by`, the shares of table, rules, in_process and workers.
    `ray.GAME` has of the hard decisions that no table made `outside_tables`, `by_workers` (the share of them), `made_by`,
    `fallbacks`, and of those that workers made `p50_ms` and `p99_ms`.

    Examples: croupier bench bots; croupier bench bots --no-ray --json | jq .games.holdem.hard
    """
    from cluster.commands.bench_bots import Wanted, measure  # noqa: PLC0415  # so that --help is quick

    run(measure(Wanted(decisions, seed, ray), as_json=as_json))


def _show(found: dict[str, Any], how: str) -> None:
    numbers = ("hands/s", "actions/s", "actions/hand", "ratio")
    table = Table("game", "engine", *(Column(name, justify="right") for name in numbers), box=None)
    for game, of_game in found["games"].items():
        ratio = found["ratios"][f"{game}_vs_pokerkit"]
        _row(table, (game, "croupier"), of_game["croupier"], f"{ratio:.1f} x")
        _row(table, ("", of_game["against"]), of_game["pokerkit"], "")
    console = out()
    console.print(table)
    console.print(f"{how}; PokerKit {importlib.metadata.version('pokerkit')}", soft_wrap=True)


def _row(table: Table, names: tuple[str, str], side: dict[str, Any], ratio: str) -> None:
    hands, actions = side["hands_per_second"], side["actions_per_second"]
    table.add_row(*names, f"{hands:,.0f}", f"{actions:,.0f}", f"{side['actions_per_hand']:.1f}", ratio)
