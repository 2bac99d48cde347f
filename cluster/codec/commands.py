"""What clients ask, as commands: every request that a salon decides upon, read and checked for form.

Law of this file: form only. Whether a command is allowed is the engine's to say; what cannot be read never
reaches it.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from cluster.envelope import SalonId
from croupier.v1 import lobby_pb2, salon_pb2, settings_pb2
from engine.cards import Card, parse_card
from engine.commands import (
    AddBot,
    AllIn,
    BetTo,
    Call,
    Check,
    CloseSalon,
    Command,
    Draw,
    Fold,
    Join,
    Kick,
    Leave,
    RaiseTo,
    RemoveBot,
    Reveal,
    SitIn,
    SitOut,
    TopUpTo,
    TurnCommand,
)
from engine.settings import BotLevel, BotStyle
from engine.units import Chips, HandNumber, PlayerId, Seat, Turn
from engine.value import value

_SALON: Final = re.compile(r"[a-z0-9]{1,32}")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MOST_CARDS: Final = 5


@value
class Malformed:
    """A field that cannot be read: `text` says what would be right."""

    field: str
    text: str


@value
class Caller:
    """Who asks. `bot` gives the identity and the name of a bot that a request of this caller adds."""

    player: PlayerId
    name: str
    bot: Callable[[SalonId, str], tuple[PlayerId, str]]


def salon_id(text: str) -> SalonId | Malformed:
    """The salon's id, if it has the form of one."""
    if _SALON.fullmatch(text):
        return SalonId(text)
    return Malformed("salon_id", "salon_id refused: it must be 1 to 32 characters of a-z and 0-9")


def request_id(text: str) -> str | Malformed:
    """The request's id in its one spelling, if it is a UUID."""
    if _UUID.fullmatch(text):
        return text.lower()
    return Malformed(
        "request_id",
        "request_id refused: it must be a UUID, such as 0f8fad5b-d9cb-469f-a165-70867728950e",
    )


def expected_hand(request: Any) -> HandNumber | Malformed:
    """The hand after which the request comes too late; 0 where it names none, or its kind cannot."""
    hand: int = request.expected_hand if type(request) in _EXPECTING else 0
    if hand < 0:
        text = "expected_hand refused: name the hand that you last saw, or 0 for none"
        return Malformed("expected_hand", text)
    return HandNumber(hand)


def command_of(request: Any, caller: Caller) -> Command | Malformed:
    """The command that `request` (of any unary call that changes a salon) asks for on behalf of `caller`."""
    return _READERS[type(request)](request, caller)


def _act(request: salon_pb2.ActRequest, caller: Caller) -> TurnCommand | Malformed:
    action = request.WhichOneof("action")
    if action is None:
        return Malformed(
            "action", "action refused: set one of fold, check, call, bet_to, raise_to, all_in, draw"
        )
    if request.turn_id.hand < 1 or request.turn_id.turn < 1:
        return Malformed(
            "turn_id", "turn_id refused: name the turn that YourTurn gave, from hand 1 and turn 1"
        )
    turn = (caller.player, HandNumber(request.turn_id.hand), Turn(request.turn_id.turn))
    match action:
        case "fold":
            return Fold(*turn)
        case "check":
            return Check(*turn)
        case "call":
            return Call(*turn)
        case "bet_to":
            return BetTo(*turn, Chips(request.bet_to.to))
        case "raise_to":
            return RaiseTo(*turn, Chips(request.raise_to.to))
        case "all_in":
            return AllIn(*turn)
        case "draw":
            cards = _cards("draw.cards", request.draw.cards)
            return cards if isinstance(cards, Malformed) else Draw(*turn, cards)


def _cards(field: str, texts: Any) -> tuple[Card, ...] | Malformed:
    if len(texts) > _MOST_CARDS:
        return Malformed(field, f"{len(texts)} cards refused: a player holds at most {_MOST_CARDS}")
    cards = []
    for text in texts:
        try:
            cards.append(parse_card(text[:4]))
        except ValueError as error:
            return Malformed(field, str(error))
    return tuple(cards)


