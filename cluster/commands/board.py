"""What `croupier up` shows while it runs: a live table in a terminal, a line now and then elsewhere."""

import time
from collections import deque
from types import TracebackType
from typing import Final, Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cluster.commands.salons import salons_table
from cluster.commands.terminal import say
from croupier.v1.lobby_pb2 import SalonRow

TOTAL = "{salons} salons, {hands} hands dealt, {rate:.1f} hands a second"
MORE = "and {more} more: croupier salons"
MOST_ROWS: Final = 16
WINDOW: Final = 10.0
"""Seconds over which hands a second are counted."""
PLAIN_EVERY: Final = 10.0


class Board(Protocol):
    """Where `up` tells what goes on."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def note(self, text: str) -> None:
        """Tell one thing, once."""

    def show(self, rows: list[SalonRow]) -> None:
        """Tell how the salons stand."""


class Rate:
    """Hands a second, from the hand numbers of the salons. Time is given from outside, in seconds."""

    def __init__(self) -> None:
        self._counts: deque[tuple[float, dict[str, int]]] = deque()

    def count(self, rows: list[SalonRow], now: float) -> float:
        """Take a look at the salons in; the hands a second since the oldest look that counts."""
        hands = {row.salon_id: row.hand for row in rows}
        self._counts.append((now, hands))
        while len(self._counts) > 2 and now - self._counts[0][0] > WINDOW:
            self._counts.popleft()
        since, before = self._counts[0]
        dealt = sum(max(0, hand - before.get(salon, hand)) for salon, hand in hands.items())
        return dealt / (now - since) if now > since else 0.0


def total_line(rows: list[SalonRow], rate: float) -> str:
    """The sum of it."""
    return TOTAL.format(salons=len(rows), hands=sum(row.hand for row in rows), rate=rate)


class PlainBoard:
    """Lines for pipes, logs and screen readers."""

    def __init__(self) -> None:
        self._rate = Rate()
        self._last = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def note(self, text: str) -> None:
        """Tell it in a line."""
        say(text)

    def show(self, rows: list[SalonRow]) -> None:
        """Tell the sum in a line, every ten seconds."""
        now = time.monotonic()
        rate = self._rate.count(rows, now)
        if now - self._last >= PLAIN_EVERY:
            self._last = now
            say(total_line(rows, rate))


class LiveBoard:
    """A table that is drawn anew every second, below the notes."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._rate = Rate()

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def note(self, text: str) -> None:
        """Tell it above the table."""
        self._console.print(text, markup=False)

    def show(self, rows: list[SalonRow]) -> None:
        """Draw the table."""
        rate = self._rate.count(rows, time.monotonic())
        self._live.update(Group(rows_table(rows), Text(total_line(rows, rate), style="bold")), refresh=True)


def rows_table(rows: list[SalonRow]) -> Table:
    """The salons, newest first."""
    table = salons_table(rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        table.caption = MORE.format(more=len(rows) - MOST_ROWS)
    return table
