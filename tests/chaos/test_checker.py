"""The checker finds each kind of violation in a history that is otherwise true, and none in one that is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.codec.updates import answer
from cluster.envelope import Epoch, SalonId, Seq
from croupier.v1 import refusal_pb2, salon_pb2
from croupier.v1.refusal_pb2 import Refusal
from croupier.v1.salon_pb2 import TopUpRequest
from engine.commands import ExtendAbsences, Join, SitOut
from engine.events import (
    Called,
    Checked,
    Folded,
    HandEnded,
    HandVoided,
    PotAwarded,
    SatOut,
    TailLost,
    TimedOut,
)
from engine.units import Chips, Millis
from engine.value import changed
from tests.chaos import checker
from tests.chaos.caller import SALON
from tests.chaos.checker import check, judge
from tests.chaos.findings import Findings, Law
from tests.chaos.forged import ANN, BOB, CARL, NAME, Forged, Shown, Told, a_true_history, message
from tests.chaos.testimony import Declined, heard
from tests.chaos.transcript import SUFFIX, Kind, Transcript
from tests.chaos.written import Activation, Entry, Rewriting, Salon


@pytest.fixture
def forged() -> Forged:
    return a_true_history()


def checked(forged: Forged, folder: Path, salon: Salon | None = None, shown: Shown | None = None) -> Findings:
    """What the checker finds, with other writes or updates than the history's where they are given."""
    written = forged.written()
    if salon is not None:
        written.salons[NAME] = salon
    folder.mkdir(exist_ok=True)
    forged.tells(folder, shown)
    return check(written, [folder])


def test_a_true_history_has_no_violation(forged: Forged, tmp_path: Path) -> None:
    findings = checked(forged, tmp_path)
    assert findings.clean, findings.text
    assert findings.counts["commits decided again"] == findings.counts["commits"] == len(forged.commits)
    assert findings.counts["hands begun"] == 3
    assert findings.counts["hands void"] == 1
    assert findings.counts["updates"] == 3 * len(forged.commits)
    assert findings.counts["commands done"] == len(forged.told)


def at(forged: Forged, *kinds: type) -> int:
    """The index of the first commit that has an event of one of the kinds."""
    return next(
        number
        for number, commit in enumerate(forged.commits)
        if any(isinstance(event, kinds) for event in commit.events)
    )


# What was committed


def done_twice(forged: Forged) -> None:
    """One top-up's request was done again as the other."""
    first, second = (number for number, told in enumerate(forged.told) if told.method == "TopUp")
    once = forged.told[first]
    commit = forged.told[second].place[1] - 1
    forged.commits[commit] = changed(forged.commits[commit], request_id=once.request.request_id)
    del forged.told[second]


def chips_made(forged: Forged) -> None:
    """A winner got a chip more than the pot had."""
    number = at(forged, PotAwarded)
    commit = forged.commits[number]
    events = tuple(
        changed(event, shares=(Chips(event.shares[0] + 1), *event.shares[1:]))
        if isinstance(event, PotAwarded)
        else event
        for event in commit.events
    )
    forged.commits[number] = changed(commit, events=events)


def too_early(forged: Forged) -> None:
    """A turn timed out before its time was up."""
    number = at(forged, TimedOut)
    forged.commits[number] = changed(forged.commits[number], at=Millis(forged.commits[number].at - 1_000))


def timed_out_twice(forged: Forged) -> None:
    """A turn timed out, went on, and timed out."""
    number = at(forged, TimedOut)
    commit = forged.commits[number]
    only = tuple(event for event in commit.events if isinstance(event, TimedOut))
    again = [changed(each, seq=Seq(each.seq + 1)) for each in forged.commits[number:]]
    forged.commits[number:] = [changed(commit, events=only), *again]


def another_move(forged: Forged) -> None:
    """What was a check is in the log as a fold."""
    number = at(forged, Checked)
    commit = forged.commits[number]
    events = tuple(Folded(event.seat) if isinstance(event, Checked) else event for event in commit.events)
    forged.commits[number] = changed(commit, events=events)


def another_commands_move(forged: Forged) -> None:
    """A client asked for a call, and the log has it; but he had sent a fold."""
    number = at(forged, Called)
    told = next(
        told for told in forged.told if told.place[1] > number and told.request.WhichOneof("action") == "call"
    )
    told.request.fold.SetInParent()


def never_ended(forged: Forged) -> None:
    """A hand began, and the salon was over without its end."""
    number = at(forged, HandVoided)
    commit = forged.commits[number]
    goes_on = tuple(event for event in commit.events if not isinstance(event, HandVoided))
    forged.commits[number] = changed(commit, events=goes_on)


