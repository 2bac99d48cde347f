"""A transcript: what one client sent, was answered and was shown, in bytes as they went over the wire, on disk.

Law of this file: nothing is read here but the frame. A line is its kind, the number of the call or stream that it
belongs to, when it was written (seconds of one clock of the machine), and its bytes.
"""

import struct
import time
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple, Self

from croupier.v1.refusal_pb2 import Refusal

SUFFIX: Final = ".transcript"
_HEAD: Final = struct.Struct("<BIdI")
_BUFFER: Final = 1 << 18


class Kind(IntEnum):
    """What a line says."""

    WHO = 1
    """The player's id: the first line."""
    CALLED = 2
    """A unary call began: its method's name, a zero byte, the request."""
    ANSWERED = 3
    """The call's response."""
    FAILED = 4
    """The call or stream ended with an error: its Refusal, one with a text alone where it was the transport's."""
    OPENED = 5
    """A stream was opened: its method's name, a zero byte, the request of a Watch."""
    WROTE = 6
    """A PlayRequest on the stream."""
    SHOWN = 7
    """A PlayResponse or WatchResponse, which have the same fields."""
    ENDED = 8
    """The stream ended without an error, or was given up."""


class Line(NamedTuple):
    """One line. `number` is the call's or stream's, `at` in seconds."""

    kind: Kind
    number: int
    at: float
    content: bytes


class Transcript:
    """Written as it happens; the disk has all of it once it is closed."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=_BUFFER)
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def number(self) -> int:
        """Of the next call or stream."""
        self._number += 1
        return self._number

    def write(self, kind: Kind, number: int, content: bytes = b"") -> None:
        """Add a line."""
        self._file.write(_HEAD.pack(kind, number, time.monotonic(), len(content)))
        self._file.write(content)

    def begin(self, kind: Kind, method: str, request: bytes = b"") -> int:
        """Add the line that begins a call or stream; its number."""
        number = self.number()
        self.write(kind, number, method.encode() + b"\0" + request)
        return number

    def fail(self, number: int, refusal: Refusal) -> None:
        """Add that a call or stream has failed."""
        self.write(Kind.FAILED, number, refusal.SerializeToString())

    def close(self) -> None:
        """Write the rest."""
        self._file.close()


def read(path: Path) -> Iterator[Line]:
    """The lines of a transcript, in their order; the last one may be cut off, and is left out then."""
    with path.open("rb", buffering=_BUFFER) as file:
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            kind, number, at, length = _HEAD.unpack(head)
            content = file.read(length)
            if len(content) == length:
                yield Line(Kind(kind), number, at, content)


def begun(line: Line) -> tuple[str, bytes]:
    """The method and the request of a line that begins a call or stream."""
    method, _, request = line.content.partition(b"\0")
    return method.decode(), request
