"""The shelf: tables of draw by the stakes that they are for, each read when it is asked for first.

Law of this file: nothing is trained here, and a table that was found is never lost again. One that is not there is
told to `missing` whenever it is asked for; once its file is there it is found. A file that holds no table for the
stakes of its name counts as none.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from bots.draw_solver.draw_table import DrawTable
from bots.draw_solver.stakes import DEFAULT, Stakes
from bots.draw_solver.table import NoTable, Table, file_name, load
from bots.protocol import Observation

Missing = Callable[[Stakes], None]
"""Told stakes, in their lowest terms, that there is no table for; it must not block."""
_Seen = tuple[int, int]
"""When a file was written, in ns, and its size: whether it is still the one that was refused."""


class Shelf:
    """Tables, the packaged one among them, and those whose files stand in `directory`."""

    def __init__(self, directory: Path | None = None, missing: Missing = lambda _: None) -> None:
        self._directory = directory
        self._missing = missing
        self._tables: dict[Stakes, DrawTable] = {}
        self._refused: dict[Stakes, _Seen] = {}

    def find(self, stakes: Stakes) -> DrawTable | None:
        """The player by the table for some stakes; None where there is none (yet). The first time it reads a file."""
        low = stakes.lowest
        if low == DEFAULT.lowest:
            return _packaged()
        found = self._tables.get(low) or self._read(low)
        if found is None:
            self._missing(low)
        return found

    def knows(self, observation: Observation) -> DrawTable | None:
        """The player by a table that has an answer in the turn observed; by public facts alone."""
        stakes = stakes_of(observation) if len(observation.seats) == 2 else None
        player = self.find(stakes) if stakes else None
        return player if player and player.knows(observation) else None

    def _read(self, low: Stakes) -> DrawTable | None:
        if self._directory is None:
            return None
        path = self._directory / file_name(low)
        try:
            seen = (path.stat().st_mtime_ns, path.stat().st_size)
        except OSError:
            return None
        if self._refused.get(low) == seen:
            return None
        table = kept(self._directory, low)
        if table is None:
            self._refused[low] = seen
            return None
        return self._tables.setdefault(low, DrawTable(table))


PACKAGED: Final = Shelf()
"""The packaged table alone."""


def kept(directory: Path, stakes: Stakes) -> Table | None:
    """The table for some stakes that stands in a directory; None where none does that can be used."""
    try:
        table = load(directory / file_name(stakes))
    except (NoTable, OSError):
        return None
    return table if table.stakes == stakes.lowest else None


def stakes_of(observation: Observation) -> Stakes | None:
    """What is played for; None in hold'em, and for stakes that no table is trained for."""
    try:
        return Stakes(observation.ante, observation.unit, observation.big_bet, observation.raise_cap)
    except ValueError:
        return None


@cache
def _packaged() -> DrawTable:
    return DrawTable(load())
