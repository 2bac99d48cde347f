"""Betting: what the player to act owes and may do, and whose turn it is.

Law of this file: it reads a table and changes nothing. What one owes is the street's bet, or less where N10
says so; a raise is offered where the betting is open to the player (N3, D6), within the cap (D8), and where
another could answer it (N8). Amounts are the totals "to" of the street.
"""

from typing import Final, NamedTuple

from engine.game import MOST_DISCARDS, Structure, level
from engine.hand import Hand, Part
from engine.legal import LegalActions
from engine.table import Table
from engine.units import NOBODY, Chips, Seat

_LIVE: Final = Part.LIVE
_NO_LIMIT: Final = Structure.NO_LIMIT
_NONE: Final = Chips(0)


class Terms(NamedTuple):
    """What one seat owes and may raise to; without a raise (a bet, where nothing is bet) both limits are 0."""

    owed: Chips
    """The total to match; what is in already counts."""
    low: Chips
    high: Chips


def terms(hand: Hand, stacks: list[Chips], seat: Seat) -> Terms:
    """What `seat`, live and with chips behind, owes and may raise to."""
    bets, parts, bet = hand.bets, hand.parts, hand.bet
    top = reach = 0
    for other in hand.seats:
        if parts[other] is _LIVE and other != seat:
            total = bets[other]
            if total > top:
                top = total
            if stacks[other]:
                total = Chips(total + stacks[other])
                if total > reach:
                    reach = total
    # N10: a big blind posted short is owed in full, unless nobody else could put in more than is there.
    owed = bet if top >= bet or reach > top else Chips(top)
    whole = Chips(bets[seat] + stacks[seat])
    if whole <= bet or (reach <= bet and not hand.rules.unanswerable_raises):
        return Terms(owed, _NONE, _NONE)
    if hand.rules.structure is _NO_LIMIT:
        low, high = _any_raise(hand, seat, whole)
    else:
        low, high = _exact_raise(hand, seat, whole)
    return Terms(owed, low, high)


def _any_raise(hand: Hand, seat: Seat, whole: Chips) -> tuple[Chips, Chips]:
    """The limits of a no-limit raise by a seat whose bet and stack are `whole` (N3, N5)."""
    matched = hand.matched[seat]
    if matched >= 0 and hand.bet - matched < hand.full_raise:
        return _NONE, _NONE
    low = Chips(hand.bet + hand.full_raise)
    return min(low, whole), whole


def _exact_raise(hand: Hand, seat: Seat, whole: Chips) -> tuple[Chips, Chips]:
    """The one fixed-limit raise of a seat whose bet and stack are `whole` (D2, D6-D8)."""
    rules, matched = hand.rules, hand.matched[seat]
    unit = rules.units[hand.street]
    now = level(hand.bet, unit)
    capped = rules.raise_cap and now > rules.raise_cap
    if capped or (matched >= 0 and level(matched, unit) >= now):
        return _NONE, _NONE
    to = Chips((now + 1) * unit)
    if to > whole:
        to = whole if rules.all_in else _NONE
    return to, to


def legal_actions(table: Table) -> LegalActions:
    """What the seat to act may do; nothing when nobody is to act."""
    hand = table.hand
    if hand is None or not hand.to_act:
        return LegalActions()
    if not hand.rules.units[hand.street]:
        return LegalActions(draw=True, draw_max=MOST_DISCARDS)
    seat = hand.to_act
    owed, low, high = terms(hand, table.stacks, seat)
    own, stack = hand.bets[seat], table.stacks[seat]
    whole = own + stack
    call = min(owed - own, stack) if owed > own else 0
    call_to = own + call if call else 0
    all_in = whole if hand.rules.all_in and (high == whole or call == stack) else 0
    opened = hand.bet > 0
    return LegalActions(
        True,
        not call,
        Chips(call),
        Chips(call_to),
        _NONE if opened else low,
        _NONE if opened else high,
        low if opened else _NONE,
        high if opened else _NONE,
        Chips(all_in),
    )


def next_to_act(table: Table, hand: Hand, after: Seat) -> Seat:
    """The first seat clockwise after `after` that must be asked on this street, or nobody.

    Who has chips is asked until he has acted and matched what he owes; but not when all others are all-in for
    no more than he has in (N14), so that nobody is asked when at most one could still bet (R1).
    """
    seats, parts, stacks = hand.seats, hand.parts, table.stacks
    bets, matched, bet = hand.bets, hand.matched, hand.bet
    start = seats.index(after) + 1
    able = 0
    waiting: list[Seat] = []
    for seat in seats[start:] + seats[:start]:
        if parts[seat] is _LIVE and stacks[seat]:
            able += 1
            if matched[seat] < 0 or bets[seat] < bet:
                waiting.append(seat)
    for seat in waiting:
        if (able > 1 and matched[seat] < 0) or terms(hand, stacks, seat).owed > bets[seat]:
            return seat
    return NOBODY


def before_first(hand: Hand) -> Seat:
    """The seat after which a street's action starts: the big blind's on the first street, else the button's side.

    Later streets, and the first where no blinds are posted, start with the first seat left of the button (D3).
    """
    if hand.street == 0 and hand.big_blind in hand.seats:
        return hand.big_blind
    return hand.seats[-1]


def is_closed(table: Table, hand: Hand) -> bool:
    """Whether there is no more betting in the hand: at most one live player has chips behind."""
    parts, stacks = hand.parts, table.stacks
    return sum(1 for seat in hand.seats if parts[seat] is _LIVE and stacks[seat]) <= 1


def live_seats(hand: Hand) -> tuple[Seat, ...]:
    """The seats that have not folded, clockwise from the left of the button."""
    return tuple(seat for seat in hand.seats if hand.parts[seat] is _LIVE)
