"""A short history of one salon, true in every word, which a test falsifies: its commits, and what its clients were told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from cluster.codec.messages import settings_to_message, view_to_message
from cluster.codec.updates import answer, encoded, snapshot_update, step_update
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.chain import LINK, linked
from cluster.journal.hand_record import HandRecord, begun, extended, record_to_plain
from cluster.journal.log import Commit
from cluster.journal.log import Entry as LogEntry
from cluster.journal.stored import entry_of, packed
from cluster.watching.replica import Replica
from croupier.v1 import lobby_pb2, salon_pb2, turn_pb2
from croupier.v1.refusal_pb2 import Refusal
from engine.betting import legal_actions
from engine.cards import FULL_DECK
from engine.commands import (
    AcceptLoss,
    AddBot,
    Call,
    Check,
    CloseSalon,
    Command,
    ExpireTurn,
    Join,
    OpenSalon,
    StartHand,
    Sweep,
    TopUpTo,
)
from engine.decide import Decision, decide
from engine.events import Event, HandEnded, HandStarted, HandVoided
from engine.game import Game
from engine.settings import BotLevel, BotSeat, Settings, make_settings
from engine.table import Table
from engine.units import NOBODY, OPERATOR, TIMER_SLACK, Chips, Millis, PlayerId, Seat
from engine.value import changed
from engine.view import view_of
from tests.chaos.caller import LOBBY, SALON
from tests.chaos.transcript import SUFFIX, Kind, Transcript
from tests.chaos.written import Activation, Entry, Salon, Write, Written

NAME: Final = SalonId("salon")
ANN: Final = PlayerId("ann")
BOB: Final = PlayerId("bob")
CARL: Final = PlayerId("carl")
"""Only watches."""
BOT: Final = PlayerId("bot")
_BEGINS: Final = Millis(1_000_000)
_FIRST: Final = Epoch(100)


Shown = dict[PlayerId, list[bytes]]
"""What each viewer is shown, each update as a message of a stream."""


def message(update: bytes) -> salon_pb2.PlayResponse:
    """An update as its stream carries it."""
    return salon_pb2.PlayResponse.FromString(update)


@dataclass
class Told:
    """A request that ann or bob sent, and its answer."""

    player: PlayerId
    method: str
    request: Any
    place: tuple[int, int] = (0, 0)
    refusal: Refusal | None = None
    again: int = 0
    """So many times more was it sent, and answered in the same way."""


@dataclass
class Forged:
    """The history. Falsify its parts before, or the writes and updates that are made of them afterwards."""

    commits: list[Commit] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    records: dict[int, HandRecord] = field(default_factory=dict)
    table: Table = field(default_factory=Table)
    now: Millis = _BEGINS
    epoch: Epoch = _FIRST

    # What happens

    def does(self, command: Command, player: PlayerId = PlayerId(""), request_id: str = "") -> Seq:
        """Let a command be done; the commit that did it."""
        decision = decide(self.table, command, now=self.now)
        assert isinstance(decision, Decision), f"{command}: {decision}"
        return self._commit(decision, player, request_id)

    def asks(self, command: Command, player: PlayerId, method: str, request: Any) -> None:
        """Let a client have a command done."""
        request.request_id = f"request-{len(self.told)}"
        if method != "CreateSalon":
            request.salon_id = NAME
        seq = self.does(command, player, request.request_id)
        self.told.append(Told(player, method, request, (self.epoch, seq)))

    def opens(self) -> None:
        """A salon with one bot, that ann has opened."""
        settings = make_settings(Game.HOLDEM, {"seats": 3, "bots": (BotSeat(BotLevel.EASY),)})
        assert isinstance(settings, Settings), settings
        opened = decide(None, OpenSalon(ANN, settings), now=self.now)
        assert isinstance(opened, Decision), opened
        seated = decide(opened.table, AddBot(OPERATOR, BOT, "Ada", BotLevel.EASY), now=self.now)
        assert isinstance(seated, Decision), seated
        request = lobby_pb2.CreateSalonRequest(request_id="opening", settings=settings_to_message(settings))
        seq = self._commit(changed(seated, events=opened.events + seated.events), ANN, "opening")
        self.told.append(Told(ANN, "CreateSalon", request, (self.epoch, seq)))
        self.epoch = Epoch(200)

    def starts(self, rng: Random) -> None:
        """The next hand begins."""
        self.now = self.table.next_hand_at
        self.does(StartHand(tuple(rng.sample(FULL_DECK, 52)), rng.randrange(6)))

    def moves(self) -> None:
        """Whoever is to act checks, or calls."""
        hand = self.table.hand
        assert hand is not None, "a hand"
        player = self.table.players[hand.to_act]
        assert player is not None, "a mover"
        self.now = Millis(self.now + 100)
        turn = (player.player, hand.hand, hand.turn)
        checks = legal_actions(self.table).check
        command = Check(*turn) if checks else Call(*turn)
        if player.player == BOT:
            self.does(command, BOT, f"bot-{hand.hand}-{hand.turn}")
            return
        act = salon_pb2.ActRequest(turn_id=turn_pb2.TurnId(hand=hand.hand, turn=hand.turn))
        if checks:
            act.check.SetInParent()
        else:
            act.call.SetInParent()
        self.asks(command, player.player, "Act", act)

    def _commit(self, decision: Decision, player: PlayerId, request_id: str) -> Seq:
        seq = Seq(len(self.commits) + 1)
        self._remember(decision.events)
        self.table = decision.table
        self.commits.append(Commit(NAME, self.epoch, seq, self.now, decision.events, player, request_id))
        return seq

    def _remember(self, events: tuple[Event, ...]) -> None:
        """Let the record of the hand that is played, or begins, have these too."""
        started = next((event for event in events if isinstance(event, HandStarted)), None)
        if started:
            self.records[started.hand] = extended(begun(self.table, started), events)
        elif self.table.in_hand:
            number = self.table.hand_number
            self.records[number] = extended(self.records[number], events)

    # What was written

    def written(self) -> Written:
        """As the append-only file says it."""
        writes: list[Write] = []
        chain, epoch = b"", Epoch(0)
        for commit in self.commits:
            if commit.epoch != epoch:
                epoch = commit.epoch
                writes.append(Activation(epoch, "host"))
            fields, vault = entry_of(commit)
            chain = linked(chain, commit.seq, fields)
            writes.append(Entry(commit.epoch, commit.seq, {**dict(fields), LINK: chain}, vault))
        hands = {number: packed(record_to_plain(record)) for number, record in self.records.items()}
        return Written({NAME: Salon(writes, hands)})

    # What was told

    def updates(self, player: PlayerId) -> list[bytes]:
        """What a viewer is shown from the first commit on, each as a message of a stream."""
        first, *rest = (LogEntry(each.epoch, each.seq, each.at, each.events) for each in self.commits)
        replica = Replica(NAME, [], [first])
        viewer = None if player == CARL else player
        shown = [snapshot_update(NAME, replica.live, viewer, first.at)]
        epoch = first.epoch
        for entry in rest:
            step, _ = replica.advance(entry)
            if player in step.moved or entry.epoch != epoch:
                seated = viewer if viewer and replica.seated(viewer) else None
                shown.append(snapshot_update(NAME, replica.live, seated, entry.at))
            else:
                asked = step.asked if step.asked and step.asked.player == player else None
                shown.append(step_update(NAME, step, encoded(step.seen_by(player)), asked))
            epoch = entry.epoch
        return shown

    def whole(self, player: PlayerId, seq: Seq) -> bytes:
        """A snapshot of the table after a commit."""
        entries = [LogEntry(each.epoch, each.seq, each.at, each.events) for each in self.commits[:seq]]
        replica = Replica(NAME, [], entries)
        viewer = player if replica.seated(player) else None
        return snapshot_update(NAME, replica.live, viewer, entries[-1].at)

    def tells(self, folder: Path, shown: Shown | None = None) -> None:
        """Write the clients' transcripts: ann goes by calls and Watches, bob and carl by Play."""
        for player in (ANN, BOB, CARL):
            with Transcript(folder / f"{player}{SUFFIX}") as transcript:
                transcript.write(Kind.WHO, 0, player.encode())
                told = [each for each in self.told if each.player == player]
                updates = (shown or {}).get(player) or self.updates(player)
                (_by_calls if player == ANN else _by_play)(transcript, told, updates)
                if player == ANN:
                    _look(transcript, self)


