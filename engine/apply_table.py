"""Applying the events of a table: its seats, its players, its button and its limits.

Law of this file: a function here believes its event and checks nothing; what may happen is decided elsewhere.
`stacks` is changed in place, every other list and dict is replaced (see `table.py`).
"""

from collections.abc import Callable
from typing import Any, Final

from engine.events import (
    AbsenceCause,
    BankGrew,
    BankUsed,
    BlindsMissed,
    ButtonDrawn,
    Event,
    HandStarted,
    HandVoided,
    LeaveAsked,
    NextHandScheduled,
    PlayerLeft,
    PlayerSeated,
    PlayPaused,
    SalonClosing,
    SalonEnded,
    SalonOpened,
    SatIn,
    SatOut,
    SitOutAsked,
    TimedOut,
    TimeoutsCleared,
    ToppedUp,
    TopUpAsked,
)
from engine.hand import Part
from engine.settings import chips_needed, rules_of
from engine.table import Account, Dues, Player, Presence, Table, Undealt
from engine.units import NOBODY, Chips, Millis, PlayerId, Seat
from engine.value import changed

_NOTHING: Final = Dues.NOTHING
_WITH_SMALL: Final = {Dues.NOTHING: Dues.SMALL, Dues.BIG: Dues.BOTH}
_WITH_BIG: Final = {Dues.NOTHING: Dues.BIG, Dues.SMALL: Dues.BOTH}
_NEW: Final = (Dues.NEWCOMER, Dues.NEWCOMER_POSTS)


def player_at(table: Table, seat: Seat) -> Player:
    """The player who holds a seat that is known to be taken."""
    player = table.players[seat]
    if player is None:
        raise LookupError(f"nobody holds seat {seat}")
    return player


def _alter(table: Table, seat: Seat, **changes: Any) -> None:
    players = table.players.copy()
    players[seat] = changed(player_at(table, seat), **changes)
    table.players = players


def _set_bank(table: Table, seat: Seat, bank: Millis) -> None:
    banks = table.banks.copy()
    banks[seat] = bank
    table.banks = banks


def _set_timeouts(table: Table, seat: Seat, count: int) -> None:
    if table.timeouts[seat] != count:
        timeouts = table.timeouts.copy()
        timeouts[seat] = count
        table.timeouts = timeouts


# The salon and its seats


def _salon_opened(table: Table, event: SalonOpened) -> None:
    size = event.settings.seats + 1
    table.settings = event.settings
    table.rules = rules_of(event.settings)
    table.owner = event.owner
    table.players = [None] * size
    table.stacks = [Chips(0)] * size
    table.banks = [Millis(0)] * size
    table.timeouts = [0] * size
    table.absent = [False] * size
    table.empty_since = event.at


def _player_seated(table: Table, event: PlayerSeated) -> None:
    seat = event.seat
    players = table.players.copy()
    players[seat] = Player(
        player=event.player,
        name=event.name,
        level=event.level,
        style=event.style,
        first_buy_in=event.stack,
        presence=Presence.PRESENT,
        dues=Dues.NEWCOMER if table.rules.big_blind else Dues.NOTHING,
        absence=None,
        evict_at=Millis(0),
        need=Chips(0),
        leaving=None,
        top_up_to=Chips(0),
    )
    table.players = players
    table.stacks[seat] = event.stack
    _set_bank(table, seat, event.bank)
    _set_timeouts(table, seat, 0)
    table.seat_of = {**table.seat_of, event.player: seat}
    old = table.accounts.get(event.player)
    account = Account(
        player=event.player,
        name=event.name,
        bot=event.level is not None,
        bought=event.stack + (old.bought if old else 0),
        taken=old.taken if old else Chips(0),
        left_with=Chips(0),
        left_at=Millis(0),
        bank=event.bank,
    )
    table.accounts = {**table.accounts, event.player: account}
    table.empty_since = Millis(0)


