"""Events: everything that can happen at a table, in the past tense. The log is made of these alone.

Law of this file: an event is shown whole or not at all. Its audience is a property of its type
(everybody, its own seat, nobody), and what one viewer may not see is therefore never a field of an
event that he receives. A replica that folds the public events alone is right about everything public.
New fields are appended with a default, so that old logs stay readable.
"""

from enum import StrEnum
from typing import ClassVar

from engine.cards import Card
from engine.game import Street
from engine.settings import BotLevel, BotStyle, Settings
from engine.units import Chips, HandNumber, Millis, PlayerId, Seat, Turn
from engine.value import value


class Audience(StrEnum):
    """Who may see an event."""

    EVERYBODY = "everybody"
    OWN_SEAT = "own_seat"
    """Whoever holds the seat that the event names, and nobody else."""
    NOBODY = "nobody"
    """It is kept in the vault, apart from the log."""


class Blind(StrEnum):
    """A blind bet: a dead one goes into the pot without counting as a bet."""

    SMALL = "small"
    BIG = "big"
    DEAD = "dead"


class Shown(StrEnum):
    """Why cards were turned up."""

    SHOWDOWN = "showdown"
    ALL_IN = "all_in"
    VOLUNTARY = "voluntary"


class AbsenceCause(StrEnum):
    """Why a player began to sit out."""

    ASKED = "asked"
    TIMED_OUT = "timed_out"
    BUSTED = "busted"
    NOT_COVERED = "not_covered"


class LeavingCause(StrEnum):
    """Why a seat was given up."""

    ASKED = "asked"
    KICKED = "kicked"
    EVICTED = "evicted"
    REMOVED = "removed"


class EndCause(StrEnum):
    """Why a salon deals no more hands."""

    HAND_LIMIT = "hand_limit"
    TIME_LIMIT = "time_limit"
    CLOSED = "closed"
    ABANDONED = "abandoned"


class _Public:
    __slots__ = ()
    AUDIENCE: ClassVar[Audience] = Audience.EVERYBODY


class _OwnSeat:
    __slots__ = ()
    AUDIENCE: ClassVar[Audience] = Audience.OWN_SEAT


class _Vault:
    __slots__ = ()
    AUDIENCE: ClassVar[Audience] = Audience.NOBODY


# The salon and its seats


@value
class SalonOpened(_Public):
    """A salon with no hand yet. Always the first event of a log."""

    owner: PlayerId
    settings: Settings
    at: Millis


@value
class PlayerSeated(_Public):
    """A seat was taken with `stack` chips; a bot has a level. `bank` is the time bank the player arrives with."""

    seat: Seat
    player: PlayerId
    name: str
    stack: Chips
    bank: Millis
    at: Millis
    level: BotLevel | None = None
    style: BotStyle | None = None


@value
class LeaveAsked(_Public):
    """A player in a hand will leave: folded at his next betting turn, gone after the hand (B8)."""

    seat: Seat
    cause: LeavingCause


@value
class PlayerLeft(_Public):
    """A seat is free; `stack` chips were taken away."""

    seat: Seat
    player: PlayerId
    stack: Chips
    cause: LeavingCause
    at: Millis


@value
class SitOutAsked(_Public):
    """A player in a hand will sit out after it (B5)."""

    seat: Seat


@value
class SatOut(_Public):
    """A seat is dealt out from now on, and evicted at `evict_at` (absolute; a bot's is 0, never)."""

    seat: Seat
    cause: AbsenceCause
    evict_at: Millis
    need: Chips = Chips(0)
    """With NOT_COVERED and BUSTED: the stack to top up to."""


@value
class SatIn(_Public):
    """A seat wants to be dealt in; `post`: a newcomer posts the big blind rather than wait for it (B4)."""

    seat: Seat
    post: bool


@value
class BlindsMissed(_Public):
    """A seat that was not dealt in was passed by blinds, which it owes on its return (B4)."""

    seat: Seat
    small: bool
    big: bool


@value
class TopUpAsked(_Public):
    """A top-up will be settled when the hand is over (B10)."""

    seat: Seat
    to: Chips


@value
class ToppedUp(_Public):
    """`amount` chips were bought; the stack is now `stack`."""

    seat: Seat
    amount: Chips
    stack: Chips


# A hand: its start


@value
class ButtonDrawn(_Public):
    """The first button was drawn by lot (B0)."""

    seat: Seat


@value
class HandStarted(_Public):
    """Who is dealt in is fixed (C1).

    `seats` are the dealt-in seats clockwise from the first one left of the button; `stacks` theirs before
    any post. `button`, `small_blind` and `big_blind` are seats, occupied or not; 0 where there is none.
    """

    hand: HandNumber
    button: Seat
    small_blind: Seat
    big_blind: Seat
    seats: tuple[Seat, ...]
    stacks: tuple[Chips, ...]
    at: Millis


@value
class DeckShuffled(_Vault):
    """The whole deck, in the order in which it is dealt."""

    cards: tuple[Card, ...]


@value
class AntePosted(_Public):
    """An ante, or all that the stack had of it. No part of a round's bet (A1)."""

    seat: Seat
    amount: Chips


@value
class BlindPosted(_Public):
    """A blind, or all that the stack had of it."""

    seat: Seat
    blind: Blind
    amount: Chips


