"""SessionService: who the caller is."""

from typing import Any

from cluster.codec.commands import Malformed, request_id
from cluster.codec.refusals import malformed, refusal_to_message, reused
from cluster.gateway.doorman import VISITOR, Doorman
from cluster.gateway.errors import Declined
from cluster.sessions import Session, Sessions, SignInReused
from croupier.v1 import session_pb2, session_pb2_grpc
from engine.refusals import Refusal


class SessionService(session_pb2_grpc.SessionServiceServicer):
    """Signs guests in and out."""

    def __init__(self, sessions: Sessions, doorman: Doorman) -> None:
        self._sessions = sessions
        self._doorman = doorman

    async def SignInGuest(
        self,
        request: session_pb2.SignInGuestRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> session_pb2.SignInGuestResponse:
        """Begin a guest's session, or find the one that this request began."""
        asked = request_id(request.request_id)
        if isinstance(asked, Malformed):
            raise Declined(malformed(asked))
        session = await self._sessions.sign_in_guest(request.name, asked)
        if isinstance(session, Refusal):
            raise Declined(refusal_to_message(session))
        if isinstance(session, SignInReused):
            raise Declined(reused())
        return session_pb2.SignInGuestResponse(
            token=session.token,
            player_id=session.player,
            name=session.name,
            expires_at_ms=session.expires,
        )

    async def SignOut(
        self,
        request: session_pb2.SignOutRequest,  # noqa: ARG002 - the rpc's form
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> session_pb2.SignOutResponse:
        """End the caller's session and its streams, here at once and elsewhere as fast as Redis tells."""
        visitor = VISITOR.get()
        await self._sessions.revoke(visitor.token)
        self._doorman.revoked(visitor.mark.encode())
        return session_pb2.SignOutResponse()

    async def WhoAmI(
        self,
        request: session_pb2.WhoAmIRequest,  # noqa: ARG002 - the rpc's form
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> session_pb2.WhoAmIResponse:
        """Say who the caller is."""
        session: Session = VISITOR.get().session
        return session_pb2.WhoAmIResponse(
            player_id=session.player, name=session.name, expires_at_ms=session.expires
        )
