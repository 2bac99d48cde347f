"""A journal in memory: the twin of `cluster.journal.redis_journal.Journal`, held to the same contract suite, with faults by hand."""

import asyncio
from dataclasses import dataclass, field
from enum import Enum

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.chain import linked
from cluster.journal.hand_record import HandRecord
from cluster.journal.log import (
    HANDS_KEPT,
    REPLIES_KEPT,
    Activated,
    Appended,
    Appendix,
    CommandStatus,
    Commit,
    Duplicate,
    Entry,
    Fenced,
    Gap,
    Head,
    Loaded,
    LogFault,
    Loss,
    Lost,
    Mend,
    Mended,
    Passivated,
    Passivation,
    Reply,
    Reused,
    Snapshot,
    WatchedNow,
)
from cluster.journal.mending import mend_plan
from cluster.journal.stored import entry_of, known_until
from engine.events import Audience, HandStarted
from engine.record import table_from_plain, table_to_plain
from engine.units import HandNumber, Millis, PlayerId
from engine.value import changed


class Fault(Enum):
    """What goes wrong with the next append."""

    BEFORE = "it is not written, and nobody is told"
    AFTER = "it is written, and nobody is told"


@dataclass
class _Salon:
    epoch: Epoch
    opened_at: Millis
    seq: Seq
    born: Epoch
    digest: str
    host: str = ""
    before: str = ""
    quarantine: str = ""
    entries: list[Entry] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    hands: dict[HandNumber, HandRecord] = field(default_factory=dict)
    replies: dict[PlayerId, list[Reply]] = field(default_factory=dict)
    retired: dict[PlayerId, list[Reply]] = field(default_factory=dict)
    """Forgotten by `forget_retired`; with Redis, in ten minutes."""
    watched: bool = False
    chain: bytes = b""
    lost: int = 0
    folded: int = 0
    forgot: int = 0