def _leave_asked(table: Table, event: LeaveAsked) -> None:
    _alter(table, event.seat, leaving=event.cause)


def _player_left(table: Table, event: PlayerLeft) -> None:
    seat = event.seat
    account = table.accounts[event.player]
    account = changed(
        account,
        taken=account.taken + event.stack,
        left_with=event.stack,
        left_at=event.at,
        bank=table.banks[seat],
    )
    table.accounts = {**table.accounts, event.player: account}
    players = table.players.copy()
    players[seat] = None
    table.players = players
    table.stacks[seat] = Chips(0)
    table.seat_of = {player: taken for player, taken in table.seat_of.items() if taken != seat}
    _set_bank(table, seat, Millis(0))
    _set_timeouts(table, seat, 0)
    if not table.seat_of:
        table.empty_since = event.at
    hand = table.hand
    if hand is not None and seat in hand.seats:
        # Whoever takes the seat next has no part in the hand just over, and must not find its cards.
        hand.parts = [*hand.parts[:seat], Part.OUT, *hand.parts[seat + 1 :]]
        hand.cards = [*hand.cards[:seat], (), *hand.cards[seat + 1 :]]
        hand.shown = [*hand.shown[:seat], (), *hand.shown[seat + 1 :]]


def _sit_out_asked(table: Table, event: SitOutAsked) -> None:
    _alter(table, event.seat, presence=Presence.SITTING_OUT_NEXT, absence=AbsenceCause.ASKED)


def _sat_out(table: Table, event: SatOut) -> None:
    _alter(
        table,
        event.seat,
        presence=Presence.SITTING_OUT,
        absence=event.cause,
        evict_at=event.evict_at,
        need=event.need,
    )
    _set_timeouts(table, event.seat, 0)


def _sat_in(table: Table, event: SatIn) -> None:
    dues = player_at(table, event.seat).dues
    if dues in _NEW:
        dues = Dues.NEWCOMER_POSTS if event.post else Dues.NEWCOMER
    _alter(
        table,
        event.seat,
        presence=Presence.PRESENT,
        absence=None,
        evict_at=Millis(0),
        need=Chips(0),
        dues=dues,
    )
    _set_timeouts(table, event.seat, 0)


def _top_up_asked(table: Table, event: TopUpAsked) -> None:
    _alter(table, event.seat, top_up_to=event.to)


def _topped_up(table: Table, event: ToppedUp) -> None:
    player = player_at(table, event.seat)
    need = chips_needed(table.settings, event.stack) if player.need else Chips(0)
    _alter(table, event.seat, top_up_to=Chips(0), need=need)
    table.stacks[event.seat] = event.stack
    account = table.accounts[player.player]
    account = changed(account, bought=account.bought + event.amount)
    table.accounts = {**table.accounts, player.player: account}


# The button and the blinds


def _button_drawn(table: Table, _event: ButtonDrawn) -> None:
    # The seat comes again with HandStarted; that nobody owes anything is what it adds (B0).
    table.paused = True


def hand_started(table: Table, event: HandStarted) -> None:
    """Let the table's side of a deal have happened; the hand itself is made by `apply_hand.py`.

    Who is dealt in owes nothing from here on. After a button drawn by lot nobody does (B0), but a newcomer who
    sits out stays one.
    """
    dues: dict[PlayerId, Dues] = {}
    players = table.players
    for seat, player in enumerate(players):
        if player is None or player.dues is _NOTHING:
            continue
        if seat in event.seats or (table.paused and player.dues not in _NEW):
            dues[player.player] = player.dues
            _alter(table, Seat(seat), dues=Dues.NOTHING)
    table.undealt = Undealt(
        table.button,
        table.small_blind,
        table.big_blind,
        table.paused,
        table.first_deal_at,
        tuple(dues.items()),
    )
    table.button = event.button
    table.small_blind = event.small_blind
    table.big_blind = event.big_blind
    table.hand_number = event.hand
    table.hands_dealt += 1
    table.first_deal_at = table.first_deal_at or event.at
    table.absent = [False] * len(players)
    table.paused = False
    table.next_hand_at = Millis(0)


