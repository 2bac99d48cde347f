"""A replica: one salon's table as its log tells it, and the steps that viewers are shown.

Law of this file: a replica is made of the log alone and knows every seat's cards; what leaves it is a step's
projection for one player. Who holds no seat is shown steps only when they are released: those of hand h
once hand h + `spectator_delay` has started (V2).
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import Entry, Snapshot, fold
from engine.betting import legal_actions
from engine.events import Event, GraceGiven, TurnStarted
from engine.legal import LegalActions
from engine.table import Table
from engine.units import NOBODY, HandNumber, Millis, PlayerId, Seat, Turn
from engine.value import value
from engine.view import TableView, sees, view_of

MOST_MISSED: Final = 16
"""Steps kept for whoever comes back. A resume from before them gets a snapshot, which is no larger than they are."""


class Missing(Exception):
    """The log does not follow on what the replica has: it must be read anew."""


@value
class Asked:
    """Whose turn a step began, and what is legal in it."""

    player: PlayerId
    hand: HandNumber
    turn: Turn
    legal: LegalActions
    deadline: Millis
    bank: Millis


@value
class Step:
    """One commit, cut up for its viewers.

    `private` has, for each player who saw more than the public, all that he saw. `moved` are those whose
    seat changed; what they are shown is a snapshot.
    """

    epoch: Epoch
    seq: Seq
    at: Millis
    hand: HandNumber
    events: tuple[Event, ...]
    public: tuple[Event, ...]
    private: dict[PlayerId, tuple[Event, ...]]
    asked: Asked | None
    moved: frozenset[PlayerId]

    def seen_by(self, player: PlayerId) -> tuple[Event, ...]:
        """What a player who holds a seat sees of it."""
        return self.private.get(player, self.public)


class Scene:
    """A table at one place of the log."""

    __slots__ = ("epoch", "seq", "table")

    def __init__(self, table: Table, epoch: Epoch, seq: Seq) -> None:
        self.table = table
        self.epoch = epoch
        self.seq = seq

    def advance(self, epoch: Epoch, seq: Seq, events: Sequence[Event]) -> None:
        """Let a commit have happened. Raises LogCorrupt where it does not fit."""
        fold(self.table, events)
        self.epoch, self.seq = epoch, seq

    def seat_of(self, player: PlayerId) -> Seat:
        """The player's seat here; 0 for none."""
        return self.table.seat_of.get(player, NOBODY)

    def view(self, player: PlayerId | None) -> TableView:
        """What the player may see; None for a spectator."""
        return view_of(self.table, NOBODY if player is None else self.seat_of(player))


