"""Testimony: what the transcripts of all clients say, sorted by salons. Nothing is judged here."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cluster.envelope import SalonId
from croupier.v1 import lobby_pb2, salon_pb2
from croupier.v1.refusal_pb2 import Reason, Refusal
from croupier.v1.salon_pb2 import (
    Answer,
    GetCommandStatusResponse,
    PlayRequest,
    PlayResponse,
    WatchRequest,
)
from croupier.v1.view_pb2 import SalonView
from croupier.v1.watch_pb2 import Resume
from engine.units import PlayerId
from tests.chaos.caller import is_definite
from tests.chaos.roads import request_in
from tests.chaos.transcript import SUFFIX, Kind, Line, begun, read

Place = tuple[int, int]
"""An epoch and a seq."""


@dataclass
class Done:
    """An acceptance: where, and the view that came with it."""

    at: float
    place: Place
    view: SalonView | None = None


@dataclass
class Declined:
    """A definite refusal: when it came, and when the try was sent that it answers, the first that it may be."""

    at: float
    sent: float
    refusal: Refusal


@dataclass
class Asked:
    """A command that a player sent, however often, and all answers to it."""

    player: PlayerId
    salon: SalonId
    request: Any
    sent: list[float] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    declined: list[Declined] = field(default_factory=list)


@dataclass
class Look:
    """A view that was asked for."""

    player: PlayerId
    sent: float
    view: SalonView


@dataclass
class Status:
    """What a player was told of a command of his."""

    request_id: str
    player: PlayerId
    answer: GetCommandStatusResponse


@dataclass
class Showing:
    """What one stream showed of a salon: from where it was to go on, and each update as it came, with its time."""

    player: PlayerId
    name: str
    after: Place | None
    opened: float
    updates: list[bytes] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    over: bool = False
    """The stream had ended before the transcript did."""


@dataclass
class Hearsay:
    """All that was said of one salon."""

    asked: dict[tuple[PlayerId, str], Asked] = field(default_factory=dict)
    looks: list[Look] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    showings: list[Showing] = field(default_factory=list)


@dataclass
class Testimony:
    """The salons by their ids."""

    salons: dict[SalonId, Hearsay] = field(default_factory=dict)
    refused: list[tuple[PlayerId, Refusal]] = field(default_factory=list)
    """Every definite refusal of any call or watch."""
    strays: list[str] = field(default_factory=list)
    """What came that nobody had asked for."""
    tries: int = 0
    lines: int = 0
    texts: dict[bytes, bytes] = field(default_factory=dict)
    """Each update once, however many were shown it."""

    def of(self, salon: str) -> Hearsay:
        """What was said of a salon."""
        return self.salons.setdefault(SalonId(salon), Hearsay())


def heard(paths: Iterable[Path]) -> Testimony:
    """What the transcripts say; folders stand for all that are in them."""
    testimony = Testimony()
    for path in paths:
        for each in sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]:
            _Witness(testimony, each).listen()
    return testimony


_COMMANDS: Final[dict[str, tuple[Any, Any]]] = {
    method: (getattr(salon_pb2, f"{method}Request"), getattr(salon_pb2, f"{method}Response"))
    for method in (
        "Act",
        "Join",
        "Leave",
        "SitOut",
        "SitIn",
        "TopUp",
        "Reveal",
        "AddBot",
        "RemoveBot",
        "Kick",
    )
}
_COMMANDS["CloseSalon"] = (lobby_pb2.CloseSalonRequest, lobby_pb2.CloseSalonResponse)
_COMMANDS["CreateSalon"] = (lobby_pb2.CreateSalonRequest, lobby_pb2.CreateSalonResponse)


class _Witness:
    """One client."""

    def __init__(self, testimony: Testimony, path: Path) -> None:
        self._testimony = testimony
        self._path = path
        self._player = PlayerId("")
        self._calls: dict[int, tuple[str, bytes, float]] = {}
        self._showings: dict[int, dict[str, Showing]] = {}
        """Of each stream that is open, by their salons."""
        self._waiting: dict[tuple[int, str], list[float]] = {}
        """When each try of a request was sent on a stream that was not answered there yet."""
        self._created: dict[str, Asked] = {}

    def listen(self) -> None:
        # The first line that a client writes with an identity comes after it has signed in.
        self._player = next(
            (PlayerId(line.content.decode()) for line in read(self._path) if line.kind is Kind.WHO),
            self._player,
        )
        for line in read(self._path):
            self._testimony.lines += 1
            match line.kind:
                case Kind.CALLED:
                    self._called(line)
                case Kind.ANSWERED:
                    self._answered(line)
                case Kind.FAILED:
                    self._failed(line)
                case Kind.OPENED:
                    method, request = begun(line)
                    if method == "Watch":
                        self._watches(line, WatchRequest.FromString(request))
                case Kind.WROTE:
                    self._wrote(line)
                case Kind.SHOWN:
                    self._shown(line)
                case Kind.ENDED:
                    self._over(line.number)
                case Kind.WHO:
                    pass

    # Calls

    def _called(self, line: Line) -> None:
        path, request = begun(line)
        method = path.rpartition("/")[2]
        self._calls[line.number] = (method, request, line.at)
        if method in _COMMANDS:
            asked = self._asked(_COMMANDS[method][0].FromString(request))
            asked.sent.append(line.at)
            self._testimony.tries += 1

    def _answered(self, line: Line) -> None:
        method, raw, sent = self._calls.pop(line.number)
        if method in _COMMANDS:
            request = _COMMANDS[method][0].FromString(raw)
            response = _COMMANDS[method][1].FromString(line.content)
            asked = self._asked(request)
            if method == "CreateSalon":
                asked.salon = SalonId(response.salon_id)
                hearsay = self._testimony.of(response.salon_id)
                hearsay.asked[self._player, request.request_id] = asked
            accepted = response.accepted
            view = accepted.view if accepted.HasField("view") else None
            asked.done.append(Done(line.at, (accepted.epoch, accepted.seq), view))
        elif method == "GetView":
            view = salon_pb2.GetViewResponse.FromString(line.content).view
            self._testimony.of(view.salon_id).looks.append(Look(self._player, sent, view))
        elif method == "GetCommandStatus":
            question = salon_pb2.GetCommandStatusRequest.FromString(raw)
            answer = GetCommandStatusResponse.FromString(line.content)
            status = Status(question.request_id, self._player, answer)
            self._testimony.of(question.salon_id).statuses.append(status)

    def _failed(self, line: Line) -> None:
        call = self._calls.pop(line.number, None)
        self._over(line.number)
        refusal = Refusal.FromString(line.content)
        if not is_definite(refusal):
            return
        self._testimony.refused.append((self._player, refusal))
        if call is not None and call[0] in _COMMANDS:
            asked = self._asked(_COMMANDS[call[0]][0].FromString(call[1]))
            asked.declined.append(Declined(line.at, call[2], refusal))

    def _asked(self, request: Any) -> Asked:
        """What is known of a command that he sends."""
        if isinstance(request, lobby_pb2.CreateSalonRequest):
            asked = self._created.get(request.request_id)
            if asked is None:
                asked = self._created[request.request_id] = Asked(self._player, SalonId(""), request)
            return asked
        known = self._testimony.of(request.salon_id).asked
        key = (self._player, request.request_id)
        asked = known.get(key)
        if asked is None:
            asked = known[key] = Asked(self._player, SalonId(request.salon_id), request)
        return asked

    # Streams

    def _wrote(self, line: Line) -> None:
        message = PlayRequest.FromString(line.content)
        for watch in message.watch:
            self._watches(line, watch)
        for command in message.commands:
            asked = self._asked(request_in(command))
            asked.sent.append(line.at)
            self._waiting.setdefault((line.number, asked.request.request_id), []).append(line.at)
            self._testimony.tries += 1

    def _watches(self, line: Line, watch: WatchRequest) -> None:
        after = _place(watch.resume) if watch.HasField("resume") else None
        showing = Showing(self._player, f"{self._path.stem} stream {line.number}", after, line.at)
        self._showings.setdefault(line.number, {})[watch.salon_id] = showing
        self._testimony.of(watch.salon_id).showings.append(showing)

    def _over(self, stream: int) -> None:
        for showing in self._showings.pop(stream, {}).values():
            showing.over = True

    def _shown(self, line: Line) -> None:
        response = PlayResponse.FromString(line.content)
        for answer in response.answers:
            sent = self._sent(line, answer)
            asked = self._testimony.of(answer.salon_id).asked.get((self._player, answer.request_id))
            if asked is None:
                self._testimony.strays.append(f"{self._player} was answered {answer}, and had not asked")
            elif not answer.HasField("refusal"):
                asked.done.append(Done(line.at, (answer.epoch, answer.seq)))
            elif is_definite(answer.refusal):
                asked.declined.append(Declined(line.at, sent, answer.refusal))
                self._testimony.refused.append((self._player, answer.refusal))
        for update in response.updates:
            raw = update.SerializeToString()
            # Most are shown to many: one copy of each.
            raw = self._testimony.texts.setdefault(raw, raw)
            showing = self._showings.get(line.number, {}).get(update.salon_id)
            if showing is None:
                self._testimony.strays.append(
                    f"{self._player} was shown {update.salon_id}, and does not watch it"
                )
                continue
            showing.updates.append(raw)
            showing.times.append(line.at)
            if update.HasField("ended") and is_definite(update.ended):
                self._testimony.refused.append((self._player, update.ended))

    def _sent(self, line: Line, answer: Answer) -> float:
        """When the try was sent that is answered: the first one that waits, of which one that comes too fast is not."""
        waiting = self._waiting.get((line.number, answer.request_id))
        if not waiting:
            return 0.0
        return waiting.pop(-1 if answer.refusal.reason == Reason.REASON_TOO_FAST else 0)


def _place(resume: Resume) -> Place:
    return (resume.epoch, resume.after_seq)