def _blinds_missed(table: Table, event: BlindsMissed) -> None:
    player = player_at(table, event.seat)
    dues = player.dues
    if event.small:
        dues = _WITH_SMALL.get(dues, dues)
    if event.big:
        dues = _WITH_BIG.get(dues, dues)
    _alter(table, event.seat, dues=dues)
    if table.undealt is not None:
        before = (*table.undealt.dues, (player.player, player.dues))
        table.undealt = changed(table.undealt, dues=before)


def hand_voided(table: Table, _event: HandVoided) -> None:
    """Let the table's side of a void have happened: button, blinds and limits as if not dealt (V1)."""
    before = table.undealt
    if before is None:
        return
    table.button = before.button
    table.small_blind = before.small_blind
    table.big_blind = before.big_blind
    table.paused = before.paused
    table.first_deal_at = before.first_deal_at
    table.hands_dealt -= 1
    table.undealt = None
    for player, dues in before.dues:
        seat = table.seat_of.get(player, NOBODY)
        if seat:
            _alter(table, seat, dues=dues)


# Time


def _bank_used(table: Table, event: BankUsed) -> None:
    _set_bank(table, event.seat, event.left)


def _bank_grew(table: Table, event: BankGrew) -> None:
    _set_bank(table, event.seat, event.bank)


def _timed_out(table: Table, event: TimedOut) -> None:
    seat = event.seat
    count = table.timeouts[seat] + 1
    _set_timeouts(table, seat, count)
    if count < table.settings.timeouts_to_sit_out or table.absent[seat]:
        return
    absent = table.absent.copy()
    absent[seat] = True
    table.absent = absent
    player = player_at(table, seat)
    if player.presence is Presence.PRESENT and player.level is None:
        _alter(table, seat, presence=Presence.SITTING_OUT_NEXT, absence=AbsenceCause.TIMED_OUT)


def _timeouts_cleared(table: Table, event: TimeoutsCleared) -> None:
    _set_timeouts(table, event.seat, 0)


# Between hands, and the end


def _next_hand_scheduled(table: Table, event: NextHandScheduled) -> None:
    table.next_hand_at = event.at


def _play_paused(table: Table, _event: PlayPaused) -> None:
    table.paused = True
    table.next_hand_at = Millis(0)


def _salon_closing(table: Table, event: SalonClosing) -> None:
    table.closing = event.cause
    table.over_at = event.over_at
    table.next_hand_at = Millis(0)


def _salon_ended(table: Table, event: SalonEnded) -> None:
    table.closing = event.cause
    table.over_at = event.at
    table.next_hand_at = Millis(0)
    table.over = True


TABLE_EVENTS: Final[dict[type[Event], Callable[[Table, Any], None]]] = {
    SalonOpened: _salon_opened,
    PlayerSeated: _player_seated,
    LeaveAsked: _leave_asked,
    PlayerLeft: _player_left,
    SitOutAsked: _sit_out_asked,
    SatOut: _sat_out,
    SatIn: _sat_in,
    BlindsMissed: _blinds_missed,
    TopUpAsked: _top_up_asked,
    ToppedUp: _topped_up,
    ButtonDrawn: _button_drawn,
    BankUsed: _bank_used,
    BankGrew: _bank_grew,
    TimedOut: _timed_out,
    TimeoutsCleared: _timeouts_cleared,
    NextHandScheduled: _next_hand_scheduled,
    PlayPaused: _play_paused,
    SalonClosing: _salon_closing,
    SalonEnded: _salon_ended,
}
"""What each event of a table does to it. HandStarted and HandVoided are in `apply_hand.py`, which calls here."""
