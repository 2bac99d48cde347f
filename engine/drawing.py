"""Drawing: the one exchange of cards of five-card draw.

Law of this file: how many cards a seat drew is public at once, which ones only to itself (D10); a discard
never comes back into a hand (D16), because replacements come off the top of the same deck (D12).
"""

from typing import Final

from engine.apply_hand import hand_of
from engine.betting import legal_actions
from engine.cards import Card, text_of
from engine.draft import Draft
from engine.events import CardsDrawn, CardsReplaced
from engine.game import MOST_DISCARDS, Street
from engine.hand import Hand, Part
from engine.refusals import Reason, Refusal
from engine.table import Table
from engine.units import NOBODY, Seat

_LIVE: Final = Part.LIVE
_DRAW: Final = Street.DRAW


def is_draw(hand: Hand) -> bool:
    """Whether cards are being exchanged on this street."""
    return not hand.full_raise


def draw_is_over(hand: Hand) -> bool:
    """Whether no draw is still to come; true from the start in a game without one."""
    return _DRAW not in hand.rules.streets[hand.street + 1 :]


def next_to_draw(hand: Hand) -> Seat:
    """The first live seat from the left of the button that has not drawn, all-in or not, or nobody (D3, D9)."""
    parts, draws = hand.parts, hand.draws
    for seat in hand.seats:
        if parts[seat] is _LIVE and draws[seat] < 0:
            return seat
    return NOBODY


def draw_refusal(table: Table, hand: Hand, cards: tuple[Card, ...]) -> Refusal | None:
    """Why the seat to act may not exchange `cards`, if so (D11)."""
    if len(cards) > MOST_DISCARDS:
        text = f"draw of {len(cards)} cards refused: the maximum is {MOST_DISCARDS}"
        return _refusal(table, Reason.TOO_MANY_CARDS, text, max=str(MOST_DISCARDS))
    own = hand.cards[hand.to_act]
    for place, card in enumerate(cards):
        if card in cards[:place]:
            text = f"draw refused: {text_of(card)} is named twice; name each card once"
            return _refusal(table, Reason.CARD_NAMED_TWICE, text, card=text_of(card))
        if card not in own:
            name = text_of(card) if 0 <= card < 52 else str(card)
            text = f"draw refused: {name} is not in your hand; name 0 to {MOST_DISCARDS} of your own cards"
            return _refusal(table, Reason.NOT_YOUR_CARD, text, card=name)
    return None


def draw(draft: Draft, seat: Seat, discards: tuple[Card, ...]) -> None:
    """Exchange `discards`, which are known to be the seat's; none is standing pat."""
    hand = hand_of(draft.table)
    count = len(discards)
    cards = hand.deck[hand.dealt : hand.dealt + count]
    draft.emit(CardsDrawn(seat, count))
    if count:
        draft.emit(CardsReplaced(seat, discards, cards))


def _refusal(table: Table, reason: Reason, text: str, **numbers: str) -> Refusal:
    return Refusal(reason, text, tuple(numbers.items()), legal_actions(table))
