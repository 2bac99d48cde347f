"""What a salon keeps in memory between commits, and how it is read back. Dropped as a whole, never in part."""

import hashlib

import msgpack

from bots.explanation import Explanation
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal import hand_record
from cluster.journal.hand_record import HandRecord, Note
from cluster.journal.log import (
    REPLIES_KEPT,
    Commit,
    Entry,
    Fold,
    Loaded,
    Loss,
    Mend,
    Reply,
    SalonLog,
    Snapshot,
    replay,
)
from engine.commands import Command
from engine.decide import Decision
from engine.events import CardsShown, Event, HandEnded, HandStarted, HandVoided
from engine.record import command_to_plain
from engine.table import Table
from engine.units import HandNumber, Millis, PlayerId
from engine.value import changed, value

_COMMITS_TO_FOLD: int = 256
"""After so many commits without a hand the table is written whole, so that a replay stays short."""


@value
class Origin:
    """Where a command comes from: empty for the salon's own. `note` explains a bot's."""

    player: PlayerId = PlayerId("")
    request_id: str = ""
    digest: str = ""
    note: Explanation | None = None
    in_turn: bool = False
    """Whether the command names its turn, so that it is never done in another."""


@value
class Step:
    """A commit, and the memory after it."""

    commit: Commit
    table: Table
    record: HandRecord | None


