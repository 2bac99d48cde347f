"""A table: what outlives a hand. Seats, stacks, the button, what is owed, the limits.

Law of this file: `Table` is changed by its events alone (`apply_table.py` and `apply_hand.py`). Lists are
indexed by seat number, 0 unused. Only `stacks` (and `hand`) is changed in place; every other list and dict is
replaced by a changed one, so that a copy may share it.
"""

from enum import StrEnum

from engine.events import AbsenceCause, EndCause, LeavingCause
from engine.game import HandRules
from engine.hand import Hand
from engine.settings import BotLevel, BotStyle, Settings
from engine.units import NOBODY, Chips, HandNumber, Millis, PlayerId, Seat
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


@value
class Undealt:
    """How things stood before the hand in progress was dealt: what a void hand brings back (V1)."""

    button: Seat
    small_blind: Seat
    big_blind: Seat
    paused: bool
    first_deal_at: Millis
    dues: tuple[tuple[PlayerId, Dues], ...]
    """Of those whose dues the deal changed."""


class Table:
    """The state of one salon's table; made empty, and given its settings by SalonOpened."""

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
        "undealt",
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
    undealt: Undealt | None
    """None before the first hand and after a void one."""

    def __init__(self) -> None:
        """A table without a salon: SalonOpened, the first event of a log, sets `settings` and `rules`."""
        self.owner = PlayerId("")
        self.players = []
        self.stacks = []
        self.banks = []
        self.timeouts = []
        self.absent = []
        self.seat_of = {}
        self.accounts = {}
        self.button = self.small_blind = self.big_blind = NOBODY
        self.hand = None
        self.hand_number = HandNumber(0)
        self.hands_dealt = 0
        self.paused = True
        self.first_deal_at = self.next_hand_at = self.over_at = self.empty_since = Millis(0)
        self.closing = None
        self.over = False
        self.undealt = None

    @property
    def in_hand(self) -> bool:
        """Whether a hand is in progress."""
        return self.hand is not None and not self.hand.over

    def plays(self, seat: Seat) -> bool:
        """Whether the seat was dealt into the hand in progress, folded or not."""
        hand = self.hand
        return hand is not None and not hand.over and seat in hand.seats

    def copy(self) -> "Table":
        """A table that may be changed by events while this one stays as it is."""
        twin = Table.__new__(Table)
        twin.settings = self.settings
        twin.rules = self.rules
        twin.owner = self.owner
        twin.players = self.players
        twin.stacks = self.stacks.copy()
        twin.banks = self.banks
        twin.timeouts = self.timeouts
        twin.absent = self.absent
        twin.seat_of = self.seat_of
        twin.accounts = self.accounts
        twin.button = self.button
        twin.small_blind = self.small_blind
        twin.big_blind = self.big_blind
        hand = self.hand
        twin.hand = None if hand is None else hand.copy()
        twin.hand_number = self.hand_number
        twin.hands_dealt = self.hands_dealt
        twin.paused = self.paused
        twin.first_deal_at = self.first_deal_at
        twin.next_hand_at = self.next_hand_at
        twin.closing = self.closing
        twin.over_at = self.over_at
        twin.over = self.over
        twin.empty_since = self.empty_since
        twin.undealt = self.undealt
        return twin
