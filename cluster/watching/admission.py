"""Admission: who may watch a salon. Who holds a seat always may; everybody else by the salon's settings (V2)."""

from typing import Final

from cluster.codec.refusals import refused
from croupier.v1 import refusal_pb2
from engine.settings import Visibility
from engine.table import Table
from engine.units import PlayerId
from engine.value import value

_NEWER_RETRY_MS: Final = 5_000


@value
class Ticket:
    """What a viewer shows at the door: who he is, and whether he has the invitation's code."""

    player: PlayerId
    invited: bool = False


def denied(table: Table, ticket: Ticket) -> refusal_pb2.Refusal | None:
    """Why the viewer may not watch; None if he may."""
    settings = table.settings
    if ticket.player in table.seat_of:
        return None
    if not settings.spectators:
        return refused(
            refusal_pb2.REASON_NO_SPECTATORS, "this salon allows no spectators: join it to see the table"
        )
    return denied_code(settings.visibility, table.owner, ticket)


def denied_code(visibility: Visibility, owner: PlayerId, ticket: Ticket) -> refusal_pb2.Refusal | None:
    """Why the viewer may not know of the salon; None if he may."""
    if visibility is Visibility.PUBLIC or ticket.invited or ticket.player == owner:
        return None
    return refused(
        refusal_pb2.REASON_CODE_REQUIRED,
        "this salon is by invitation: send the invitation_code that its creator was given",
        field="invitation_code",
    )


def unshowable() -> refusal_pb2.Refusal:
    """Nobody may watch the salon: its log is corrupt."""
    return refused(
        refusal_pb2.REASON_QUARANTINED, "the salon's log cannot be shown: an operator must look at it"
    )


def written_later() -> refusal_pb2.Refusal:
    """Nobody may watch the salon here: a later version wrote what this one cannot read."""
    return refused(
        refusal_pb2.REASON_RECOVERING,
        "a later version of the product runs this salon, and this gateway is not upgraded yet: watch again",
        retry_ms=_NEWER_RETRY_MS,
    )
