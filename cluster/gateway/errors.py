"""Refusals on the wire: the one place that says which status a reason has and what its details are.

Law of this file: no name, id, token or card stands in a status; what the engine puts into a refusal's text is
about the caller's own request.
"""

from typing import Any, Final

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2  # type: ignore[import-untyped]  # it ships no types
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]  # it ships no types
from grpc_status import rpc_status

from cluster.codec.refusals import refused
from croupier.v1 import refusal_pb2
from croupier.v1.refusal_pb2 import Reason, Refusal

DOMAIN: Final = "croupier.v1"
RETRY_MS: Final = 500
_CODES: Final[dict[int, grpc.StatusCode]] = {
    refusal_pb2.REASON_SALON_FULL: grpc.StatusCode.RESOURCE_EXHAUSTED,
    refusal_pb2.REASON_NOT_THE_OWNER: grpc.StatusCode.PERMISSION_DENIED,
    refusal_pb2.REASON_SETTING_OUT_OF_RANGE: grpc.StatusCode.INVALID_ARGUMENT,
    refusal_pb2.REASON_SETTINGS_CONFLICT: grpc.StatusCode.INVALID_ARGUMENT,
    refusal_pb2.REASON_NAME_REFUSED: grpc.StatusCode.INVALID_ARGUMENT,
    refusal_pb2.REASON_MALFORMED: grpc.StatusCode.INVALID_ARGUMENT,
    refusal_pb2.REASON_REQUEST_ID_REUSED: grpc.StatusCode.INVALID_ARGUMENT,
    refusal_pb2.REASON_SIGN_IN_REQUIRED: grpc.StatusCode.UNAUTHENTICATED,
    refusal_pb2.REASON_CODE_REQUIRED: grpc.StatusCode.PERMISSION_DENIED,
    refusal_pb2.REASON_NO_SPECTATORS: grpc.StatusCode.PERMISSION_DENIED,
    refusal_pb2.REASON_UNKNOWN_SALON: grpc.StatusCode.NOT_FOUND,
    refusal_pb2.REASON_UNKNOWN_HAND: grpc.StatusCode.NOT_FOUND,
    refusal_pb2.REASON_UNKNOWN_NODE: grpc.StatusCode.NOT_FOUND,
    refusal_pb2.REASON_TOO_FAST: grpc.StatusCode.RESOURCE_EXHAUSTED,
    refusal_pb2.REASON_CLUSTER_FULL: grpc.StatusCode.RESOURCE_EXHAUSTED,
    refusal_pb2.REASON_RESYNC: grpc.StatusCode.RESOURCE_EXHAUSTED,
    refusal_pb2.REASON_OUT_OF_TIME: grpc.StatusCode.RESOURCE_EXHAUSTED,
    refusal_pb2.REASON_RECOVERING: grpc.StatusCode.UNAVAILABLE,
    refusal_pb2.REASON_DRAINING: grpc.StatusCode.UNAVAILABLE,
    refusal_pb2.REASON_FAULT: grpc.StatusCode.INTERNAL,
    refusal_pb2.REASON_QUARANTINED: grpc.StatusCode.UNAVAILABLE,
}
"""The status of each reason; FAILED_PRECONDITION of those that are not here: the table's state forbids it."""
_RETRIED: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)


class Declined(Exception):
    """A call that ends with a refusal; the door turns it into the call's status."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(Reason.Name(refusal.reason))
        self.refusal = refusal


def code_of(refusal: Refusal) -> grpc.StatusCode:
    """The gRPC status of a refusal."""
    return _CODES.get(refusal.reason, grpc.StatusCode.FAILED_PRECONDITION)


def status_of(refusal: Refusal) -> Any:
    """The status of a call that is refused, with its details, for `abort_with_status`."""
    code = code_of(refusal)
    details: list[Message] = [
        error_details_pb2.ErrorInfo(
            reason=Reason.Name(refusal.reason).removeprefix("REASON_"),
            domain=DOMAIN,
            metadata=refusal.metadata,
        ),
        error_details_pb2.LocalizedMessage(locale="en", message=refusal.text),
        refusal,
    ]
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        details.append(_bad_request(refusal))
    if code in _RETRIED and refusal.retry_after_ms:
        wait = Duration()
        wait.FromMilliseconds(refusal.retry_after_ms)
        details.append(error_details_pb2.RetryInfo(retry_delay=wait))
    number: int = code.value[0]
    return rpc_status.to_status(
        Status(code=number, message=refusal.text, details=[_packed(detail) for detail in details])
    )


def _bad_request(refusal: Refusal) -> error_details_pb2.BadRequest:
    violation = error_details_pb2.BadRequest.FieldViolation(
        field=refusal.metadata.get("field", ""), description=refusal.text
    )
    return error_details_pb2.BadRequest(field_violations=[violation])


def _packed(detail: Message) -> Packed:
    packed = Packed()
    packed.Pack(detail)
    return packed


def sign_in_required() -> Refusal:
    """There is no token, or it counts no longer."""
    return refused(
        refusal_pb2.REASON_SIGN_IN_REQUIRED,
        "sign in first: SessionService.SignInGuest gives a token, to be sent as `authorization: Bearer <token>`",
    )


def too_fast(retry_ms: int) -> Refusal:
    """A bucket is empty."""
    return refused(
        refusal_pb2.REASON_TOO_FAST, f"too many requests: wait {retry_ms} ms", retry_ms=max(1, retry_ms)
    )


def recovering() -> Refusal:
    """Redis does not answer."""
    return refused(
        refusal_pb2.REASON_RECOVERING,
        "the cluster's log does not answer: send the same request again",
        retry_ms=RETRY_MS,
    )


def not_yet(delay: int) -> Refusal:
    """Spectators are behind, and there is nothing yet that they may be shown."""
    return refused(
        refusal_pb2.REASON_NOT_READY,
        f"spectators are {delay} hands behind here, and nothing is old enough yet: Watch waits for it",
        spectator_delay=delay,
    )


def resync() -> Refusal:
    """A stream was read too slowly."""
    return refused(
        refusal_pb2.REASON_RESYNC,
        "the stream was read too slowly: open it again and resume from the last update",
        retry_ms=RETRY_MS,
    )
