"""Outboxes: what a stream still has to send. Bounded, so that a client that reads slowly costs nobody but itself."""

import asyncio
from collections.abc import Callable
from typing import Final

from cluster.codec.updates import draining, heartbeat
from cluster.gateway.doorman import Visitor
from cluster.gateway.errors import RETRY_MS, Declined, resync
from croupier.v1.refusal_pb2 import Refusal
from engine.units import Millis

_MOST_PARTS: Final = 16_384
_MOST_BYTES: Final = 4 << 20
_QUIET_BEATS: Final = 2
"""Beats that pass a stream by after something was sent on it."""
_TOGETHER: Final = 256 << 10
"""Bytes after which a message takes no further part."""


class Outbox:
    """The parts of a stream's next messages: encoded fields of its response, in order.

    With `together` several parts travel in one message.
    """

    def __init__(self, *, together: bool) -> None:
        self._together = together
        self._parts: list[bytes] = []
        self._bytes = 0
        self._taker: asyncio.Future[None] | None = None
        """Whoever waits for a part."""
        self._end: Refusal | None = None
        self._closed = False
        self._leave: Callable[[], object] = lambda: None
        self._quiet = 0
        """Beats since something was put in."""

    @property
    def closed(self) -> bool:
        """Whether nothing more can be put in."""
        return self._closed

    @property
    def end(self) -> Refusal | None:
        """What the stream ends with; None if it goes on, and where it ends well."""
        return self._end

    def put(self, part: bytes) -> None:
        """Send `part` soon. Where too much waits already the stream ends with RESYNC instead."""
        if self._closed:
            return
        self._quiet = 0
        self._parts.append(part)
        self._bytes += len(part)
        if len(self._parts) > _MOST_PARTS or self._bytes > _MOST_BYTES:
            self._parts.clear()
            self.close(resync())
        self._wake()

    def close(self, refusal: Refusal | None = None) -> None:
        """End the stream after what is in it: with a refusal, or well."""
        if not self._closed:
            self._closed = True
            self._end = refusal
            self._wake()
            self._leave()

    def when_closed(self, leave: Callable[[], object]) -> None:
        """Call `leave` when nothing more can be put in, which is not when all that is in it was taken."""
        self._leave = leave
        if self._closed:
            leave()

    def beat(self, now: Millis) -> None:
        """Put in a heartbeat if nothing was sent for a while: between two and three beats, then two each time."""
        if self._quiet >= _QUIET_BEATS:
            self.put(heartbeat(now))
        self._quiet += 1

    def drain(self) -> None:
        """Say that the gateway shuts down, and end the stream."""
        self.put(draining(RETRY_MS))
        self.close()

    async def take(self) -> bytes | None:
        """The stream's next message, as soon as there is one; None where the stream ends well.

        Raises:
            Declined: the stream ends with a refusal.
        """
        while not self._parts:
            if self._end is not None:
                raise Declined(self._end)
            if self._closed:
                return None
            self._taker = asyncio.get_running_loop().create_future()
            await self._taker
        count = self._fitting()
        message = self._parts[0] if count == 1 else b"".join(self._parts[:count])
        del self._parts[:count]
        self._bytes -= len(message)
        return message

    def _wake(self) -> None:
        taker, self._taker = self._taker, None
        if taker is not None:
            # Whatever else is ready in this turn of the loop comes along.
            taker.get_loop().call_soon(_release, taker)

    def _fitting(self) -> int:
        if not self._together:
            return 1
        if self._bytes <= _TOGETHER:
            return len(self._parts)
        count, size = 0, 0
        while count < len(self._parts) and (not count or size + len(self._parts[count]) <= _TOGETHER):
            size += len(self._parts[count])
            count += 1
        return count


def _release(taker: "asyncio.Future[None]") -> None:
    if not taker.done():
        taker.set_result(None)


class Streams:
    """The open streams of this gateway, and whose they are."""

    def __init__(self) -> None:
        self._open: dict[Outbox, Visitor] = {}
        self._draining = False

    def add(self, outbox: Outbox, visitor: Visitor) -> None:
        """A stream has begun; when the gateway shuts down already, it ends at once."""
        self._open[outbox] = visitor
        if self._draining:
            outbox.drain()

    def discard(self, outbox: Outbox) -> None:
        """A stream has ended."""
        self._open.pop(outbox, None)

    def open(self) -> list[tuple[Outbox, Visitor]]:
        """Those that are open."""
        return list(self._open.items())

    def beat(self, now: Millis) -> None:
        """Send a heartbeat where nothing else was sent for a while."""
        for outbox in self._open:
            outbox.beat(now)

    def drain(self) -> None:
        """End every stream, and every one that still comes."""
        self._draining = True
        for outbox in self._open:
            outbox.drain()
