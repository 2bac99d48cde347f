"""The witness: every write that a log ever took, kept for ever, and held to what must be true of it.

It believes nobody: what happened is what the store took, and the table is what those events make. A violation is
noted with its time and ends nothing, so that a schedule shows all that follows from it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from cluster.envelope import Accepted, Answer, Envelope, Epoch, SalonId, Seq
from cluster.journal.commit_pipe import REPLIES_KEPT
from cluster.journal.log import Commit, LogCorrupt, Mend, fold
from engine.cards import Card
from engine.events import (
    CardsReplaced,
    DeckShuffled,
    Event,
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    StreetStarted,
    TimedOut,
)
from engine.pots import in_the_middle
from engine.table import Table
from engine.units import HandNumber, Millis, PlayerId, Turn
from engine.view import view_of
from tests.simulation.timeline import Process

Request = tuple[PlayerId, str]
Place = tuple[Epoch, Seq]


@dataclass
class Chronicle:
    """One salon's writes. `tables[seq]` is the table after that commit."""

    epoch: Epoch
    """Of the last activation."""
    table: Table = field(default_factory=Table)
    tables: list[Table] = field(default_factory=lambda: [Table()])
    commits: list[Commit] = field(default_factory=list)
    requests: dict[Request, Place] = field(default_factory=dict)
    last_of: dict[PlayerId, list[str]] = field(default_factory=dict)
    deck: tuple[Card, ...] = ()
    hand: int = 0
    """In progress; 0 between hands."""
    expired: set[tuple[HandNumber, Turn]] = field(default_factory=set)
    at: dict[Epoch, Millis] = field(default_factory=dict)

    @property
    def seq(self) -> int:
        return len(self.tables) - 1


