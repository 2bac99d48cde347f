"""Who may read why a bot decided as it did: of a finished hand's notes, those that a reader may see.

Law of this file: an explanation tells of the cards behind it, so it is shown like them. A bot that folded or
mucked is explained to operators alone (S4, S5); one whose cards were all turned up, to whoever may read the hand.
What names a card that was never shown, as a discard is, is kept back like that card.
"""

import re
from typing import Final

from bots.explanation import Explanation
from cluster.journal.hand_record import HandRecord, Note
from engine.cards import text_of
from engine.events import CardsShown, HoleCardsDealt, StreetStarted
from engine.units import Seat

_CARDS: Final = re.compile(r"(?<![0-9A-Za-z])(?:[2-9TJQKA][cdhs])+(?![0-9A-Za-z])")
"""Cards by themselves or run together, but no class of hands, such as AKs."""


def explained(record: HandRecord, *, operator: bool) -> tuple[Note, ...]:
    """The notes of the finished hand that its reader may see, in the order of the turns."""
    if operator:
        return record.notes
    shown = _shown(record)
    dealt = {event.seat: len(event.cards) for event in record.events if isinstance(event, HoleCardsDealt)}
    open_seats = {seat for seat, cards in shown.items() if seat in dealt and len(cards) == dealt[seat]}
    public = set().union(*shown.values(), _board(record))
    return tuple(note for note in record.notes if note.seat in open_seats and cards_named(note.why) <= public)


def cards_named(why: Explanation) -> set[str]:
    """The cards, as texts, that an explanation names as its own. Ranges are the opponents': what is thought possible."""
    text = " ".join((why.rule, why.path, why.fallback, *(action for action, _ in why.mix)))
    return {run[at : at + 2] for run in _CARDS.findall(text) for at in range(0, len(run), 2)}


def _shown(record: HandRecord) -> dict[Seat, set[str]]:
    """The cards that each seat turned up, some of them or all."""
    shown: dict[Seat, set[str]] = {}
    for event in record.events:
        if isinstance(event, CardsShown):
            shown.setdefault(event.seat, set()).update(text_of(card) for card in event.cards)
    return shown


def _board(record: HandRecord) -> set[str]:
    return {
        text_of(card) for event in record.events if isinstance(event, StreetStarted) for card in event.cards
    }
