"""Applying events: the only way that a table changes, for the salon that decides and for all who replay."""

from typing import Any, Final

from engine.apply_hand import HAND_EVENTS
from engine.apply_table import TABLE_EVENTS
from engine.events import Event
from engine.table import Table

# The value types differ from key to key in a way that a type checker cannot say; a test holds that every
# event has exactly one entry and that the entry takes it.
EVENTS: Final[dict[type[Event], Any]] = {**TABLE_EVENTS, **HAND_EVENTS}
"""What each event does to a table, in place."""


def evolve(table: Table, event: Event) -> None:
    """Let `event` have happened to `table`, in place."""
    EVENTS[type(event)](table, event)


def apply(table: Table | None, event: Event) -> Table:
    """The table after `event`; the given one stays as it was. None is the state before SalonOpened."""
    after = Table() if table is None else table.copy()
    evolve(after, event)
    return after
