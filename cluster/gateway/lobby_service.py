"""LobbyService: finding, creating and closing salons."""

from typing import Any, Final, Protocol

from cluster.codec.commands import Malformed, request_id
from cluster.codec.messages import SETTINGS, row_to_message, settings_asked
from cluster.codec.refusals import malformed, refusal_of, refusal_to_message, unknown_salon
from cluster.envelope import Accepted, Envelope
from cluster.gateway.desk import Desk
from cluster.gateway.doorman import VISITOR
from cluster.gateway.errors import Declined
from cluster.lobby import BadCursor, Filter, Page, Row
from cluster.salons.opening import Opening
from cluster.secret import Secret
from cluster.watching.admission import denied_code
from croupier.v1 import lobby_pb2, lobby_pb2_grpc, settings_pb2
from croupier.v1.refusal_pb2 import Refusal as RefusalMessage
from engine.commands import OpenSalon
from engine.game import Game
from engine.refusals import Refusal
from engine.settings import Settings, Visibility, make_settings

PAGE: Final = 50
MOST: Final = 100
_GAMES: Final = {settings_pb2.GAME_HOLDEM: Game.HOLDEM, settings_pb2.GAME_DRAW: Game.DRAW}
_TWINS: Final = {twin.name: twin.twin for twin in SETTINGS.twins}


class Rows(Protocol):
    """The lobby's rows."""

    async def find(self, salon: Any) -> Row | None:
        """The row of one salon."""

    async def page(self, asked: Filter, cursor: str = "", size: int = PAGE) -> Page:
        """The public salons that fit, page by page."""


class LobbyService(lobby_pb2_grpc.LobbyServiceServicer):
    """Salons, from outside."""

    def __init__(self, desk: Desk, lobby: Rows, opening: Opening, secret: Secret) -> None:
        self._desk = desk
        self._lobby = lobby
        self._opening = opening
        self._secret = secret

    async def CreateSalon(
        self, request: lobby_pb2.CreateSalonRequest, context: Any
    ) -> lobby_pb2.CreateSalonResponse:
        """Make a salon, and have it taken up where its table plays by itself; or find the one that this request made."""
        player = VISITOR.get().session.player
        asked = request_id(request.request_id)
        if isinstance(asked, Malformed):
            raise Declined(malformed(asked))
        settings = settings_asked_for(request.settings)
        opened = await self._opening.open(OpenSalon(player, settings), asked)
        refusal = refusal_of(opened.answer)
        if refusal is not None:
            raise Declined(refusal)
        salon, done = opened.salon, opened.answer
        assert isinstance(done, Accepted), "what is no refusal"
        look = Envelope(salon, player, "", None, wants_view=True)
        asleep = opened.asleep
        accepted = await (self._desk.told(look, asleep) if asleep else self._desk.accepted(look, context))
        # The look is of a later commit, and the salon's taking up has begun another epoch.
        accepted.epoch, accepted.seq = done.epoch, done.seq
        invited = settings.visibility is Visibility.INVITATION
        return lobby_pb2.CreateSalonResponse(
            salon_id=salon,
            invitation_code=self._secret.invitation(salon) if invited else "",
            accepted=accepted,
        )

    async def ListSalons(
        self,
        request: lobby_pb2.ListSalonsRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> lobby_pb2.ListSalonsResponse:
        """A page of the public salons."""
        size = page_size(request.page_size, PAGE)
        game = _GAMES.get(request.game)
        if request.game and game is None:
            raise Declined(
                malformed(Malformed("game", "game refused: set GAME_HOLDEM, GAME_DRAW or nothing"))
            )
        if request.min_free_seats < 0:
            text = "min_free_seats refused: it must be 0 or more"
            raise Declined(malformed(Malformed("min_free_seats", text)))
        try:
            page = await self._lobby.page(Filter(game, request.min_free_seats), request.page_token, size)
        except BadCursor as error:
            raise Declined(malformed(Malformed("page_token", str(error)))) from error
        return lobby_pb2.ListSalonsResponse(
            salons=[row_to_message(row) for row in page.rows], next_page_token=page.cursor
        )

    async def FindSalon(
        self,
        request: lobby_pb2.FindSalonRequest,
        context: Any,  # noqa: ARG002 - the rpc's form
    ) -> lobby_pb2.FindSalonResponse:
        """One salon's row."""
        salon = self._desk.salon(request.salon_id)
        if isinstance(salon, RefusalMessage):
            raise Declined(salon)
        row = await self._lobby.find(salon)
        if row is None:
            raise Declined(unknown_salon())
        ticket = self._desk.ticket(VISITOR.get().session, salon, request.invitation_code)
        refusal = denied_code(row.visibility, row.owner, ticket)
        if refusal is not None:
            raise Declined(refusal)
        return lobby_pb2.FindSalonResponse(salon=row_to_message(row))

    async def CloseSalon(
        self, request: lobby_pb2.CloseSalonRequest, context: Any
    ) -> lobby_pb2.CloseSalonResponse:
        """Let the salon end."""
        accepted = await self._desk.execute(request, VISITOR.get().session, context)
        return lobby_pb2.CloseSalonResponse(accepted=accepted)


def page_size(asked: int, usual: int) -> int:
    """The size of a page. Raises Declined for one out of range."""
    if not 0 <= asked <= MOST:
        text = f"page_size {asked} refused: it must be 1 to {MOST}, or 0 for {usual}"
        raise Declined(malformed(Malformed("page_size", text)))
    return asked or usual


def settings_asked_for(message: settings_pb2.SalonSettings) -> Settings:
    """The settings that a request names, completed. Raises Declined."""
    game = _GAMES.get(message.game)
    if game is None:
        text = "settings.game refused: set GAME_HOLDEM or GAME_DRAW"
        raise Declined(malformed(Malformed("settings.game", text)))
    try:
        given = settings_asked(message)
    except ValueError as error:
        raise Declined(malformed(Malformed("settings", str(error)))) from error
    del given["game"]
    settings = make_settings(game, given)
    if isinstance(settings, Refusal):
        refusal = refusal_to_message(settings)
        field = refusal.metadata.get("field", "")
        refusal.metadata["field"] = f"settings.{_TWINS.get(field, field)}"
        raise Declined(refusal)
    return settings