def no_record(forged: Forged) -> None:
    """The first hand was never recorded."""
    del forged.records[1]


def another_record(forged: Forged) -> None:
    """A hand was recorded without its end."""
    record = forged.records[1]
    events = tuple(event for event in record.events if not isinstance(event, HandEnded))
    forged.records[1] = changed(record, events=events)


@pytest.mark.parametrize(
    "falsify, law",
    [
        (done_twice, Law.TWICE),
        (chips_made, Law.CHIPS),
        (too_early, Law.TIMERS),
        (timed_out_twice, Law.TIMERS),
        (another_move, Law.RULES),
        (another_commands_move, Law.RULES),
        (never_ended, Law.HANDS),
        (no_record, Law.HANDS),
        (another_record, Law.HANDS),
    ],
)
def test_a_commit_that_may_not_be_is_found(
    falsify: Callable[[Forged], None], law: Law, forged: Forged, tmp_path: Path
) -> None:
    shown = {player: forged.updates(player) for player in (ANN, BOB, CARL)}
    falsify(forged)
    findings = checked(forged, tmp_path, shown=shown)
    assert findings.totals[law], findings.text


def test_a_seat_that_is_kept_longer_after_an_outage_is_decided_again(tmp_path: Path) -> None:
    forged = Forged()
    forged.opens()
    forged.asks(Join(ANN, "Ann"), ANN, "Join", salon_pb2.JoinRequest())
    forged.asks(SitOut(ANN), ANN, "SitOut", salon_pb2.SitOutRequest())
    forged.now = Millis(forged.now + 20_000)
    forged.does(ExtendAbsences(Millis(forged.now - 15_000)))
    findings = checked(forged, tmp_path)
    assert findings.clean, findings.text
    commit = forged.commits[-1]
    longer = tuple(changed(e, evict_at=e.evict_at + 30_000) for e in commit.events if isinstance(e, SatOut))
    forged.commits[-1] = changed(commit, events=longer)
    assert checked(forged, tmp_path / "again").totals[Law.RULES]


# What was written


def missing(salon: Salon) -> None:
    """A commit in the middle is gone."""
    del salon.writes[10]


def written_again(salon: Salon) -> None:
    """A commit has a second one under its seq."""
    salon.writes.insert(11, salon.writes[10])


def unchained(salon: Salon) -> None:
    """A commit follows on another than the one before it."""
    entry = salon.writes[10]
    assert isinstance(entry, Entry)
    entry.fields[b"h"] = b"8 bytes!"


def written_anew(salon: Salon) -> None:
    """The log was set to what somebody remembered."""
    salon.writes.append(Rewriting("the log was written anew"))


def superseded(salon: Salon) -> None:
    """The salon was given to another host, and the one before goes on."""
    salon.writes.insert(10, Activation(Epoch(250), "another"))


def given_out_twice(salon: Salon) -> None:
    """An epoch was given out again."""
    number = max(at for at, write in enumerate(salon.writes) if isinstance(write, Activation))
    salon.writes.insert(number + 1, salon.writes[number])


def without_its_deck(salon: Salon) -> None:
    """A hand was dealt of which the vault has no deck."""
    number, entry = next(
        (at, write) for at, write in enumerate(salon.writes) if isinstance(write, Entry) and write.vault
    )
    salon.writes[number] = Entry(entry.epoch, entry.seq, entry.fields, b"")


def out_of_play(salon: Salon) -> None:
    """An operator must look."""
    salon.quarantine = "it broke three times"


@pytest.mark.parametrize(
    "falsify, law",
    [
        (missing, Law.FORK),
        (written_again, Law.FORK),
        (unchained, Law.FORK),
        (written_anew, Law.FORK),
        (superseded, Law.EPOCHS),
        (given_out_twice, Law.EPOCHS),
        (without_its_deck, Law.RULES),
        (out_of_play, Law.FAULTS),
    ],
)
def test_a_log_that_was_written_wrongly_is_found(
    falsify: Callable[[Salon], None], law: Law, forged: Forged, tmp_path: Path
) -> None:
    salon = forged.written().salons[NAME]
    falsify(salon)
    findings = checked(forged, tmp_path, salon)
    assert findings.totals[law], findings.text


def test_a_salon_of_which_nothing_was_written_is_lost(forged: Forged, tmp_path: Path) -> None:
    assert checked(forged, tmp_path, Salon()).totals[Law.LOST]


# What was answered


def another_place(forged: Forged) -> None:
    """A client was told of another commit than the one that his command made."""
    told = forged.told[4]
    told.place = (told.place[0], told.place[1] + 1)


