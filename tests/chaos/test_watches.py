"""The checker finds a watch that breaks off, goes back, leaps or ends, and an update that is not its viewer's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.envelope import Seq
from croupier.v1 import event_pb2, refusal_pb2, salon_pb2, watch_pb2
from croupier.v1.refusal_pb2 import Refusal
from croupier.v1.view_pb2 import SalonView
from engine.value import changed
from tests.chaos.checker import check, judge
from tests.chaos.findings import Findings, Law
from tests.chaos.forged import ANN, BOB, CARL, NAME, Forged, Shown, a_true_history, message
from tests.chaos.settling import settle
from tests.chaos.testimony import Hearsay, heard
from tests.chaos.transcript import SUFFIX, Kind, Transcript
from tests.simulation.course import misstep
from tests.simulation.witness import Chronicle


@pytest.fixture
def forged() -> Forged:
    return a_true_history()


def update_of(raw: bytes) -> watch_pb2.SalonUpdate:
    return message(raw).updates[0]


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
    told = message(shown[BOB][at])
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


# What a snapshot may pass over, and to where it may go back


@pytest.fixture
def chronicle(forged: Forged) -> Chronicle:
    chronicle = settle(NAME, forged.written().salons[NAME], Hearsay(), Findings()).chronicle
    assert chronicle is not None
    return chronicle


def snapshot(seq: int, viewer: int = 0) -> watch_pb2.SalonUpdate:
    view = SalonView(viewer=viewer)
    return watch_pb2.SalonUpdate(salon_id=NAME, epoch=300, seq=seq, snapshot=view)


def test_a_snapshot_passes_commits_over_where_there_is_a_reason(chronicle: Chronicle) -> None:
    """The viewer's seat changed, an epoch began, or so much happened that the log was trimmed."""
    joined = next(seq for seq, table in enumerate(chronicle.tables) if ANN in table.seat_of)
    over = [seq for seq, table in enumerate(chronicle.tables) if table.hand and table.hand.over]
    assert not misstep(chronicle, ANN, (300, joined - 1), snapshot(joined + 1, 1))
    assert misstep(chronicle, CARL, (300, joined - 1), snapshot(joined + 1))
    assert not misstep(chronicle, CARL, (200, joined - 1), snapshot(joined + 1))
    assert misstep(chronicle, CARL, (300, over[0] - 1), snapshot(over[0] + 1))
    assert not misstep(chronicle, CARL, (300, over[0] - 1), snapshot(over[-1]))


def test_a_snapshot_goes_back_for_who_gives_up_his_seat_where_spectators_are_behind(
    chronicle: Chronicle,
) -> None:
    place, back = (300, 20), snapshot(10)
    assert misstep(chronicle, ANN, place, back)
    delayed = changed(chronicle.table.settings, spectator_delay=1)
    chronicle.table.settings = delayed
    assert not misstep(chronicle, ANN, place, back)
    assert misstep(chronicle, ANN, place, snapshot(10, viewer=1))
    assert misstep(chronicle, CARL, place, back)


# What one update says


def skipped(shown: Shown) -> None:
    """A watcher missed a commit."""
    del shown[CARL][10]


def out_of_order(shown: Shown) -> None:
    """A watcher was shown a commit before the one that it follows on."""
    updates = shown[CARL]
    updates[12], updates[13] = updates[13], updates[12]


def another_event(shown: Shown) -> None:
    """A watcher was shown a call of another amount."""
    for number, update in enumerate(shown[CARL]):
        told = message(update)
        for event in told.updates[0].commit.events:
            if event.HasField("called"):
                event.called.amount += 1
                shown[CARL][number] = told.SerializeToString()
                return


def half_of_it(shown: Shown) -> None:
    """A watcher was shown a commit without its last event."""
    number = next(
        at for at, update in enumerate(shown[CARL]) if len(message(update).updates[0].commit.events) > 2
    )
    told = message(shown[CARL][number])
    del told.updates[0].commit.events[-1]
    shown[CARL][number] = told.SerializeToString()


def another_stack(shown: Shown) -> None:
    """A snapshot has a stack that nobody has."""
    number = max(
        at for at, update in enumerate(shown[ANN]) if message(update).updates[0].HasField("snapshot")
    )
    told = message(shown[ANN][number])
    told.updates[0].snapshot.seats[0].stack += 1
    shown[ANN][number] = told.SerializeToString()


def beyond(shown: Shown) -> None:
    """A watcher was shown a commit that there is not."""
    told = message(shown[CARL][-1])
    told.updates[0].seq += 1
    shown[CARL].append(told.SerializeToString())


def anothers_cards(shown: Shown) -> None:
    """Who only watches was shown hole cards."""
    number, dealt = _dealt(shown[BOB])
    told = message(shown[CARL][number])
    told.updates[0].commit.events.append(dealt)
    shown[CARL][number] = told.SerializeToString()


def cards_in_a_snapshot(shown: Shown) -> None:
    """Who only watches was shown a player's cards in a snapshot."""
    number = max(
        at for at, update in enumerate(shown[CARL]) if message(update).updates[0].HasField("snapshot")
    )
    told = message(shown[CARL][number])
    told.updates[0].snapshot.seats[0].cards.extend(["As", "Ah"])
    shown[CARL][number] = told.SerializeToString()


def anothers_turn(shown: Shown) -> None:
    """Who only watches was offered a turn."""
    number = next(
        at for at, update in enumerate(shown[BOB]) if message(update).updates[0].commit.HasField("your_turn")
    )
    told = message(shown[CARL][number])
    told.updates[0].commit.your_turn.CopyFrom(message(shown[BOB][number]).updates[0].commit.your_turn)
    shown[CARL][number] = told.SerializeToString()


def _dealt(updates: list[bytes]) -> tuple[int, event_pb2.Event]:
    return next(
        (number, event)
        for number, update in enumerate(updates)
        for event in message(update).updates[0].commit.events
        if event.HasField("hole_cards_dealt")
    )


@pytest.mark.parametrize(
    "falsify, law",
    [
        (skipped, Law.GAPS),
        (out_of_order, Law.GAPS),
        (another_event, Law.SHOWN),
        (half_of_it, Law.SHOWN),
        (another_stack, Law.SHOWN),
        (beyond, Law.SHOWN),
        (anothers_cards, Law.SECRETS),
        (cards_in_a_snapshot, Law.SECRETS),
        (anothers_turn, Law.SHOWN),
    ],
)
def test_an_update_that_is_not_the_viewers_is_found(
    falsify: Callable[[Shown], None], law: Law, forged: Forged, tmp_path: Path
) -> None:
    shown = {player: forged.updates(player) for player in (ANN, BOB, CARL)}
    before = {player: list(updates) for player, updates in shown.items()}
    falsify(shown)
    assert shown != before
    forged.tells(tmp_path, shown)
    findings = check(forged.written(), [tmp_path])
    assert set(findings.totals) == {law}, findings.text
