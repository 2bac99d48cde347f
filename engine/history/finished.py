"""A finished hand: its events and what they do not tell, from which a history is written.

Law of this file: a history is written from a `FinishedHand` alone, and `seen_by` makes the one that may be
shown. A card that is in no event that the reader may see is therefore in no history of his (S4, S5).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from engine.cards import Card
from engine.events import (
    AntePosted,
    Audience,
    BetMade,
    BlindPosted,
    Called,
    CardsDrawn,
    CardsReplaced,
    CardsShown,
    Event,
    HandStarted,
    HoleCardsDealt,
    PotAwarded,
    Raised,
    UncalledBetReturned,
)
from engine.game import HandRules
from engine.units import NOBODY, Chips, Seat
from engine.value import value
from engine.view import sees

Kind = TypeVar("Kind")


@value
class FinishedHand:
    """A hand from HandStarted to its last reveal, without what nobody may see."""

    salon: str
    seats: int
    """How many the table has, taken or not."""
    rules: HandRules
    names: Mapping[Seat, str]
    events: tuple[Event, ...]

    @property
    def started(self) -> HandStarted:
        """The hand's start.

        Raises:
            ValueError: these are not the events of a hand.
        """
        for event in self.events:
            if isinstance(event, HandStarted):
                return event
        raise ValueError("the events of a hand begin with HandStarted")

    def of(self, kind: type[Kind]) -> Iterator[Kind]:
        """The events of a kind, in order."""
        return (event for event in self.events if isinstance(event, kind))


def seen_by(hand: FinishedHand, viewer: Seat = NOBODY, *, reveal_all: bool = False) -> FinishedHand:
    """The hand as the holder of seat `viewer` may see it, or a spectator, or with `reveal_all` an operator.

    An operator sees every private card; the deck's rest is in no history at all.
    """
    events = tuple(
        event
        for event in hand.events
        if (event.AUDIENCE is not Audience.NOBODY if reveal_all else sees(event, viewer))
    )
    return FinishedHand(hand.salon, hand.seats, hand.rules, hand.names, events)


def labels(hand: FinishedHand) -> dict[Seat, str]:
    """What each dealt-in seat's player is called: the name, with the seat where two have the same."""
    given = [hand.names.get(seat, f"Seat {seat}") for seat in hand.started.seats]
    return {
        seat: name if given.count(name) == 1 else f"{name} ({seat})"
        for seat, name in zip(hand.started.seats, given, strict=True)
    }


def dealt_cards(hand: FinishedHand) -> dict[Seat, tuple[Card | None, ...]]:
    """The cards that each seat was dealt at first, as far as the events tell; None for the others.

    In hold'em cards turned up later are those that were dealt; in draw it cannot be told which of them were.
    """
    size = hand.rules.hole_cards
    dealt: dict[Seat, tuple[Card | None, ...]] = {
        event.seat: event.cards for event in hand.of(HoleCardsDealt)
    }
    for seat in hand.started.seats:
        shown = shown_cards(hand, seat) if not may_draw(hand) else ()
        dealt.setdefault(seat, (*shown, *[None] * (size - len(shown))))
    return dealt


def may_draw(hand: FinishedHand) -> bool:
    """Whether it is a game in which cards are exchanged."""
    return hand.rules.hole_cards == 5


def shown_cards(hand: FinishedHand, seat: Seat) -> tuple[Card, ...]:
    """What of a seat's cards was turned up, at the showdown or by its own will."""
    return tuple(card for event in hand.of(CardsShown) if event.seat == seat for card in event.cards)


def replaced(hand: FinishedHand, drawn: CardsDrawn) -> CardsReplaced | None:
    """Which cards a draw exchanged, if the events tell."""
    return next((event for event in hand.of(CardsReplaced) if event.seat == drawn.seat), None)


def finishing_stacks(hand: FinishedHand) -> dict[Seat, Chips]:
    """The stacks after the last pot, before any top-up."""
    started = hand.started
    stacks: dict[Seat, int] = dict(zip(started.seats, started.stacks, strict=True))
    for event in hand.events:
        for seat, chips in moved(event):
            stacks[seat] += chips
    return {seat: Chips(chips) for seat, chips in stacks.items()}


def moved(event: Event) -> Iterable[tuple[Seat, int]]:
    """How an event changes stacks within a hand."""
    match event:
        case AntePosted() | BlindPosted() | Called() | BetMade() | Raised():
            return ((event.seat, -event.amount),)
        case UncalledBetReturned():
            return ((event.seat, event.amount),)
        case PotAwarded():
            return zip(event.winners, event.shares, strict=True)
        case _:
            return ()
