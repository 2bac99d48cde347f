"""Mends: what a salon does where its store has forgotten a part of the log, and what it then says it lost.

Law of this file: a store is written anew only by the activation that committed what is missing, and only where the
store has a beginning of that. Everything else is a loss: noted in the log, and said as an event by whoever loads it.
Whoever goes on after either, or after a commit of unknown outcome, does so under a new epoch: what was written, shown
to those who watch and forgotten before its writer heard of it nobody here knows, and its place must not be another's.
"""

from enum import StrEnum

import structlog

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import Activated, Fenced, Head, Loaded, LogCorrupt, Loss, Mended, SalonLog
from cluster.routing.leases import HostName
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
    """Another activation holds the salon, or none may: it is quarantined."""
    AHEAD = "ahead"
    """The log is further, or changes."""
    ANOTHER = "another"
    """The log went on otherwise: commits are noted as lost, and it is to be read as it is."""


async def mend(log: SalonLog, salon: SalonId, memory: Memory, host: HostName) -> Fate:
    """Write the log anew where the store has forgotten what was committed here by `host`. Raises LogFault.

    Also where it has forgotten that the salon is this activation's: then nobody's who holds it now is a later one.
    """
    head = await log.head(salon)
    if head is None:
        return Fate.ELSEWHERE
    if head.epoch > memory.epoch:
        if head.seq < memory.seq:
            # Whoever has it now was told of nothing that is missing; whoever has it next is.
            await log.note_loss(salon, head.epoch, memory.seq)
        return Fate.ELSEWHERE
    if head.epoch == memory.epoch and head.seq > memory.seq:
        return Fate.AHEAD
    if not await _begun_anew(log, salon, memory, head.epoch, host):
        return Fate.ELSEWHERE
    known = memory.chain_at(head.seq)
    if head.seq > memory.seq or (known is not None and known != head.chain):
        _log.error("salon_log_is_another", salon=salon, seq=head.seq)
        await log.note_loss(salon, memory.epoch, memory.seq)
        return Fate.ANOTHER
    outcome = await log.mend(memory.mend(salon, head.seq))
    if not isinstance(outcome, Mended):
        return Fate.ELSEWHERE if isinstance(outcome, Fenced) else Fate.AHEAD
    _log.error("salon_log_mended", salon=salon, found=head.seq, knew=memory.seq)
    memory.mended(outcome.chain)
    return Fate.MENDED


async def read(log: SalonLog, salon: SalonId, last: Memory | None, host: HostName) -> Loaded | Fate | None:
    """Read the log; where it has less than `last`, only after that is written again, or what kept it from that.

    Raises LogFault, LogCorrupt.
    """
    try:
        loaded = await log.load(salon)
    except LogCorrupt:
        head = await log.head(salon) if last else None
        if last is None or head is None:
            raise
        if _is_own_again(last, head, max(head.seq, head.lost), host):
            last.epoch = head.epoch
    else:
        if last is None or loaded is None:
            return loaded
        if _is_own_again(last, loaded.head, loaded.loss.last if loaded.loss else loaded.head.seq, host):
            last.epoch = loaded.head.epoch
        if not _knows_more(last, loaded):
            return await _reread(log, salon, last, loaded)
    fate = await mend(log, salon, last, host)
    return await log.load(salon) if fate is Fate.MENDED else fate


async def accept(
    log: SalonLog, salon: SalonId, memory: Memory, loss: Loss, *, host: HostName, now: Millis
) -> Fate:
    """Go on without what is lost, and say so: a hand in progress is void (V1). Raises LogFault."""
    _log.error("salon_log_lost", salon=salon, commits=loss.commits, why=loss.why)
    if not await _begun_anew(log, salon, memory, memory.epoch, host):
        return Fate.ELSEWHERE
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


async def _reread(log: SalonLog, salon: SalonId, last: Memory, loaded: Loaded) -> Loaded | Fate:
    """What was read; under a new epoch where it is no more than was known, and a commit was on its way."""
    head = loaded.head
    if head.quarantine or (head.epoch, head.seq) != (last.epoch, last.seq):
        return loaded
    outcome = await log.activate(salon, head.epoch, head.host, made=last.seq)
    if not isinstance(outcome, Activated):
        return Fate.ELSEWHERE
    return changed(loaded, head=changed(head, epoch=outcome.epoch))


async def _begun_anew(log: SalonLog, salon: SalonId, memory: Memory, seen: Epoch, host: HostName) -> bool:
    """Let the salon be `host`'s under a new epoch; False where another was quicker, or none may. Raises LogFault."""
    outcome = await log.activate(salon, seen, host, made=memory.seq)
    if isinstance(outcome, Activated):
        memory.epoch = outcome.epoch
    return isinstance(outcome, Activated)


def _is_own_again(last: Memory, head: Head, until: Seq, host: HostName) -> bool:
    """Whether a later epoch is of `host` and nobody committed under it: the answer to `_begun_anew` was lost.

    `until` is the last commit that anything tells of.
    """
    if head.host != host or head.quarantine or head.epoch <= last.epoch or until > last.seq:
        return False
    return last.chain_at(head.seq) in (None, head.chain)


def _knows_more(last: Memory, loaded: Loaded) -> bool:
    """Whether the log misses a part of what this activation committed, or that it is the salon's."""
    head = loaded.head
    if head.epoch != last.epoch or head.seq > last.seq:
        return head.epoch < last.epoch
    return (head.seq, head.chain) != (last.seq, last.chain) or loaded.loss is not None or loaded.torn
