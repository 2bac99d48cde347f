"""The door: how a call ends that is not well, and what its end tells."""

import asyncio
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2  # type: ignore[import-untyped]  # it ships no types
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]  # it ships no types
from structlog.testing import capture_logs

from cluster.codec.commands import Malformed
from cluster.codec.metadata import OPERATOR_KEY
from cluster.codec.refusals import malformed
from cluster.gateway.door import Door
from cluster.gateway.doorman import VISITOR, Doorman
from cluster.gateway.errors import Declined
from cluster.gateway.limits import Limits, Rate
from cluster.gateway.operators import Operators
from cluster.journal.log import LogFault
from cluster.sessions import Session
from croupier.v1 import salon_pb2
from engine.units import Millis, PlayerId

TOKEN = (("authorization", "Bearer token"),)
METHOD = "/croupier.v1.SalonService/Leave"


class Book:
    async def authenticate(self, token: str) -> Session | None:
        return Session(PlayerId("ann"), "Ann", Millis(9)) if token == "token" else None


class Aborted(grpc.aio.AbortError):
    """What grpc raises when a call is aborted."""


class Context:
    """A call's context that keeps how the call ended."""

    def __init__(self, metadata: Any = TOKEN) -> None:
        self.metadata = metadata
        self.status: Any = None

    def invocation_metadata(self) -> Any:
        return self.metadata

    def peer(self) -> str:
        return "ipv4:127.0.0.1:5"

    async def abort_with_status(self, status: Any) -> None:
        self.status = status
        raise Aborted

    def details(self) -> dict[str, Any]:
        packed = dict(self.status.trailing_metadata)["grpc-status-details-bin"]
        found = {}
        for detail in Status.FromString(packed).details:
            for kind in (
                error_details_pb2.ErrorInfo,
                error_details_pb2.BadRequest,
                error_details_pb2.RetryInfo,
            ):
                if detail.Is(kind.DESCRIPTOR):
                    found[kind.DESCRIPTOR.name] = kind.FromString(detail.value)
        return found


async def handler(
    behaviour: Any,
    method: str = METHOD,
    limits: Limits | None = None,
    *,
    read: Any = None,
    operators: str = "",
) -> Any:
    """`behaviour` behind a door; its requests are read by `read`."""

    async def found(details: Any) -> Any:
        del details
        return grpc.unary_unary_rpc_method_handler(behaviour, request_deserializer=read)

    door = Door(Doorman(Book(), lambda: 0.0), limits or Limits(), Operators(operators))
    details: Any = SimpleNamespace(method=method, invocation_metadata=TOKEN)
    return await door.intercept_service(found, details)


async def ended(error: Exception) -> Context:
    """How a call ends whose handler raises `error`."""

    async def behaviour(request: Any, context: Any) -> None:
        raise error

    context = Context()
    with pytest.raises(Aborted):
        await (await handler(behaviour)).unary_unary(None, context)
    return context


async def test_a_handler_knows_who_calls() -> None:
    async def behaviour(request: Any, context: Any) -> str:
        return VISITOR.get().session.player

    assert await (await handler(behaviour)).unary_unary(None, Context()) == "ann"


async def test_an_operator_is_one_for_the_call_that_says_so() -> None:
    async def behaviour(request: Any, context: Any) -> bool:
        return VISITOR.get().operator

    guarded = await handler(behaviour, operators="secret")
    assert await guarded.unary_unary(None, Context((*TOKEN, (OPERATOR_KEY, "secret"))))
    assert not await guarded.unary_unary(None, Context())
    context = Context((*TOKEN, (OPERATOR_KEY, "guess")))
    with pytest.raises(Aborted):
        await guarded.unary_unary(None, context)
    assert context.status.code is grpc.StatusCode.PERMISSION_DENIED


async def test_nobody_comes_in_without_a_token_except_to_sign_in() -> None:
    async def behaviour(request: Any, context: Any) -> str:
        return "in"

    context = Context(())
    with pytest.raises(Aborted):
        await (await handler(behaviour)).unary_unary(None, context)
    assert context.status.code is grpc.StatusCode.UNAUTHENTICATED
    sign_in = await handler(behaviour, "/croupier.v1.SessionService/SignInGuest")
    assert await sign_in.unary_unary(None, Context(())) == "in"
    health = await handler(behaviour, "/grpc.health.v1.Health/Check")
    assert await health.unary_unary(None, Context(())) == "in"


async def test_a_refusal_becomes_a_status_with_the_field_that_is_wrong() -> None:
    context = await ended(Declined(malformed(Malformed("salon_id", "salon_id refused"))))
    assert context.status.code is grpc.StatusCode.INVALID_ARGUMENT
    details = context.details()
    assert (details["ErrorInfo"].reason, details["ErrorInfo"].domain) == ("MALFORMED", "croupier.v1")
    assert [each.field for each in details["BadRequest"].field_violations] == ["salon_id"]


async def test_bytes_that_are_no_message_are_the_callers_fault() -> None:
    async def behaviour(request: Any, context: Any) -> str:
        return "in"

    guarded = await handler(behaviour, read=salon_pb2.LeaveRequest.FromString)
    request = salon_pb2.LeaveRequest(salon_id="s1")
    assert guarded.request_deserializer(request.SerializeToString()) == request
    for raw in (b"\xff\xff\xff\x07", b"\x0a\x02\xff\xfe"):
        context = Context()
        with pytest.raises(Aborted):
            await guarded.unary_unary(guarded.request_deserializer(raw), context)
        assert context.status.code is grpc.StatusCode.INVALID_ARGUMENT
        assert context.details()["ErrorInfo"].reason == "MALFORMED"


@pytest.mark.parametrize("error", [LogFault("gone"), ConnectionError("gone")])
async def test_a_fault_may_be_tried_again(error: Exception) -> None:
    context = await ended(error)
    assert context.status.code is grpc.StatusCode.UNAVAILABLE
    assert context.details()["RetryInfo"].retry_delay.ToMilliseconds() > 0


async def test_a_bug_is_told_by_its_incident_alone() -> None:
    """Its message may name a card, a name or a token."""
    with capture_logs() as logs:
        context = await ended(KeyError("As Kd token"))
    assert context.status.code is grpc.StatusCode.INTERNAL
    incident = context.details()["ErrorInfo"].metadata["incident"]
    assert [line["incident"] for line in logs] == [incident]
    assert "As Kd" not in str(logs) + str(context.status)


async def test_what_is_cancelled_stays_cancelled() -> None:
    """Swallowing it leaks memory in grpc.aio for every call."""

    async def behaviour(request: Any, context: Any) -> None:
        raise asyncio.CancelledError

    context = Context()
    with pytest.raises(asyncio.CancelledError):
        await (await handler(behaviour)).unary_unary(None, context)
    assert context.status is None


async def test_too_many_calls_are_told_how_long_to_wait() -> None:
    async def behaviour(request: Any, context: Any) -> str:
        return "in"

    guarded = await handler(behaviour, limits=Limits(calls=Rate(0.5, 1)))
    assert await guarded.unary_unary(None, Context()) == "in"
    context = Context()
    with pytest.raises(Aborted):
        await guarded.unary_unary(None, context)
    assert context.status.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert context.details()["ErrorInfo"].reason == "TOO_FAST"
    assert context.details()["RetryInfo"].retry_delay.ToMilliseconds() > 1_000