class Memory:
    """A salon as its log says it is, up to commit `seq`."""

    __slots__ = (
        "at",
        "base",
        "chain",
        "commits",
        "epoch",
        "finished",
        "loss",
        "opened_at",
        "record",
        "replies",
        "seq",
        "table",
    )

    def __init__(self, loaded: Loaded) -> None:
        """Replay what was loaded. Raises LogCorrupt."""
        self.epoch: Epoch = loaded.head.epoch
        self.seq: Seq = loaded.head.seq
        self.at: Millis = loaded.tail[-1].at if loaded.tail else Millis(0)
        """When the last commit was made; 0 where that is not known, which is between hands."""
        self.chain: bytes = loaded.head.chain
        self.base: Snapshot | None = None
        """The table that the log is replayed from, and `commits` all that followed: what a store forgets is here."""
        if loaded.snapshot:
            self.base = changed(loaded.snapshot, table=loaded.snapshot.table.copy())
        self.commits: list[tuple[Commit, bytes | None]] = []
        """Each with the chain after it; None where that is not known."""
        self.loss: Loss | None = loaded.loss
        """What its log has lost; until that is accepted this is not what the salon is, and nothing to keep."""
        self.opened_at: Millis = loaded.head.opened_at
        self.replies: dict[PlayerId, list[Reply]] = loaded.replies
        self.record: HandRecord | None = None
        """Of the hand in progress or just over; None where that has to be read from the log."""
        self.finished: HandRecord | None = None
        """Of the last hand that ended here."""
        self.table: Table = replay(loaded, self._remember)

    @property
    def folded(self) -> int:
        """The commit that a replay begins behind."""
        return self.base.seq if self.base else 0

    def reply(self, player: PlayerId, request_id: str) -> Reply | None:
        """What the player's request was answered, if it is one of the last."""
        return next((r for r in self.replies.get(player, ()) if r.request_id == request_id), None)

    async def step(
        self, salon: SalonId, decision: Decision, origin: Origin, *, at: Millis, log: SalonLog
    ) -> "Step":
        """The next commit, which does what was decided. Raises LogFault where an old record must be read."""
        events = decision.events
        record = _record_after(self.record, self.table, events, origin.note)
        ended = any(isinstance(event, HandEnded | HandVoided) for event in events)
        revealed = not in_hand(self.table) and any(isinstance(event, CardsShown) for event in events)
        if revealed and record is None:
            record = await log.hand(salon, self.table.hand_number)
            record = hand_record.revealed(record, events) if record else None
        commit = Commit(
            salon,
            self.epoch,
            Seq(self.seq + 1),
            at,
            events,
            origin.player,
            origin.request_id,
            origin.digest,
            origin.note,
            self._fold(decision.table, ended=ended),
            record if ended or revealed else None,
            HandNumber(0 if origin.in_turn else self.table.hand_number + 1),
            self.chain,
        )
        return Step(commit, decision.table, record)

    def advance(self, step: "Step", chain: bytes = b"") -> None:
        """Let the step's commit be in the log, which has `chain` after it."""
        commit = step.commit
        self.chain = chain
        self.loss = None
        self.commits.append((commit, chain))
        self.record = step.record
        self.finished = commit.record or self.finished
        self.table = step.table
        self.seq = commit.seq
        self.at = commit.at
        if commit.fold:
            self.base = Snapshot(commit.epoch, commit.seq, commit.fold.table, chain)
            self.commits = []
        if commit.request_id:
            replies = self.replies.setdefault(commit.player, [])
            replies.append(
                Reply(commit.request_id, commit.digest, commit.seq, commit.epoch, commit.stale_from)
            )
            del replies[:-REPLIES_KEPT]

    def _fold(self, table: Table, *, ended: bool) -> Fold | None:
        if ended or (self.seq - self.folded >= _COMMITS_TO_FOLD and not in_hand(table)):
            # One table more than whole hands, so that a feed has what the oldest of them began from.
            return Fold(table, 2 + table.settings.spectator_delay, whole=ended)
        return None

    def chain_at(self, seq: Seq) -> bytes | None:
        """The chain after commit `seq`, None where that is too long ago to be known, or to come."""
        if seq == self.folded:
            return self.base.chain if self.base else b""
        return next((chain for commit, chain in self.commits if commit.seq == seq), None)

    def mend(self, salon: SalonId, seen: Seq) -> Mend:
        """The log as it is known here, to be written anew where the store's ends at `seen`."""
        commits = tuple(commit for commit, _ in self.commits)
        return Mend(salon, self.epoch, seen, self.base, commits, self.replies, self.finished)

    def mended(self, chain: bytes) -> None:
        """Let the store have what was to be written, with this chain at its end; those before it are known no longer."""
        self.chain = chain
        self.commits = [(commit, chain if commit.seq == self.seq else None) for commit, _ in self.commits]

    def forget(self, loss: Loss) -> None:
        """Go on from where the log can be relied on, behind the last commit that may have been made."""
        self.seq = loss.last
        self.base = Snapshot(self.epoch, self.seq, self.table, self.chain)
        self.commits = []

    def _remember(self, table: Table, entry: Entry) -> None:
        commit = Commit(
            SalonId(""),
            entry.epoch,
            entry.seq,
            entry.at,
            entry.events,
            entry.player,
            entry.request_id,
            note=entry.note,
        )
        self.commits.append((commit, entry.chain))
        self.record = _record_after(self.record, table, entry.events, entry.note)


def digest_of(command: Command) -> str:
    """Tells a command from another that was sent under the same request_id."""
    packed: bytes = msgpack.packb(command_to_plain(command))
    return hashlib.blake2b(packed, digest_size=8).hexdigest()


def in_hand(table: Table) -> bool:
    """Whether a hand is being played."""
    return table.hand is not None and not table.hand.over


def _record_after(
    record: HandRecord | None, before: Table, events: tuple[Event, ...], note: Explanation | None
) -> HandRecord | None:
    """The record of the hand that `before` is in, or that `events` start, after these."""
    notes: tuple[Note, ...] = ()
    started = next((event for event in events if isinstance(event, HandStarted)), None)
    if started:
        record = hand_record.begun(before, started)
    elif not in_hand(before):
        return hand_record.revealed(record, events) if record else None
    elif note and before.hand:
        notes = (Note(before.hand.to_act, before.hand.turn, note),)
    return hand_record.extended(record, events, notes) if record else None
