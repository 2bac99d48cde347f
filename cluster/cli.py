"""The command `croupier`: which commands there are. What they do stands in cluster/commands/."""

import os
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from cluster.commands.arena import arena
from cluster.commands.bench import bench
from cluster.commands.equity import equity
from cluster.commands.history import history
from cluster.commands.nodes import drain, nodes
from cluster.commands.play import play
from cluster.commands.replay import replay
from cluster.commands.salons import close, create, salons
from cluster.commands.terminal import EXIT_CODES, run, say
from cluster.commands.train import train
from cluster.commands.watch import watch
from cluster.settings import load_settings

ABOUT = "A cluster of virtual poker tables: Texas Hold'em and five-card draw, with bots."

app = typer.Typer(
    help=ABOUT,
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if "NO_COLOR" not in os.environ else None,
)


@app.callback()
def _croupier(
    *,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    if show_version:
        say(f"croupier {version('croupier')}")
        raise typer.Exit


@app.command(epilog=EXIT_CODES)
def up(
    *,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen", metavar="HOST:PORT", help="Where the gateway listens; port 0: any free one."
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option("--data-dir", metavar="DIR", help="Where the data are. Default: the user's."),
    ] = None,
    demo: Annotated[bool, typer.Option(help="Open salons with bots at the first start.")] = True,
    plain: Annotated[bool, typer.Option("--plain", help="Lines instead of a live table.")] = False,
) -> None:
    """Start Redis (a bundled Valkey), Ray and a gateway on this machine, with salons where bots play.

    Everything ends with Ctrl-C, and goes on with the same data at the next start. CROUPIER_REDIS_URL and
    CROUPIER_RAY_ADDRESS name a Redis and a Ray to use instead of its own.

    Examples: croupier up; croupier up --listen 127.0.0.1:0 --plain; CROUPIER_DATA_DIR=/srv/croupier croupier up
    """
    from cluster.commands.up import run_up

    run_up(listen=listen, data_dir=data_dir, demo=demo, plain=plain)


@app.command(epilog=EXIT_CODES)
def gateway(
    *,
    listen: Annotated[
        str | None,
        typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; default CROUPIER_LISTEN."),
    ] = None,
) -> None:
    """Run one gateway beside a Redis and a Ray: CROUPIER_REDIS_URL and CROUPIER_RAY_ADDRESS name them.

    Example: CROUPIER_REDIS_URL=redis://redis:6379 CROUPIER_RAY_ADDRESS=head:6379 croupier gateway
    """
    from cluster.commands.gateway import run_gateway

    async def serve() -> None:
        await run_gateway(load_settings(listen=listen))

    run(serve())


for command in (salons, create, watch, play, history, replay, close, nodes, drain, equity, arena):
    app.command(epilog=EXIT_CODES)(command)
app.add_typer(bench, name="bench")
app.add_typer(train, name="train")


@app.command(epilog=EXIT_CODES)
def doctor(
    *, as_json: Annotated[bool, typer.Option("--json", help="One JSON document for programs.")] = False
) -> None:
    """Look at this machine and its settings; exits with 1 if something is wrong.

    Examples: croupier doctor; croupier doctor --json | jq '.findings[] | select(.cure != "")'
    """
    from cluster.commands.doctor import run_doctor

    run_doctor(as_json=as_json)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
