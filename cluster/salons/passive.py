"""The command that gives a turn away: what the clock would do, for a bot that has no answer."""

from engine.commands import Check, Draw, Fold, TurnCommand
from engine.units import PlayerId
from engine.view import TableView


def passive_command(view: TableView, player: PlayerId) -> TurnCommand:
    """Stand pat at the draw, check where that is free, else fold."""
    if view.legal is not None and view.legal.draw:
        return Draw(player, view.hand, view.turn, ())
    if view.legal is not None and view.legal.check:
        return Check(player, view.hand, view.turn)
    return Fold(player, view.hand, view.turn)