def beyond_the_end(forged: Forged) -> None:
    """A client was told that it was done, and the log ends before it."""
    request = salon_pb2.SitOutRequest(request_id="never", salon_id=NAME)
    forged.told.append(Told(ANN, "SitOut", request, (300, len(forged.commits) + 1)))


def refused_and_done(forged: Forged) -> None:
    """A client was refused what is in the log."""
    told = next(told for told in forged.told if told.method == "Act")
    told.refusal = Refusal(reason=refusal_pb2.REASON_STALE_TURN)


@pytest.mark.parametrize("falsify", [another_place, beyond_the_end, refused_and_done])
def test_an_answer_that_is_not_so_is_found(
    falsify: Callable[[Forged], None], forged: Forged, tmp_path: Path
) -> None:
    falsify(forged)
    findings = checked(forged, tmp_path)
    assert findings.totals[Law.LOST], findings.text


def refused_behind(forged: Forged, told: Told, reason: "refusal_pb2.Reason.ValueType") -> None:
    """Let a command that was done be sent again and refused."""
    again = changed_told(told, Refusal(reason=reason, text="refused"))
    forged.told.insert(forged.told.index(told) + 1, again)


def changed_told(told: Told, refusal: Refusal) -> Told:
    return Told(told.player, told.method, told.request, refusal=refusal)


def turn_decided_again(forged: Forged) -> None:
    """An act was done, and sent again it was refused: nobody remembered that it was done."""
    told = next(told for told in forged.told if told.method == "Act")
    refused_behind(forged, told, refusal_pb2.REASON_STALE_TURN)


def turn_decided_again_on_play(forged: Forged) -> None:
    """The same on a stream."""
    told = next(told for told in forged.told if told.method == "Act" and told.player == BOB)
    refused_behind(forged, told, refusal_pb2.REASON_STALE_TURN)


def top_up_decided_again(forged: Forged) -> None:
    """A top-up was done, and sent again it was refused, since the stack was so high now."""
    told = next(told for told in forged.told if told.method == "TopUp")
    refused_behind(forged, told, refusal_pb2.REASON_TOP_UP_OUT_OF_RANGE)


@pytest.mark.parametrize("falsify", [turn_decided_again, turn_decided_again_on_play, top_up_decided_again])
def test_what_was_done_and_is_decided_again_is_found(
    falsify: Callable[[Forged], None], forged: Forged, tmp_path: Path
) -> None:
    falsify(forged)
    assert set(checked(forged, tmp_path).totals) == {Law.TWICE}


def test_of_two_tries_at_the_same_time_one_may_be_refused_before_the_other_is_done(
    forged: Forged, tmp_path: Path
) -> None:
    forged.tells(tmp_path)
    testimony = heard([tmp_path])
    asked = next(
        each for each in testimony.salons[NAME].asked.values() if isinstance(each.request, TopUpRequest)
    )
    at, refusal = asked.done[0].at, Refusal(reason=refusal_pb2.REASON_TOP_UP_OUT_OF_RANGE)
    asked.declined.append(Declined(at + 1, asked.sent[0], refusal))
    assert judge(forged.written(), testimony).clean
    asked.declined.append(Declined(at + 1, at + 0.5, refusal))
    assert judge(forged.written(), testimony).totals == {Law.TWICE: 1}


