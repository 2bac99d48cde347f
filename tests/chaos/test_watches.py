"""Watches that break off, go back, leap, end or keep something from their viewers are found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.envelope import Seq
from croupier.v1 import refusal_pb2, salon_pb2, watch_pb2
from croupier.v1.refusal_pb2 import Refusal
from engine.units import PlayerId
from tests.chaos.checker import check, judge
from tests.chaos.findings import Law
from tests.chaos.forged import ANN, BOB, CARL, NAME, Forged, a_true_history
from tests.chaos.testimony import heard
from tests.chaos.transcript import SUFFIX, Kind, Transcript

Shown = dict[PlayerId, list[bytes]]


@pytest.fixture
def forged() -> Forged:
    return a_true_history()


def update_of(raw: bytes) -> watch_pb2.SalonUpdate:
    return salon_pb2.PlayResponse.FromString(raw).updates[0]


def snapshots(updates: list[bytes]) -> list[bytes]:
    return [raw for raw in updates if update_of(raw).HasField("snapshot")]


def ended(reason: "refusal_pb2.Reason.ValueType") -> bytes:
    update = watch_pb2.SalonUpdate(salon_id=NAME, ended=Refusal(reason=reason, text="no more"))
    return salon_pb2.PlayResponse(updates=[update]).SerializeToString()


def starved(shown: Shown) -> None:
    """Nothing came any more, though the stream was open."""
    shown[CARL] = shown[CARL][:2]


def starved_of_the_last(shown: Shown) -> None:
    """Everything came but the last commit."""
    del shown[BOB][-1]


def to_and_fro(shown: Shown) -> None:
    """Snapshots of the end, the beginning and the end again."""
    tables = snapshots(shown[CARL])
    shown[CARL] = [tables[0], tables[-1], tables[0], *shown[CARL][1:]]


def broken_off(shown: Shown) -> None:
    """The server says that it has a fault, and that is the end."""
    shown[CARL] = [*shown[CARL][:3], ended(refusal_pb2.REASON_FAULT)]


def shut_out(shown: Shown) -> None:
    """The server says that the salon is by invitation, and it is not."""
    shown[CARL] = [*shown[CARL][:3], ended(refusal_pb2.REASON_CODE_REQUIRED)]


def as_a_spectator(shown: Shown) -> None:
    """Who plays is shown what everybody sees: neither his cards nor his turns."""
    shown[BOB] = list(shown[CARL])


def without_a_turn(shown: Shown) -> None:
    """Whose turn it is, is not told so."""
    at = next(n for n, raw in enumerate(shown[BOB]) if update_of(raw).commit.HasField("your_turn"))
    told = salon_pb2.PlayResponse.FromString(shown[BOB][at])
    told.updates[0].commit.ClearField("your_turn")
    shown[BOB][at] = told.SerializeToString()


@pytest.mark.parametrize(
    "falsify, law",
    [
        (starved, Law.GAPS),
        (starved_of_the_last, Law.GAPS),
        (to_and_fro, Law.GAPS),
        (broken_off, Law.FAULTS),
        (shut_out, Law.FAULTS),
        (as_a_spectator, Law.SHOWN),
        (without_a_turn, Law.SHOWN),
    ],
)
def test_a_watch_that_is_not_whole_is_found(
    falsify: Callable[[Shown], None], law: Law, forged: Forged, tmp_path: Path
) -> None:
    shown = {player: forged.updates(player) for player in (ANN, BOB, CARL)}
    falsify(shown)
    forged.tells(tmp_path, shown)
    findings = check(forged.written(), [tmp_path])
    assert set(findings.totals) == {law}, findings.text


def test_a_leap_within_an_epoch_is_found(forged: Forged, tmp_path: Path) -> None:
    """A snapshot passes two commits over in which nobody's seat changed and no hand ended."""
    shown = {player: forged.updates(player) for player in (ANN, BOB, CARL)}
    at = next(n for n, raw in enumerate(shown[BOB]) if update_of(raw).commit.HasField("your_turn"))
    shown[CARL][at - 1 : at + 1] = [forged.whole(CARL, Seq(at + 1))]
    forged.tells(tmp_path, shown)
    assert check(forged.written(), [tmp_path]).totals == {Law.GAPS: 1}


def test_a_watcher_who_was_shown_nothing_at_all_is_found(forged: Forged, tmp_path: Path) -> None:
    forged.tells(tmp_path)
    path = tmp_path / f"{CARL}{SUFFIX}"
    path.unlink()
    with Transcript(path) as transcript:
        transcript.write(Kind.WHO, 0, CARL.encode())
        watch = salon_pb2.PlayRequest(watch=[salon_pb2.WatchRequest(salon_id=NAME)])
        stream = transcript.begin(Kind.OPENED, "Play")
        transcript.write(Kind.WROTE, stream, watch.SerializeToString())
    assert check(forged.written(), [tmp_path]).totals == {Law.GAPS: 1}


def test_a_watch_that_broke_need_not_have_shown_the_end(forged: Forged, tmp_path: Path) -> None:
    forged.tells(tmp_path, {CARL: forged.updates(CARL)[:2]})
    with Transcript(tmp_path / f"{CARL}{SUFFIX}") as transcript:
        transcript.write(Kind.ENDED, 1)
    findings = check(forged.written(), [tmp_path])
    assert findings.clean, findings.text
    assert findings.counts["watches that broke last"] == 1


def test_an_update_that_comes_long_after_others_had_it_is_found(forged: Forged, tmp_path: Path) -> None:
    forged.tells(tmp_path)
    testimony = heard([tmp_path])
    showing = next(each for each in testimony.salons[NAME].showings if each.player == CARL)
    showing.times[-2:] = [at + 31 for at in showing.times[-2:]]
    assert judge(forged.written(), testimony).totals == {Law.SHOWN: 2}
