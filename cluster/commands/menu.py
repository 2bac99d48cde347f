"""The menu of `croupier`: where each command stands. To import them all takes seconds, so one is imported when it is asked for."""

from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_group

from cluster.commands.terminal import EXIT_CODES

PLACES: Final = {
    "up": "up",
    "gateway": "gateway",
    "salons": "salons",
    "create": "salons",
    "watch": "watch",
    "play": "play",
    "history": "history",
    "replay": "replay",
    "close": "salons",
    "nodes": "nodes",
    "drain": "nodes",
    "equity": "equity",
    "arena": "arena",
    "bench": "bench",
    "train": "train",
    "doctor": "doctor",
}
"""The module of cluster/commands/ where a command of that name stands, in the order of the help."""


class Menu(TyperGroup):
    """The group of all commands in `PLACES`."""

    commands: dict[str, Any]  # None for one that nobody has asked for yet

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(PLACES)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer's own signature
        """The names, in order."""
        return list(PLACES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as above
        """The command of that name; None where there is none."""
        if cmd_name in PLACES and self.commands[cmd_name] is None:
            self.commands[cmd_name] = self._made(cmd_name)
        return self.commands.get(cmd_name)

    def _made(self, name: str) -> Any:
        """What typer makes of a command's function, or of its Typer of several."""
        found = getattr(import_module(f"cluster.commands.{PLACES[name]}"), name)
        alone = typer.Typer(rich_markup_mode=self.rich_markup_mode)
        if isinstance(found, typer.Typer):
            alone.add_typer(found, name=name)
        else:
            alone.command(name, epilog=EXIT_CODES)(found)
        return get_group(alone).commands[name]
