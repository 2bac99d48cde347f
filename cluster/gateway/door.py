"""The door: every call passes it. It knows the caller, his limits, and how any call ends that is not well.

Law of this file: a handler that raises ends here. A refusal becomes the call's status, a fault or a corrupt log
UNAVAILABLE, a bug INTERNAL with an incident that the log tells of, without its message, which may name a card. What is
cancelled stays cancelled.
"""

import traceback
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc
import structlog
from google.protobuf.message import DecodeError
from redis.exceptions import RedisError

from cluster.codec.commands import Malformed
from cluster.codec.refusals import fault, malformed
from cluster.gateway.doorman import VISITOR, Doorman
from cluster.gateway.errors import Declined, recovering, status_of, too_fast
from cluster.gateway.limits import Buckets, Limits
from cluster.gateway.operators import Operators
from cluster.journal.log import LogCorrupt, LogFault
from cluster.watching.admission import unshowable
from croupier.v1.refusal_pb2 import Refusal
from engine.value import changed

_OURS: Final = "/croupier.v1."
_SIGN_IN: Final = "/croupier.v1.SessionService/SignInGuest"
_CREATE: Final = "/croupier.v1.LobbyService/CreateSalon"
UNREADABLE: Final = object()
"""Comes in the place of a request whose bytes are no message of its call; grpc itself would blame the server."""
_log = structlog.get_logger()

Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[Any]]


class Door(grpc.aio.ServerInterceptor):
    """The one interceptor of the gateway's own services."""

    def __init__(self, doorman: Doorman, limits: Limits, operators: Operators) -> None:
        self._doorman = doorman
        self._operators = operators
        self._sign_ins = Buckets(limits.sign_ins)
        self._creations = Buckets(limits.creations)
        self._calls = Buckets(limits.calls)

    async def intercept_service(self, continuation: Continuation, details: grpc.HandlerCallDetails) -> Any:
        """Put the door before a handler of ours; health and reflection have none."""
        handler = await continuation(details)
        if handler is None or not details.method.startswith(_OURS):
            return handler
        for kind in ("unary_unary", "unary_stream", "stream_stream"):
            inner = getattr(handler, kind)
            if inner is not None:
                guarded = self._guarded(inner, details.method)
                return handler._replace(
                    **{kind: guarded},
                    request_deserializer=_reader(handler.request_deserializer),
                    response_serializer=_serialized,
                )
        return handler

    def _guarded(self, inner: Callable[[Any, Any], Awaitable[Any]], method: str) -> Any:
        async def behaviour(request: Any, context: Any) -> Any:
            refusal: Refusal
            try:
                await self._enter(method, context)
                if request is UNREADABLE:
                    raise Declined(unreadable())
                return await inner(request, context)
            except Declined as declined:
                refusal = declined.refusal
            except (LogFault, RedisError, OSError) as late:
                _log.warning("call_late", method=method, fault=repr(late))
                refusal = recovering()
            except LogCorrupt as corrupt:
                _log.error("log_corrupt", method=method, why=str(corrupt))
                refusal = unshowable()
            except grpc.aio.AbortError:
                raise
            except Exception as bug:  # noqa: BLE001 - a bug ends its call, not the gateway
                refusal = incident(method, bug)
            return await context.abort_with_status(status_of(refusal))

        return behaviour

    async def _enter(self, method: str, context: Any) -> None:
        """Let the caller in. Raises Declined, RedisError."""
        if method == _SIGN_IN:
            _pay(self._sign_ins, _address(context.peer()))
            return
        metadata = context.invocation_metadata() or ()
        visitor = await self._doorman.admit(metadata)
        _pay(self._creations if method == _CREATE else self._calls, visitor.session.player)
        operator = self._operators.admit(metadata)
        VISITOR.set(changed(visitor, operator=True) if operator else visitor)


def _pay(buckets: Buckets, key: str) -> None:
    retry_ms = buckets.take(key)
    if retry_ms:
        raise Declined(too_fast(retry_ms))


def _address(peer: str) -> str:
    """The peer without its port."""
    return peer.rpartition(":")[0]


def incident(method: str, bug: Exception) -> Refusal:
    """The refusal that a bug is answered with, and the log's line that explains it."""
    number = uuid.uuid4().hex[:12]
    frames = "".join(traceback.format_tb(bug.__traceback__))
    _log.error("call_broke", method=method, incident=number, bug=type(bug).__name__, frames=frames)
    return fault(number)


def unreadable() -> Refusal:
    """The refusal of a request that is UNREADABLE."""
    return malformed(Malformed("", "the request cannot be read: its bytes are no message of this call"))


def _reader(read: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def request(raw: bytes) -> Any:
        try:
            return read(raw)
        except DecodeError:
            return UNREADABLE

    return request


def _serialized(response: Any) -> bytes:
    """A response's bytes; streams bring theirs encoded."""
    encoded: bytes = response if isinstance(response, bytes) else response.SerializeToString()
    return encoded
