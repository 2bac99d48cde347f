"""Refusals as messages: the engine's, the salon's answers that are no acceptance, and the gateway's own."""

from typing import assert_never

from cluster.codec.commands import Malformed
from cluster.codec.messages import LEGAL
from cluster.envelope import Accepted as Done
from cluster.envelope import (
    Answer,
    Broken,
    Exhausted,
    Quarantined,
    Refused,
    RequestReused,
    Unavailable,
    UnknownSalon,
)
from croupier.v1 import refusal_pb2
from engine.refusals import Refusal


def refused(
    reason: refusal_pb2.Reason.ValueType, text: str, *, retry_ms: int = 0, **metadata: int | str
) -> refusal_pb2.Refusal:
    """A refusal of the gateway's own."""
    facts = {name: str(fact) for name, fact in metadata.items()}
    return refusal_pb2.Refusal(reason=reason, text=text, metadata=facts, retry_after_ms=retry_ms)


def refusal_to_message(refusal: Refusal) -> refusal_pb2.Refusal:
    """The engine's refusal."""
    return refusal_pb2.Refusal(
        reason=refusal_pb2.Reason.Value(f"REASON_{refusal.reason.name}"),
        text=refusal.text,
        metadata=dict(refusal.numbers),
        legal=None if refusal.legal is None else LEGAL.to_message(refusal.legal),
    )


def malformed(fault: Malformed) -> refusal_pb2.Refusal:
    """What cannot be read."""
    return refused(refusal_pb2.REASON_MALFORMED, fault.text, field=fault.field)


def unknown_salon() -> refusal_pb2.Refusal:
    """There is no such salon."""
    return refused(
        refusal_pb2.REASON_UNKNOWN_SALON,
        "there is no such salon: LobbyService.ListSalons lists those that are open",
    )


def refusal_of(answer: Answer) -> refusal_pb2.Refusal | None:
    """Why the salon did not do what was asked; None where it did."""
    match answer:
        case Done():
            return None
        case Refused(refusal):
            return refusal_to_message(refusal)
        case Unavailable(retry_ms, why):
            text = f"the salon cannot answer now: {why}; send the same request again"
            return refused(refusal_pb2.REASON_RECOVERING, text, retry_ms=retry_ms)
        case Exhausted(retry_ms):
            text = "the cluster has no room for another salon: try again later"
            return refused(refusal_pb2.REASON_CLUSTER_FULL, text, retry_ms=retry_ms)
        case Broken(incident):
            return fault(incident)
        case Quarantined():
            text = "the salon is taken out of play after repeated faults: an operator must look at it"
            return refused(refusal_pb2.REASON_QUARANTINED, text)
        case UnknownSalon():
            return unknown_salon()
        case RequestReused():
            return reused()
        case _:
            assert_never(answer)


def fault(incident: str) -> refusal_pb2.Refusal:
    """A bug of the server, which its log tells of under `incident`."""
    text = f"the server failed on this request; report incident {incident}"
    return refused(refusal_pb2.REASON_FAULT, text, incident=incident)


def reused() -> refusal_pb2.Refusal:
    """The request_id stands for another request."""
    return refused(
        refusal_pb2.REASON_REQUEST_ID_REUSED,
        "the request_id was used for another request: make a new UUID for each",
        field="request_id",
    )
