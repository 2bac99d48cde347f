"""Applying the events of a hand: from the posts to the last pot.

Law of this file: a function here believes its event and checks nothing; what may happen is decided in
`play.py`. It needs neither the deck nor anybody's private cards, so that a replica without them is right
about everything public. What `Hand` says about its lists is kept here.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from engine import apply_table
from engine.events import (
    AntePosted,
    BetMade,
    Blind,
    BlindPosted,
    Called,
    CardsDrawn,
    CardsMucked,
    CardsReplaced,
    CardsShown,
    Checked,
    DeckShuffled,
    Event,
    Folded,
    GraceGiven,
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PotAwarded,
    Raised,
    StreetStarted,
    TurnStarted,
    UncalledBetReturned,
)
from engine.game import Structure, level
from engine.hand import UNMATCHED, Hand, Part
from engine.table import Table
from engine.units import NOBODY, Chips, Millis, Seat

T = TypeVar("T")
_DEAD: Final = Blind.DEAD
_NO_LIMIT: Final = Structure.NO_LIMIT
_FOLDED: Final = Part.FOLDED
_NONE: Final = Chips(0)


def hand_of(table: Table) -> Hand:
    """The hand that is known to be there, in progress or just over.

    What happens often says `table.hand or hand_of(table)`, which saves the call.
    """
    hand = table.hand
    if hand is None:
        raise LookupError("the table has no hand")
    return hand


def _with(items: list[T], seat: Seat, item: T) -> list[T]:
    changed = items.copy()
    changed[seat] = item
    return changed


# The start


def _hand_started(table: Table, event: HandStarted) -> None:
    apply_table.hand_started(table, event)
    table.hand = Hand(table.rules, event, len(table.stacks) - 1)


def _deck_shuffled(table: Table, event: DeckShuffled) -> None:
    hand_of(table).deck = event.cards


def _ante_posted(table: Table, event: AntePosted) -> None:
    hand = table.hand or hand_of(table)
    seat, amount = event.seat, event.amount
    table.stacks[seat] -= amount
    hand.contributions[seat] += amount
    if hand.rules.big_blind_ante:
        hand.dead = _with(hand.dead, seat, hand.dead[seat] + amount)


def _blind_posted(table: Table, event: BlindPosted) -> None:
    hand = table.hand or hand_of(table)
    seat, amount = event.seat, event.amount
    table.stacks[seat] -= amount
    hand.contributions[seat] += amount
    if event.blind is _DEAD:
        hand.dead = _with(hand.dead, seat, hand.dead[seat] + amount)
    else:
        hand.bets[seat] += amount


def _hole_cards_dealt(table: Table, event: HoleCardsDealt) -> None:
    hand = table.hand or hand_of(table)
    hand.cards = _with(hand.cards, event.seat, event.cards)


# Streets and turns


def _street_started(table: Table, event: StreetStarted) -> None:
    hand = table.hand or hand_of(table)
    size = len(hand.bets)
    hand.street = hand.rules.streets.index(event.street)
    hand.board += event.cards
    hand.dealt += len(event.cards)
    hand.bets = [_NONE] * size
    hand.matched = [UNMATCHED] * size
    hand.bet = _NONE
    hand.full_raise = hand.rules.units[hand.street]
    hand.raises = 0
    hand.aggressor = NOBODY


def _turn_started(table: Table, event: TurnStarted) -> None:
    hand = table.hand or hand_of(table)
    hand.to_act = event.seat
    hand.turn = event.turn
    hand.deadline = event.deadline
    hand.bank = event.bank
    hand.graces = 0
    hand.graced_at = Millis(0)


def _grace_given(table: Table, event: GraceGiven) -> None:
    hand = table.hand or hand_of(table)
    hand.deadline = event.deadline
    hand.graces += 1
    hand.graced_at = event.at


def _acted(table: Table, seat: Seat, kind: str) -> Hand:
    """Let a turn be over: its action goes into the history with the seat's bet, which it has matched now."""
    hand = table.hand or hand_of(table)
    to = hand.bets[seat]
    hand.to_act = NOBODY
    hand.matched[seat] = to
    hand.history.append((hand.rules.streets[hand.street], seat, kind, to))
    return hand


