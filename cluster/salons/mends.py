"""Mends: what a salon does where its store has forgotten a part of the log, and what it then says it lost.

Law of this file: a store is written anew only by the activation that committed what is missing, and only where the
store has a beginning of that. Everything else is a loss: noted in the log, and said as an event by whoever loads it.
"""

from enum import StrEnum

import structlog

from cluster.envelope import SalonId
from cluster.journal.log import Fenced, Head, Loaded, LogCorrupt, Loss, Mended, SalonLog
from cluster.salons.memory import Memory, Origin
from engine.commands import AcceptLoss
from engine.decide import Decision, decide
from engine.units import Millis
from engine.value import changed

_log = structlog.get_logger()


class Fate(StrEnum):
    """How a log stands to what a salon remembers of it."""

    MENDED = "mended"
    """They are the same now."""
    ELSEWHERE = "elsewhere"
    """Another activation holds the salon."""
    AHEAD = "ahead"
    """The log is further, or changes."""
    ANOTHER = "another"
    """The log went on otherwise: commits are noted as lost, and it is to be read as it is."""


async def mend(log: SalonLog, salon: SalonId, memory: Memory) -> Fate:
    """Write the log anew where the store has forgotten what was committed here. Raises LogFault."""
    head = await log.head(salon)
    if head is None or head.epoch != memory.epoch:
        await note_older(log, salon, head, memory)
        return Fate.ELSEWHERE
    if head.seq > memory.seq:
        return Fate.AHEAD
    known = memory.chain_at(head.seq)
    if known is not None and known != head.chain:
        _log.error("salon_log_is_another", salon=salon, seq=head.seq)
        await log.note_loss(salon, memory.epoch, memory.seq)
        return Fate.ANOTHER
    outcome = await log.mend(memory.mend(salon, head.seq))
    if not isinstance(outcome, Mended):
        return Fate.ELSEWHERE if isinstance(outcome, Fenced) else Fate.AHEAD
    _log.error("salon_log_mended", salon=salon, found=head.seq, knew=memory.seq)
    memory.mended(outcome.chain)
    return Fate.MENDED


async def read(log: SalonLog, salon: SalonId, last: Memory | None) -> Loaded | Fate | None:
    """Read the log; where it has less than `last`, only after that is written again, or what kept it from that.

    Raises LogFault, LogCorrupt.
    """
    try:
        loaded = await log.load(salon)
    except LogCorrupt:
        if last is None:
            raise
        loaded = None
    else:
        if last is None or loaded is None:
            return loaded
        await note_older(log, salon, loaded.head, last)
        if not _knows_more(last, loaded):
            return loaded
    fate = await mend(log, salon, last)
    return await log.load(salon) if fate is Fate.MENDED else fate


async def note_older(log: SalonLog, salon: SalonId, head: Head | None, memory: Memory) -> None:
    """Where the log is from before this activation, let whoever takes it up know that it misses commits. Raises LogFault."""
    if head is not None and head.epoch < memory.epoch:
        _log.error("salon_log_went_back", salon=salon, epoch=head.epoch, seq=head.seq)
        await log.note_loss(salon, memory.epoch, memory.seq)


async def accept(log: SalonLog, salon: SalonId, memory: Memory, loss: Loss, *, now: Millis) -> Fate:
    """Go on without what is lost, and say so: a hand in progress is void (V1). Raises LogFault."""
    _log.error("salon_log_lost", salon=salon, commits=loss.commits, why=loss.why)
    memory.forget(loss)
    decision = decide(memory.table, AcceptLoss(loss.commits, loss.hand, loss.why), now=now)
    assert isinstance(decision, Decision), "a loss is accepted whatever the table is"
    step = await memory.step(salon, decision, Origin(), at=now, log=log)
    known = memory.mend(salon, loss.seen)
    outcome = await log.mend(changed(known, commits=(step.commit,), record=step.commit.record))
    if not isinstance(outcome, Mended):
        return Fate.ELSEWHERE if isinstance(outcome, Fenced) else Fate.AHEAD
    memory.advance(step, outcome.chain)
    return Fate.MENDED


def _knows_more(last: Memory, loaded: Loaded) -> bool:
    """Whether the log misses a part of what the same activation committed."""
    head = loaded.head
    if head.epoch != last.epoch or head.seq > last.seq:
        return False
    return (head.seq, head.chain) != (last.seq, last.chain) or loaded.loss is not None or loaded.torn
