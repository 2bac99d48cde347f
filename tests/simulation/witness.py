"""The witness: every write that a log ever took, kept for ever, and held to what must be true of it.

It believes nobody: what happened is what the store took, and the table is what those events make. What a store has
forgotten has happened, until whoever goes on says that it is lost; only where nobody knew of it who is there, may
the log go on without a word. A violation is noted with its time and ends nothing, so that a schedule shows all that
follows from it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cluster.envelope import Accepted, Answer, Envelope, Epoch, SalonId, Seq
from cluster.journal.log import REPLIES_KEPT, Appended, Appendix, Commit, Duplicate, LogCorrupt, Mend, fold
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
    TailLost,
    TimedOut,
)
from engine.pots import in_the_middle
from engine.table import Table
from engine.units import HandNumber, Millis, PlayerId, Turn
from engine.value import changed
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
    commits: list[Commit | None] = field(default_factory=list)
    """None for one that is lost for good."""
    written: dict[Place, tuple[Commit | None, Table]] = field(default_factory=dict)
    """All that ever was in the log, with the table after it, also what it has lost since."""
    forgotten: dict[int, Place] = field(default_factory=dict)
    """What the store has lost and nobody has written again or given up yet."""
    acknowledged: set[Place] = field(default_factory=set)
    """What the log has told whoever wrote it."""
    lost: set[Place] = field(default_factory=set)
    """What was given up."""
    unsaid: bool = False
    """A part was given up without a word, since nobody was there who knew of it."""
    base: int = 0
    """Where the log begins that was written anew last."""
    made: int = 0
    """What whoever activated it last knew to have been made."""
    requests: dict[Request, Place] = field(default_factory=dict)
    last_of: dict[PlayerId, list[str]] = field(default_factory=dict)
    deck: tuple[Card, ...] = ()
    hand: int = 0
    """In progress; 0 between hands."""
    expired: dict[tuple[HandNumber, Turn], Seq] = field(default_factory=dict)
    at: dict[Epoch, Millis] = field(default_factory=dict)

    @property
    def seq(self) -> int:
        return len(self.tables) - 1

    def known_to_writer(self, places: Iterable[Place]) -> bool:
        """Whether the log has answered that it has one of these."""
        return any(place in self.acknowledged for place in places)

    @property
    def place(self) -> Place:
        """Of the last commit."""
        last = self.commits[-1]
        return (last.epoch, last.seq) if last else (Epoch(0), Seq(self.seq))

    def enter(self, commit: Commit | None, place: Place, table: Table) -> None:
        """Let a commit, or the place of one that is lost for good, be the last."""
        self.table = table
        self.tables.append(table.copy())
        self.commits.append(commit)
        self.written[place] = (commit, self.tables[-1])
        if commit and commit.request_id:
            self.requests[commit.player, commit.request_id] = place

    def reckon(self) -> None:
        """Let what follows from the table be so."""
        hand = self.table.hand
        self.hand = hand.hand if hand is not None and not hand.over else 0
        self.deck = hand.deck if hand is not None else ()
        self.last_of.clear()


class Witness:
    """`violate` is told what is wrong; `moved` what salon has another commit."""

    def __init__(self, violate: Callable[[str], None], moved: Callable[[SalonId], None]) -> None:
        self.salons: dict[SalonId, Chronicle] = {}
        self._violate = violate
        self._moved = moved
        self._writers: dict[tuple[SalonId, Epoch], Process] = {}
        self._known: dict[SalonId, Place] = {}
        self._answers: dict[tuple[SalonId, Request], Place] = {}
        self._told: dict[tuple[Process, SalonId], Seq] = {}

    # What the store tells

    def created(self, commit: Commit, epoch: Epoch, stored: tuple[Event, ...]) -> None:
        self.salons[commit.salon] = Chronicle(epoch)
        self.committed(changed(commit, epoch=epoch), epoch, stored)

    def activated(self, salon: SalonId, epoch: Epoch, made: Seq) -> None:
        """Somebody has the salon now, given to it by one who knew of commit `made`."""
        chronicle = self.salons[salon]
        chronicle.made = max(chronicle.made, made)
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
        if chronicle.forgotten:
            self._gone_on(chronicle, commit, name)
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
        chips = _chips(chronicle.table)
        if chips:
            self._violate(f"chips: {name} made or lost {chips}")
        chronicle.enter(commit, (epoch, commit.seq), chronicle.table)
        self._moved(commit.salon)

    def passivated(self, salon: SalonId, epoch: Epoch) -> None:
        """The log is one table now, under the epoch of who left it."""
        chronicle = self.salons[salon]
        chronicle.written[epoch, Seq(chronicle.seq)] = chronicle.written[chronicle.place]
        chronicle.base = chronicle.seq

    def rewound(self, salon: SalonId, epoch: Epoch, seq: Seq) -> None:
        """The log was set back to commit `seq`; until that is mended or given up it has happened all the same."""
        chronicle = self.salons[salon]
        for at, commit in enumerate(chronicle.commits[seq:], seq + 1):
            place = (commit.epoch, commit.seq) if commit else (Epoch(0), Seq(at))
            chronicle.forgotten[at] = place
        del chronicle.tables[seq + 1 :]
        del chronicle.commits[seq:]
        chronicle.epoch = epoch
        # Whoever had it taken up after that is forgotten too.
        chronicle.made = 0
        chronicle.table = chronicle.tables[seq].copy()
        chronicle.requests = {
            request: place for request, place in chronicle.requests.items() if place[1] <= seq
        }
        chronicle.expired = {turn: at for turn, at in chronicle.expired.items() if at <= seq}
        chronicle.reckon()

    def mended(self, mend: Mend) -> None:
        """A log was written anew: by who still knew what it had lost, or by who says that it is lost."""
        chronicle = self.salons[mend.salon]
        given = {commit.seq: commit for commit in mend.commits}
        chronicle.base = mend.base.seq if mend.base else 0
        said = any(isinstance(event, TailLost) for commit in mend.commits[-1:] for event in commit.events)
        last = mend.commits[-1] if mend.commits else None
        if last and said and mend.base and (last.epoch, last.seq) not in chronicle.written:
            if mend.base.table.hand_number != chronicle.table.hand_number:
                self._violate(f"mend: {mend.salon} goes on from another table than the log's last")
            for seq in range(chronicle.seq + 1, last.seq):
                chronicle.enter(None, (Epoch(0), Seq(seq)), chronicle.table)
            # Where it goes on from is a place of the log's too, which those who are shown hands late begin at.
            chronicle.written[mend.base.epoch, mend.base.seq] = (None, chronicle.tables[-1])
            chronicle.lost.update(chronicle.forgotten.values())
            chronicle.forgotten.clear()
            self.committed(last, last.epoch, last.events)
            chronicle.reckon()
            return
        end = max([*given, mend.base.seq if mend.base else 0])
        for seq in range(chronicle.seq + 1, end + 1):
            place = chronicle.forgotten.pop(seq, None)
            if place is None:
                self._violate(f"mend: {mend.salon} was given commit {seq}, which it never had")
                return
            commit, table = chronicle.written[place]
            again = given.get(Seq(seq))
            if commit and again and (commit.events, commit.at) != (again.events, again.at):
                self._violate(f"mend: commit {seq} of {mend.salon} was written anew as another")
            chronicle.enter(commit, place, table.copy())
        chronicle.reckon()
        if chronicle.known_to_writer(chronicle.forgotten.values()):
            self._violate(f"mend: {mend.salon} is still without {sorted(chronicle.forgotten)}")
        chronicle.lost.update(chronicle.forgotten.values())
        chronicle.forgotten.clear()

    def _gone_on(self, chronicle: Chronicle, commit: Commit, name: str) -> None:
        """The log goes on without what was lost: whoever had written that, or was told of it, must say so."""
        place = (commit.epoch, commit.seq)
        known = chronicle.known_to_writer(chronicle.forgotten.values())
        goes_on = commit.epoch == max(epoch for epoch, _ in chronicle.forgotten.values())
        if place in chronicle.written:
            self._violate(f"fork: {name} is in a place that another commit had")
        elif known and (goes_on or chronicle.made >= commit.seq):
            self._violate(f"fork: {name} is where {chronicle.forgotten.get(commit.seq)} was, unsaid")
        chronicle.unsaid = chronicle.unsaid or known
        chronicle.lost.update(chronicle.forgotten.values())
        chronicle.forgotten.clear()

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
        chronicle.expired[turn] = commit.seq

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

    def acknowledged(self, salon: SalonId, answer: Appendix) -> None:
        """Whoever sent a commit hears what became of it."""
        if isinstance(answer, Appended | Duplicate):
            self.salons[salon].acknowledged.add((answer.epoch, answer.seq))

    # What clients are told

    def known(self, salon: SalonId) -> Place:
        """The last commit that any client was told of."""
        return self._known.get(salon, (Epoch(0), Seq(0)))

    def answered(self, envelope: Envelope, answer: Answer, *, known: Place) -> None:
        """A client got an answer: if it is an acceptance, the log has it, once and just so.

        `known` is what any client was told of before this one asked: a look shows no less.
        """
        if not isinstance(answer, Accepted):
            return
        chronicle = self.salons[envelope.salon]
        name = f"{envelope.salon} {envelope.player} {envelope.request_id}"
        place = (answer.epoch, answer.seq)
        if envelope.command is not None:
            self._accepted(chronicle, envelope, place, name)
        elif answer.seq > chronicle.seq and not self._was(chronicle, answer.seq):
            self._violate(f"lost: {name} was shown {place}, and the log ends at {chronicle.seq}")
        elif place < known and not chronicle.unsaid:
            self._violate(f"stale: {name} was shown {place}, and {known} was known before it asked")
        self._known[envelope.salon] = max(self.known(envelope.salon), place)
        if answer.view is not None and answer.seq <= chronicle.seq and not chronicle.unsaid:
            seat = answer.view.viewer
            # Also of what the store has forgotten since: the answer may have been on its way.
            tables = (table for (_, seq), (_, table) in chronicle.written.items() if seq >= answer.seq)
            if not any(view_of(table, seat) == answer.view for table in tables):
                self._violate(f"view: {name} was shown what the log does not say")
            holder = answer.view.viewer and chronicle.tables[answer.seq].players[seat]
            if holder and holder.player != envelope.player:
                self._violate(f"secrets: {name} was shown the seat of {holder.player}")

    def _accepted(self, chronicle: Chronicle, envelope: Envelope, place: Place, name: str) -> None:
        """A command was accepted: the log has it there, or had it and lost it."""
        request = (envelope.player, envelope.request_id)
        written = chronicle.requests.get(request)
        gone = chronicle.lost | set(chronicle.forgotten.values())
        if place not in gone and written is None:
            self._violate(f"lost: {name} was accepted as {place} and is not in the log")
        elif place not in gone and written != place:
            self._violate(f"lost: {name} was accepted as {place} and is in the log as {written}")
        first = self._answers.setdefault((envelope.salon, request), place)
        if first != place and first not in gone:
            self._violate(f"answers: {name} was answered {first} and then {place}")

    def _was(self, chronicle: Chronicle, seq: Seq) -> bool:
        """Whether the log was as far as that once."""
        return any(place[1] >= seq for place in (*chronicle.lost, *chronicle.forgotten.values()))

    # What is to come

    def upheld(self, salon: SalonId) -> Table:
        """The table that the salon is to go on from by itself: with what the store has forgotten, as long as who runs it knows."""
        chronicle = self.salons[salon]
        if not chronicle.forgotten:
            return chronicle.table
        last = chronicle.forgotten[max(chronicle.forgotten)]
        writer = self._writers.get((salon, last[0]))
        remembered = chronicle.epoch <= last[0] and writer is not None and not writer.dead
        if remembered or chronicle.made >= min(chronicle.forgotten):
            return chronicle.written[last][1]
        return chronicle.table

    # What gateways are told

    def told(self, process: Process, salon: SalonId, seq: Seq) -> None:
        """A gateway heard of a commit."""
        self._told[process, salon] = max(self.told_to(process, salon), seq)

    def told_to(self, process: Process, salon: SalonId) -> Seq:
        """The last commit that a gateway heard of."""
        return self._told.get((process, salon), Seq(0))

    def is_lost(self, salon: SalonId, place: Place) -> bool:
        """Whether the log has lost a commit, and said so where anybody knew of it."""
        return place in self.salons[salon].lost

    def is_written(self, envelope: Envelope) -> bool:
        """Whether the log has the envelope's request."""
        return (envelope.player, envelope.request_id) in self.salons[envelope.salon].requests


def _chips(table: Table) -> int:
    """Chips that came from nowhere (P9)."""
    middle = in_the_middle(table.hand) if table.hand else 0
    moved = sum(account.taken - account.bought for account in table.accounts.values())
    return sum(table.stacks) + middle + moved
