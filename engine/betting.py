"""Betting: what the player to act owes and may do, and whose turn it is.

Law of this file: it reads a table and changes nothing. What one owes is the street's bet, or less where N10
says so; a raise is offered where the betting is open to the player (N3, D6), within the cap (D8), and where
another could answer it (N8). Amounts are the totals "to" of the street.
"""

from functools import cache
from typing import Final

from engine.game import MOST_DISCARDS, Structure, level
from engine.hand import Hand, Part
from engine.legal import LegalActions
from engine.table import Table
from engine.units import NOBODY, Chips, Seat

_LIVE: Final = Part.LIVE
_NO_LIMIT: Final = Structure.NO_LIMIT
_NONE: Final = Chips(0)


Terms = tuple[Chips, Chips, Chips]
"""The total that is owed, what is in already included, and the limits of a raise, or of a bet where nothing is
bet; without one both limits are 0."""


def owed(hand: Hand, stacks: list[Chips], seat: Seat) -> Chips:
    """The total that `seat`, live and with chips behind, must have in to stay, what is in already included."""
    bet = hand.bet
    if hand.aggressor or not bet:
        # Whoever bet or raised last has it in, and cannot fold before it is raised.
        return bet
    blind = hand.big_blind
    if blind != seat and hand.bets[blind] >= bet and hand.parts[blind] is _LIVE:
        return bet
    return _owed_to_posts(hand, stacks, seat)


def _owed_to_posts(hand: Hand, stacks: list[Chips], seat: Seat) -> Chips:
    """N10: a big blind posted short is owed in full, unless nobody else could put in more than is there."""
    bets, bet = hand.bets, hand.bet
    others = [other for other in live_seats(hand) if other != seat]
    top = max([bets[other] for other in others])
    reach = max([bets[other] + stacks[other] for other in others])
    return bet if top >= bet or reach > top else top


def terms(hand: Hand, stacks: list[Chips], seat: Seat) -> Terms:
    """What `seat`, live and with chips behind, owes and may raise to."""
    bet, rules, due = hand.bet, hand.rules, owed(hand, stacks, seat)
    whole = hand.bets[seat] + stacks[seat]
    if whole <= bet or not (_is_answerable(hand, stacks, seat) or rules.unanswerable_raises):
        return due, _NONE, _NONE
    if rules.structure is not _NO_LIMIT:
        to = _exact_raise(hand, seat, whole)
        return due, to, to
    matched = hand.matched[seat]
    if matched >= 0 and bet - matched < hand.full_raise:
        return due, _NONE, _NONE
    low = bet + hand.full_raise
    return due, low if low < whole else whole, whole  # noqa: FURB136  # min() costs as much as all the rest


def _is_answerable(hand: Hand, stacks: list[Chips], seat: Seat) -> bool:
    """Whether another live player has the chips to put in more than the street's bet (N8)."""
    bets, parts, bet = hand.bets, hand.parts, hand.bet
    for other in hand.seats:
        if parts[other] is _LIVE and other != seat and stacks[other] and bets[other] + stacks[other] > bet:
            return True
    return False


def _exact_raise(hand: Hand, seat: Seat, whole: Chips) -> Chips:
    """The one fixed-limit raise of a seat whose bet and stack are `whole` (D2, D6-D8); 0 if there is none."""
    rules, matched = hand.rules, hand.matched[seat]
    unit = rules.units[hand.street]
    now = level(hand.bet, unit)
    capped = rules.raise_cap and now > rules.raise_cap
    if capped or (matched >= 0 and level(matched, unit) >= now):
        return _NONE
    to = Chips((now + 1) * unit)
    if to > whole:
        return whole if rules.all_in else _NONE
    return to


def legal_actions(table: Table) -> LegalActions:
    """What the seat to act may do; nothing when nobody is to act."""
    hand = table.hand
    if hand is None or not hand.to_act:
        return LegalActions()
    if not hand.full_raise:
        return LegalActions(draw=True, draw_max=MOST_DISCARDS)
    seat = hand.to_act
    due, low, high = terms(hand, table.stacks, seat)
    own, stack = hand.bets[seat], table.stacks[seat]
    whole = own + stack
    call = due - own if due > own else _NONE
    if call > stack:
        call = stack
    call_to = own + call if call else _NONE
    all_in = whole if hand.rules.all_in and (high == whole or call == stack) else _NONE
    if hand.bet:
        return LegalActions(True, not call, call, call_to, _NONE, _NONE, low, high, all_in)
    return LegalActions(True, not call, call, call_to, low, high, _NONE, _NONE, all_in)


def next_to_act(table: Table, hand: Hand, after: Seat) -> Seat:
    """The first seat clockwise after `after` that must be asked on this street, or nobody.

    Who has chips is asked until he has acted and matched what he owes; but not when all others are all-in for
    no more than he has in (N14), so that nobody is asked when at most one could still bet (R1).
    """
    seats, parts, stacks = hand.seats, hand.parts, table.stacks
    bets, matched, bet = hand.bets, hand.matched, hand.bet
    waiting = NOBODY
    # Who has not acted comes first: turns go round once before anybody's second.
    for seat in _clockwise(seats, after):
        if parts[seat] is _LIVE and stacks[seat]:
            if waiting:
                return waiting
            if matched[seat] < 0:
                waiting = seat
            elif bets[seat] < bet and owed(hand, stacks, seat) > bets[seat]:
                return seat
    if waiting and owed(hand, stacks, waiting) > bets[waiting]:
        return waiting
    return NOBODY


@cache
def _clockwise(seats: tuple[Seat, ...], after: Seat) -> tuple[Seat, ...]:
    """The seats from the one left of `after` on, `after` itself last. Few are met, and they are asked for at every turn."""
    start = seats.index(after) + 1
    return seats[start:] + seats[:start]


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
    with_chips = [seat for seat in hand.seats if parts[seat] is _LIVE and stacks[seat]]
    return len(with_chips) <= 1


def live_seats(hand: Hand) -> tuple[Seat, ...]:
    """The seats that have not folded, clockwise from the left of the button."""
    parts = hand.parts
    return tuple([seat for seat in hand.seats if parts[seat] is _LIVE])
