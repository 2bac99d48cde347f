"""HistoryService: finished hands, each projected for whoever reads it."""

from typing import Any, Final, Protocol

from cluster.codec.commands import Malformed
from cluster.codec.messages import record_to_message
from cluster.codec.refusals import malformed, refused, unknown_salon
from cluster.envelope import SalonId
from cluster.gateway.desk import Desk
from cluster.gateway.doorman import VISITOR
from cluster.gateway.errors import Declined
from cluster.gateway.lobby_service import page_size
from cluster.journal.explained import explained
from cluster.journal.hand_record import HandRecord
from cluster.watching.admission import denied
from cluster.watching.feed import Feed
from cluster.watching.replica import Replica
from croupier.v1 import history_pb2, history_pb2_grpc, refusal_pb2
from croupier.v1.refusal_pb2 import Refusal
from engine.units import NOBODY, HandNumber, PlayerId, Seat
from engine.view import sees

PAGE: Final = 20


class Records(Protocol):
    """The records of finished hands. Every method raises LogFault where the log does not answer."""

    async def hand(self, salon: SalonId, hand: HandNumber) -> HandRecord | None:
        """The record of one hand; None where it is not kept."""

    async def hands(self, salon: SalonId) -> list[HandNumber]:
        """The numbers of the hands kept, newest first."""


class HistoryService(history_pb2_grpc.HistoryServiceServicer):
    """Finished hands. Who was dealt in may read his own at once; others by the salon's rules and its delay (V2).

    An operator may read any hand at once, with the cards of a spectator and the explanations of every bot.
    """

    def __init__(self, desk: Desk, feed: Feed, records: Records) -> None:
        self._desk = desk
        self._feed = feed
        self._records = records

    async def ListHands(
        self,
        request: history_pb2.ListHandsRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> history_pb2.ListHandsResponse:
        """A page of the hands that the caller may read."""
        size = page_size(request.page_size, PAGE)
        before = _before(request.page_token)
        salon, replica = await self._found(request.salon_id)
        session = VISITOR.get().session
        refusal = denied(replica.live.table, self._desk.ticket(session, salon, request.invitation_code))
        if refusal is not None:
            raise Declined(refusal)
        seated = replica.seated(session.player)
        hands = [
            hand
            for hand in await self._records.hands(salon)
            if (not before or hand < before) and (seated or replica.finished(hand))
        ]
        records = [await self._records.hand(salon, hand) for hand in hands[:size]]
        return history_pb2.ListHandsResponse(
            hands=[
                history_pb2.HandSummary(hand=record.hand, at_ms=record.at) for record in records if record
            ],
            next_page_token=str(hands[size - 1]) if len(hands) > size else "",
        )

    async def GetHand(
        self,
        request: history_pb2.GetHandRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> history_pb2.GetHandResponse:
        """One hand, with the cards that the caller held and those that were turned up; explained, if asked for."""
        salon, replica = await self._found(request.salon_id)
        visitor = VISITOR.get()
        session = visitor.session
        record = await self._records.hand(salon, HandNumber(request.hand))
        seat = NOBODY if record is None else _seat_in(record, session.player)
        if seat == NOBODY and not visitor.operator:
            ticket = self._desk.ticket(session, salon, request.invitation_code)
            refusal = denied(replica.live.table, ticket)
            if refusal is not None:
                raise Declined(refusal)
        at_once = bool(seat) or visitor.operator or replica.seated(session.player)
        if record is None or not (at_once or replica.finished(record.hand)):
            raise Declined(_unknown_hand())
        visible = tuple(event for event in record.events if sees(event, seat))
        notes = explained(record, operator=visitor.operator) if request.explain else ()
        return history_pb2.GetHandResponse(record=record_to_message(record, visible, notes))

    async def _found(self, text: str) -> tuple[SalonId, Replica]:
        """The salon that a request names. Raises Declined, LogFault."""
        salon = self._desk.salon(text)
        if isinstance(salon, Refusal):
            raise Declined(salon)
        replica = await self._feed.replica(salon)
        if replica is None:
            raise Declined(unknown_salon())
        return salon, replica


def _before(token: str) -> int:
    if token and not (token.isascii() and token.isdecimal() and len(token) < 19):
        text = "page_token refused: send back next_page_token, or leave it out to begin anew"
        raise Declined(malformed(Malformed("page_token", text)))
    return int(token or 0)


def _seat_in(record: HandRecord, player: PlayerId) -> Seat:
    """The seat from which the player played the hand; 0 if he did not."""
    return next((each.seat for each in record.players if each.player == player), NOBODY)


def _unknown_hand() -> Refusal:
    return refused(
        refusal_pb2.REASON_UNKNOWN_HAND,
        "no such finished hand is kept: HistoryService.ListHands lists those that are",
    )