class MemoryJournal:
    """Logs in memory. `faults` are used up one an append; while `gate` is clear appends wait."""

    def __init__(self, now: int = 1_000) -> None:
        self.now = now
        self.salons: dict[SalonId, _Salon] = {}
        self.faults: list[Fault] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting = asyncio.Event()
        """Set when an append is held at the gate."""

    async def create(self, first: Commit) -> Appendix:
        salon = self.salons.get(first.salon)
        if salon is not None:
            return Duplicate(salon.born, Seq(1)) if salon.digest == first.digest else Reused()
        epoch = Epoch(self.now)
        salon = self.salons[first.salon] = _Salon(epoch, first.at, Seq(1), epoch, first.digest)
        salon.chain = linked(b"", Seq(1), entry_of(first)[0])
        replies = [Reply(first.request_id, first.digest, Seq(1), epoch)]
        if first.fold:
            table = table_from_plain(table_to_plain(first.fold.table))
            salon.snapshots, salon.folded = [Snapshot(epoch, Seq(1), table, salon.chain)], 1
            salon.retired[first.player] = replies
        else:
            entry = Entry(epoch, Seq(1), first.at, first.events, first.note, chain=salon.chain)
            salon.entries.append(entry)
            salon.replies[first.player] = replies
        return Appended(epoch, Seq(1), salon.chain)

    async def activate(
        self, salon: SalonId, seen: Epoch, host: str, *, made: Seq = Seq(0)
    ) -> Activated | Lost:
        known = self.salons.get(salon)
        if known is None or known.quarantine or known.epoch != seen:
            return Lost()
        if made > known.seq:
            known.lost = max(known.lost, made)
        known.epoch = Epoch(max(known.epoch + 1, self.now))
        known.before, known.host = known.host, host
        return Activated(known.epoch)

    async def append(self, commit: Commit) -> Appendix:
        if not self.gate.is_set():
            self.waiting.set()
        await self.gate.wait()
        fault = self.faults.pop(0) if self.faults else None
        if fault is Fault.BEFORE:
            raise LogFault(fault.value)
        outcome = self._append(commit)
        if fault is Fault.AFTER:
            raise LogFault(fault.value)
        return outcome

    def _append(self, commit: Commit) -> Appendix:
        salon = self.salons[commit.salon]
        if salon.epoch != commit.epoch:
            return Fenced()
        replies = salon.replies.setdefault(commit.player, [])
        for reply in replies:
            if commit.request_id and reply.request_id == commit.request_id:
                same = reply.digest == commit.digest
                return Duplicate(reply.epoch, reply.seq) if same else Reused()
        if (commit.seq, commit.chain) != (salon.seq + 1, salon.chain):
            return Gap(salon.seq)
        salon.seq = commit.seq
        salon.chain = linked(salon.chain, commit.seq, entry_of(commit)[0])
        self._enter(salon, commit)
        if commit.request_id:
            replies.append(
                Reply(commit.request_id, commit.digest, commit.seq, commit.epoch, commit.stale_from)
            )
            del replies[:-REPLIES_KEPT]
        if commit.record:
            salon.hands[commit.record.hand] = commit.record
            salon.hands.pop(HandNumber(commit.record.hand - HANDS_KEPT), None)
        if commit.fold:
            self._fold(salon, commit)
        return Appended(commit.epoch, commit.seq, salon.chain)

    def _enter(self, salon: _Salon, commit: Commit) -> None:
        """Write the commit's events, those for the vault too."""
        place = (commit.epoch, commit.seq, commit.at)
        salon.entries.append(
            Entry(*place, commit.events, commit.note, commit.player, commit.request_id, salon.chain)
        )

    def _fold(self, salon: _Salon, commit: Commit) -> None:
        assert commit.fold is not None
        table = table_from_plain(table_to_plain(commit.fold.table))
        snapshot = Snapshot(commit.epoch, commit.seq, table, salon.chain)
        if commit.fold.whole or not salon.snapshots:
            salon.snapshots.insert(0, snapshot)
            del salon.snapshots[commit.fold.keep :]
        else:
            salon.snapshots[0] = snapshot
        if commit.fold.whole and len(salon.snapshots) < commit.fold.keep:
            return
        oldest = salon.snapshots[-1].seq
        salon.entries = [entry for entry in salon.entries if entry.seq > oldest]

    async def passivate(self, rest: Passivation) -> Passivated | WatchedNow | Fenced | Gap:
        if not self.gate.is_set():
            self.waiting.set()
        await self.gate.wait()
        fault = self.faults.pop(0) if self.faults else None
        if fault is Fault.BEFORE:
            raise LogFault(fault.value)
        salon = self.salons[rest.salon]
        if salon.epoch != rest.epoch:
            return Fenced()
        if (rest.seq, rest.chain) != (salon.seq, salon.chain):
            return Gap(salon.seq)
        if salon.watched:
            return WatchedNow()
        table = table_from_plain(table_to_plain(rest.table))
        salon.snapshots, salon.entries = [Snapshot(rest.epoch, rest.seq, table, rest.chain)], []
        salon.host = salon.before = ""
        salon.folded = salon.seq
        salon.replies = {player: list(replies) for player, replies in rest.kept.items()}
        salon.retired = {player: list(replies) for player, replies in rest.retired.items()}
        if fault is Fault.AFTER:
            raise LogFault(fault.value)
        return Passivated()

    def forget_retired(self, salon: SalonId) -> None:
        self.salons[salon].retired = {}
        self.salons[salon].forgot = self.salons[salon].folded

    async def status(self, salon: SalonId, player: PlayerId, request_id: str) -> CommandStatus | None:
        known = self.salons.get(salon)
        if known is None:
            return None
        replies = self._replies(known).get(player, [])
        done = next((reply for reply in replies if reply.request_id == request_id), None)
        forgotten = known.forgot
        if len(replies) >= REPLIES_KEPT:
            forgotten = max(forgotten, replies[0].seq - 1)
        return CommandStatus(known.epoch, known.seq, done, Seq(forgotten), Millis(self.now + 600_000))

    async def mend(self, mend: Mend) -> Mended | Fenced | Gap:
        salon = self.salons[mend.salon]
        if salon.epoch != mend.epoch:
            return Fenced()
        if salon.seq != mend.seen:
            return Gap(salon.seq)
        base = mend.base
        salon.snapshots = [base] if base else []
        salon.seq, salon.chain = (base.seq, base.chain) if base else (Seq(0), b"")
        salon.entries = []
        for commit in mend.commits:
            salon.seq, salon.chain = commit.seq, linked(salon.chain, commit.seq, entry_of(commit)[0])
            self._enter(salon, commit)
        assert salon.chain == mend_plan(mend)[1]
        salon.replies = {player: list(replies) for player, replies in mend.replies.items()}
        if mend.record:
            salon.hands[mend.record.hand] = mend.record
        salon.lost = 0
        return Mended(salon.chain)

    async def note_loss(self, salon: SalonId, epoch: Epoch, last: Seq) -> bool:
        known = self.salons[salon]
        if known.epoch > epoch:
            return False
        known.lost = max(known.lost, last)
        return True

    async def let_go(self, salon: SalonId, epoch: Epoch) -> bool:
        if self.salons[salon].epoch != epoch:
            return False
        self.salons[salon].host = ""
        return True

    async def quarantine(self, salon: SalonId, epoch: Epoch, why: str) -> bool:
        if self.salons[salon].epoch != epoch:
            return False
        self.salons[salon].quarantine = why
        return True

    async def head(self, salon: SalonId) -> Head | None:
        known = self.salons.get(salon)
        if known is None:
            return None
        return Head(
            known.epoch,
            known.seq,
            known.host,
            known.opened_at,
            known.quarantine,
            known.before,
            known.chain,
            Seq(known.lost),
        )

    async def load(self, salon: SalonId) -> Loaded | None:
        head = await self.head(salon)
        if head is None:
            return None
        known = self.salons[salon]
        snapshot = known.snapshots[0] if known.snapshots else None
        if snapshot:
            table = table_from_plain(table_to_plain(snapshot.table))
            snapshot = changed(snapshot, table=table)
        after = snapshot.seq if snapshot else 0
        tail = tuple(entry for entry in known.entries if entry.seq > after)
        replies = self._replies(known)
        if not known.lost:
            return Loaded(head, snapshot, tail, replies)
        last = Seq(max(known.lost, known.seq))
        loss = Loss(last - known.seq, known.seq, last, _last_hand(known), f"commits up to {last} were made")
        return Loaded(head, snapshot, tail, known_until(replies, known.seq), loss)

    def _replies(self, known: _Salon) -> dict[PlayerId, list[Reply]]:
        return {
            player: sorted(
                [*known.retired.get(player, ()), *known.replies.get(player, ())], key=lambda reply: reply.seq
            )[-REPLIES_KEPT:]
            for player in known.replies.keys() | known.retired.keys()
        }

    async def read(self, salon: SalonId, after: tuple[Epoch, Seq], count: int = 256) -> list[Entry]:
        entries = [entry for entry in self.salons[salon].entries if (entry.epoch, entry.seq) > after]
        return [_public(entry) for entry in entries[:count]]

    def told(self, message: bytes) -> Entry | None:
        """The entry that a wake-up names, such as b"s1 1000-7"."""
        name, _, place = message.decode().partition(" ")
        entries = self.salons[SalonId(name)].entries if place else []
        return next((_public(each) for each in entries if f"{each.epoch}-{each.seq}" == place), None)

    async def snapshots(self, salon: SalonId) -> list[Snapshot]:
        return list(self.salons[salon].snapshots)

    async def hand(self, salon: SalonId, hand: HandNumber) -> HandRecord | None:
        return self.salons[salon].hands.get(hand)

    async def hands(self, salon: SalonId) -> list[HandNumber]:
        return sorted(self.salons[salon].hands, reverse=True)


def _public(entry: Entry) -> Entry:
    events = tuple(event for event in entry.events if event.AUDIENCE is not Audience.NOBODY)
    return Entry(entry.epoch, entry.seq, entry.at, events)


def _last_hand(known: _Salon) -> HandNumber:
    """One more than the greatest number that the log tells of, which a hand that it has lost may have been given."""
    started = [
        event.hand for entry in known.entries for event in entry.events if isinstance(event, HandStarted)
    ]
    return HandNumber(max((*known.hands, *started), default=0) + 1)
