"""A recorded hand as data: what a file says was dealt, posted and done, and apart from that how it came out.

Law of this file: a replay reads everything but `outcome`; the comparison alone reads that. So what a replay
prints is the same when the outcome is cut out of the file. What is not known of the cards is None.
"""

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction

from engine.cards import Card
from engine.events import AntePosted, BlindPosted
from engine.game import HandRules, Street
from engine.units import Chips, Seat
from engine.value import value

Known = Card | None
"""A card, or None for one that the file does not tell."""


class BadRecord(ValueError):
    """A file's hand that cannot be a hand; the message says what is wrong with it."""


class Act(StrEnum):
    """What a recorded action says."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    CHECK_OR_CALL = "check or call"
    """PHH has one word for both."""
    BET = "bet"
    """`amount` chips go in now."""
    RAISE_TO = "raise to"
    """`amount` is the total of the street; in PHH an opening bet too."""
    DRAW = "draw"
    """`amount` cards are thrown."""


@value
class RecordedAction:
    """One action: `amount` chips or cards, as its kind says; -1 where the file gives none."""

    seat: Seat
    act: Act
    amount: int = -1
    street: Street | None = None
    """Where the file says it happened, if it does."""


@value
class Exchange:
    """What is known of one seat's draw."""

    discards: tuple[Known, ...] = ()
    cards: tuple[Known, ...] = ()
    """The new ones, in the order dealt."""


@value
class Outcome:
    """How the file says the hand came out; None for what it does not tell. Chips may be broken in it."""

    finish: Mapping[Seat, Fraction] | None = None
    """Stacks after the hand."""
    won: Mapping[Seat, Fraction] | None = None
    """What the pots paid, after the rake."""
    returned: Mapping[Seat, Fraction] | None = None
    pots: Mapping[tuple[Seat, ...], Fraction] | None = None
    """Amounts before the rake, by the seats that could win them in rising order."""
    rake: Fraction = Fraction(0)


@value
class RecordedHand:
    """A hand as a file tells it, its seats numbered as in the file."""

    file: str
    id: str
    rules: HandRules
    button: Seat
    """Occupied or not; 0 where the file names none."""
    small_blind: Seat
    big_blind: Seat
    """After whom the first round starts; 0 without blinds."""
    order: tuple[Seat, ...]
    """The dealt-in seats, clockwise from the first one left of the button."""
    stacks: Mapping[Seat, Chips]
    """Of all seats in the file before any post, those not dealt in too."""
    posts: tuple[AntePosted | BlindPosted, ...]
    hole_cards: Mapping[Seat, tuple[Known, ...]]
    board: tuple[Known, ...]
    """As far as it is known."""
    exchanges: Mapping[Seat, Exchange]
    final_cards: Mapping[Seat, tuple[Card, ...]]
    """What a seat is known to have held at the end: shown, or told by its owner."""
    mucked: frozenset[Seat]
    """Who gave up a beaten hand at the showdown; its cards may be unknown, and yet it cannot win."""
    actions: tuple[RecordedAction, ...]
    decidable: bool = True
    """Whether the file claims that its cards decide the winner."""
    outcome: Outcome | None = None


@value
class Unreadable:
    """A hand that no replay is tried for, and why."""

    file: str
    id: str
    why: str
