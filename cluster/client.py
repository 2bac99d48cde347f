"""A client of the gateway: calls that are sent again with the same request_id, and streams that resume.

Used by the command line and by tests; it knows the protocol alone. What the server refuses is a `RefusedCall`
with the server's own sentence; a server that cannot be reached for `patience` seconds is an `Unreachable`.
"""

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, Self, TypeVar

import grpc
from google.protobuf.message import Message
from grpc_status import rpc_status

from cluster.codec.metadata import OPERATOR_KEY
from cluster.settings import is_loopback, split_address
from croupier.v1 import (
    admin_pb2_grpc,
    equity_pb2_grpc,
    history_pb2_grpc,
    lobby_pb2_grpc,
    salon_pb2_grpc,
    session_pb2_grpc,
)
from croupier.v1.equity_pb2 import EquityEstimate, EquityQuestion, StreamEstimateRequest
from croupier.v1.refusal_pb2 import Reason, Refusal
from croupier.v1.salon_pb2 import (
    GetCommandStatusRequest,
    GetCommandStatusResponse,
    WatchRequest,
    WatchResponse,
)
from croupier.v1.session_pb2 import SignInGuestRequest, SignInGuestResponse
from croupier.v1.watch_pb2 import Resume, SalonUpdate

R = TypeVar("R", bound=Message)

CALL_DEADLINE: Final = 5.0
SILENCE: Final = 40.0
"""Seconds without a word, a heartbeat included, after which a stream counts as dead."""
_REFUSED: Final = "Connection refused"
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_AGAIN: Final = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED}
)


class Unreachable(Exception):
    """No answer from the gateway; what was asked may have happened or not."""


class RefusedCall(Exception):
    """The server said no: nothing changed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.text)
        self.refusal = refusal

    @property
    def reason(self) -> str:
        """Such as NOT_YOUR_TURN."""
        return reason_name(self.refusal)


def reason_name(refusal: Refusal) -> str:
    """The refusal's reason without its prefix, such as NOT_YOUR_TURN."""
    known = refusal.reason in Reason.values()
    return Reason.Name(refusal.reason).removeprefix("REASON_") if known else "UNSPECIFIED"


def new_request_id() -> str:
    """A name for one request, told to nobody."""
    return str(uuid.uuid4())


def refusal_of(error: grpc.aio.AioRpcError) -> Refusal:
    """The refusal that an error carries, or one made of its status if it carries none."""
    with contextlib.suppress(ValueError):
        status = rpc_status.from_call(error)  # type: ignore[arg-type]  # its stubs know the synchronous kind only
        for detail in status.details if status is not None else ():
            refusal = Refusal()
            if detail.Unpack(refusal):
                return refusal
    return Refusal(text=error.details() or error.code().name)


def _is_final(error: grpc.aio.AioRpcError, refusal: Refusal) -> bool:
    """Whether another try would end in the same way."""
    if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return not refusal.retry_after_ms
    return error.code() not in _AGAIN


class Pauses:
    """The waits between attempts: longer each time, until something answered."""

    def __init__(self) -> None:
        self._next = _FIRST_PAUSE

    def reset(self) -> None:
        """Something answered."""
        self._next = _FIRST_PAUSE

    async def wait(self, asked_ms: int = 0) -> None:
        """Wait, as long as the server asked for if that is more."""
        await asyncio.sleep(max(self._next, asked_ms / 1000))
        self._next = min(self._next * 2, _LONGEST_PAUSE)


