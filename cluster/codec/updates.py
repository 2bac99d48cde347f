"""What a stream carries, as bytes: each update is encoded once, however many viewers are shown the same.

A message field is its tag, a length and the message, so that a response is put together from parts that were
encoded before. PlayResponse and WatchResponse have the same fields under the same numbers.
"""

from typing import Final

from cluster.codec.messages import event_to_message, view_to_message, your_turn
from cluster.envelope import Epoch, SalonId, Seq
from cluster.watching.replica import Asked, Scene, Step
from croupier.v1 import refusal_pb2, salon_pb2, turn_pb2, watch_pb2
from engine.events import Event
from engine.units import Millis, PlayerId

_LENGTH_DELIMITED: Final = 2
_ANSWER: Final = salon_pb2.PlayResponse.ANSWERS_FIELD_NUMBER
_UPDATE: Final = salon_pb2.PlayResponse.UPDATES_FIELD_NUMBER
_HEARTBEAT: Final = salon_pb2.PlayResponse.HEARTBEAT_FIELD_NUMBER
_COMMIT: Final = watch_pb2.SalonUpdate.COMMIT_FIELD_NUMBER
_DRAINING: Final = salon_pb2.PlayResponse.DRAINING_FIELD_NUMBER


def framed(field: int, message: bytes) -> bytes:
    """`message` as the field with this number of the message around it; the number is under 16."""
    return bytes((field << 3 | _LENGTH_DELIMITED, *_varint(len(message)))) + message


def _varint(number: int) -> list[int]:
    digits = []
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    digits.append(number)
    return digits


def snapshot_update(salon: SalonId, scene: Scene, player: PlayerId | None, at: Millis) -> bytes:
    """Everything that the player (None for a spectator) may know of the salon."""
    view = view_to_message(scene.view(player), salon, at, epoch=scene.epoch, seq=scene.seq)
    return _update(watch_pb2.SalonUpdate(salon_id=salon, epoch=scene.epoch, seq=scene.seq, snapshot=view))


def encoded(events: tuple[Event, ...]) -> bytes:
    """Events as a commit has them: nothing for none."""
    return watch_pb2.Commit(events=map(event_to_message, events)).SerializeToString() if events else b""


def step_update(salon: SalonId, step: Step, events: bytes, asked: Asked | None) -> bytes:
    """A commit, with those of its events, encoded, that its viewer may see; without any it is a bare seq."""
    update = watch_pb2.SalonUpdate(salon_id=salon, epoch=step.epoch, seq=step.seq).SerializeToString()
    if events:
        turn = None if asked is None else _your_turn(asked)
        rest = watch_pb2.Commit(at_ms=step.at, your_turn=turn).SerializeToString()
        update += framed(_COMMIT, rest + events)
    return framed(_UPDATE, update)


def _your_turn(asked: Asked) -> turn_pb2.YourTurn:
    return your_turn(asked.legal, asked.hand, asked.turn, deadline=asked.deadline, bank=asked.bank)


def ended_update(salon: SalonId, epoch: Epoch, seq: Seq, refusal: refusal_pb2.Refusal) -> bytes:
    """The watch is over after the update (epoch, seq), and why."""
    return _update(watch_pb2.SalonUpdate(salon_id=salon, epoch=epoch, seq=seq, ended=refusal))


def _update(update: watch_pb2.SalonUpdate) -> bytes:
    return framed(_UPDATE, update.SerializeToString())


def heartbeat(at: Millis) -> bytes:
    """A sign of life."""
    return framed(_HEARTBEAT, watch_pb2.Heartbeat(at_ms=at).SerializeToString())


def draining(retry_ms: int) -> bytes:
    """The stream's last word where the gateway shuts down."""
    return framed(_DRAINING, watch_pb2.Draining(retry_after_ms=retry_ms).SerializeToString())


def answer(message: salon_pb2.Answer) -> bytes:
    """The answer to a command on Play."""
    return framed(_ANSWER, message.SerializeToString())
