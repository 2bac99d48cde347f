"""The desk: from a request to the salon's answer, the same for unary calls and for Play."""

import zlib
from collections.abc import Sequence
from typing import Any, Final, Protocol

from cluster.clock import Clock
from cluster.codec.commands import Caller, Malformed, command_of, expected_hand, request_id, salon_id
from cluster.codec.messages import view_to_message
from cluster.codec.refusals import malformed, refusal_of, unknown_salon
from cluster.envelope import Accepted, Answer, Envelope, SalonId
from cluster.gateway.errors import Declined, not_yet
from cluster.salons.opening import BOT_NAMES
from cluster.secret import Secret
from cluster.sessions import Session
from cluster.watching.admission import Ticket, denied, denied_code
from cluster.watching.feed import Feed
from cluster.watching.replica import Scene
from croupier.v1 import salon_pb2, view_pb2
from croupier.v1.refusal_pb2 import Refusal
from engine.units import NOBODY, PlayerId

PATIENCE: Final = 10.0
"""Seconds that a command is tried for, where the caller has no deadline."""
_SHORTEST: Final = 0.05


class Directory(Protocol):
    """The way to every salon."""

    async def call(
        self, salon: SalonId, envelopes: Sequence[Envelope], *, patience: float = PATIENCE
    ) -> list[Answer]:
        """An answer for each envelope, all of one salon."""


class Desk:
    """Reads requests, asks salons, and answers views."""

    def __init__(self, directory: Directory, feed: Feed, secret: Secret, clock: Clock) -> None:
        self._directory = directory
        self._feed = feed
        self._secret = secret
        self._clock = clock

    # What a request says

    def salon(self, text: str) -> SalonId | Refusal:
        """The salon that a request names."""
        salon = salon_id(text)
        return malformed(salon) if isinstance(salon, Malformed) else salon

    def ticket(self, session: Session, salon: SalonId, code: str) -> Ticket:
        """What the caller shows at the salon's door."""
        return Ticket(session.player, bool(code) and self._secret.invites(salon, code))

    def envelope(self, request: Any, session: Session, *, wants_view: bool) -> Envelope | Refusal:
        """A request that changes a salon, read and ready to be sent."""
        salon = salon_id(request.salon_id)
        if isinstance(salon, Malformed):
            return malformed(salon)
        asked = request_id(request.request_id)
        if isinstance(asked, Malformed):
            return malformed(asked)
        hand = expected_hand(request)
        if isinstance(hand, Malformed):
            return malformed(hand)
        command = command_of(request, Caller(session.player, session.name, self._bot))
        if isinstance(command, Malformed):
            return malformed(command)
        return Envelope(salon, session.player, asked, command, wants_view, hand)

    async def shut_out(self, request: Any, salon: SalonId, session: Session) -> Refusal | None:
        """Why the sender may not sit down, as far as the invitation goes; None for other requests. Raises LogFault."""
        if not isinstance(request, salon_pb2.JoinRequest):
            return None
        ticket = self.ticket(session, salon, request.invitation_code)
        if ticket.invited:
            return None
        charter = await self._feed.charter(salon)
        if charter is None:
            return unknown_salon()
        return denied_code(charter.visibility, charter.owner, ticket)

    def _bot(self, salon: SalonId, request: str) -> tuple[PlayerId, str]:
        name = BOT_NAMES[zlib.crc32(request.encode()) % len(BOT_NAMES)]
        return self._secret.bot(salon, request), name

    # Asking

    async def send(
        self, salon: SalonId, envelopes: Sequence[Envelope], patience: float = PATIENCE
    ) -> list[Answer]:
        """The salon's answers."""
        return await self._directory.call(salon, envelopes, patience=patience)

    async def execute(self, request: Any, session: Session, context: Any) -> salon_pb2.Accepted:
        """Do what a unary request asks for. Raises Declined, LogFault."""
        envelope = self.envelope(request, session, wants_view=True)
        if isinstance(envelope, Refusal):
            raise Declined(envelope)
        refusal = await self.shut_out(request, envelope.salon, session)
        if refusal is not None:
            raise Declined(refusal)
        return await self.accepted(envelope, context)

    async def accepted(self, envelope: Envelope, context: Any) -> salon_pb2.Accepted:
        """The answer to an envelope, with the view of who sent it. Raises Declined, LogFault."""
        (answer,) = await self.send(envelope.salon, [envelope], patience_of(context))
        refusal = refusal_of(answer)
        if refusal is not None or not isinstance(answer, Accepted):
            raise Declined(refusal or unknown_salon())
        return await self.told(envelope, answer)

    async def told(self, envelope: Envelope, answer: Accepted) -> salon_pb2.Accepted:
        """An answer as its message, with the view of who sent the envelope. Raises LogFault."""
        return salon_pb2.Accepted(epoch=answer.epoch, seq=answer.seq, view=await self._view(envelope, answer))

    async def _view(self, envelope: Envelope, answer: Accepted) -> view_pb2.SalonView | None:
        """The view that came with the answer, else the one that the feed shows; None for who may see none."""
        if answer.view is not None and (answer.view.viewer != NOBODY or _live(answer)):
            return view_to_message(
                answer.view, envelope.salon, self._clock.now(), epoch=answer.epoch, seq=answer.seq
            )
        view = await self.view(envelope.salon, Ticket(envelope.player, invited=True))
        return None if isinstance(view, Refusal) else view

    async def view(self, salon: SalonId, ticket: Ticket) -> view_pb2.SalonView | Refusal:
        """What the viewer is shown of the salon now. Raises LogFault."""
        found = await self.scene(salon, ticket)
        if isinstance(found, Refusal):
            return found
        scene, player = found
        return view_to_message(scene.view(player), salon, self._clock.now(), epoch=scene.epoch, seq=scene.seq)

    async def scene(self, salon: SalonId, ticket: Ticket) -> tuple[Scene, PlayerId | None] | Refusal:
        """How far the viewer is shown the salon now, and as which player, None for a spectator. Raises LogFault.

        The scene is not to be changed, nor kept.
        """
        replica = await self._feed.replica(salon)
        if replica is None:
            return unknown_salon()
        refusal = denied(replica.live.table, ticket)
        if refusal is not None:
            return refusal
        scene = replica.scene(ticket.player)
        if scene is None:
            return not_yet(replica.delay)
        return scene, ticket.player if replica.seated(ticket.player) else None


def _live(answer: Accepted) -> bool:
    """Whether a spectator may be shown the view that came with an answer."""
    view = answer.view
    return view is not None and view.settings.spectators and not view.settings.spectator_delay


def patience_of(context: Any) -> float:
    """How long the caller of a unary call waits, in seconds."""
    remaining = context.time_remaining()
    return PATIENCE if remaining is None else max(_SHORTEST, min(PATIENCE, remaining - _SHORTEST))
