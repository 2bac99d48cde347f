"""Passivation: when nobody runs a salon, what is kept of it then, and what time will make due meanwhile.

Law of this file: a reply is forgotten only where its request, sent again, would be refused: it names its turn, or
a hand after which it comes too late. The few others stay with the salon.
"""

from typing import Final

from cluster.envelope import SalonId
from cluster.journal.log import Passivation, Reply
from cluster.salons.memory import Memory, in_hand
from engine.alarms import sweep_at
from engine.table import Table
from engine.units import Millis, PlayerId

REPLIES_FOR_GOOD: Final = 16
"""The most replies that stay with a salon: those of the last commits, whoever asked for them."""


def idle(table: Table) -> bool:
    """Whether nothing happens at the table as long as nobody watches and no command comes.

    A person who holds a seat is waited for, present or not: he leaves, or is evicted.
    """
    if in_hand(table) or table.closing is not None:
        return False
    if any(player is not None and player.level is None for player in table.players):
        return False
    return not (table.next_hand_at and table.settings.plays_unwatched)


def wakes_at(table: Table) -> Millis:
    """When time makes something due that does not wait for anybody: a limit, the salon's end; 0 for never."""
    return Millis(0) if table.over else sweep_at(table)


def passivation(salon: SalonId, memory: Memory, at: Millis) -> Passivation:
    """The salon as its memory has it, to be kept."""
    hand = memory.table.hand_number
    known = [(player, reply) for player, replies in memory.replies.items() for reply in replies]
    needed = sorted(
        ((player, reply) for player, reply in known if reply.stale_from > hand), key=lambda each: each[1].seq
    )[-REPLIES_FOR_GOOD:]
    kept: dict[PlayerId, list[Reply]] = {}
    for player, reply in needed:
        kept.setdefault(player, []).append(reply)
    retired = {
        player: [reply for reply in replies if reply not in kept.get(player, ())]
        for player, replies in memory.replies.items()
    }
    return Passivation(
        salon,
        memory.epoch,
        memory.seq,
        at,
        memory.table,
        kept,
        {player: replies for player, replies in retired.items() if replies},
    )
