"""A hand: one deal, from the posts to the last pot, as the numbers that its events leave behind.

Law of this file: `Hand` is changed by its events alone (`play.py` decides them, `apply_hand.py` applies
them); everything else reads it. Lists are indexed by seat number, 0 unused. `bets`, `contributions`,
`matched` and `history` are changed in place and copied with the hand; every other list is replaced when
something of it changes, so that copies may share it. The chips behind are not here but in `Table.stacks`, so
that nothing is carried over at a hand's start and end.
"""

from enum import IntEnum
from typing import Final

from engine.cards import Card
from engine.events import HandStarted
from engine.game import HandRules, Street
from engine.units import NOBODY, Chips, HandNumber, Millis, Seat, Turn


class Part(IntEnum):
    """What a seat has to do with the hand."""

    OUT = 0
    """Not dealt in."""
    LIVE = 1
    FOLDED = 2


_OUT: Final = Part.OUT
_LIVE: Final = Part.LIVE
_NO_CHIPS: Final = Chips(0)
UNMATCHED: Final = Chips(-1)
"""Stands in `matched` for a seat that has not acted on the street."""


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
        "graced_at",
        "graces",
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
    """How many cards of the deck are spoken for: from a hand's start on the hole cards, then what is dealt."""
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
    """The street's bet that a seat last matched by acting (N3); UNMATCHED while it has not acted on the street."""
    bet: Chips
    """The street's bet: what a live seat must match."""
    full_raise: Chips
    """The last complete raise: by how much a raise must exceed the bet (N3-N5); 0 where nothing is bet, at the draw."""
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
    graces: int
    """How often the running turn's time was given back after the table could not be reached."""
    graced_at: Millis
    """When it last was; 0 for never."""
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

    def __init__(self, rules: HandRules, started: HandStarted, seats: int) -> None:
        """A hand that has just started at a table of `seats` seats.

        Nothing is posted yet, but the big blind is owed in full already, even if it is posted short (N10).
        """
        size = seats + 1
        self.rules = rules
        self.hand = started.hand
        self.at = started.at
        self.button = started.button
        self.small_blind = started.small_blind
        self.big_blind = started.big_blind
        self.seats = started.seats
        self.starting_stacks = started.stacks
        self.deck = ()
        self.dealt = len(started.seats) * rules.hole_cards
        self.street = 0
        self.parts = [_OUT] * size
        for seat in started.seats:
            self.parts[seat] = _LIVE
        self.cards = [()] * size
        self.board = ()
        self.bets = [_NO_CHIPS] * size
        self.contributions = [_NO_CHIPS] * size
        self.dead = [_NO_CHIPS] * size
        self.matched = [UNMATCHED] * size
        self.bet = rules.big_blind if started.big_blind else _NO_CHIPS
        self.full_raise = rules.units[0]
        self.raises = 0
        self.aggressor = NOBODY
        self.to_act = NOBODY
        self.turn = Turn(0)
        self.deadline = Millis(0)
        self.bank = Millis(0)
        self.graces = 0
        self.graced_at = Millis(0)
        self.draws = [-1] * size
        self.shown = [()] * size
        self.pots = ()
        self.history = []
        self.over = False

    def copy(self) -> "Hand":
        """The same hand, to be changed apart from this one."""
        other = Hand.__new__(Hand)
        other.rules = self.rules
        other.hand = self.hand
        other.at = self.at
        other.button = self.button
        other.small_blind = self.small_blind
        other.big_blind = self.big_blind
        other.seats = self.seats
        other.starting_stacks = self.starting_stacks
        other.deck = self.deck
        other.dealt = self.dealt
        other.street = self.street
        other.parts = self.parts
        other.cards = self.cards
        other.board = self.board
        other.bets = self.bets.copy()
        other.contributions = self.contributions.copy()
        other.dead = self.dead
        other.matched = self.matched.copy()
        other.bet = self.bet
        other.full_raise = self.full_raise
        other.raises = self.raises
        other.aggressor = self.aggressor
        other.to_act = self.to_act
        other.turn = self.turn
        other.deadline = self.deadline
        other.bank = self.bank
        other.graces = self.graces
        other.graced_at = self.graced_at
        other.draws = self.draws
        other.shown = self.shown
        other.pots = self.pots
        other.history = self.history.copy()
        other.over = self.over
        return other
