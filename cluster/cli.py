"""The command `croupier`: which commands there are. What they do stands in cluster/commands/."""

import os
from importlib.metadata import version
from typing import Annotated

import typer

from cluster.commands.doctor import doctor
from cluster.commands.history import history
from cluster.commands.play import play
from cluster.commands.replay import replay
from cluster.commands.salons import close, create, salons
from cluster.commands.terminal import EXIT_CODES, run, say
from cluster.commands.up import up
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


app.command(epilog=EXIT_CODES)(up)


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


for command in (salons, create, watch, play, history, replay, close, doctor):
    app.command(epilog=EXIT_CODES)(command)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