class Replica:
    """A salon's table now (`live`), and as spectators are shown it (`shown`).

    `shown` is `live` where nothing is held back, and None while the log holds nothing old enough.
    """

    def __init__(self, salon: SalonId, snapshots: Sequence[Snapshot], entries: Sequence[Entry]) -> None:
        """Start from the oldest of `snapshots` (newest first) that `entries` follow on without a gap.

        Raises:
            Missing: there is neither a snapshot nor the log's first entry.
            LogCorrupt: an entry does not fit the table before it.
        """
        self.salon = salon
        start, rest = _start(snapshots, entries)
        self.live = start
        self._behind: Scene | None = None
        """Where spectators are, with a delay, and from where `_held` goes on."""
        self._released = True
        """Spectators may be shown `_behind`."""
        self._last: deque[Step] = deque(maxlen=MOST_MISSED)
        """The last steps of `live`,"""
        self._last_released: deque[Step] = deque(maxlen=MOST_MISSED)
        """and those of `_behind`."""
        self._held: deque[Step] = deque()
        self._hold_back()
        for entry in rest:
            self.advance(entry)

    @property
    def shown(self) -> Scene | None:
        """What spectators are shown."""
        if self._behind is None:
            return self.live
        return self._behind if self._released else None

    @property
    def delay(self) -> int:
        """Whole hands by which spectators are behind."""
        return self.live.table.settings.spectator_delay

    def advance(self, entry: Entry) -> tuple[Step, list[Step]]:
        """Take the next commit in; answers its step, and the steps that spectators are shown now.

        Raises:
            Missing: it is not the next one.
            LogCorrupt: it does not fit the table.
        """
        if entry.seq != self.live.seq + 1:
            raise Missing(f"commit {self.live.seq + 1} of salon {self.salon} is not in its log")
        step = self._taken(entry)
        self._last.append(step)
        if self._behind is None:
            self._hold_back()
            return step, [step]
        self._held.append(step)
        return step, self._release(self._behind)

    def _hold_back(self) -> None:
        """From here on spectators are behind, if they ever are."""
        if self.live.seq and self.delay:
            self._behind = Scene(self.live.table.copy(), self.live.epoch, self.live.seq)
            self._release(self._behind)

    def _taken(self, entry: Entry) -> Step:
        table = self.live.table
        before = table.seat_of
        public: list[Event] = []
        owners: dict[PlayerId, Seat] = {}
        for event in entry.events:
            fold(table, (event,))
            if sees(event, NOBODY):
                public.append(event)
            else:
                owners.update(_owner(table, event))
        self.live.epoch, self.live.seq = entry.epoch, entry.seq
        moved = {} if table.seat_of is before else dict(before.items() ^ table.seat_of.items())
        return Step(
            epoch=entry.epoch,
            seq=entry.seq,
            at=entry.at,
            hand=table.hand_number,
            events=entry.events,
            public=tuple(public),
            private={
                player: tuple(event for event in entry.events if sees(event, seat))
                for player, seat in owners.items()
            },
            asked=_asked(table, entry.events),
            moved=frozenset(moved),
        )

    def _release(self, behind: Scene) -> list[Step]:
        """Move spectators on as far as they may be."""
        steps: list[Step] = []
        self._released = self.finished(behind.table.hand_number)
        while self._released and self._held and self.finished(self._held[0].hand):
            step = self._held.popleft()
            behind.advance(step.epoch, step.seq, step.events)
            steps.append(step)
        self._last_released.extend(steps)
        return steps

    def seated(self, player: PlayerId) -> bool:
        """Whether the player holds a seat now, and so sees live."""
        return player in self.live.table.seat_of

    def scene(self, player: PlayerId) -> Scene | None:
        """What of the log the player is shown: all of it, or what spectators are; None for nothing yet."""
        return self.live if self.seated(player) else self.shown

    def finished(self, hand: HandNumber) -> bool:
        """Whether spectators are shown this hand; before the first, and once the salon is over, nothing is held back."""
        table = self.live.table
        return not hand or hand + self.delay <= table.hand_number or table.over

    def steps_after(self, epoch: Epoch, seq: Seq, player: PlayerId) -> list[Step] | None:
        """The steps that follow (epoch, seq) for the player, None where only a snapshot will do."""
        scene = self.scene(player)
        if scene is None or epoch != scene.epoch or not 0 < seq <= scene.seq:
            return None
        kept = self._last if scene is self.live else self._last_released
        steps = [step for step in kept if step.seq > seq]
        whole = len(steps) == scene.seq - seq
        if not whole or any(player in step.moved or step.epoch != epoch for step in steps):
            return None
        return steps


def _start(snapshots: Sequence[Snapshot], entries: Sequence[Entry]) -> tuple[Scene, Sequence[Entry]]:
    if entries and entries[0].seq == 1:
        return Scene(Table(), Epoch(0), Seq(0)), entries
    for snapshot in reversed(snapshots):
        rest = [entry for entry in entries if entry.seq > snapshot.seq]
        if all(entry.seq == snapshot.seq + at for at, entry in enumerate(rest, 1)):
            return Scene(snapshot.table.copy(), snapshot.epoch, snapshot.seq), rest
    raise Missing("there is no snapshot that the log follows on")


def _owner(table: Table, event: Event) -> dict[PlayerId, Seat]:
    """Who holds the seat that a private event is for."""
    for seat, player in enumerate(table.players):
        if player is not None and sees(event, Seat(seat)):
            return {player.player: Seat(seat)}
    return {}


def _asked(table: Table, events: tuple[Event, ...]) -> Asked | None:
    """Whose turn the commit began or gave time, if it did and the turn is still open."""
    hand = table.hand
    if hand is None or hand.over or not any(isinstance(event, TurnStarted | GraceGiven) for event in events):
        return None
    player = table.players[hand.to_act] if hand.to_act else None
    if player is None:
        return None
    legal = legal_actions(table)
    return Asked(player.player, table.hand_number, hand.turn, legal, hand.deadline, hand.bank)