def a_true_history() -> Forged:
    """A hand to its showdown with a top-up behind it, one that times out, one that is void, and the end of the salon."""
    forged, rng = Forged(), Random(3)
    forged.opens()
    forged.asks(Join(ANN, "Ann"), ANN, "Join", salon_pb2.JoinRequest())
    forged.asks(Join(BOB, "Bob"), BOB, "Join", salon_pb2.JoinRequest())
    forged.starts(rng)
    _play_out(forged, forged.moves)
    for _ in range(2):
        stack = Chips(forged.table.stacks[forged.table.seat_of[ANN]] + 10)
        forged.asks(TopUpTo(ANN, stack), ANN, "TopUp", salon_pb2.TopUpRequest(to=stack))
    forged.epoch = Epoch(300)
    forged.starts(rng)
    forged.moves()
    _play_out(forged, lambda: _time_out(forged))
    forged.starts(rng)
    forged.moves()
    forged.epoch = Epoch(400)
    forged.does(AcceptLoss(1, forged.table.hand_number, "a test says so"))
    forged.asks(CloseSalon(ANN), ANN, "CloseSalon", lobby_pb2.CloseSalonRequest())
    forged.now = Millis(forged.table.over_at)
    forged.does(Sweep())
    assert forged.table.over, "the end"
    return forged


