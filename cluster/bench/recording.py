"""A recording of a real run: for each salon, the bytes that each command brought to each of the streams there.

Law of this file: bytes are cut out of what came in and never made. A part is one field of a PlayResponse or a
WatchResponse with its tag and length, as the gateway encoded it. A recording goes in a circle: it begins and ends
where a hand starts, so that it can be played for ever.
"""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from croupier.v1.salon_pb2 import ActResponse, Answer, PlayResponse
from croupier.v1.watch_pb2 import SalonUpdate

_ANSWER: Final = PlayResponse.ANSWERS_FIELD_NUMBER
_UPDATE: Final = PlayResponse.UPDATES_FIELD_NUMBER

Part = tuple[int, bytes]
"""What a stream (its number) is sent."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one command brings: to who sent it, and to each stream that watches."""

    answer: bytes
    updates: list[Part]


@dataclass(frozen=True, slots=True)
class Script:
    """One salon: what its streams are shown first, and then command by command, from the front again at the end."""

    first: dict[int, bytes]
    steps: list[Step]


class Recorder:
    """Takes the messages of a run, until in each of `salons` all of its `streams` saw two hands begin."""

    def __init__(self, salons: Iterable[str], *, streams: int) -> None:
        self._salons = {salon: _Recorded(streams) for salon in salons}

    def heard(self, stream: int, message: bytes) -> None:
        """Take a message that a stream brought."""
        for number, part, body in fields(message):
            if number == _UPDATE:
                update = SalonUpdate.FromString(body)
                recorded = self._salons[update.salon_id]
                recorded.updates.setdefault(update.seq, {})[stream] = part
                if any(event.HasField("hand_started") for event in update.commit.events):
                    recorded.starts.add(update.seq)
            elif number == _ANSWER:
                answer = Answer.FromString(body)
                self._salons[answer.salon_id].answers[answer.seq] = part

    def answered(self, response: bytes) -> None:
        """Take the answer to a unary call."""
        accepted = ActResponse.FromString(response).accepted
        self._salons[accepted.view.salon_id].answers[accepted.seq] = response

    @property
    def complete(self) -> bool:
        """Whether each salon's recording holds a whole hand."""
        return all(len(recorded.whole_starts) > 1 for recorded in self._salons.values())

    def scripts(self) -> dict[str, Script]:
        """The recording, once it is complete and nothing is under way any more."""
        return {salon: recorded.script() for salon, recorded in self._salons.items()}


class _Recorded:
    """One salon, by the seqs of its commits."""

    def __init__(self, streams: int) -> None:
        self._streams = streams
        self.updates: dict[int, dict[int, bytes]] = {}
        self.answers: dict[int, bytes] = {}
        self.starts: set[int] = set()

    @property
    def whole_starts(self) -> list[int]:
        """Those that were recorded for every stream: when a recording begins, some may have been shown one already."""
        return [seq for seq in self.starts if len(self.updates[seq]) == self._streams]

    def script(self) -> Script:
        """From the first start to the last. What nobody asked for comes with the command before it."""
        first, last = min(self.whole_starts), max(self.whole_starts)
        steps: list[Step] = []
        for seq in range(first + 1, last + 1):
            if seq in self.answers:
                steps.append(Step(self.answers[seq], []))
            steps[-1].updates.extend(self.updates[seq].items())
        return Script(self.updates[first], steps)


def fields(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """The fields of a message that has only fields with a length: number, whole field, content."""
    at = 0
    while at < len(message):
        start, number = at, message[at] >> 3
        size, shift = 0, 0
        while True:
            at += 1
            size |= (message[at] & 0x7F) << shift
            shift += 7
            if message[at] < 0x80:
                break
        at += 1
        yield number, message[start : at + size], message[at : at + size]
        at += size


def save(path: Path, tokens: list[str], scripts: dict[str, Script]) -> None:
    """Write a recording for the bare service; `tokens` are the streams' in the order of their numbers."""
    path.write_bytes(pickle.dumps((tokens, scripts)))


def load(path: Path) -> tuple[list[str], dict[str, Script]]:
    """What `save` wrote."""
    tokens, scripts = pickle.loads(path.read_bytes())  # of this benchmark's own, a moment ago
    return tokens, scripts