class Witness:
    """`violate` is told what is wrong; `moved` what salon has another commit."""

    def __init__(self, violate: Callable[[str], None], moved: Callable[[SalonId], None]) -> None:
        self.salons: dict[SalonId, Chronicle] = {}
        self._violate = violate
        self._moved = moved
        self._writers: dict[tuple[SalonId, Epoch], Process] = {}
        self._known: dict[SalonId, Seq] = {}
        self._answers: dict[tuple[SalonId, Request], Place] = {}

    # What the store tells

    def created(self, commit: Commit, epoch: Epoch, stored: tuple[Event, ...]) -> None:
        self.salons[commit.salon] = Chronicle(epoch)
        self.committed(commit, epoch, stored)

    def activated(self, salon: SalonId, epoch: Epoch) -> None:
        chronicle = self.salons[salon]
        if epoch <= chronicle.epoch:
            self._violate(f"epochs: {salon} was given out under {epoch} after {chronicle.epoch}")
        chronicle.epoch = epoch

    def committed(self, commit: Commit, epoch: Epoch, stored: tuple[Event, ...]) -> None:
        """A commit was taken; `stored` is what the log and the vault have of its events."""
        chronicle = self.salons[commit.salon]
        name = f"{commit.salon} {epoch}-{commit.seq}"
        if epoch != chronicle.epoch:
            self._violate(f"fence: {name} was written when {chronicle.epoch} held the salon")
        if commit.seq != chronicle.seq + 1:
            self._violate(f"fork: {name} follows {chronicle.seq}")
            return
        if stored != commit.events:
            self._violate(f"vault: {name} is in the log without all of its events")
        if commit.at < chronicle.at.get(epoch, 0):
            self._violate(f"time: {name} is from before the commit that it follows")
        chronicle.at[epoch] = commit.at
        self._once(chronicle, commit, epoch)
        self._timers(chronicle, commit, name)
        self._cards(chronicle, stored, name)
        self._hands(chronicle, commit, name)
        try:
            fold(chronicle.table, commit.events)
        except LogCorrupt as error:
            self._violate(f"replay: {name}: {error}")
        _chips(chronicle.table) and self._violate(f"chips: {name} made or lost {_chips(chronicle.table)}")
        chronicle.tables.append(chronicle.table.copy())
        chronicle.commits.append(commit)
        self._moved(commit.salon)

    def rewound(self, salon: SalonId, seq: Seq) -> None:
        """The log was set back to commit `seq`: what it lost has not happened, whoever was told of it."""
        chronicle = self.salons[salon]
        del chronicle.tables[seq + 1 :]
        del chronicle.commits[seq:]
        chronicle.table = chronicle.tables[seq].copy()
        hand = chronicle.table.hand
        chronicle.hand = hand.hand if hand is not None and not hand.over else 0
        chronicle.deck = hand.deck if hand is not None else ()
        chronicle.requests = {
            request: place for request, place in chronicle.requests.items() if place[1] <= seq
        }
        chronicle.last_of.clear()

    def mended(self, mend: Mend) -> None:
        """A log that had lost its tail was written anew by who still knew it: what was lost has happened after all."""
        chronicle = self.salons[mend.salon]
        for commit in mend.commits:
            if commit.seq == chronicle.seq + 1:
                fold(chronicle.table, commit.events)
                chronicle.tables.append(chronicle.table.copy())
                chronicle.commits.append(commit)
                if commit.request_id:
                    chronicle.requests[commit.player, commit.request_id] = (commit.epoch, commit.seq)

    def wrote(self, process: Process, commit: Commit) -> None:
        """An epoch is one process's, as long as that lives."""
        writer = self._writers.setdefault((commit.salon, commit.epoch), process)
        if writer is not process and not writer.dead:
            self._violate(
                f"writers: {commit.salon} {commit.epoch}-{commit.seq} has another writer that lives"
            )

    def _once(self, chronicle: Chronicle, commit: Commit, epoch: Epoch) -> None:
        if not commit.request_id:
            return
        request = (commit.player, commit.request_id)
        last = chronicle.last_of.setdefault(commit.player, [])
        if request in chronicle.requests and commit.request_id in last:
            self._violate(f"twice: {commit.salon} executed {request} again as {epoch}-{commit.seq}")
        chronicle.requests[request] = (epoch, commit.seq)
        last.append(commit.request_id)
        del last[:-REPLIES_KEPT]

    def _timers(self, chronicle: Chronicle, commit: Commit, name: str) -> None:
        hand = chronicle.table.hand
        if hand is None or not any(isinstance(event, TimedOut) for event in commit.events):
            return
        turn = (hand.hand, hand.turn)
        if turn in chronicle.expired:
            self._violate(f"timer: {name} lets turn {turn} time out twice")
        if commit.at < hand.deadline + hand.bank:
            self._violate(f"timer: {name} lets turn {turn} time out too early")
        chronicle.expired.add(turn)

    def _cards(self, chronicle: Chronicle, stored: tuple[Event, ...], name: str) -> None:
        for event in stored:
            if isinstance(event, HandStarted):
                chronicle.deck = ()
            elif isinstance(event, DeckShuffled):
                chronicle.deck = event.cards
            elif isinstance(event, HoleCardsDealt | StreetStarted | CardsReplaced) and not (
                set(event.cards) <= set(chronicle.deck)
            ):
                self._violate(f"vault: {name} deals cards of which no deck is in the log")

    def _hands(self, chronicle: Chronicle, commit: Commit, name: str) -> None:
        for event in commit.events:
            if isinstance(event, HandStarted):
                if chronicle.hand or event.hand != chronicle.table.hand_number + 1:
                    self._violate(f"hands: {name} starts {event.hand}, and {chronicle.hand} is not over")
                chronicle.hand = event.hand
            elif isinstance(event, HandEnded | HandVoided):
                if event.hand != chronicle.hand:
                    self._violate(f"hands: {name} ends {event.hand}, and {chronicle.hand} is played")
                chronicle.hand = 0

    # What clients are told

    def known(self, salon: SalonId) -> Seq:
        """The last commit that any client was told of."""
        return self._known.get(salon, Seq(0))

    def answered(self, envelope: Envelope, answer: Answer, *, known: Seq) -> None:
        """A client got an answer: if it is an acceptance, the log has it, once and just so.

        `known` is what any client was told of before this one asked: a look shows no less.
        """
        if not isinstance(answer, Accepted):
            return
        chronicle = self.salons[envelope.salon]
        name = f"{envelope.salon} {envelope.player} {envelope.request_id}"
        place = (answer.epoch, answer.seq)
        if envelope.command is not None:
            request = (envelope.player, envelope.request_id)
            written = chronicle.requests.get(request)
            if written is None:
                self._violate(f"lost: {name} was accepted as {place} and is not in the log")
            elif written != place:
                self._violate(f"lost: {name} was accepted as {place} and is in the log as {written}")
            first = self._answers.setdefault((envelope.salon, request), place)
            if first != place:
                self._violate(f"answers: {name} was answered {first} and then {place}")
        elif answer.seq > chronicle.seq:
            self._violate(f"lost: {name} was shown {place}, and the log ends at {chronicle.seq}")
        elif answer.seq < known:
            self._violate(f"stale: {name} was shown {place}, and {known} was known before it asked")
        self._known[envelope.salon] = max(self.known(envelope.salon), answer.seq)
        if answer.view is not None and answer.seq <= chronicle.seq:
            seat = answer.view.viewer
            shown = (view_of(table, seat) for table in chronicle.tables[answer.seq :])
            if not any(view == answer.view for view in shown):
                self._violate(f"view: {name} was shown what the log does not say")
            holder = answer.view.viewer and chronicle.tables[answer.seq].players[seat]
            if holder and holder.player != envelope.player:
                self._violate(f"secrets: {name} was shown the seat of {holder.player}")

    def is_written(self, envelope: Envelope) -> bool:
        """Whether the log has the envelope's request."""
        return (envelope.player, envelope.request_id) in self.salons[envelope.salon].requests


def _chips(table: Table) -> int:
    """Chips that came from nowhere (P9)."""
    middle = in_the_middle(table.hand) if table.hand else 0
    moved = sum(account.taken - account.bought for account in table.accounts.values())
    return sum(table.stacks) + middle + moved
