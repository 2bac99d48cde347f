"""What the bare service sends is what a real run brought, byte for byte, and a recording goes in a circle."""

from collections.abc import Sequence

from cluster.bench.recording import Recorder, fields
from cluster.codec.updates import framed
from croupier.v1.event_pb2 import Event, HandStarted
from croupier.v1.salon_pb2 import Accepted, ActResponse, Answer, PlayResponse
from croupier.v1.view_pb2 import SalonView
from croupier.v1.watch_pb2 import Commit, SalonUpdate

ANSWER, UPDATE = PlayResponse.ANSWERS_FIELD_NUMBER, PlayResponse.UPDATES_FIELD_NUMBER


def update(salon: str, seq: int, *, at: int = 0, starts: bool = False) -> bytes:
    events = [Event(hand_started=HandStarted(hand=seq))] if starts else []
    content = Commit(at_ms=at, events=events)
    return framed(UPDATE, SalonUpdate(salon_id=salon, epoch=1, seq=seq, commit=content).SerializeToString())


def answer(salon: str, seq: int) -> bytes:
    return framed(ANSWER, Answer(request_id=f"r{seq}", salon_id=salon, epoch=1, seq=seq).SerializeToString())


def recorded(seqs: Sequence[int], *, starts: Sequence[int], answered: Sequence[int]) -> Recorder:
    """Two streams that saw `seqs` of salon a, each update a little different for each."""
    recorder = Recorder(["a"], streams=2)
    for seq in seqs:
        for stream in (0, 1):
            recorder.heard(stream, update("a", seq, at=stream + 1, starts=seq in starts))
        if seq in answered:
            recorder.heard(0, answer("a", seq))
    return recorder


def test_message_is_cut_into_the_fields_that_it_was_made_of() -> None:
    long = update("s" * 30, 2**40, starts=True) + update("t", 5, at=2**60)
    message = answer("a", 1) + long + answer("b", 300)
    cut = list(fields(message))
    assert [number for number, _, _ in cut] == [ANSWER, UPDATE, UPDATE, ANSWER]
    assert b"".join(part for _, part, _ in cut) == message
    assert SalonUpdate.FromString(cut[1][2]).salon_id == "s" * 30


def test_recording_goes_from_the_first_start_of_a_hand_to_the_last() -> None:
    recorder = recorded(range(3, 9), starts=(4, 7), answered=(3, 5, 6, 8))
    script = recorder.scripts()["a"]
    assert script.first == {
        0: update("a", 4, at=1, starts=True),
        1: update("a", 4, at=2, starts=True),
    }
    assert [step.answer for step in script.steps] == [answer("a", 5), answer("a", 6)]


def test_what_nobody_asked_for_comes_with_the_command_before_it() -> None:
    """Hand 7 began by itself, after the command of commit 6."""
    last = recorded(range(4, 8), starts=(4, 7), answered=(5, 6)).scripts()["a"].steps[-1]
    assert last.updates == [
        (0, update("a", 6, at=1)),
        (1, update("a", 6, at=2)),
        (0, update("a", 7, at=1, starts=True)),
        (1, update("a", 7, at=2, starts=True)),
    ]


def test_recording_is_complete_when_every_salon_has_had_a_whole_hand() -> None:
    recorder = Recorder(["a", "b"], streams=1)
    for salon, seq, done in (("a", 1, False), ("a", 4, False), ("b", 1, False), ("b", 9, True)):
        recorder.heard(0, update(salon, seq, starts=True))
        assert recorder.complete is done


def test_recording_begins_with_a_start_that_every_stream_saw() -> None:
    """One had been shown the start of hand 2 before the recording began."""
    recorder = Recorder(["a"], streams=2)
    recorder.heard(0, update("a", 2, starts=True))
    for seq in (3, 4, 5):
        for stream in (0, 1):
            recorder.heard(stream, update("a", seq, starts=seq in (3, 5)))
        recorder.heard(0, answer("a", seq))
        assert recorder.complete is (seq == 5)
    assert len(recorder.scripts()["a"].steps) == 2


def test_answer_of_a_unary_call_is_recorded_whole() -> None:
    recorder = recorded(range(4, 8), starts=(4, 7), answered=())
    response = ActResponse(
        accepted=Accepted(epoch=1, seq=5, view=SalonView(salon_id="a"))
    ).SerializeToString()
    recorder.answered(response)
    (step,) = recorder.scripts()["a"].steps
    assert step.answer == response
    assert len(step.updates) == 6
