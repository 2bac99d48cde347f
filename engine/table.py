"""A table: what outlives a hand. Seats, stacks, the button, what is owed, the limits.

Law of this file: `Table` is changed by its events alone (`apply_table.py` and `apply_hand.py`). Lists are
indexed by seat number, 0 unused.
"""

from enum import StrEnum

from engine.events import AbsenceCause, EndCause, LeavingCause
from engine.game import HandRules
from engine.hand import Hand
from engine.settings import BotLevel, BotStyle, Settings
from engine.units import Chips, HandNumber, Millis, PlayerId, Seat
from engine.value import value


class Presence(StrEnum):
    """Whether a player is dealt in."""

    PRESENT = "present"
    """From the next hand on, as soon as the blinds allow."""
    SITTING_OUT_NEXT = "sitting_out_next"
    """Asked in a hand: after it (B5)."""
    SITTING_OUT = "sitting_out"


class Dues(StrEnum):
    """What the blinds ask of a player who is present before he is dealt in (B4)."""

    NOTHING = "nothing"
    NEWCOMER = "newcomer"
    """Waits for the big blind."""
    NEWCOMER_POSTS = "newcomer_posts"
    """Asked to post the big blind instead."""
    SMALL = "small"
    BIG = "big"
    BOTH = "both"


@value
class Player:
    """Who holds a seat. Replaced whole when something of it changes."""

    player: PlayerId
    name: str
    level: BotLevel | None
    style: BotStyle | None
    first_buy_in: Chips
    presence: Presence
    dues: Dues
    absence: AbsenceCause | None
    """Why he sits out, while he does."""
    evict_at: Millis
    need: Chips
    leaving: LeavingCause | None
    """Set when he left in a hand (B8)."""
    top_up_to: Chips
    """A top-up that waits for the hand's end; 0 for none."""


@value
class Account:
    """What a player, seated or gone, brought and took over the salon's life (P9, B10, T1, the standings)."""

    player: PlayerId
    name: str
    bot: bool
    bought: Chips
    taken: Chips
    left_with: Chips
    left_at: Millis
    """0 while seated."""
    bank: Millis
    """The time bank when he left."""


class Table:
    """The state of one salon's table."""

    __slots__ = (
        "absent",
        "accounts",
        "banks",
        "big_blind",
        "button",
        "closing",
        "empty_since",
        "first_deal_at",
        "hand",
        "hand_number",
        "hands_dealt",
        "next_hand_at",
        "over",
        "over_at",
        "owner",
        "paused",
        "players",
        "rules",
        "seat_of",
        "settings",
        "small_blind",
        "stacks",
        "timeouts",
    )

    settings: Settings
    rules: HandRules
    owner: PlayerId
    players: list[Player | None]
    stacks: list[Chips]
    """Chips behind, in a hand too."""
    banks: list[Millis]
    timeouts: list[int]
    """Time-outs in a row."""
    absent: list[bool]
    """In this hand: checked, folded or pat at once (B6)."""
    seat_of: dict[PlayerId, Seat]
    accounts: dict[PlayerId, Account]
    button: Seat
    """Of the last hand dealt; 0 before the first. So are the blinds."""
    small_blind: Seat
    big_blind: Seat
    hand: Hand | None
    """In progress or just over; None before the first, and after a void one."""
    hand_number: HandNumber
    """Of the last hand started; never reused."""
    hands_dealt: int
    """Counted by `hand_limit`; a void hand is not."""
    paused: bool
    """No hand can be dealt for want of players, so the next button is drawn anew (B0)."""
    first_deal_at: Millis
    """0 before the first hand."""
    next_hand_at: Millis
    """0 when none is scheduled."""
    closing: EndCause | None
    over_at: Millis
    over: bool
    empty_since: Millis
    """When the last seat was given up; 0 while somebody is seated (L4)."""