def _join(request: salon_pb2.JoinRequest, caller: Caller) -> Command:
    return Join(caller.player, caller.name, Seat(request.seat), Chips(request.buy_in))


def _leave(request: salon_pb2.LeaveRequest, caller: Caller) -> Command:
    del request
    return Leave(caller.player)


def _sit_out(request: salon_pb2.SitOutRequest, caller: Caller) -> Command:
    del request
    return SitOut(caller.player)


def _sit_in(request: salon_pb2.SitInRequest, caller: Caller) -> Command:
    return SitIn(caller.player, request.post)


def _top_up(request: salon_pb2.TopUpRequest, caller: Caller) -> Command:
    return TopUpTo(caller.player, Chips(request.to))


def _reveal(request: salon_pb2.RevealRequest, caller: Caller) -> Command | Malformed:
    cards = _cards("cards", request.cards)
    if isinstance(cards, Malformed):
        return cards
    if not cards:
        return Malformed("cards", "cards refused: name at least one card to show")
    return Reveal(caller.player, HandNumber(request.hand), cards)


def _add_bot(request: salon_pb2.AddBotRequest, caller: Caller) -> Command | Malformed:
    level = _LEVELS.get(request.level)
    if level is None:
        return Malformed("level", "level refused: set BOT_LEVEL_EASY, BOT_LEVEL_NORMAL or BOT_LEVEL_HARD")
    style = _STYLES.get(request.style)
    if style is None:
        return Malformed(
            "style", "style refused: set BOT_STYLE_TIGHT, BOT_STYLE_BALANCED or BOT_STYLE_LOOSE, or nothing"
        )
    bot, name = caller.bot(SalonId(request.salon_id), request.request_id.lower())
    return AddBot(caller.player, bot, name, level, style, Seat(request.seat))


def _remove_bot(request: salon_pb2.RemoveBotRequest, caller: Caller) -> Command:
    return RemoveBot(caller.player, Seat(request.seat))


def _kick(request: salon_pb2.KickRequest, caller: Caller) -> Command:
    return Kick(caller.player, Seat(request.seat))


def _close(request: lobby_pb2.CloseSalonRequest, caller: Caller) -> Command:
    del request
    return CloseSalon(caller.player)


_EXPECTING: Final = frozenset({salon_pb2.JoinRequest, salon_pb2.LeaveRequest, salon_pb2.TopUpRequest})
"""The requests that may name a hand after which they come too late."""
_LEVELS: Final[dict[int, BotLevel]] = {
    settings_pb2.BOT_LEVEL_EASY: BotLevel.EASY,
    settings_pb2.BOT_LEVEL_NORMAL: BotLevel.NORMAL,
    settings_pb2.BOT_LEVEL_HARD: BotLevel.HARD,
}
_STYLES: Final[dict[int, BotStyle]] = {
    settings_pb2.BOT_STYLE_UNSPECIFIED: BotStyle.BALANCED,
    settings_pb2.BOT_STYLE_TIGHT: BotStyle.TIGHT,
    settings_pb2.BOT_STYLE_BALANCED: BotStyle.BALANCED,
    settings_pb2.BOT_STYLE_LOOSE: BotStyle.LOOSE,
}
_READERS: Final[dict[type[Any], Callable[[Any, Caller], Command | Malformed]]] = {
    salon_pb2.ActRequest: _act,
    salon_pb2.JoinRequest: _join,
    salon_pb2.LeaveRequest: _leave,
    salon_pb2.SitOutRequest: _sit_out,
    salon_pb2.SitInRequest: _sit_in,
    salon_pb2.TopUpRequest: _top_up,
    salon_pb2.RevealRequest: _reveal,
    salon_pb2.AddBotRequest: _add_bot,
    salon_pb2.RemoveBotRequest: _remove_bot,
    salon_pb2.KickRequest: _kick,
    lobby_pb2.CloseSalonRequest: _close,
}
COMMAND_REQUESTS: Final = frozenset(_READERS)
"""The requests that a salon decides upon."""