def _put_in(table: Table, event: Called | BetMade | Raised, kind: str) -> Hand:
    """Move the chips of an action, which ends a turn."""
    hand = table.hand or hand_of(table)
    seat, amount, to = event.seat, event.amount, event.to
    table.stacks[seat] -= amount
    hand.contributions[seat] += amount
    hand.bets[seat] = hand.matched[seat] = to
    hand.to_act = NOBODY
    hand.history.append((hand.rules.streets[hand.street], seat, kind, to))
    return hand


def _folded(table: Table, event: Folded) -> None:
    hand = _acted(table, event.seat, "fold")
    hand.parts = _with(hand.parts, event.seat, _FOLDED)


def _checked(table: Table, event: Checked) -> None:
    _acted(table, event.seat, "check")


def _called(table: Table, event: Called) -> None:
    _put_in(table, event, "call")


def _bet_made(table: Table, event: BetMade) -> None:
    _lift(_put_in(table, event, "bet"), event.seat, event.to)


def _raised(table: Table, event: Raised) -> None:
    hand = _put_in(table, event, "raise")
    if hand.rules.structure is _NO_LIMIT:
        hand.raises += 1
    else:
        hand.raises = max(hand.raises, level(event.to, hand.rules.units[hand.street]) - 1)
    _lift(hand, event.seat, event.to)


def _lift(hand: Hand, seat: Seat, to: Chips) -> None:
    """Make `to` the street's bet; only a complete raise changes the raise unit, and only in no limit (N4)."""
    size = to - hand.bet
    if size > hand.full_raise and hand.rules.structure is _NO_LIMIT:
        hand.full_raise = size
    hand.bet = to
    hand.aggressor = seat


# The draw


def _cards_drawn(table: Table, event: CardsDrawn) -> None:
    hand = table.hand or hand_of(table)
    hand.draws = _with(hand.draws, event.seat, event.count)
    hand.dealt += event.count
    hand.to_act = NOBODY
    hand.history.append((hand.rules.streets[hand.street], event.seat, "draw", Chips(event.count)))


def _cards_replaced(table: Table, event: CardsReplaced) -> None:
    hand = hand_of(table)
    kept = tuple(card for card in hand.cards[event.seat] if card not in event.discards)
    hand.cards = _with(hand.cards, event.seat, kept + event.cards)


# The end


def _uncalled_bet_returned(table: Table, event: UncalledBetReturned) -> None:
    table.stacks[event.seat] += event.amount
    hand_of(table).contributions[event.seat] -= event.amount


def _cards_shown(table: Table, event: CardsShown) -> None:
    hand = table.hand or hand_of(table)
    hand.shown = _with(hand.shown, event.seat, hand.shown[event.seat] + event.cards)


def _cards_mucked(_table: Table, _event: CardsMucked) -> None:
    """Nothing changes: a hand is unseen until it is shown."""


def _pot_awarded(table: Table, event: PotAwarded) -> None:
    hand = table.hand or hand_of(table)
    for seat, share in zip(event.winners, event.shares, strict=True):
        table.stacks[seat] += share
    hand.pots = ((event.amount, event.eligible), *hand.pots)


def _hand_ended(table: Table, _event: HandEnded) -> None:
    """The deck's rest is forgotten; each keeps his own cards, to reveal them or to look back (S8)."""
    hand = hand_of(table)
    hand.over = True
    hand.to_act = NOBODY
    hand.deck = ()
    hand.deadline = Millis(0)


def _hand_voided(table: Table, event: HandVoided) -> None:
    hand = hand_of(table)
    for seat in hand.seats:
        table.stacks[seat] += hand.contributions[seat]
    apply_table.hand_voided(table, event)
    table.hand = None


HAND_EVENTS: dict[type[Event], Callable[[Table, Any], None]] = {
    HandStarted: _hand_started,
    DeckShuffled: _deck_shuffled,
    AntePosted: _ante_posted,
    BlindPosted: _blind_posted,
    HoleCardsDealt: _hole_cards_dealt,
    StreetStarted: _street_started,
    TurnStarted: _turn_started,
    GraceGiven: _grace_given,
    Folded: _folded,
    Checked: _checked,
    Called: _called,
    BetMade: _bet_made,
    Raised: _raised,
    CardsDrawn: _cards_drawn,
    CardsReplaced: _cards_replaced,
    UncalledBetReturned: _uncalled_bet_returned,
    CardsShown: _cards_shown,
    CardsMucked: _cards_mucked,
    PotAwarded: _pot_awarded,
    HandEnded: _hand_ended,
    HandVoided: _hand_voided,
}
