"""Moves: the event that a betting command makes, or the refusal that says what would be legal.

Law of this file: it reads a table and changes nothing. The command is known to come from the player whose
turn it is, and to name that turn.
"""

from collections.abc import Callable
from typing import Any, Final

from engine.betting import Terms, legal_actions, live_seats, owed, terms
from engine.commands import AllIn, BetTo, Call, Check, Fold, RaiseTo
from engine.events import BetMade, Called, Checked, Event, Folded, Raised
from engine.game import Structure
from engine.hand import Hand
from engine.refusals import Reason, Refusal
from engine.table import Table
from engine.units import Chips, Seat

Move = Event | Refusal


def fold(_table: Table, hand: Hand, _command: Fold) -> Move:
    """Always legal, also where a check is free (N20)."""
    return Folded(hand.to_act)


def check(table: Table, hand: Hand, _command: Check) -> Move:
    """Legal when nothing is owed; never becomes a call."""
    seat = hand.to_act
    missing = owed(hand, table.stacks, seat) - hand.bets[seat]
    if missing > 0:
        return illegal(table, f"check refused: {missing} more to call; call, or fold", to_call=missing)
    return Checked(seat)


def call(table: Table, hand: Hand, _command: Call) -> Move:
    """Matches what is owed, or puts in the whole stack where that is less (N9); never becomes a check."""
    seat = hand.to_act
    due = owed(hand, table.stacks, seat)
    if due <= hand.bets[seat]:
        return illegal(table, "call refused: there is nothing to call; check is free")
    return _called(table, hand, due)


def bet(table: Table, hand: Hand, command: BetTo) -> Move:
    """Opens a street's betting, within its limits."""
    if hand.bet:
        right = _raise_text(terms(hand, table.stacks, hand.to_act)) or "call, or fold"
        return illegal(
            table, f"bet to {command.to} refused: {hand.bet} is bet already; {right}", bet=hand.bet
        )
    return _lifted(table, hand, command.to, "bet")


def raise_to(table: Table, hand: Hand, command: RaiseTo) -> Move:
    """Raises a street's bet, within its limits."""
    if not hand.bet:
        return illegal(table, f"raise to {command.to} refused: nothing is bet yet; bet, or check")
    return _lifted(table, hand, command.to, "raise")


def all_in(table: Table, hand: Hand, _command: AllIn) -> Move:
    """The call, bet or raise of the whole stack, legal exactly when that is."""
    if not hand.rules.all_in:
        return illegal(
            table, "all-in refused: it is no action of its own here; check, call, bet, raise or fold"
        )
    seat = hand.to_act
    whole = hand.bets[seat] + table.stacks[seat]
    due, _, high = terms(hand, table.stacks, seat)
    if whole <= due:
        return _called(table, hand, due)
    if high != whole:
        why = _closed_text(table, hand) if not high else f"it would be {whole}, and the maximum is {high}"
        return illegal(table, f"all-in refused: {why}", max=high)
    return (Raised if hand.bet else BetMade)(seat, table.stacks[seat], whole)


def illegal(table: Table, text: str, **numbers: int) -> Refusal:
    """An action that is not open to the player in his turn, with those that are."""
    return _refusal(table, Reason.ILLEGAL_ACTION, text, **numbers)


def _refusal(table: Table, reason: Reason, text: str, **numbers: int) -> Refusal:
    facts = tuple((name, str(number)) for name, number in numbers.items())
    return Refusal(reason, text, facts, legal_actions(table))


def _called(table: Table, hand: Hand, due: Chips) -> Called:
    seat = hand.to_act
    own, stack = hand.bets[seat], table.stacks[seat]
    if due - own < stack:
        return Called(seat, due - own, due)
    return Called(seat, stack, own + stack)


def _lifted(table: Table, hand: Hand, to: Chips, word: str) -> Move:
    """A bet or raise to `to`, called `word` in a refusal."""
    seat = hand.to_act
    _, low, high = terms(hand, table.stacks, seat)
    if low <= to <= high and high:
        return (Raised if hand.bet else BetMade)(seat, to - hand.bets[seat], to)
    if not high:
        return illegal(table, f"{word} to {to} refused: {_closed_text(table, hand)}")
    if low == high:
        right = f"it must be exactly {low}"
    else:
        right = f"the minimum is {low}" if to < low else f"the maximum is {high}"
    return _refusal(table, Reason.AMOUNT_OUT_OF_RANGE, f"{word} to {to} refused: {right}", min=low, max=high)


def _raise_text(offered: Terms) -> str:
    _, low, high = offered
    if not high:
        return ""
    return f"raise to {low}" + (f" or up to {high}" if low < high else "")


def _closed_text(table: Table, hand: Hand) -> str:
    """Why no bet or raise is offered to the player to act, and what is."""
    seat, stacks = hand.to_act, table.stacks
    left = "call, or fold" if owed(hand, stacks, seat) > hand.bets[seat] else "check, or fold"
    if hand.bets[seat] + stacks[seat] <= hand.bet:
        return f"the stack does not reach beyond {hand.bet}; {left}"
    if hand.rules.structure is Structure.FIXED_LIMIT and 0 < hand.rules.raise_cap <= hand.raises:
        return f"the cap of {hand.rules.raise_cap} raises is reached; {left}"
    if all(hand.bets[other] + stacks[other] <= hand.bet for other in live_seats(hand) if other != seat):
        return f"nobody else has the chips to answer it; {left}"
    return f"no full raise was made since you acted, so the betting is not open to you again; {left}"


MOVES: Final[dict[type, Callable[[Table, Hand, Any], Move]]] = {
    Fold: fold,
    Check: check,
    Call: call,
    BetTo: bet,
    RaiseTo: raise_to,
    AllIn: all_in,
}
"""What each betting command does."""


def passed(table: Table, hand: Hand, seat: Seat) -> Event:
    """The check where it is free, else the fold, of a seat that does not act by itself (B6)."""
    if owed(hand, table.stacks, seat) > hand.bets[seat]:
        return Folded(seat)
    return Checked(seat)
