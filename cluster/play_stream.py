"""A client's one Play stream: commands for any seats there, answers and updates of the watched salons back.

A stream that breaks is begun again: each watched salon resumes where it stopped, and commands without an
answer are sent again with the same request_id, so that each is done once. A watch that cannot be had now is
asked for again.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice
from typing import Any, Final, Self, TypeVar

from cluster.client import Client
from croupier.v1.salon_pb2 import Answer, PlayCommand, PlayRequest, PlayResponse, WatchRequest
from croupier.v1.watch_pb2 import Resume, SalonUpdate

T = TypeVar("T")

_LONGEST_ID: Final = 64
_TOGETHER: Final = 100


class PlayStream:
    """One Play stream for as long as it is needed. Use it as an async context, from one event loop."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._watches: dict[str, WatchRequest] = {}
        self._waiting: dict[str, tuple[PlayCommand, asyncio.Future[Answer]]] = {}
        self._updates: asyncio.Queue[SalonUpdate | None] = asyncio.Queue()
        self._outbox: asyncio.Queue[PlayRequest] = asyncio.Queue()
        self._failure: Exception | None = None

    async def __aenter__(self) -> Self:
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        for _, future in self._waiting.values():
            future.cancel()

    def watch(self, salon_id: str, *, invitation_code: str = "") -> None:
        """Have the salon's updates come from now on, a snapshot first; none after one whose content is `ended`."""
        self._watches[salon_id] = WatchRequest(salon_id=salon_id, invitation_code=invitation_code)
        self._outbox.put_nowait(PlayRequest(watch=[self._watches[salon_id]]))

    def unwatch(self, salon_id: str) -> None:
        """Let them come no longer."""
        self._watches.pop(salon_id, None)
        self._outbox.put_nowait(PlayRequest(unwatch=[salon_id]))

    async def send(self, command: PlayCommand) -> Answer:
        """The answer to a command, whose request_id must be set; refused or not.

        Raises:
            RefusedCall, Unreachable: the stream has ended for good.
            ValueError: no answer could be told from another: the request_id is longer than the 64 characters that
                answers have of it, or its command is waiting for an answer already.
        """
        if self._failure is not None:
            raise self._failure
        which = command.WhichOneof("command")
        assert which is not None, "an empty command"
        request_id: str = getattr(command, which).request_id
        if len(request_id) > _LONGEST_ID:
            raise ValueError(
                f"a request_id of {len(request_id)} characters: at most {_LONGEST_ID} are right, such as a UUID"
            )
        if request_id in self._waiting:
            raise ValueError(f"request_id {request_id} is waiting for its answer already: send it once")
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = (command, future)
        try:
            self._outbox.put_nowait(PlayRequest(commands=[command]))
            return await future
        finally:
            self._waiting.pop(request_id, None)

    async def update(self) -> SalonUpdate:
        """The next update of any watched salon.

        Raises:
            RefusedCall, Unreachable: the stream has ended for good.
        """
        update = await self._updates.get()
        if update is None:
            self._updates.put_nowait(None)
            assert self._failure is not None
            raise self._failure
        return update

    async def _read(self) -> None:
        try:
            async for response in self._client.stream(self._begin):
                self._take(response)
        except Exception as failure:  # noqa: BLE001 - whatever it was, nobody may wait for ever
            self._failure = failure
            self._updates.put_nowait(None)
            for _, future in self._waiting.values():
                if not future.done():
                    future.set_exception(failure)

    def _begin(self) -> Any:
        """A new stream, whose first messages say all that the last one knew and has not answered."""
        self._outbox = asyncio.Queue()
        for watches in _some_at_a_time(self._watches.values()):
            self._outbox.put_nowait(PlayRequest(watch=watches))
        for commands in _some_at_a_time(command for command, _ in self._waiting.values()):
            self._outbox.put_nowait(PlayRequest(commands=commands))
        return self._client.salon.Play(_all_of(self._outbox), metadata=self._client.metadata)

    def _take(self, response: PlayResponse) -> None:
        for answer in response.answers:
            if answer.request_id in self._waiting:
                future = self._waiting[answer.request_id][1]
                if not future.done():
                    future.set_result(answer)
        for update in response.updates:
            watch = self._watches.get(update.salon_id)
            if watch is None:
                continue
            if update.WhichOneof("content") != "ended":
                watch.resume.CopyFrom(Resume(epoch=update.epoch, after_seq=update.seq))
            elif update.ended.retry_after_ms:
                seconds = update.ended.retry_after_ms / 1000
                asyncio.get_running_loop().call_later(seconds, self._watch_again, watch)
                continue
            else:
                del self._watches[update.salon_id]
            self._updates.put_nowait(update)

    def _watch_again(self, watch: WatchRequest) -> None:
        if self._watches.get(watch.salon_id) is watch:
            self._outbox.put_nowait(PlayRequest(watch=[watch]))


def _some_at_a_time(things: Iterable[T]) -> Iterator[list[T]]:
    """As many together as fit well into one message, whose size gateways limit."""
    rest = iter(things)
    while some := list(islice(rest, _TOGETHER)):
        yield some


async def _all_of(outbox: asyncio.Queue[PlayRequest]) -> AsyncIterator[PlayRequest]:
    while True:
        yield await outbox.get()
