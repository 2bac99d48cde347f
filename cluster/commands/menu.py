"""The menu of `croupier`: where each command stands. To import them all takes seconds, so one is imported when it is asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final, cast

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


class _Commands(Mapping[str, Any]):
    """What is made of a command's function, or of the Typer of several, once it is asked for."""

    def __init__(self, markup: Any) -> None:
        self._markup = markup
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            found = getattr(import_module(f"cluster.commands.{PLACES[name]}"), name)
            alone = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=self._markup)
            if isinstance(found, typer.Typer):
                alone.add_typer(found, name=name)
            else:
                alone.command(name, epilog=EXIT_CODES)(found)
            self._made[name] = get_group(alone).commands[name]
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in PLACES

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


class Menu(TyperGroup):
    """The group of all commands in `PLACES`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = cast(Any, _Commands(self.rich_markup_mode))
