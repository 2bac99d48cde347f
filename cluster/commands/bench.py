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
def commands(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
    count: Annotated[int, typer.Option("--rounds", min=1, help="Rounds a lane and number of streams.")] = 30,
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help="Time of a side in a round.")] = 0.5,
    streams: Annotated[
        list[int], typer.Option(min=6, help="How many streams play at once; may be given several times.")
    ] = [6, 32, 128, 512],  # noqa: B006 - typer copies it
    lane: Annotated[
        list[str], typer.Option(help="play, or unary calls with Watch; may be given several times.")
    ] = ["play", "unary"],  # noqa: B006 - so here
    salons: Annotated[
        int,
        typer.Option(min=0, max=250, help="Salons that each stream sits in; 0: enough that it has turns."),
    ] = 0,
) -> None:
    """Durable commands a second of a whole cluster, beside a bare gRPC service that sends the same bytes.

    It starts a cluster of its own and takes a quarter of an hour or more. As JSON: `ratios` has for each lane and number of streams, such as
    play_128, that of the commands a second, with _p50 and _p99 behind it that of the times to an answer, with _cpu that of the
    CPU time a command. `contests.NAME` has `lane`, `streams`, `salons_each`, `round_ratios`, and for `croupier` and `bare`:
    `commands_per_second`, `p50_ms`, `p99_ms`, `cpu_us` a command by part, `messages` and `bytes` a command, and `commands`.

    Examples: croupier bench commands; croupier bench commands --streams 128 --lane play --json | jq .ratios
    """
    from cluster.bench.commands import Lane  # noqa: PLC0415  # so that --help is quick
    from cluster.commands.bench_commands import Wanted, measure  # noqa: PLC0415  # so here

    unknown = [each for each in lane if each not in list(Lane)]
    if unknown:
        raise typer.BadParameter(f"{unknown[0]} is no lane: write play or unary", param_hint="--lane")
    lanes = tuple(Lane(each) for each in lane)
    run(measure(Wanted(lanes, tuple(streams), count, seconds, salons), as_json=as_json))


@bench.command(epilog=EXIT_CODES)
def density(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
    salons: Annotated[int, typer.Option(min=1, max=100_000, help="How many salons play at once.")] = 1000,
    per_actor: Annotated[
        int, typer.Option(min=1, max=10_000, help="Salons in one process; 1: a process each.")
    ] = 2500,
    settle: Annotated[float, typer.Option(min=0, help="Seconds of play before anything is counted.")] = 20.0,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds that are counted.")] = 60.0,
) -> None:
    """How many live salons this machine holds, and what each of them costs.

    It starts a cluster of its own. A salon has six seats, with bots of all levels that act every two seconds; in one of a hundred
    a gRPC client has a seat. As JSON: `ratios` has what was found by what is asked for: `moved_on` (1: all), `p99_by_250_ms`,
    `memory_by_100_kib`, `pace_by_2_s`, `clients_answered` (1: all); beside it `salons`, `hosts`, `clients`, `seconds`, `moved_on`,
    `commits_per_second`, `seconds_a_commit` (of one salon), `slowest_salon_commits`, `client_answers` (`waiting`: not there at the
    end), `kib_a_salon` (`hosts`, `gateway`, `redis`), `host_base_mib`, `workers` (of Ray, for hard bots), `cores_used` by part.

    Examples: croupier bench density --salons 5000; croupier bench density --salons 20 --per-actor 1 --json | jq .ratios
    """
    from cluster.commands.bench_density import Wanted, measure  # noqa: PLC0415  # so that --help is quick

    run(measure(Wanted(salons, per_actor, settle, seconds), as_json=as_json))


@bench.command(epilog=EXIT_CODES)
def recovery(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
    count: Annotated[int, typer.Option("--rounds", min=1, help="How often the host is killed.")] = 9,
    salons: Annotated[int, typer.Option(min=1, max=200, help="Salons on the host.")] = 100,
) -> None:
    """Seconds from kill -9 of a host to its salons' answers, beside Ray's own restart of an actor; and of salons that sleep.

    It starts a cluster of its own, with a spare host as by default. As JSON: `ratios` has `first_vs_ray_restart` and `last_vs_ray_restart` (the first and the last
    salon's answer), `asleep_vs_awake`; beside it `salons`, `first_seconds`, `last_seconds`, `ray_restart_seconds` (each with
    `median`, `most`, `rounds`), `asleep_ms`, `awake_ms` (`median`, `most`).

    Examples: croupier bench recovery; croupier bench recovery --salons 20 --rounds 3 --json | jq .ratios
    """
    from cluster.commands.bench_recovery import measure  # noqa: PLC0415  # so that --help is quick

    run(measure(salons, count, as_json=as_json))


@bench.command(epilog=EXIT_CODES)
def lobby(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
    salons: Annotated[
        int, typer.Option(min=1, max=10_000_000, help="How many salons there are at the end.")
    ] = 20_000,
    played: Annotated[int, typer.Option(min=0, help="How many of them play at least a hand first.")] = 2_000,
    through_gateway: Annotated[
        int, typer.Option(min=0, help="How many of the others are opened through the gateway.")
    ] = 20_000,
    count: Annotated[int, typer.Option("--rounds", min=1, help="Pages of each filter, size and depth.")] = 10,
) -> None:
    """Milliseconds for a page of a lobby of very many salons that nobody runs, and what they take in Redis.

    It starts a cluster of its own. Of the salons those behind --played and --through-gateway are opened by the function that the
    gateway's CreateSalon calls, in processes of their own. Before a page is timed all pages of some filters are read, which must
    say each salon once, or the run fails. As JSON: `ratios` has `page_median_by_50_ms` (of the slowest filter, depth and size, pages
    that list nothing left out), `redis_by_2_5_gb` (of `most_bytes`); beside it `opened` (salons and seconds by way), `all_pages`
    (rows of those filters), `pages.KIND` (`count`, `p50_ms`, `p99_ms`, `most_ms`), `slowest` filter, `page_cpu_us` by part, `found_by_id`, `first_commands` of salons that slept, and `redis` (`used_bytes`,
    `resident_bytes`, `most_bytes`: the greater of both, at the end too; `bytes_a_salon`, `by_part`).

    Examples: croupier bench lobby; croupier bench lobby --salons 1000000 --played 50000 --json | jq .ratios
    """
    from cluster.bench.lobby import Wanted  # noqa: PLC0415  # so that --help is quick
    from cluster.commands.bench_lobby import measure  # noqa: PLC0415  # so here

    if played > salons:
        raise typer.BadParameter(f"{played} of {salons} salons cannot play", param_hint="--played")
    run(measure(Wanted(salons, played, through_gateway, count), as_json=as_json))


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
