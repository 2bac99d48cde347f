"""Commands: everything that may be asked of a table, imperative. Nothing else changes it.

A player's command names the player; the table knows the seat. Commands of a turn name the turn
(`hand`, `turn`), so that a late or repeated one is refused and changes nothing (N21).
"""

from typing import Final

from engine.cards import Card
from engine.settings import BotLevel, BotStyle, Settings
from engine.units import NOBODY, Chips, HandNumber, Millis, PlayerId, Seat, Turn
from engine.value import value

LOTS: Final = 2520
"""A lot is a whole number from 0 to 2519: divisible by every number of players up to ten, so that lot % n is uniform."""


# Turns


@value
class Fold:
    """Give up the hand; legal also where a check is free (N20)."""

    player: PlayerId
    hand: HandNumber
    turn: Turn


@value
class Check:
    """Pass without a bet to match. Never becomes a call."""

    player: PlayerId
    hand: HandNumber
    turn: Turn


@value
class Call:
    """Match the bet, or put in the whole stack where that is less. Never becomes a check."""

    player: PlayerId
    hand: HandNumber
    turn: Turn


@value
class BetTo:
    """Open the betting of a street with a total of `to` chips."""

    player: PlayerId
    hand: HandNumber
    turn: Turn
    to: Chips


@value
class RaiseTo:
    """Raise the bet of the street to a total of `to` chips."""

    player: PlayerId
    hand: HandNumber
    turn: Turn
    to: Chips


@value
class AllIn:
    """The call, bet or raise of the whole stack, legal exactly when that is (and where all-in is an action)."""

    player: PlayerId
    hand: HandNumber
    turn: Turn


@value
class Draw:
    """Exchange these 0 to 3 own cards; none is standing pat."""

    player: PlayerId
    hand: HandNumber
    turn: Turn
    cards: tuple[Card, ...]


TurnCommand = Fold | Check | Call | BetTo | RaiseTo | AllIn | Draw


# A player and his seat


@value
class Join:
    """Take a seat (0 = any free one) with `buy_in` chips (0 = the salon's usual buy-in)."""

    player: PlayerId
    name: str
    seat: Seat = NOBODY
    buy_in: Chips = Chips(0)


@value
class Leave:
    """Leave the salon: at once between hands, in a hand by B8."""

    player: PlayerId


@value
class SitOut:
    """Be dealt out from the next hand on; the hand in progress is played to its end (B5)."""

    player: PlayerId


@value
class SitIn:
    """Come back, or, for a newcomer who waits, be dealt in as B4 allows.

    `post` asks to post the big blind now rather than wait for it.
    """

    player: PlayerId
    post: bool = False


@value
class TopUpTo:
    """Bring the stack up to `to` chips; settled between hands and cut to the maximum buy-in then (B10)."""

    player: PlayerId
    to: Chips


@value
class Reveal:
    """Show some of the own final cards of the hand just over (S8)."""

    player: PlayerId
    hand: HandNumber
    cards: tuple[Card, ...]


SeatCommand = Join | Leave | SitOut | SitIn | TopUpTo | Reveal


# The salon's owner, an operator (`by` = OPERATOR) and the server


@value
class OpenSalon:
    """Make the table: the only command that is decided without one."""

    owner: PlayerId
    settings: Settings


@value
class AddBot:
    """Seat a bot, between hands or in one; it is dealt in like any newcomer."""

    by: PlayerId
    player: PlayerId
    name: str
    level: BotLevel
    style: BotStyle = BotStyle.BALANCED
    seat: Seat = NOBODY


@value
class RemoveBot:
    """Take the bot of a seat away; in a hand it leaves by B8."""

    by: PlayerId
    seat: Seat


@value
class Kick:
    """Make the player of a seat leave (L2: a kick is a leave)."""

    by: PlayerId
    seat: Seat


@value
class CloseSalon:
    """End the salon as if its limit were reached: the hand in progress is finished (L2)."""

    by: PlayerId


OwnerCommand = OpenSalon | AddBot | RemoveBot | Kick | CloseSalon


@value
class StartHand:
    """Deal the next hand from a uniformly shuffled `deck` of 52, with a `lot` for a first button (B0)."""

    deck: tuple[Card, ...]
    lot: int


@value
class ExpireTurn:
    """The turn's timer fired: keyed by (hand, turn), so that twice is once (B6)."""

    hand: HandNumber
    turn: Turn


@value
class GiveGrace:
    """The table is reachable again, and was not since `since`: the running turn's time stood still meanwhile."""

    hand: HandNumber
    turn: Turn
    since: Millis


@value
class ExtendAbsences:
    """The table is reachable again, and was not since `since`: nobody could come back to his seat meanwhile (B5, B11)."""

    since: Millis


@value
class Sweep:
    """Do what time alone makes due between turns: evictions, limits, the end of the salon."""


@value
class VoidHand:
    """Void the hand in progress: every contribution goes back, no card is shown (V1)."""

    why: str


@value
class AcceptLoss:
    """Say that the last `commits` were lost, and void the hand in progress; hands up to `hand` may have been dealt."""

    commits: int
    hand: HandNumber
    why: str


ServerCommand = StartHand | ExpireTurn | GiveGrace | ExtendAbsences | Sweep | VoidHand | AcceptLoss

Command = TurnCommand | SeatCommand | OwnerCommand | ServerCommand
