"""A hand: one deal, from the posts to the last pot, as the numbers that its events leave behind.

Law of this file: `Hand` is changed by its events alone (`play.py` decides them, `apply_hand.py` applies
them); everything else reads it. Lists are indexed by seat number, 0 unused. The chips behind are not here
but in `Table.stacks`, so that nothing is carried over at a hand's start and end.
"""

from enum import IntEnum

from engine.cards import Card
from engine.game import HandRules, Street
from engine.units import Chips, HandNumber, Millis, Seat, Turn


class Part(IntEnum):
    """What a seat has to do with the hand."""

    OUT = 0
    """Not dealt in."""
    LIVE = 1
    FOLDED = 2


class Hand:
    """The state of one deal; between hands, of the hand just over (`over`)."""

    __slots__ = (
        "aggressor",
        "at",
        "bank",
        "bet",
        "bets",
        "big_blind",
        "board",
        "button",
        "cards",
        "contributions",
        "dead",
        "deadline",
        "dealt",
        "deck",
        "draws",
        "full_raise",
        "hand",
        "history",
        "matched",
        "over",
        "parts",
        "pots",
        "raises",
        "rules",
        "seats",
        "shown",
        "small_blind",
        "starting_stacks",
        "street",
        "to_act",
        "turn",
    )

    rules: HandRules
    hand: HandNumber
    at: Millis
    button: Seat
    small_blind: Seat
    big_blind: Seat
    seats: tuple[Seat, ...]
    """The dealt-in seats, clockwise from the first one left of the button."""
    starting_stacks: tuple[Chips, ...]
    """In the order of `seats`, before any post."""
    deck: tuple[Card, ...]
    """Empty on a replica, which has no vault."""
    dealt: int
    """How many cards of the deck are dealt."""
    street: int
    """Index into `rules.streets`."""
    parts: list[Part]
    cards: list[tuple[Card, ...]]
    """Private cards by seat; on a replica of one viewer only what he was given."""
    board: tuple[Card, ...]
    bets: list[Chips]
    """This street's live bets by seat."""
    contributions: list[Chips]
    """All that a seat put in over the whole hand, dead money and antes too."""
    dead: list[Chips]
    """Of the contributions, the dead small blinds, which are no level of a pot (P1)."""
    matched: list[Chips]
    """The street's bet that a seat last matched by acting (N3); -1 while it has not acted on the street."""
    bet: Chips
    """The street's bet: what a live seat must match."""
    full_raise: Chips
    """The last complete raise: by how much a raise must exceed the bet (N3-N5)."""
    raises: int
    """Raises on this street, for the cap (D5)."""
    aggressor: Seat
    """Who last bet or raised on this street; 0 if nobody did (S1)."""
    to_act: Seat
    """Whose turn it is; 0 between turns."""
    turn: Turn
    """The number of the last turn that started; 0 before the first."""
    deadline: Millis
    bank: Millis
    """The bank that the mover had when his turn started."""
    draws: list[int]
    """How many cards a seat drew; -1 before its draw."""
    shown: list[tuple[Card, ...]]
    """What of a seat's cards is turned up."""
    pots: tuple[tuple[Chips, tuple[Seat, ...]], ...]
    """The settled pots as (amount, eligible seats), main pot first; empty until they are awarded."""
    history: list[tuple[Street, Seat, str, Chips]]
    """The public actions in order: street, seat, kind (fold, check, call, bet, raise, draw), and the total "to"
    of the street, or for a draw the number of cards."""
    over: bool
