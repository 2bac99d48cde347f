"""What a salon says, as messages: settings, events, views, legal actions, finished hands."""

from collections.abc import Iterable
from typing import Any, Final

from bots.explanation import Explanation, Mix
from cluster.codec.mirror import Mirror, Pair
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.hand_record import HandPlayer, HandRecord, Note
from cluster.journal.log import CommandStatus
from cluster.lobby import Row
from croupier.v1 import event_pb2, history_pb2, lobby_pb2, salon_pb2, settings_pb2, turn_pb2, view_pb2
from engine import events
from engine.events import Event
from engine.game import Game
from engine.legal import LegalActions
from engine.settings import Settings
from engine.units import HandNumber, Millis, Turn
from engine.value import changed
from engine.view import TableView


def _mix_to_messages(mix: Mix) -> list[history_pb2.MixedAction]:
    return [history_pb2.MixedAction(action=action, share=share) for action, share in mix]


def _mix_from_messages(messages: Iterable[history_pb2.MixedAction]) -> Mix:
    return tuple((message.action, message.share) for message in messages)


SETTINGS: Final = Mirror(
    Settings,
    settings_pb2.SalonSettings,
    renamed={"time_limit": "time_limit_seconds", "sit_out_evicts": "sit_out_evicts_seconds"},
)
LEGAL: Final = Mirror(LegalActions, turn_pb2.LegalActions)
_EXPLANATION: Final = Mirror(
    Explanation, history_pb2.Explanation, pairs={Mix: (_mix_to_messages, _mix_from_messages)}
)
_FIGURES: Final = tuple(
    field.name for field in history_pb2.Explanation.DESCRIPTOR.fields if field.has_presence
)
_ROW: Final = Mirror(Row, lobby_pb2.SalonRow, renamed={"epoch": "", "seq": ""})
_NOT_OF: Final = {
    Game.HOLDEM: ("small_bet", "big_bet", "raise_cap"),
    Game.DRAW: ("small_blind", "big_blind"),
}
"""Settings that a game does not have: they are left out, so that an answered setting can be asked for again."""


def settings_to_message(settings: Settings) -> settings_pb2.SalonSettings:
    """The settings with every field set that the game has."""
    message = SETTINGS.to_message(settings)
    for name in _NOT_OF[settings.game]:
        message.ClearField(name)  # type: ignore[arg-type]  # the stub wants literals
    return message


def settings_from_message(message: settings_pb2.SalonSettings) -> Settings:
    """The settings that a server has answered. Raises ValueError for an unknown enum."""
    return SETTINGS.from_message(message)


def settings_asked(message: settings_pb2.SalonSettings) -> dict[str, Any]:
    """The settings that a request names, as keywords; the rest has defaults. Raises ValueError."""
    return SETTINGS.given(message)


_PAIRS: Final[dict[type, Pair]] = {Settings: (settings_to_message, settings_from_message)}
_VIEW: Final = Mirror(TableView, view_pb2.SalonView, renamed={"legal": ""}, pairs=_PAIRS)
_EVENT_NAMES: Final[dict[type[Any], str]] = {
    getattr(events, name.title().replace("_", "")): name for name in event_pb2.Event.DESCRIPTOR.fields_by_name
}
_EVENTS: Final[dict[type[Any], Mirror[Any, Any]]] = {
    kind: Mirror(kind, getattr(event_pb2, kind.__name__), pairs=_PAIRS) for kind in _EVENT_NAMES
}
_EVENT_KINDS: Final = {name: kind for kind, name in _EVENT_NAMES.items()}


def event_to_message(event: Event) -> event_pb2.Event:
    """The event; its viewer must be allowed to see it.

    Raises:
        KeyError: it is the deck, which has no message.
    """
    kind = type(event)
    return event_pb2.Event(**{_EVENT_NAMES[kind]: _EVENTS[kind].to_message(event)})


def event_from_message(message: event_pb2.Event) -> Event | None:
    """The event that a server has sent; None for one that this version does not know."""
    name = message.WhichOneof("event")
    if name is None:
        return None
    event: Event = _EVENTS[_EVENT_KINDS[name]].from_message(getattr(message, name))
    return event


def your_turn(
    legal: LegalActions, hand: HandNumber, turn: Turn, *, deadline: Millis, bank: Millis
) -> turn_pb2.YourTurn:
    """What the player to act is told."""
    return turn_pb2.YourTurn(
        turn_id=turn_pb2.TurnId(hand=hand, turn=turn),
        legal=LEGAL.to_message(legal),
        deadline_ms=deadline,
        bank_ms=bank,
    )


def view_to_message(
    view: TableView, salon: SalonId, at: Millis, *, epoch: Epoch, seq: Seq
) -> view_pb2.SalonView:
    """The view as it is after commit (epoch, seq), made `at`."""
    message = _VIEW.to_message(view)
    message.salon_id = salon
    message.epoch = epoch
    message.seq = seq
    message.at_ms = at
    if view.legal is not None:
        turn = your_turn(view.legal, view.hand, view.turn, deadline=view.deadline, bank=view.bank)
        message.your_turn.CopyFrom(turn)
    return message


def view_from_message(message: view_pb2.SalonView) -> TableView:
    """The view that a server has sent. Raises ValueError for an unknown card or enum."""
    legal = LEGAL.from_message(message.your_turn.legal) if message.HasField("your_turn") else None
    return _VIEW.from_message(message, legal=legal)


def status_to_message(status: CommandStatus) -> salon_pb2.GetCommandStatusResponse:
    """What became of a command."""
    message = salon_pb2.GetCommandStatusResponse(
        epoch=status.epoch, seq=status.seq, certain_until_ms=status.certain_until
    )
    if status.done is not None:
        message.done.epoch, message.done.seq = status.done.epoch, status.done.seq
    else:
        message.not_known.complete_after_seq = status.complete_after
        message.not_known.SetInParent()
    return message


def row_to_message(row: Row) -> lobby_pb2.SalonRow:
    """The lobby's row."""
    return _ROW.to_message(row)


def record_to_message(
    record: HandRecord, visible: tuple[Event, ...], notes: tuple[Note, ...] = ()
) -> history_pb2.HandRecord:
    """The finished hand with those of its events and notes that its reader may see."""
    return history_pb2.HandRecord(
        hand=record.hand,
        at_ms=record.at,
        rules_version=record.rules_version,
        players=[_hand_player(player) for player in record.players],
        events=[event_to_message(event) for event in visible],
        explanations=[_explanation(note) for note in notes],
    )


def _explanation(note: Note) -> history_pb2.Explanation:
    message = _EXPLANATION.to_message(note.why)
    message.seat = note.seat
    message.turn = note.turn
    return message


def explanation_from_message(message: history_pb2.Explanation) -> Explanation:
    """What a server has sent of a bot's explanation."""
    said = {descriptor.name for descriptor, _ in message.ListFields()}
    unsaid = {name: None for name in _FIGURES if name not in said}
    return changed(_EXPLANATION.from_message(message), **unsaid)


def _hand_player(player: HandPlayer) -> history_pb2.HandPlayer:
    level = f"BOT_LEVEL_{player.level.upper()}" if player.level else "BOT_LEVEL_UNSPECIFIED"
    return history_pb2.HandPlayer(
        seat=player.seat,
        player_id=player.player,
        name=player.name,
        level=settings_pb2.BotLevel.Value(level),
        stack=player.stack,
    )
