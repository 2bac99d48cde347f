"""SalonService: sitting, playing and watching in a salon."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from cluster.codec.commands import Malformed, request_id
from cluster.codec.messages import status_to_message
from cluster.codec.refusals import malformed, unknown_salon
from cluster.envelope import Epoch, SalonId, Seq
from cluster.gateway.desk import Desk
from cluster.gateway.doorman import VISITOR, Doorman, Visitor
from cluster.gateway.errors import Declined, resync, sign_in_required
from cluster.gateway.limits import Buckets, Limits
from cluster.gateway.outbox import Outbox, Streams
from cluster.gateway.play import SessionStream, resume_of
from cluster.journal.log import CommandStatus
from cluster.watching.admission import Ticket
from cluster.watching.feed import Feed
from croupier.v1 import salon_pb2, salon_pb2_grpc
from croupier.v1.refusal_pb2 import Refusal
from engine.units import PlayerId
from engine.value import changed

UNREAD: Final = 5.0
"""Seconds for a client to read the rest of a stream that has ended."""


class StatusLog(Protocol):
    """Whoever knows what became of commands."""

    async def status(self, salon: SalonId, player: PlayerId, request_id: str) -> CommandStatus | None:
        """What the log knows of a player's request; None where there is no such salon. Raises LogFault."""


