"""A finished hand in words, each decision of a bot followed by its explanation, where the server has sent one."""

from collections.abc import Iterator

from bots.explanation import text_of
from cluster.codec.messages import explanation_from_message
from croupier.v1.event_pb2 import Event
from croupier.v1.history_pb2 import HandRecord

WHY = "    why: {text}"
NOTHING_EXPLAINED = "no decision is explained: only those are of bots whose cards were all shown"
_DECISIONS = frozenset(("folded", "checked", "called", "bet_made", "raised", "cards_drawn"))


def told(record: HandRecord) -> Iterator[tuple[Event, list[str]]]:
    """The hand's events, each with the lines that explain it."""
    whys = {(each.seat, each.turn): each for each in record.explanations}
    turn = (0, 0)
    for event in record.events:
        which = event.WhichOneof("event")
        if which == "turn_started":
            turn = (event.turn_started.seat, event.turn_started.turn)
        why = whys.pop(turn, None) if which in _DECISIONS and getattr(event, which).seat == turn[0] else None
        yield event, [] if why is None else [WHY.format(text=text_of(explanation_from_message(why)))]
