"""Outages as a salon sees them: since when nobody could play, and what each clock gets back for it."""

from collections.abc import Callable
from typing import Final

from cluster.journal.log import Head
from cluster.salons.house import House
from cluster.salons.memory import Memory, in_hand
from engine.commands import ExtendAbsences, GiveGrace
from engine.decide import Decision, decide
from engine.limits import seats_to_evict
from engine.units import Millis

Dues = Callable[[Memory, Millis, Millis], Decision | None]
"""What a memory's table is owed for an outage since then, as it is now; None for nothing."""


class Outages:
    """Since when nobody could play at one salon, where that is not made good yet."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._since: Millis | None = None
        self._given_until = Millis(0)

    def begin(self, since: Millis | None = None) -> None:
        """Nobody can play, since then or since the log last answered; an earlier outage goes on."""
        since = heard(self._house) if since is None else since
        self._since = since if self._since is None else min(self._since, since)

    async def end(self, memory: Memory, head: Head) -> Millis:
        """Since when nobody could play, of a salon that was just read. Raises LogFault."""
        if self._since is not None:
            # A table that was written to was not out of reach: what is made good here may have been before.
            return max(self._since, memory.at)
        if not in_hand(memory.table) and not seats_to_evict(memory.table):
            return self._house.clock.now()
        return await _left_at(self._house, memory, head)

    def owed(self, since: Millis) -> Millis:
        """Since when something is owed, of an outage since then."""
        return max(since, self._given_until)

    def made_good(self) -> None:
        """All until now."""
        self._since = None
        self._given_until = self._house.clock.now()


def grace(memory: Memory, since: Millis, now: Millis) -> Decision | None:
    """What gives the running turn back what it lost since then; None where that is nothing, or it had enough."""
    hand = memory.table.hand
    if hand is None or not hand.to_act:
        return None
    decision = decide(memory.table, GiveGrace(hand.hand, hand.turn, since), now=now)
    return decision if isinstance(decision, Decision) else None


def absences(memory: Memory, since: Millis, now: Millis) -> Decision | None:
    """What keeps the seats of those who sit out for as much longer; None where that is nothing."""
    if not seats_to_evict(memory.table):
        return None
    decision = decide(memory.table, ExtendAbsences(since), now=now)
    return decision if isinstance(decision, Decision) else None


DUES: Final[tuple[Dues, ...]] = (absences, grace)
"""What an outage gives back, one commit each."""


async def _left_at(house: House, memory: Memory, head: Head) -> Millis:
    """When the salon's last host was last heard of; where nobody knows, when it last wrote, or now. Raises LogFault."""
    at = await house.pulse(head.before) if house.pulse and head.before else Millis(0)
    return max(at, memory.at) or house.clock.now()


def heard(house: House) -> Millis:
    """Now; or when the log last answered, where that is too long ago."""
    return house.heard() if house.heard else house.clock.now()
