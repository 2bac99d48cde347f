"""The command `croupier`. Which commands there are stands in cluster/commands/menu.py, and what they do beside it."""

import os
from importlib.metadata import version
from typing import Annotated

import typer

from cluster.commands.menu import Menu
from cluster.commands.terminal import EXIT_CODES, say

ABOUT = "A cluster of virtual poker tables: Texas Hold'em and five-card draw, with bots."

app = typer.Typer(
    cls=Menu,
    help=ABOUT,
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if "NO_COLOR" not in os.environ else None,
)


def _tell_version(ctx: typer.Context, value: bool) -> None:  # noqa: FBT001 - typer calls it so
    if value and not ctx.resilient_parsing:
        say(f"croupier {version('croupier')}")
        raise typer.Exit


@app.callback()
def _croupier(
    *,
    _: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_tell_version),
    ] = False,
) -> None:
    """Let the options of `croupier` itself be read."""


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