def test_an_answer_is_kept_only_for_so_long(
    forged: Forged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent again behind as many commands as are remembered, an act is refused as stale: that is right."""
    told = next(told for told in forged.told if told.method == "Act" and told.player == ANN)
    behind = forged.told[forged.told.index(told) + 1 :]
    count = sum(each.player == ANN for each in behind)
    forged.told.append(changed_told(told, Refusal(reason=refusal_pb2.REASON_STALE_TURN)))
    forged.tells(tmp_path)
    monkeypatch.setattr(checker, "REPLIES_KEPT", count)
    assert check(forged.written(), [tmp_path]).clean
    monkeypatch.setattr(checker, "REPLIES_KEPT", count + 1)
    assert check(forged.written(), [tmp_path]).totals == {Law.TWICE: 1}


def test_a_view_in_an_answer_that_is_of_no_commit_is_found(forged: Forged, tmp_path: Path) -> None:
    forged.tells(tmp_path)
    testimony = heard([tmp_path])
    view = message(forged.updates(CARL)[-1]).updates[0].snapshot
    done = next(iter(testimony.salons[NAME].asked.values())).done[0]
    view.CopyFrom(message(forged.updates(CARL)[0]).updates[0].snapshot)
    done.view = view
    assert judge(forged.written(), testimony).clean
    view.seq = 10_000
    assert judge(forged.written(), testimony).totals == {Law.SHOWN: 1}


def test_a_hand_that_is_void_though_nothing_was_lost_is_found(forged: Forged, tmp_path: Path) -> None:
    number = at(forged, HandVoided)
    commit = forged.commits[number]
    events = tuple(event for event in commit.events if not isinstance(event, TailLost))
    forged.commits[number] = changed(commit, events=events)
    assert checked(forged, tmp_path).totals[Law.HANDS]


def test_a_loss_that_was_accepted_is_found_by_the_log_that_was_written_anew(
    forged: Forged, tmp_path: Path
) -> None:
    salon = forged.written().salons[NAME]
    void = at(forged, HandVoided) + 1
    number = next(n for n, each in enumerate(salon.writes) if isinstance(each, Entry) and each.seq == void)
    salon.writes.insert(number, Rewriting("the log was written anew"))
    assert set(checked(forged, tmp_path, salon).totals) == {Law.FORK}


def test_the_same_answer_as_often_as_it_is_asked_for_is_right(forged: Forged, tmp_path: Path) -> None:
    for told in forged.told:
        told.again = 2
    assert checked(forged, tmp_path).clean


def test_a_fault_that_a_client_was_told_of_is_found(forged: Forged, tmp_path: Path) -> None:
    request = salon_pb2.SitOutRequest(request_id="unlucky", salon_id=NAME)
    fault = Refusal(reason=refusal_pb2.REASON_FAULT, text="report incident 12")
    forged.told.append(Told(ANN, "SitOut", request, refusal=fault))
    assert checked(forged, tmp_path).totals[Law.FAULTS]


@pytest.mark.parametrize("lie", ["not done", "done elsewhere"])
def test_a_command_status_that_is_not_so_is_found(lie: str, forged: Forged, tmp_path: Path) -> None:
    told = next(told for told in forged.told if told.player == BOB)
    status = salon_pb2.GetCommandStatusResponse(epoch=300, seq=len(forged.commits))
    if lie == "not done":
        status.not_known.SetInParent()
    else:
        status.done.epoch, status.done.seq = told.place[0], told.place[1] + 1
    forged.tells(tmp_path)
    with Transcript(tmp_path / f"bob-again{SUFFIX}") as transcript:
        transcript.write(Kind.WHO, 0, BOB.encode())
        question = salon_pb2.GetCommandStatusRequest(salon_id=NAME, request_id=told.request.request_id)
        call = transcript.begin(Kind.CALLED, SALON + "GetCommandStatus", question.SerializeToString())
        transcript.write(Kind.ANSWERED, call, status.SerializeToString())
    assert check(forged.written(), [tmp_path]).totals[Law.LOST]


def test_what_nobody_asked_for_is_found(forged: Forged, tmp_path: Path) -> None:
    forged.tells(tmp_path)
    with Transcript(tmp_path / f"bob-again{SUFFIX}") as transcript:
        transcript.write(Kind.WHO, 0, BOB.encode())
        stream = transcript.begin(Kind.OPENED, "Play")
        transcript.write(Kind.SHOWN, stream, answer(salon_pb2.Answer(request_id="never", salon_id=NAME)))
        transcript.write(Kind.SHOWN, stream, forged.updates(BOB)[0])
    assert check(forged.written(), [tmp_path]).totals == {Law.SHOWN: 2}


def test_a_view_that_is_older_than_what_was_answered_before_is_found(forged: Forged, tmp_path: Path) -> None:
    forged.tells(tmp_path)
    view = message(forged.updates(CARL)[0]).updates[0].snapshot
    with Transcript(tmp_path / f"carl-again{SUFFIX}") as transcript:
        transcript.write(Kind.WHO, 0, CARL.encode())
        request = salon_pb2.GetViewRequest(salon_id=NAME)
        call = transcript.begin(Kind.CALLED, SALON + "GetView", request.SerializeToString())
        transcript.write(Kind.ANSWERED, call, salon_pb2.GetViewResponse(view=view).SerializeToString())
    assert set(check(forged.written(), [tmp_path]).totals) == {Law.SHOWN}


def test_a_hand_that_does_not_go_on_is_found(forged: Forged, tmp_path: Path) -> None:
    """Another salon is played long after the hand's turn should have timed out."""
    forged.tells(tmp_path)
    written = forged.written()
    written.salons[SalonId("another")] = forged.written().salons[NAME]
    assert not check(written, [tmp_path]).totals[Law.HANDS]
    salon = written.salons[NAME]
    played = at(forged, TimedOut)
    salon.writes = [write for write in salon.writes if not (isinstance(write, Entry) and write.seq > played)]
    assert check(written, [tmp_path]).totals[Law.HANDS]
