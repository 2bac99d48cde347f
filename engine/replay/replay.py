"""Replaying: a recorded hand played through the engine from its cards, its posts and its actions alone.

Law of this file: it never reads `RecordedHand.outcome`. Posts are taken as recorded; from the first turn on
every action goes through `decide`, the same that a salon calls, and a refusal ends the replay.
"""

from collections.abc import Mapping
from dataclasses import replace as changed
from functools import cache
from typing import Final, assert_never

from engine import play
from engine.apply import evolve
from engine.apply_hand import hand_of
from engine.betting import legal_actions
from engine.cards import Card
from engine.commands import BetTo, Call, Check, Draw, Fold, RaiseTo, TurnCommand
from engine.decide import decide
from engine.draft import Draft
from engine.events import (
    DeckShuffled,
    Event,
    HandStarted,
    PlayerSeated,
    PotAwarded,
    SalonOpened,
    UncalledBetReturned,
)
from engine.game import Game, Street
from engine.refusals import Refusal
from engine.replay.recorded import Act, BadRecord, RecordedAction, RecordedHand
from engine.replay.stacked import Stacked, stack
from engine.settings import Settings, make_settings
from engine.table import Table
from engine.units import OPERATOR, Chips, HandNumber, Millis, PlayerId, Seat
from engine.value import value

MOST_SEATS: Final = 99
_NOW: Final = Millis(1)
Pots = Mapping[tuple[Seat, ...], Chips]
"""Amounts by the seats that could win them, in rising order."""


@value
class Played:
    """A hand played to its end."""

    events: tuple[Event, ...]
    finish: Mapping[Seat, Chips]
    won: Mapping[Seat, Chips]
    returned: Mapping[Seat, Chips]
    pots: Pots
    winners_known: bool
    """Whether known cards decided it: else `finish` and `won` hang on cards that were only filled in."""
    split: bool
    """Whether a pot was shared out with odd chips (P5)."""


@value
class Stopped:
    """A hand that the engine refuses to play to its end as recorded."""

    why: str


def replay(hand: RecordedHand) -> Played | Stopped:
    """Play `hand`.

    Raises:
        BadRecord: what is told is no hand, or its cards contradict each other.
    """
    _check(hand)
    stacked = stack(hand)
    wrong = _wrong_post(hand)
    if wrong:
        return Stopped(wrong)
    draft = Draft(_seated(hand), _NOW)
    _deal(draft, hand, stacked.deck)
    events, table = draft.events, draft.table
    for number, action in enumerate(hand.actions, 1):
        command = _command(table, action, stacked)
        if isinstance(command, str):
            return Stopped(f"action {number}: {command}")
        decision = decide(table, command, now=_NOW)
        if isinstance(decision, Refusal):
            return Stopped(f"action {number}, seat {action.seat}: {decision.text}")
        events += decision.events
        table = decision.table
    state = hand_of(table)
    if not state.over:
        return Stopped(f"the recorded actions end while it is the turn of seat {state.to_act}")
    return _played(hand, table, events, stacked)


def _check(hand: RecordedHand) -> None:
    """Raise BadRecord for what is no table with a hand at all."""
    if len(hand.order) < 2:
        raise BadRecord("fewer than two players are dealt in")
    if not all(1 <= seat <= MOST_SEATS for seat in hand.stacks):
        raise BadRecord(f"a seat is not from 1 to {MOST_SEATS}")
    for seat in hand.order:
        if hand.stacks.get(seat, 0) <= 0:
            raise BadRecord(f"seat {seat} plays and has no chips")


@cache
def _settings(game: Game) -> Settings:
    """A salon's settings; a replay plays by the rules of its record, and needs them for what follows a hand only."""
    settings = make_settings(game, {"hand_limit": 1_000} if game is Game.DRAW else {})
    assert isinstance(settings, Settings), settings
    return settings


def _seated(hand: RecordedHand) -> Table:
    """A table at which everybody of the record sits, with the record's rules."""
    table = Table()
    settings = changed(_settings(hand.rules.game), seats=max(hand.stacks))
    evolve(table, SalonOpened(OPERATOR, settings, _NOW))
    table.rules = hand.rules
    for seat, chips in hand.stacks.items():
        evolve(table, PlayerSeated(seat, _player(seat), f"Seat {seat}", chips, Millis(0), _NOW))
    return table


def _player(seat: Seat) -> PlayerId:
    return PlayerId(f"p{seat}")


def _wrong_post(hand: RecordedHand) -> str:
    left = dict(hand.stacks)
    for post in hand.posts:
        if not 0 <= post.amount <= left[post.seat]:
            return f"seat {post.seat} posts {post.amount} and has {left[post.seat]}"
        left[post.seat] = Chips(left[post.seat] - post.amount)
    return ""


def _deal(draft: Draft, hand: RecordedHand, deck: tuple[Card, ...]) -> None:
    stacks = tuple(hand.stacks[seat] for seat in hand.order)
    draft.emit(
        HandStarted(HandNumber(1), hand.button, hand.small_blind, hand.big_blind, hand.order, stacks, _NOW)
    )
    draft.emit(DeckShuffled(deck))
    for post in hand.posts:
        draft.emit(post)
    play.begin(draft)


def _command(table: Table, action: RecordedAction, stacked: Stacked) -> TurnCommand | str:
    """The command that a recorded action is now, or why it cannot be one."""
    hand = hand_of(table)
    street = hand.rules.streets[hand.street]
    if hand.over:
        return f"seat {action.seat} is to {action.act}, and the hand is over"
    if hand.to_act != action.seat:
        return f"seat {action.seat} is to {action.act}, and it is the turn of seat {hand.to_act}"
    if action.street not in (None, street):
        return f"seat {action.seat} is to {action.act} on the {action.street}, and this is the {street}"
    player, at = _player(action.seat), (hand.hand, hand.turn)
    match action.act:
        case Act.FOLD:
            return Fold(player, *at)
        case Act.CHECK:
            return Check(player, *at)
        case Act.CALL:
            due = legal_actions(table).call
            if due and action.amount not in (-1, due):
                return f"seat {action.seat} is to call {action.amount}, and {due} is what a call puts in"
            return Call(player, *at)
        case Act.CHECK_OR_CALL:
            return (Call if legal_actions(table).call else Check)(player, *at)
        case Act.BET | Act.RAISE_TO:
            to = Chips(action.amount + (hand.bets[action.seat] if action.act is Act.BET else 0))
            return (RaiseTo if hand.bet else BetTo)(player, *at, to)
        case Act.DRAW:
            return Draw(player, *at, stacked.discards[action.seat])
        case unknown:
            assert_never(unknown)


def _played(hand: RecordedHand, table: Table, events: list[Event], stacked: Stacked) -> Played:
    awards = [event for event in events if isinstance(event, PotAwarded)]
    won: dict[Seat, Chips] = {}
    for pot in awards:
        for seat, share in zip(pot.winners, pot.shares, strict=True):
            won[seat] = Chips(won.get(seat, 0) + share)
    contested = {seat for pot in awards if len(pot.eligible) > 1 for seat in pot.eligible}
    known = stacked.board_known or Street.DRAW in hand.rules.streets
    return Played(
        tuple(events),
        {seat: table.stacks[seat] for seat in sorted(hand.stacks)},
        {seat: won[seat] for seat in sorted(won)},
        {event.seat: event.amount for event in events if isinstance(event, UncalledBetReturned)},
        {tuple(sorted(pot.eligible)): pot.amount for pot in awards},
        hand.decidable and (not contested or (known and contested <= stacked.settled)),
        any(len(set(pot.shares)) > 1 for pot in awards),
    )