@value
class HoleCardsDealt(_OwnSeat):
    """A seat's private cards."""

    seat: Seat
    cards: tuple[Card, ...]


# A hand: betting and drawing


@value
class StreetStarted(_Public):
    """A later street began; `cards` are the community cards dealt for it."""

    street: Street
    cards: tuple[Card, ...]


@value
class TurnStarted(_Public):
    """A seat is asked to act. `deadline` is the end of `turn_time`; the bank runs from there for `bank` ms."""

    seat: Seat
    turn: Turn
    deadline: Millis
    bank: Millis


@value
class BankUsed(_Public):
    """A turn took longer than `turn_time`; `left` ms remain in the bank (T1)."""

    seat: Seat
    left: Millis


@value
class TimedOut(_Public):
    """A turn's time and bank ran out; the check, fold or pat that follows is the clock's (B6)."""

    seat: Seat


@value
class TimeoutsCleared(_Public):
    """A player who had timed out acted by himself: the count starts anew (B6)."""

    seat: Seat


@value
class GraceGiven(_Public):
    """The table could not be reached for a while, and the player whose turn it is gets that time back at `at`.

    `deadline` is the end of his `turn_time` now; his bank is what it was.
    """

    seat: Seat
    turn: Turn
    deadline: Millis
    at: Millis


@value
class Folded(_Public):
    """A hand was given up."""

    seat: Seat


@value
class Checked(_Public):
    """A turn was passed with nothing to match."""

    seat: Seat


@value
class Called(_Public):
    """`amount` chips went in; the seat's bet on this street is now `to`."""

    seat: Seat
    amount: Chips
    to: Chips


@value
class BetMade(_Public):
    """A street's betting was opened at `to`; `amount` chips went in."""

    seat: Seat
    amount: Chips
    to: Chips


@value
class Raised(_Public):
    """The street's bet was raised to `to`; `amount` chips went in."""

    seat: Seat
    amount: Chips
    to: Chips


@value
class CardsDrawn(_Public):
    """A seat exchanged `count` cards; 0 is standing pat (D10)."""

    seat: Seat
    count: int


@value
class CardsReplaced(_OwnSeat):
    """Which cards a seat discarded and which it got for them (D10, D12)."""

    seat: Seat
    discards: tuple[Card, ...]
    cards: tuple[Card, ...]


# A hand: its end


@value
class UncalledBetReturned(_Public):
    """What nobody matched came back before the pots were formed (N17)."""

    seat: Seat
    amount: Chips


@value
class CardsShown(_Public):
    """A seat's cards were turned up: all of them, or at a voluntary reveal those chosen."""

    seat: Seat
    cards: tuple[Card, ...]
    why: Shown


@value
class CardsMucked(_Public):
    """A beaten hand was mucked unseen (S4)."""

    seat: Seat


@value
class PotAwarded(_Public):
    """A pot was settled: `index` 0 is the main pot; the last side pot is awarded first (P7).

    `winners` and `shares` run in parallel, odd chips included; `eligible` are the seats that could win it.
    """

    index: int
    amount: Chips
    eligible: tuple[Seat, ...]
    winners: tuple[Seat, ...]
    shares: tuple[Chips, ...]


@value
class HandEnded(_Public):
    """A hand is over and its pots are paid."""

    hand: HandNumber
    at: Millis


@value
class HandVoided(_Public):
    """A hand was void: every contribution went back and no card is shown (V1)."""

    hand: HandNumber
    why: str
    at: Millis


# Between hands, and the end


@value
class BankGrew(_Public):
    """The seat's time bank after what a hand dealt in adds to it (T1)."""

    seat: Seat
    bank: Millis


@value
class NextHandScheduled(_Public):
    """Two or more can be dealt in: the next hand starts at `at`."""

    at: Millis


@value
class PlayPaused(_Public):
    """Fewer than two can be dealt in; the next hand will draw its button anew (B0)."""


@value
class SalonClosing(_Public):
    """No hand starts any more; the salon is over at `over_at`, after the hand in progress and the time to reveal (L3)."""

    cause: EndCause
    over_at: Millis
    """0 while a hand is in progress."""


@value
class Standing:
    """A player's final result: `result` = stack + all taken away - all bought in; ties share a place."""

    place: int
    player: PlayerId
    name: str
    result: int
    bot: bool


@value
class SalonEnded(_Public):
    """The salon is over: `standings` of every player who ever sat, best first."""

    cause: EndCause
    standings: tuple[Standing, ...]
    at: Millis


Event = (
    SalonOpened
    | PlayerSeated
    | LeaveAsked
    | PlayerLeft
    | SitOutAsked
    | SatOut
    | SatIn
    | BlindsMissed
    | TopUpAsked
    | ToppedUp
    | ButtonDrawn
    | HandStarted
    | DeckShuffled
    | AntePosted
    | BlindPosted
    | HoleCardsDealt
    | StreetStarted
    | TurnStarted
    | BankUsed
    | TimedOut
    | TimeoutsCleared
    | GraceGiven
    | Folded
    | Checked
    | Called
    | BetMade
    | Raised
    | CardsDrawn
    | CardsReplaced
    | UncalledBetReturned
    | CardsShown
    | CardsMucked
    | PotAwarded
    | HandEnded
    | HandVoided
    | BankGrew
    | NextHandScheduled
    | PlayPaused
    | SalonClosing
    | SalonEnded
)
