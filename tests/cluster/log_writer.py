"""A writer of a salon's log by hand, with the commits, passivations and finished hands that it writes."""

from typing import Any, Protocol

from bots.explanation import Explanation
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.hand_record import HandPlayer, HandRecord, Note
from cluster.journal.log import (
    HANDS_KEPT_FOR,
    Activated,
    Appended,
    Appendix,
    CommandStatus,
    Commit,
    Entry,
    Passivation,
    SalonLog,
    Snapshot,
)
from engine.apply import apply
from engine.commands import Command
from engine.decide import Decision, decide
from engine.events import HandStarted
from engine.table import Table
from engine.units import Chips, HandNumber, Millis, PlayerId, Seat, Turn
from tests.cluster.salons import SALON, opening

TWO_ACES = Explanation("two aces", equity=0.85, error=0.01, mix=(("raise", 0.75), ("call", 0.25)), lot=0.5)


class FullLog(SalonLog, Protocol):
    """What a journal does for others than a salon."""

    async def create(self, first: Commit) -> Appendix: ...
    async def read(self, salon: SalonId, after: tuple[Epoch, Seq], count: int = 256) -> list[Entry]: ...
    async def snapshots(self, salon: SalonId) -> list[Snapshot]: ...
    async def hands(self, salon: SalonId) -> list[HandNumber]: ...
    async def status(self, salon: SalonId, player: PlayerId, request_id: str) -> CommandStatus | None: ...


class Writer:
    """A salon's table and where its log is, for tests that write commits by hand."""

    def __init__(self, log: FullLog, salon: SalonId = SALON) -> None:
        self.log = log
        self.salon = salon
        self.table: Table | None = None
        self.epoch = Epoch(0)
        self.seq = Seq(1)

    async def begin(self, host: str = "host:a") -> "Writer":
        first = opening(salon=self.salon)
        outcome = await self.log.create(first)
        assert isinstance(outcome, Appended)
        self.table = replay_events(first)
        await self.take(outcome.epoch, host)
        return self

    async def take(self, seen: Epoch, host: str) -> None:
        activated = await self.log.activate(self.salon, seen, host)
        assert isinstance(activated, Activated)
        self.epoch = activated.epoch

    def commit(
        self, command: Command, request_id: str = "", digest: str = "d", player: str = "ann"
    ) -> Commit:
        decision = self.decision(command)
        seq = Seq(self.seq + 1)
        who = PlayerId(player if request_id else "")
        return Commit(self.salon, self.epoch, seq, Millis(2_000), decision.events, who, request_id, digest)

    def decision(self, command: Command) -> Decision:
        decision = decide(self.table, command, now=Millis(self.seq * 10_000))
        assert isinstance(decision, Decision), decision
        return decision

    async def do(self, command: Command, request_id: str = "") -> Commit:
        commit, decision = self.commit(command, request_id), self.decision(command)
        assert await self.log.append(commit) == Appended(self.epoch, commit.seq)
        self.table, self.seq = decision.table, commit.seq
        return commit


def replay_events(commit: Commit) -> Table:
    table: Table | None = None
    for event in commit.events:
        table = apply(table, event)
    assert table is not None
    return table


def bare(writer: Writer, seq: int, request_id: str = "", digest: str = "d") -> Commit:
    """A commit without events."""
    player = PlayerId("ann" if request_id else "")
    return Commit(writer.salon, writer.epoch, Seq(seq), Millis(2_000), (), player, request_id, digest)


def rest(writer: Writer, seq: int = 0, **replies: Any) -> Passivation:
    """The passivation of the writer's salon after its last commit."""
    assert writer.table is not None
    at = Millis(3_000 + HANDS_KEPT_FOR)
    given = {"kept": {}, "retired": {}, **replies}
    return Passivation(writer.salon, writer.epoch, Seq(seq or writer.seq), at, writer.table, **given)


def finished_hand(number: int) -> HandRecord:
    return HandRecord(
        HandNumber(number),
        Millis(5),
        (HandPlayer(Seat(1), PlayerId("ann"), "Ann", "", Chips(200)),),
        (HandStarted(HandNumber(number), Seat(1), Seat(1), Seat(2), (), (), Millis(5)),),
        (Note(Seat(1), Turn(1), TWO_ACES),),
    )
