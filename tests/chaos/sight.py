"""Sight: every update and view that a client was shown of a salon, held to what the log says and the rules let him see."""

from collections.abc import Iterator
from typing import Final

from cluster.codec.messages import view_from_message, view_to_message
from cluster.envelope import Epoch, Seq
from croupier.v1.view_pb2 import SalonView
from croupier.v1.watch_pb2 import SalonUpdate
from engine.table import Table
from engine.units import NOBODY, Millis, PlayerId, Seat
from engine.view import view_of
from tests.chaos.findings import Findings, Law
from tests.chaos.settling import Settled
from tests.chaos.testimony import Done, Look
from tests.simulation.course import is_shown_to, may_be_viewer
from tests.simulation.witness import Chronicle

_SECRET: Final = ("hole_cards_dealt", "cards_replaced")


class Sight:
    """What may be seen of one salon."""

    def __init__(self, settled: Settled, chronicle: Chronicle, findings: Findings) -> None:
        self._salon = settled.salon
        self._chronicle = chronicle
        self._findings = findings
        self._right: dict[tuple[bytes, Seat], bool] = {}
        """Whether an update is right for the holder of a seat."""

    # Streams

    def watched(self, update: SalonUpdate, raw: bytes, player: PlayerId, name: str) -> bool:
        """Hold what a stream showed to the log, `name` being whose it is; whether the log has its place."""
        where = f"{name} at {update.epoch}-{update.seq}"
        if not self._is_there(update.epoch, update.seq):
            self._findings.violate(Law.SHOWN, f"{where} was shown what is not in the log")
            return False
        seat = self._seat(player, update.seq)
        right = self._right.get((raw, seat))
        if right is None:
            right = self._right[raw, seat] = self._is_right(update, seat)
        if not right:
            self._findings.violate(
                self._law(update, seat), f"{where} was shown something else than the log says"
            )
        return True

    def _is_right(self, update: SalonUpdate, seat: Seat) -> bool:
        if update.HasField("snapshot"):
            return self._is_view(update.snapshot, update.epoch, update.seq, seat)
        commit = self._chronicle.commits[update.seq - 1]
        assert commit, "nothing is lost for good: the files have every write"
        return is_shown_to(update.commit, self._chronicle.tables[update.seq], commit.events, seat)

    def _law(self, update: SalonUpdate, seat: Seat) -> Law:
        """Which law an update breaks that is wrong."""
        if update.HasField("snapshot"):
            return self._law_of_view(update.snapshot, update.seq, seat)
        cards = [event for event in update.commit.events if event.WhichOneof("event") in _SECRET]
        secret = any(getattr(event, event.WhichOneof("event") or "").seat != seat for event in cards)
        return Law.SECRETS if secret else Law.SHOWN

    def _law_of_view(self, view: SalonView, seq: int, seat: Seat) -> Law:
        """Which law a view breaks that is wrong: whether it shows cards that the holder of `seat` may not see."""
        allowed = {
            (each.seat, card)
            for each in view_of(self._chronicle.tables[seq], seat).seats
            for card in each.cards
        }
        shown = {(each.seat, card) for each in view_from_message(view).seats for card in each.cards}
        return Law.SECRETS if shown - allowed else Law.SHOWN

    # Views

    def looked(self, look: Look) -> None:
        """Hold a view that was asked for to the log."""
        self._findings.counts["views"] += 1
        view = look.view
        where = f"{self._salon}: {look.player} was shown a view of {view.epoch}-{view.seq}"
        if not self._is_there(view.epoch, view.seq):
            self._findings.violate(Law.SHOWN, f"{where} that is not in the log")
        else:
            seat = self._seat(look.player, view.seq)
            if not self._is_view(view, view.epoch, view.seq, seat):
                law = self._law_of_view(view, view.seq, seat)
                self._findings.violate(law, f"{where} that is not the log's")

    def answered(self, player: PlayerId, done: Done) -> None:
        """Hold the view that came with an answer to the log: it is of the commit, or of a later one."""
        view = done.view
        if view is None:
            return
        self._findings.counts["views"] += 1
        where = f"{self._salon}: {player} was answered a view of {view.epoch}-{view.seq}"
        if not self._is_there(view.epoch, view.seq):
            self._findings.violate(Law.SHOWN, f"{where} that is not in the log")
            return
        shown = view_from_message(view)
        law = Law.SHOWN
        for table in self._from(view.seq):
            if view_of(table, shown.viewer) == shown:
                if may_be_viewer(shown.viewer, table, table.seat_of.get(player, NOBODY)):
                    return
                law = Law.SECRETS if shown.viewer else Law.SHOWN
                break
        self._findings.violate(law, f"{where} that is not the log's, or another's")

    def _from(self, seq: int) -> Iterator[Table]:
        tables = self._chronicle.tables
        for at in range(seq, len(tables)):
            yield tables[at]

    def _is_view(self, view: SalonView, epoch: int, seq: int, seat: Seat) -> bool:
        viewer = Seat(view.viewer)
        expected = view_to_message(
            view_of(self._chronicle.tables[seq], viewer),
            self._salon,
            Millis(view.at_ms),
            epoch=Epoch(epoch),
            seq=Seq(seq),
        )
        return may_be_viewer(viewer, self._chronicle.tables[seq], seat) and view == expected

    def _seat(self, player: PlayerId, seq: int) -> Seat:
        return self._chronicle.tables[seq].seat_of.get(player, NOBODY)

    def _is_there(self, epoch: int, seq: int) -> bool:
        commits = self._chronicle.commits
        commit = commits[seq - 1] if 0 < seq <= len(commits) else None
        return commit is not None and commit.epoch == epoch
