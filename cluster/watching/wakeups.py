"""Wake-ups: one pub/sub connection for everything that this process wants to hear of.

Law of this file: a wake-up may be lost, and nobody may depend on one. Whoever listens also looks by himself
from time to time.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

Listener = Callable[[bytes], None]
_RETRY: Final = 0.5
_log = structlog.get_logger()


class Wakeups:
    """Channels and who listens to them. A listener gets the message and must not wait."""

    def __init__(self, redis: Redis) -> None:
        self._pubsub: Any = redis.pubsub()
        self._listeners: dict[bytes, Listener] = {}
        self._unsent: set[bytes] = set()
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def listen(self, channel: str, listener: Listener) -> None:
        """Call `listener` with every message of `channel` from soon on."""
        name = channel.encode()
        self._listeners[name] = listener
        self._change(name)

    def forget(self, channel: str) -> None:
        """Hear nothing more of `channel`."""
        name = channel.encode()
        if self._listeners.pop(name, None) is not None:
            self._change(name)

    def _change(self, name: bytes) -> None:
        self._unsent.add(name)
        self._changed.set()

    async def run(self) -> None:
        """Hear until cancelled; a lost connection is made again, with all its channels."""
        try:
            while True:
                try:
                    await self._hear()
                except (RedisError, OSError) as error:
                    _log.warning("wakeups_lost", error=repr(error))
                    await self._pubsub.aclose()
                    self._unsent = set(self._listeners)
                    await asyncio.sleep(_RETRY)
        finally:
            await self._pubsub.aclose()

    async def _hear(self) -> None:
        while not self._listeners:
            self._changed.clear()
            await self._changed.wait()
        await self._send()
        sender = asyncio.create_task(self._keep_sending())
        try:
            while not sender.done():
                message = await self._pubsub.parse_response(block=True)
                if message and message[0] == b"unsubscribe":
                    # Or redis-py keeps the channel, and subscribes to it when it connects again.
                    await self._pubsub.handle_message(message)
                else:
                    self._deliver(message)
            sender.result()
        finally:
            sender.cancel()

    def _deliver(self, message: Any) -> None:
        if message and message[0] == b"message":
            listener = self._listeners.get(message[1])
            if listener is not None:
                listener(message[2])

    async def _keep_sending(self) -> None:
        while True:
            await self._changed.wait()
            await self._send()

    async def _send(self) -> None:
        """Tell Redis of the channels that began or ended since the last time."""
        self._changed.clear()
        unsent, self._unsent = self._unsent, set()
        begun = [name for name in unsent if name in self._listeners]
        ended = [name for name in unsent if name not in self._listeners]
        if begun:
            await self._pubsub.subscribe(*begun)
        if ended:
            await self._pubsub.unsubscribe(*ended)