class Client:
    """A connection to one gateway as one player. Use it as an async context."""

    def __init__(
        self, address: str, *, patience: float = 30.0, plaintext: bool | None = None, ca: bytes | None = None
    ) -> None:
        """Talk to `address` (host:port); encrypted unless that is this machine or `plaintext` says so.

        `ca`: the PEM certificates to trust, where those of the system are not the ones.
        """
        self.address = address
        self.token = ""
        self.operator_token = ""
        self.patience = patience
        bare = is_loopback(split_address(address)[0]) if plaintext is None else plaintext
        options = [("grpc.keepalive_time_ms", 30_000), ("grpc.max_receive_message_length", 16 * 1024 * 1024)]
        self._channel = (
            grpc.aio.insecure_channel(address, options=options)
            if bare
            else grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(ca), options=options)
        )
        self.session = session_pb2_grpc.SessionServiceStub(self._channel)
        self.lobby = lobby_pb2_grpc.LobbyServiceStub(self._channel)
        self.salon = salon_pb2_grpc.SalonServiceStub(self._channel)
        self.history = history_pb2_grpc.HistoryServiceStub(self._channel)
        self.admin = admin_pb2_grpc.AdminServiceStub(self._channel)
        self.equity = equity_pb2_grpc.EquityServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._channel.close()

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What names the player in every call, and makes an operator of him."""
        named = (("authorization", f"Bearer {self.token}"),) if self.token else ()
        return (*named, (OPERATOR_KEY, self.operator_token)) if self.operator_token else named

    async def sign_in(self, name: str, request_id: str) -> SignInGuestResponse:
        """Begin a guest's session, or find the one that the same request began, and use it from now on."""
        answer = await self.call(
            self.session.SignInGuest, SignInGuestRequest(request_id=request_id, name=name)
        )
        self.token = answer.token
        return answer

    async def call(self, method: Callable[..., Awaitable[R]], request: Message) -> R:
        """The answer to `request`, which is sent again as it is until there is one.

        Raises:
            RefusedCall: the server said no.
            Unreachable: there was no answer for `patience` seconds.
        """
        deadline = time.monotonic() + self.patience
        pauses = Pauses()
        while True:
            try:
                return await method(request, timeout=CALL_DEADLINE, metadata=self.metadata)
            except grpc.aio.AioRpcError as error:
                refusal = refusal_of(error)
                if _is_final(error, refusal):
                    raise RefusedCall(refusal) from None
                if time.monotonic() + refusal.retry_after_ms / 1000 > deadline:
                    raise Unreachable(self._unreachable(error, refusal)) from None
                await pauses.wait(refusal.retry_after_ms)

    async def command_status(self, salon_id: str, request_id: str) -> GetCommandStatusResponse:
        """Whether the command that was sent to the salon with this request_id was done, as its log says now.

        For who got no answer and does not want to send it again. Raises: as `call`.
        """
        request = GetCommandStatusRequest(salon_id=salon_id, request_id=request_id)
        return await self.call(self.salon.GetCommandStatus, request)

    async def watch(self, salon_id: str, *, invitation_code: str = "") -> AsyncIterator[SalonUpdate]:
        """What happens in a salon from now on, a snapshot first; broken streams are resumed where they broke.

        Ends after an update whose content is `ended`, unless that says after how long to come back.

        Raises:
            RefusedCall: the salon may not be watched.
            Unreachable: there was no stream for `patience` seconds.
        """
        request = WatchRequest(salon_id=salon_id, invitation_code=invitation_code)
        async for response in self.stream(lambda: self.salon.Watch(request, metadata=self.metadata)):
            message: WatchResponse = response
            if message.WhichOneof("message") != "update":
                continue
            update = message.update
            ended = update.WhichOneof("content") == "ended"
            if ended and update.ended.retry_after_ms:
                continue  # so does the stream, and is begun again where it was
            request.resume.CopyFrom(Resume(epoch=update.epoch, after_seq=update.seq))
            yield update
            if ended:
                return

    async def estimates(self, question: EquityQuestion) -> AsyncIterator[EquityEstimate]:
        """Partial results, and the final one last. A broken stream is begun anew, and so is the work.

        Raises: as `watch`.
        """
        request = StreamEstimateRequest(question=question)
        async for response in self.stream(
            lambda: self.equity.StreamEstimate(request, metadata=self.metadata)
        ):
            estimate: EquityEstimate = response.estimate
            yield estimate
            if estimate.stop:
                return

    async def stream(self, begin: Callable[[], Any]) -> AsyncIterator[Any]:
        """The messages of one stream after the other, each begun by `begin`, which says where to resume.

        Raises: as `watch`.
        """
        deadline = time.monotonic() + self.patience
        pauses = Pauses()
        while True:
            call = begin()
            failure, refusal, heard = None, Refusal(), False
            try:
                while True:
                    # Not wait_for: in Python 3.11 it loses a cancellation that comes together with a message.
                    async with asyncio.timeout(SILENCE):
                        message = await call.read()
                    if message is grpc.aio.EOF:
                        break
                    heard = True
                    pauses.reset()
                    yield message
            except TimeoutError:
                pass
            except grpc.aio.AioRpcError as error:
                failure, refusal = error, refusal_of(error)
                if _is_final(error, refusal):
                    raise RefusedCall(refusal) from None
            finally:
                call.cancel()  # an abandoned stream is never collected (grpc issue 43462)
            if heard:
                deadline = time.monotonic() + self.patience
            elif time.monotonic() > deadline:
                raise Unreachable(self._unreachable(failure, refusal))
            await pauses.wait(refusal.retry_after_ms)

    def _unreachable(self, error: grpc.aio.AioRpcError | None, refusal: Refusal) -> str:
        """Why there is no answer: by an error, and a refusal if that carries one, or without either by silence."""
        if refusal.reason:
            return f"the gateway at {self.address} cannot do it now: {refusal.text}"
        if error is None or error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return (
                f"the gateway at {self.address} has not answered in {self.patience:.0f} s: try again later, "
                "or see with `croupier doctor` what is wrong"
            )
        details = error.details() or error.code().name
        if details.endswith(_REFUSED):  # which gRPC tells in three lines
            details = _REFUSED
        return (
            f"no gateway at {self.address} ({details}): start one with `croupier up`, "
            "or name another with --address HOST:PORT or CROUPIER_ADDRESS"
        )
