"""Stacking a deck: the known cards of a recorded hand where they fell, the rest filled from what is left.

Law of this file: the same record gives the same deck. A filler never stands where a card is known; it goes from
the lowest card up, so that it can be told which hands are only filled. A hand that was mucked as beaten is
filled with cards that are beaten.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from engine.cards import FULL_DECK, Card, text_of
from engine.game import MOST_DISCARDS, Street
from engine.ranking import rank
from engine.replay.recorded import Act, BadRecord, Exchange, Known, RecordedHand
from engine.units import Seat
from engine.value import value

_BOARD = 5


@value
class Stacked:
    """A deck for a recorded hand."""

    deck: tuple[Card, ...]
    discards: Mapping[Seat, tuple[Card, ...]]
    """What each seat that drew throws."""
    settled: frozenset[Seat]
    """The seats that a showdown can judge: their final cards are known, or they mucked."""
    board_known: bool


@dataclass(slots=True)
class _Plan:
    """One seat's cards: those dealt at first, which of their places are thrown, and those that come for them."""

    hole_cards: list[Known]
    thrown: list[int]
    new: list[Known]


def stack(hand: RecordedHand) -> Stacked:
    """The deck that deals `hand`.

    Raises:
        BadRecord: the cards that are told contradict each other.
    """
    draws = {action.seat: action.amount for action in hand.actions if action.act is Act.DRAW}
    holdem = Street.DRAW not in hand.rules.streets
    board: list[Known] = list(hand.board) + [None] * (_BOARD - len(hand.board)) if holdem else []
    told = {seat: final for seat in hand.order if (final := _final(hand, seat, draws.get(seat, 0)))}
    finals = {**told, **_beaten(hand, told, board)}
    plans = {seat: _plan(hand, seat, draws.get(seat, 0), finals.get(seat)) for seat in hand.order}
    slots = [plans[seat].hole_cards[place] for place in range(hand.rules.hole_cards) for seat in hand.order]
    slots += board
    for seat in draws:
        slots += plans[seat].new[:MOST_DISCARDS]
    deck = _filled(slots)
    count = len(hand.order)
    return Stacked(
        deck,
        {
            seat: tuple(deck[place * count + hand.order.index(seat)] for place in plans[seat].thrown)
            for seat in draws
        },
        frozenset(finals),
        None not in board,
    )


def _filled(slots: list[Known]) -> tuple[Card, ...]:
    known = [card for card in slots if card is not None]
    for place, card in enumerate(known):
        if card in known[:place]:
            raise BadRecord(f"{text_of(card)} is dealt twice")
    rest = iter(_others(known))
    try:
        deck = [next(rest) if card is None else card for card in slots]
    except StopIteration:
        raise BadRecord("more than 52 cards are dealt") from None
    return (*deck, *rest)


def _others(known: Iterable[Known]) -> list[Card]:
    taken = set(known)
    return [card for card in FULL_DECK if card not in taken]


def _plan(hand: RecordedHand, seat: Seat, count: int, final: tuple[Card, ...] | None) -> _Plan:
    """What `seat` is dealt, throws (`count` cards) and gets, as far as the file and `final` tell."""
    size = hand.rules.hole_cards
    exchange = hand.exchanges.get(seat, Exchange())
    hole_cards = _padded(hand.hole_cards.get(seat, ()), size)
    new = _padded(exchange.cards, count)
    discards = [card for card in exchange.discards if card is not None]
    for card in discards:
        if card not in hole_cards:
            _put(hole_cards, card, seat)
    if final is None:
        return _Plan(hole_cards, _thrown(hole_cards, discards, count), new)
    kept = sum(card in hole_cards for card in final)
    for card in final:
        if card in hole_cards or card in new:
            continue
        if kept < size - count and None in hole_cards:
            _put(hole_cards, card, seat)
            kept += 1
        else:
            _put(new, card, seat)
    thrown = [place for place, card in enumerate(hole_cards) if card not in final]
    if len(thrown) != count:
        raise BadRecord(f"seat {seat} draws {count} cards and ends with {len(thrown)} other ones")
    return _Plan(hole_cards, thrown, new)


def _padded(cards: Iterable[Known], size: int) -> list[Known]:
    padded = list(cards)
    return padded + [None] * (size - len(padded))


def _put(cards: list[Known], card: Card, seat: Seat) -> None:
    """Make the first unknown one of `cards` be `card`."""
    if None not in cards:
        raise BadRecord(f"seat {seat} ends with {text_of(card)}, which it was not dealt")
    cards[cards.index(None)] = card


def _thrown(hole_cards: list[Known], discards: list[Card], count: int) -> list[int]:
    """Which places are thrown when only `discards` are known: those, then unknown cards, then the last ones."""
    places = range(len(hole_cards))
    first = [place for place in places if hole_cards[place] in discards]
    second = [place for place in places if hole_cards[place] is None]
    third = [place for place in reversed(places) if place not in first and place not in second]
    return (first + second + third)[:count]


def _final(hand: RecordedHand, seat: Seat, count: int) -> tuple[Card, ...]:
    """The cards that a seat held at the end after drawing `count`, if the file tells them; else none."""
    if seat in hand.final_cards:
        return hand.final_cards[seat]
    exchange = hand.exchanges.get(seat, Exchange())
    cards = (*hand.hole_cards.get(seat, ()), *exchange.cards)
    final = tuple(card for card in cards if card is not None and card not in exchange.discards)
    return (
        final if len(cards) == hand.rules.hole_cards + count and len(final) == hand.rules.hole_cards else ()
    )


def _beaten(
    hand: RecordedHand, told: Mapping[Seat, tuple[Card, ...]], board: list[Known]
) -> dict[Seat, tuple[Card, ...]]:
    """Beaten cards for those who mucked and whose final cards are not `told`."""
    hidden = sorted(seat for seat in hand.mucked if seat in hand.order and seat not in told)
    on_board = tuple(card for card in board if card is not None)
    if not hidden or len(on_board) < len(board):
        return {}
    showing = [told[seat] for seat in told if seat in hand.final_cards and seat not in hand.mucked]
    best = max((rank(cards + on_board) for cards in showing), default=0)
    taken = set(_named(hand)) | set(on_board)
    beaten: dict[Seat, tuple[Card, ...]] = {}
    for seat in hidden:
        # In draw, cards that were dealt at first may have been thrown.
        own = () if board == [] else tuple(card for card in hand.hole_cards.get(seat, ()) if card is not None)
        for more in combinations(_others(taken), hand.rules.hole_cards - len(own)):
            if rank(own + more + on_board) < best:
                beaten[seat] = own + more
                taken.update(more)
                break
    return beaten


def _named(hand: RecordedHand) -> Iterator[Known]:
    """Every card that the file tells of a player."""
    for cards in (*hand.hole_cards.values(), *hand.final_cards.values()):
        yield from cards
    for exchange in hand.exchanges.values():
        yield from (*exchange.discards, *exchange.cards)
