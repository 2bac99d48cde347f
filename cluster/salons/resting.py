"""The rest of one salon: when to look whether anybody needs it, and how it is left to its log."""

import asyncio
from collections.abc import Callable
from typing import Final

from cluster.envelope import SalonId
from cluster.journal.log import Fenced, Gap, Passivated, WatchedNow
from cluster.salons.house import House
from cluster.salons.memory import Memory
from cluster.salons.passivation import idle, passivation, wakes_at
from engine.table import Table
from engine.units import Millis

_AT_ONCE: Final = Millis(0)


class Resting:
    """Looks after the house's idle time, by calling `look`; never where the house knows no such time."""

    def __init__(self, salon: SalonId, house: House, look: Callable[[], None]) -> None:
        self._salon = salon
        self._house = house
        self._look = look
        self._timer: asyncio.TimerHandle | None = None
        self._used_at = Millis(0)

    def used(self) -> None:
        """The salon was asked for something just now, or did something."""
        self._used_at = self._house.clock.now()

    def look_later(self, wait: Millis | None = None) -> None:
        """Look after `wait` ms, or after the idle time."""
        self.cancel()
        if self._house.idle:
            seconds = (self._house.idle if wait is None else wait) / 1000
            self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def look_again(self) -> None:
        """Look at once."""
        self.look_later(_AT_ONCE)

    def cancel(self) -> None:
        """Do not look any more."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def due(self, table: Table) -> bool:
        """Whether the salon is over or has been idle long enough; else it is looked at again."""
        if table.over:
            return True
        left = Millis(self._used_at + self._house.idle - self._house.clock.now())
        if left <= 0 and idle(table):
            return True
        self.look_later(left if left > 0 else None)
        return False

    async def begin(self, memory: Memory) -> Passivated | WatchedNow | Fenced | Gap:
        """Leave the salon to its log, unless somebody watches. Raises LogFault.

        One that is over waits for that where nobody runs it.
        """
        if await self._house.watched(self._salon):
            if memory.table.over and self._house.sleeps:
                await self._house.sleeps(self._salon, Millis(self._house.clock.now() + self._house.idle))
            return WatchedNow()
        due = wakes_at(memory.table)
        if due and self._house.sleeps:
            await self._house.sleeps(self._salon, due)
        if self._house.settled:
            await self._house.settled(self._salon)
        return await self._house.log.passivate(passivation(self._salon, memory, self._house.clock.now()))
