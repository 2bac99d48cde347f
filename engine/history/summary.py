"""The summary at the end of a hand's text: the pot, the board, and what became of each seat."""

from collections.abc import Iterator
from typing import Final

from engine.cards import Card, texts_of
from engine.events import CardsMucked, CardsShown, Event, Folded, PotAwarded, Shown, StreetStarted
from engine.game import Street
from engine.history.finished import FinishedHand, labels
from engine.ranking import describe
from engine.units import Chips, Seat

_WHERE: Final = {
    Street.PREFLOP: "before Flop",
    Street.FLOP: "on the Flop",
    Street.TURN: "on the Turn",
    Street.RIVER: "on the River",
    Street.PREDRAW: "before the Draw",
    Street.DRAW: "at the Draw",
    Street.POSTDRAW: "after the Draw",
}


def summary_lines(hand: FinishedHand) -> Iterator[str]:
    """The lines from the headline on."""
    pots = sorted(hand.of(PotAwarded), key=lambda pot: pot.index)
    board = tuple(card for event in hand.of(StreetStarted) for card in event.cards)
    yield "*** SUMMARY ***"
    parts = "".join(f" {pot_name(pot.index, len(pots))} {pot.amount}." for pot in pots)
    yield f"Total pot {sum(pot.amount for pot in pots)}{parts if len(pots) > 1 else ''} | Rake 0"
    if board:
        yield f"Board [{texts_of(board)}]"
    names, ends = labels(hand), _ends(hand, board)
    for seat in sorted(hand.started.seats):
        yield f"Seat {seat}: {names[seat]}{_roles(hand, seat)} {ends.get(seat, 'collected (0)')}"


def pot_name(index: int, count: int) -> str:
    """What a pot is called among `count` of them: the pot, the main pot, or a side pot."""
    if count == 1:
        return "Pot"
    if index == 0:
        return "Main pot"
    return "Side pot" if count == 2 else f"Side pot-{index}"


def _roles(hand: FinishedHand, seat: Seat) -> str:
    started = hand.started
    roles = (
        (started.button, "button"),
        (started.small_blind, "small blind"),
        (started.big_blind, "big blind"),
    )
    return "".join(f" ({role})" for holder, role in roles if holder == seat)


def _ends(hand: FinishedHand, board: tuple[Card, ...]) -> dict[Seat, str]:
    """How the hand ended for each seat."""
    won: dict[Seat, Chips] = {}
    for pot in hand.of(PotAwarded):
        for seat, share in zip(pot.winners, pot.shares, strict=True):
            won[seat] = Chips(won.get(seat, 0) + share)
    ends = {seat: f"collected ({chips})" for seat, chips in won.items()}
    street = hand.rules.streets[0]
    for event in hand.events:
        if isinstance(event, StreetStarted):
            street = event.street
        seat_end = _end(event, street, won, board)
        if seat_end:
            ends[seat_end[0]] = seat_end[1]
    return ends


def _end(
    event: Event, street: Street, won: dict[Seat, Chips], board: tuple[Card, ...]
) -> tuple[Seat, str] | None:
    match event:
        case Folded():
            return event.seat, f"folded {_WHERE[street]}"
        case CardsMucked():
            return event.seat, "mucked"
        case CardsShown(why=Shown.SHOWDOWN | Shown.ALL_IN):
            words = describe(event.cards + board)
            chips = won.get(event.seat, 0)
            result = f"won ({chips})" if chips else "lost"
            return event.seat, f"showed [{texts_of(event.cards)}] and {result} with {words}"
        case _:
            return None