class SalonService(salon_pb2_grpc.SalonServiceServicer):
    """Salons, from inside."""

    def __init__(
        self,
        desk: Desk,
        feed: Feed,
        streams: Streams,
        *,
        log: StatusLog,
        doorman: Doorman,
        limits: Limits,
    ) -> None:
        self._log = log
        self._desk = desk
        self._feed = feed
        self._streams = streams
        self._doorman = doorman
        self._commands = Buckets(limits.commands)

    async def _execute(self, request: Any, context: Any) -> salon_pb2.Accepted:
        return await self._desk.execute(request, VISITOR.get().session, context)

    async def Act(self, request: salon_pb2.ActRequest, context: Any) -> salon_pb2.ActResponse:
        """Act in the caller's turn."""
        return salon_pb2.ActResponse(accepted=await self._execute(request, context))

    async def Join(self, request: salon_pb2.JoinRequest, context: Any) -> salon_pb2.JoinResponse:
        """Take a seat."""
        return salon_pb2.JoinResponse(accepted=await self._execute(request, context))

    async def Leave(self, request: salon_pb2.LeaveRequest, context: Any) -> salon_pb2.LeaveResponse:
        """Leave."""
        return salon_pb2.LeaveResponse(accepted=await self._execute(request, context))

    async def SitOut(self, request: salon_pb2.SitOutRequest, context: Any) -> salon_pb2.SitOutResponse:
        """Sit out."""
        return salon_pb2.SitOutResponse(accepted=await self._execute(request, context))

    async def SitIn(self, request: salon_pb2.SitInRequest, context: Any) -> salon_pb2.SitInResponse:
        """Come back."""
        return salon_pb2.SitInResponse(accepted=await self._execute(request, context))

    async def TopUp(self, request: salon_pb2.TopUpRequest, context: Any) -> salon_pb2.TopUpResponse:
        """Buy chips."""
        return salon_pb2.TopUpResponse(accepted=await self._execute(request, context))

    async def Reveal(self, request: salon_pb2.RevealRequest, context: Any) -> salon_pb2.RevealResponse:
        """Show cards of the hand just over."""
        return salon_pb2.RevealResponse(accepted=await self._execute(request, context))

    async def AddBot(self, request: salon_pb2.AddBotRequest, context: Any) -> salon_pb2.AddBotResponse:
        """Seat a bot."""
        return salon_pb2.AddBotResponse(accepted=await self._execute(request, context))

    async def RemoveBot(
        self, request: salon_pb2.RemoveBotRequest, context: Any
    ) -> salon_pb2.RemoveBotResponse:
        """Take a bot away."""
        return salon_pb2.RemoveBotResponse(accepted=await self._execute(request, context))

    async def Kick(self, request: salon_pb2.KickRequest, context: Any) -> salon_pb2.KickResponse:
        """Make a player leave."""
        return salon_pb2.KickResponse(accepted=await self._execute(request, context))

    async def GetView(
        self,
        request: salon_pb2.GetViewRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> salon_pb2.GetViewResponse:
        """All that the caller may know of the salon."""
        salon = self._desk.salon(request.salon_id)
        if isinstance(salon, Refusal):
            raise Declined(salon)
        ticket = self._desk.ticket(VISITOR.get().session, salon, request.invitation_code)
        view = await self._desk.view(salon, ticket)
        if isinstance(view, Refusal):
            raise Declined(view)
        return salon_pb2.GetViewResponse(view=view)

    async def GetCommandStatus(
        self,
        request: salon_pb2.GetCommandStatusRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> salon_pb2.GetCommandStatusResponse:
        """Whether a command of the caller's was done; of the rest of the log no more than he is shown of it (V2)."""
        salon = self._desk.salon(request.salon_id)
        if isinstance(salon, Refusal):
            raise Declined(salon)
        asked = request_id(request.request_id)
        if isinstance(asked, Malformed):
            raise Declined(malformed(asked))
        session = VISITOR.get().session
        status = await self._log.status(salon, session.player, asked)
        if status is None:
            raise Declined(unknown_salon())
        if status.done is not None:
            return status_to_message(_as_of(status, status.done.epoch, status.done.seq))
        found = await self._desk.scene(salon, Ticket(session.player))
        if isinstance(found, Refusal):
            raise Declined(found)
        scene, _ = found
        return status_to_message(_as_of(status, scene.epoch, scene.seq))

    async def Watch(  # type: ignore[override]  # it writes to the context, and its messages are encoded already
        self, request: salon_pb2.WatchRequest, context: Any
    ) -> None:
        """Stream what the caller may know of the salon."""
        visitor = VISITOR.get()
        salon = self._desk.salon(request.salon_id)
        if isinstance(salon, Refusal):
            raise Declined(salon)
        outbox = Outbox(together=False)
        ticket = self._desk.ticket(visitor.session, salon, request.invitation_code)
        with self._open(outbox, visitor):
            watcher = await self._feed.watch(salon, ticket, _WatchSink(outbox), resume=resume_of(request))
            if isinstance(watcher, Refusal):
                raise Declined(watcher)
            try:
                await _send(outbox, context)
            finally:
                self._feed.unwatch(watcher)

    async def Play(  # type: ignore[override]  # it writes to the context, and its messages are encoded already
        self, request_iterator: Any, context: Any
    ) -> None:
        """Carry commands in, answers and updates out."""
        visitor = VISITOR.get()
        stream = SessionStream(self._desk, self._feed, visitor, self._commands)
        with self._open(stream.outbox, visitor):
            try:
                stream.begin(request_iterator)
                await _send(stream.outbox, context)
            finally:
                await stream.close()

    @contextmanager
    def _open(self, outbox: Outbox, visitor: Visitor) -> Iterator[None]:
        """While the context is open, end the outbox with the visitor's session and with the gateway."""
        self._streams.add(outbox, visitor)
        forget = self._doorman.when_revoked(visitor, lambda: outbox.close(sign_in_required()))
        try:
            yield
        finally:
            forget()
            self._streams.discard(outbox)


async def _send(outbox: Outbox, context: Any) -> None:
    """Send what is in the outbox until it ends. Raises Declined.

    A client that does not read how its stream ends is waited for no longer than UNREAD seconds.
    """
    pump = asyncio.create_task(_pump(outbox, context))
    loop = asyncio.get_running_loop()
    outbox.when_closed(lambda: loop.call_later(UNREAD, pump.cancel))
    try:
        await asyncio.wait([pump])
        if pump.cancelled():
            raise Declined(outbox.end or resync())
        pump.result()
    finally:
        pump.cancel()


async def _pump(outbox: Outbox, context: Any) -> None:
    while (message := await outbox.take()) is not None:
        await context.write(message)


def _as_of(status: CommandStatus, epoch: Epoch, seq: Seq) -> CommandStatus:
    """The status as it was at this commit, or at its own if that is the earlier one."""
    epoch, seq = min((status.epoch, status.seq), (epoch, seq))
    return changed(status, epoch=epoch, seq=seq, complete_after=min(status.complete_after, seq))


class _WatchSink:
    """Puts a salon's updates into the outbox of a watch."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def update(self, update: bytes) -> None:
        self._outbox.put(update)

    def ended(self, salon: SalonId, refusal: Refusal) -> None:  # noqa: ARG002 - the sink's form
        self._outbox.close(refusal)
