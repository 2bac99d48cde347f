"""Views: what one seat, or a spectator, may see of a table.

Law of this file: a view is made from public state and the viewer's own cards, and nothing else reaches a
client or a bot.
"""

from enum import StrEnum

from engine.cards import Card
from engine.events import EndCause
from engine.game import Street
from engine.legal import LegalActions
from engine.settings import BotLevel, BotStyle, Settings
from engine.units import Chips, HandNumber, Millis, PlayerId, Seat, Turn
from engine.value import value


class SeatState(StrEnum):
    """What the player of a seat is doing."""

    WAITING = "waiting"
    """For the next hand, or for the big blind (B4)."""
    LIVE = "live"
    ALL_IN = "all_in"
    FOLDED = "folded"
    SITTING_OUT = "sitting_out"


@value
class SeatView:
    """One taken seat as a viewer sees it."""

    seat: Seat
    player: PlayerId
    name: str
    level: BotLevel | None
    style: BotStyle | None
    state: SeatState
    leaving: bool
    stack: Chips
    """Chips behind."""
    bet: Chips
    """On this street."""
    contribution: Chips
    """Over the whole hand."""
    card_count: int
    cards: tuple[Card, ...]
    """The viewer's own, or those turned up; else empty."""
    drawn: int
    """Cards drawn; -1 before the seat's draw."""
    bank: Millis
    evict_at: Millis
    """When a seat that sits out is given up; 0 for never."""
    need: Chips
    """The stack to top up to before being dealt in again; 0 if none is needed."""


@value
class PotView:
    """A pot as it stands: the main pot first; the street's bets are in it."""

    amount: Chips
    eligible: tuple[Seat, ...]


@value
class ActionView:
    """A public action of the hand: `amount` is the total "to" of the street, or the number of cards drawn."""

    street: Street
    seat: Seat
    kind: str
    amount: Chips


@value
class TableView:
    """All that one viewer may know now; a client needs no event before it."""

    settings: Settings
    owner: PlayerId
    viewer: Seat
    """0 for a spectator."""
    hand: HandNumber
    """0 before the first."""
    in_hand: bool
    street: Street | None
    board: tuple[Card, ...]
    pots: tuple[PotView, ...]
    button: Seat
    small_blind: Seat
    big_blind: Seat
    seats: tuple[SeatView, ...]
    to_act: Seat
    turn: Turn
    deadline: Millis
    """End of the mover's turn time; his bank runs from there."""
    bank: Millis
    bet: Chips
    """The street's bet, which a live seat must match."""
    legal: LegalActions | None
    """The viewer's, when it is his turn."""
    history: tuple[ActionView, ...]
    may_reveal: tuple[Card, ...]
    """The viewer's final cards of the hand just over that he may still show."""
    next_hand_at: Millis
    """0 when no hand is scheduled."""
    hands_dealt: int
    closing: EndCause | None
    over: bool
