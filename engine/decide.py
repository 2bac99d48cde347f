"""Deciding: one function from a table and a command to events and the next table, or a refusal.

No clock, no randomness, no input or output: the shuffled deck and the lot come in with the command, and
`now` beside it. The given table stays valid and unchanged, so that a salon keeps it until the events are
committed.
"""

from collections.abc import Callable
from typing import Any, Final

from engine import dealing, limits, play, presence, seating
from engine.commands import (
    AcceptLoss,
    AddBot,
    AllIn,
    BetTo,
    Call,
    Check,
    CloseSalon,
    Command,
    Draw,
    ExpireTurn,
    ExtendAbsences,
    Fold,
    GiveGrace,
    Join,
    Kick,
    Leave,
    OpenSalon,
    RaiseTo,
    RemoveBot,
    Reveal,
    SitIn,
    SitOut,
    StartHand,
    Sweep,
    TopUpTo,
    VoidHand,
)
from engine.draft import Draft
from engine.events import Event, SalonOpened
from engine.refusals import Reason, Refusal, refuse
from engine.settings import settings_refused
from engine.table import Table
from engine.units import Millis
from engine.value import value


@value
class Decision:
    """What a command did: the events in order, and the table after them."""

    events: tuple[Event, ...]
    table: Table


# The command types differ from key to key in a way that a type checker cannot say; a test holds that every
# command has exactly one entry and that the entry takes it.
RULES: Final[dict[type[Command], Callable[[Draft, Any], Refusal | None]]] = {
    Fold: play.act,
    Check: play.act,
    Call: play.act,
    BetTo: play.act,
    RaiseTo: play.act,
    AllIn: play.act,
    Draw: play.act,
    Join: seating.join,
    Leave: seating.leave,
    SitOut: presence.sit_out_command,
    SitIn: presence.sit_in_command,
    TopUpTo: seating.top_up_to,
    Reveal: play.reveal,
    AddBot: seating.add_bot,
    RemoveBot: seating.remove_bot,
    Kick: seating.kick,
    CloseSalon: limits.close_salon,
    StartHand: dealing.start_hand,
    ExpireTurn: play.expire_turn,
    GiveGrace: play.give_grace,
    ExtendAbsences: limits.extend_absences,
    Sweep: limits.sweep,
    VoidHand: play.void,
    AcceptLoss: play.accept_loss,
}
"""The rule function of every command but OpenSalon, which makes the table that the others change."""


def decide(table: Table | None, command: Command, *, now: Millis) -> Decision | Refusal:
    """What `command` does to `table` at `now` of the log's clock; a refusal changes nothing.

    `table` is None for OpenSalon alone.

    Raises:
        ValueError: a table for OpenSalon, or none for another command: a bug of the caller.
    """
    if type(command) is OpenSalon:
        return _open(table, command, now)
    if table is None:
        raise ValueError(f"{type(command).__name__} needs a table: open the salon first")
    if table.over and type(command) is not AcceptLoss:
        return _over(table)
    draft = Draft(table.copy(), now)
    refusal = RULES[type(command)](draft, command)
    return Decision(tuple(draft.events), draft.table) if refusal is None else refusal


def _open(table: Table | None, command: OpenSalon, now: Millis) -> Decision | Refusal:
    if table is not None:
        raise ValueError("OpenSalon makes a table: there is one already")
    refusal = settings_refused(command.settings)
    if refusal is not None:
        return refusal
    draft = Draft(Table(), now)
    draft.emit(SalonOpened(command.owner, command.settings, now))
    return Decision(tuple(draft.events), draft.table)


def _over(table: Table) -> Refusal:
    cause = table.closing.value if table.closing else "closed"
    text = f"refused: the salon is over ({cause.replace('_', ' ')}); join or open another one"
    return refuse(Reason.SALON_OVER, text, cause=cause)