def _play_out(forged: Forged, act: Callable[[], None]) -> None:
    while not any(isinstance(event, HandEnded | HandVoided) for event in forged.commits[-1].events):
        act()


def _time_out(forged: Forged) -> None:
    hand = forged.table.hand
    assert hand is not None, "a hand"
    forged.now = Millis(hand.deadline + hand.bank + TIMER_SLACK)
    forged.does(ExpireTurn(hand.hand, hand.turn))


# Transcripts


def _by_calls(transcript: Transcript, told: list[Told], updates: list[bytes]) -> None:
    watch = salon_pb2.WatchRequest(salon_id=NAME)
    stream = transcript.begin(Kind.OPENED, "Watch", watch.SerializeToString())
    for each in told:
        service = LOBBY if each.method in ("CreateSalon", "CloseSalon") else SALON
        for _ in range(1 + each.again):
            call = transcript.begin(Kind.CALLED, service + each.method, each.request.SerializeToString())
            if each.refusal is not None:
                transcript.fail(call, each.refusal)
                continue
            accepted = salon_pb2.Accepted(epoch=each.place[0], seq=each.place[1])
            response: Any = salon_pb2.ActResponse(accepted=accepted)
            if each.method == "CreateSalon":
                response = lobby_pb2.CreateSalonResponse(salon_id=NAME, accepted=accepted)
            transcript.write(Kind.ANSWERED, call, response.SerializeToString())
    for update in updates:
        transcript.write(Kind.SHOWN, stream, update)


def _by_play(transcript: Transcript, told: list[Told], updates: list[bytes]) -> None:
    stream = transcript.begin(Kind.OPENED, "Play")
    watch = salon_pb2.PlayRequest(watch=[salon_pb2.WatchRequest(salon_id=NAME)])
    transcript.write(Kind.WROTE, stream, watch.SerializeToString())
    for each in told:
        command = salon_pb2.PlayCommand(**{each.method.lower(): each.request})
        wire = salon_pb2.PlayRequest(commands=[command]).SerializeToString()
        said = salon_pb2.Answer(
            request_id=each.request.request_id,
            salon_id=NAME,
            epoch=each.place[0],
            seq=each.place[1],
            refusal=each.refusal,
        )
        for _ in range(1 + each.again):
            transcript.write(Kind.WROTE, stream, wire)
            transcript.write(Kind.SHOWN, stream, answer(said))
    for update in updates:
        transcript.write(Kind.SHOWN, stream, update)


def _look(transcript: Transcript, forged: Forged) -> None:
    """Ann asks for the last view."""
    request = salon_pb2.GetViewRequest(salon_id=NAME)
    call = transcript.begin(Kind.CALLED, SALON + "GetView", request.SerializeToString())
    last = forged.commits[-1]
    seat: Seat = forged.table.seat_of.get(ANN, NOBODY)
    view = view_to_message(view_of(forged.table, seat), NAME, forged.now, epoch=last.epoch, seq=last.seq)
    transcript.write(Kind.ANSWERED, call, salon_pb2.GetViewResponse(view=view).SerializeToString())
