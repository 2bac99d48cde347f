"""Outages as a salon sees them: since when nobody could play, and whether whose turn it is gets time back for it."""

from cluster.journal.log import Head
from cluster.salons.house import House
from cluster.salons.memory import Memory
from engine.commands import GiveGrace
from engine.decide import Decision, decide
from engine.units import Millis


def grace(memory: Memory, since: Millis, now: Millis) -> Decision | None:
    """What gives the running turn back what it lost since then; None where that is nothing, or it had enough."""
    hand = memory.table.hand
    if hand is None or not hand.to_act:
        return None
    decision = decide(memory.table, GiveGrace(hand.hand, hand.turn, since), now=now)
    return decision if isinstance(decision, Decision) else None


async def left_at(house: House, memory: Memory, head: Head) -> Millis:
    """When the salon's last host was last heard of; where nobody knows, when it last wrote. Raises LogFault."""
    at = await house.pulse(head.before) if house.pulse and head.before else Millis(0)
    return max(at, memory.at)


def heard(house: House) -> Millis:
    """Now; or when the log last answered, where that is too long ago."""
    return house.heard() if house.heard else house.clock.now()
