"""A caller: one guest's way to the gateways, by any of their doors, with everything written down that goes over it.

Law of this file: a request is sent again as it is, through the next door, until its answer is definite: it was done,
or it was refused for a reason that another try would not change. What is lost on the way is no answer.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import grpc

from cluster.client import Pauses, refusal_of
from croupier.v1.refusal_pb2 import Reason, Refusal
from tests.chaos.transcript import Kind, Transcript

SALON: Final = "/croupier.v1.SalonService/"
LOBBY: Final = "/croupier.v1.LobbyService/"
SESSION: Final = "/croupier.v1.SessionService/"
_DEADLINE: Final = 4.0
"""Seconds that a call may take."""
_LEAVE: Final = 2 * _DEADLINE
"""Seconds after which a connection that counts as lost is closed: by then each of its calls has ended by itself."""
_OPTIONS: Final = (
    # Channels of one process would share a connection; clients do not.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 500),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.max_receive_message_length", 16 << 20),
)
_AGAIN: Final = frozenset(
    {
        Reason.REASON_UNSPECIFIED,
        Reason.REASON_TOO_FAST,
        Reason.REASON_CLUSTER_FULL,
        Reason.REASON_RESYNC,
        Reason.REASON_RECOVERING,
        Reason.REASON_DRAINING,
    }
)
"""The reasons of an answer that is none; unspecified is the transport's."""


def is_definite(refusal: Refusal) -> bool:
    """Whether another try would be refused in the same way, as far as anybody knows."""
    return refusal.reason not in _AGAIN


class Declined(Exception):
    """The definite answer was no."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.text)
        self.refusal = refusal


class Caller:
    """`doors` are the gateways' addresses; the first one is `first`, each error leads to the next."""

    def __init__(self, doors: Sequence[str], transcript: Transcript, *, first: int) -> None:
        self.transcript = transcript
        self.token = ""
        self._doors = doors
        self._door = first
        self._channels: dict[int, grpc.aio.Channel] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What names the guest in every call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    async def call(self, method: str, request: bytes, *, ahead: int = 0) -> bytes:
        """The response to a request, whatever it takes; the first try goes through the door that is `ahead`.

        Raises:
            Declined: it was refused.
        """
        pauses = Pauses()
        while True:
            door = (self._door + ahead) % len(self._doors)
            number = self.transcript.begin(Kind.CALLED, method, request)
            try:
                send: Any = self.channel(door).unary_unary(method)
                response: bytes = await send(request, timeout=_DEADLINE, metadata=self.metadata)
            except grpc.aio.AioRpcError as error:
                refusal = refusal_of(error)
                self.transcript.fail(number, refusal)
                if is_definite(refusal):
                    raise Declined(refusal) from None
                if not refusal.retry_after_ms:
                    self.lost(door)
                await pauses.wait(refusal.retry_after_ms)
            else:
                self.transcript.write(Kind.ANSWERED, number, response)
                return response

    @property
    def door(self) -> int:
        """The door that is used now."""
        return self._door % len(self._doors)

    def channel(self, door: int) -> grpc.aio.Channel:
        """The connection that calls through a door share."""
        channel = self._channels.get(door)
        if channel is None:
            channel = self._channels[door] = self.connect(door)
        return channel

    def connect(self, door: int) -> grpc.aio.Channel:
        """A connection of its own through a door."""
        return grpc.aio.insecure_channel(self._doors[door], options=_OPTIONS)

    def lost(self, door: int) -> None:
        """Nothing came through a door: connect anew there, and use the next one unless that has happened."""
        if door == self.door:
            self._door += 1
        channel = self._channels.pop(door, None)
        if channel is not None:
            # With grace: what else is on its way there may still arrive. To close it cancels who waits for it.
            closing = asyncio.create_task(channel.close(_LEAVE))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End all connections, of which none is used any more."""
        channels, self._channels = list(self._channels.values()), {}
        await asyncio.gather(*self._closing, *(channel.close() for channel in channels))
