"""Watches: the streams of one salon's updates, each without gaps, none far behind, and shown the salon's end."""

from typing import Final

from croupier.v1.watch_pb2 import SalonUpdate
from engine.settings import Visibility
from engine.units import PlayerId
from tests.chaos.caller import is_definite
from tests.chaos.findings import Findings, Law
from tests.chaos.sight import Sight
from tests.chaos.testimony import Asked, Place, Showing
from tests.simulation.course import LEAVES, misstep
from tests.simulation.witness import Chronicle

_BEHIND: Final = 30.0
"""Seconds by which no update may come later than somebody was told of its commit, while the stream was open."""
_LONGEST: Final = "longest lag of an update, ms"


class Watches:
    """All streams of one salon. `sight` judges what each update says."""

    def __init__(self, salon: str, chronicle: Chronicle, sight: Sight, findings: Findings) -> None:
        self._salon = salon
        self._chronicle = chronicle
        self._sight = sight
        self._findings = findings
        self._known: dict[int, float] = {}
        """When anybody was first told of each commit."""

    def judge(self, showings: list[Showing], asked: list[Asked]) -> None:
        """Hold all that was shown to the log."""
        for each in asked:
            for done in each.done:
                self._told(done.place[1], done.at)
        for showing in showings:
            for raw, at in zip(showing.updates, showing.times, strict=True):
                self._told(SalonUpdate.FromString(raw).seq, at)
        last: dict[PlayerId, tuple[Showing, Place | None]] = {}
        for showing in sorted(showings, key=lambda each: each.opened):
            last[showing.player] = (showing, self._stream(showing))
        for showing, place in last.values():
            self._end(showing, place)

    def _told(self, seq: int, at: float) -> None:
        self._known[seq] = min(at, self._known.get(seq, at))

    def _stream(self, showing: Showing) -> Place | None:
        """Follow a stream; the place where it stood last."""
        place = showing.after
        name = f"{self._salon}: {showing.player} on {showing.name}"
        self._findings.counts["watches"] += 1
        self._findings.counts["updates"] += len(showing.updates)
        for number, (raw, at) in enumerate(zip(showing.updates, showing.times, strict=True)):
            update = SalonUpdate.FromString(raw)
            if update.HasField("ended"):
                self._ended(showing, update, name)
                return place
            self._findings.counts["snapshots"] += update.HasField("snapshot")
            if self._sight.watched(update, raw, showing.player, name):
                # A gateway may begin from behind where another was.
                begins = not number and update.HasField("snapshot")
                wrong = misstep(self._chronicle, showing.player, None if begins else place, update)
                if wrong:
                    self._findings.violate(Law.GAPS, f"{name} was shown {wrong}")
                self._lag(showing, update.seq, at, name)
            place = (update.epoch, update.seq)
        return place

    def _ended(self, showing: Showing, update: SalonUpdate, name: str) -> None:
        """A watch is ended for good only where its viewer may look on no longer."""
        if not is_definite(update.ended):
            return
        showing.over = True
        settings = self._chronicle.table.settings
        shut = not settings.spectators or settings.visibility is not Visibility.PUBLIC
        if update.ended.reason not in LEAVES or not shut:
            self._findings.violate(Law.FAULTS, f"{name} was shown nothing more: {update.ended.text}")

    def _lag(self, showing: Showing, seq: int, at: float, name: str) -> None:
        if self._chronicle.table.settings.spectator_delay:
            return
        lag = at - max(self._known[seq], showing.opened)
        self._findings.counts[_LONGEST] = max(self._findings.counts[_LONGEST], int(1000 * lag))
        if lag > _BEHIND:
            self._findings.violate(Law.SHOWN, f"{name} was shown {seq} only {lag:.0f} s after others")

    def _end(self, showing: Showing, place: Place | None) -> None:
        """Who still watches when all is over was shown the end."""
        if showing.over:
            self._findings.counts["watches that broke last"] += 1
        elif self._chronicle.table.over and (place is None or place < self._chronicle.place):
            text = f"{self._salon}: {showing.player} on {showing.name} was shown nothing behind {place}"
            self._findings.violate(Law.GAPS, f"{text}; the log ends at {self._chronicle.place}")
