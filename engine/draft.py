"""A draft: the copy of a table that one command works on, and the events that it has made so far.

Law of this file: `emit` is the only way that a decision changes anything, so that what is decided and what
a replay of the log does are the same by construction.
"""

from engine.apply import EVENTS
from engine.events import Event
from engine.table import Table
from engine.units import Millis


class Draft:
    """A table while a command is being decided. Thrown away if the command is refused."""

    __slots__ = ("events", "now", "table")

    def __init__(self, table: Table, now: Millis) -> None:
        """Work on `table`, which belongs to this draft alone, at `now` of the log's clock."""
        self.table = table
        self.now = now
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Let `event` have happened."""
        EVENTS[type(event)](self.table, event)
        self.events.append(event)
