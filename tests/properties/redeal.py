"""Re-dealing: one hand again with other hidden cards, which a viewer must not notice before they may show.

Whatever a viewer receives - events, views, answers to his own commands - is the same to the last field, up to
the first event that the hidden cards may decide: cards turned up, a muck, or a pot that more than one could win.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from engine.cards import Card
from engine.commands import Command, Draw, Reveal, StartHand
from engine.decide import Decision, decide
from engine.events import (
    CardsMucked,
    CardsReplaced,
    CardsShown,
    Event,
    HoleCardsDealt,
    PotAwarded,
    StreetStarted,
)
from engine.refusals import Refusal
from engine.table import Table
from engine.units import Millis, PlayerId, Seat
from engine.view import sees, view_of


class Entry(NamedTuple):
    """A command of a hand and what it was answered; the first entry of a diary is the hand's start."""

    now: Millis
    table: Table
    """Before the command."""
    command: Command
    answer: Decision | Refusal


def hold(diary: Sequence[Entry], rng: Random) -> None:
    """Play a diary's hand again with its hidden cards dealt anew, for a spectator and for one seat."""
    start = diary[0]
    assert isinstance(start.command, StartHand)
    assert isinstance(start.answer, Decision)
    hand = start.answer.table.hand
    assert hand is not None
    for viewer in (Seat(0), rng.choice(hand.seats)):
        _hold_for(diary, viewer, rng)


def _hold_for(diary: Sequence[Entry], viewer: Seat, rng: Random) -> None:
    first = diary[0].command
    assert isinstance(first, StartHand)
    deck = _redealt(first.deck, _known(diary, viewer), rng)
    swap = dict(zip(first.deck, deck, strict=True))
    holder = diary[0].table.players[viewer]
    me = holder.player if holder else None
    table = diary[0].table
    for entry in diary:
        command = _swapped(entry.command, swap, me)
        answer = decide(table, command, now=entry.now)
        assert isinstance(answer, Decision) == isinstance(entry.answer, Decision), (
            f"re-deal: {command}: {answer}"
        )
        if isinstance(answer, Refusal) or isinstance(entry.answer, Refusal):
            mine = getattr(command, "player", None) == me
            assert not mine or answer == entry.answer, "re-deal: a refusal tells of hidden cards"
            continue
        before, again = _open(entry.answer.events, viewer), _open(answer.events, viewer)
        assert before == again, f"re-deal: seat {viewer} receives other events"
        if any(map(_may_differ, entry.answer.events)):
            return
        table = answer.table
        same = view_of(table, viewer) == view_of(entry.answer.table, viewer)
        assert same, f"re-deal: seat {viewer} has another view"


def _redealt(deck: tuple[Card, ...], known: set[Card], rng: Random) -> tuple[Card, ...]:
    """The deck with all cards but the known ones in other places."""
    hidden = [card for card in deck if card not in known]
    Random(rng.randint(0, 2**32)).shuffle(hidden)
    others = iter(hidden)
    return tuple(card if card in known else next(others) for card in deck)


def _known(diary: Sequence[Entry], viewer: Seat) -> set[Card]:
    """The cards that a viewer gets to see before any may show: the board, and what his seat is dealt and draws."""
    known: set[Card] = set()
    for entry in diary:
        for event in entry.answer.events if isinstance(entry.answer, Decision) else ():
            if _may_differ(event):
                return known
            match event:
                case StreetStarted():
                    known |= set(event.cards)
                case HoleCardsDealt() | CardsReplaced() if event.seat == viewer:
                    known |= set(event.cards)
                case _:
                    pass
    return known


def _may_differ(event: Event) -> bool:
    """Whether hidden cards may decide this event, or what follows it."""
    return isinstance(event, CardsShown | CardsMucked) or (
        isinstance(event, PotAwarded) and len(event.eligible) > 1
    )


def _open(events: Sequence[Event], viewer: Seat) -> list[Event]:
    """What a viewer receives, up to the first event that may differ."""
    received: list[Event] = []
    for event in events:
        if _may_differ(event):
            break
        if sees(event, viewer):
            received.append(event)
    return received


def _swapped(command: Command, swap: dict[Card, Card], me: PlayerId | None) -> Command:
    """The same command in the other deal: what others name of their cards lies in the same places."""
    if isinstance(command, StartHand):
        return replace(command, deck=tuple(swap.values()))
    if isinstance(command, Draw | Reveal) and command.player != me:
        return replace(command, cards=tuple(swap.get(card, card) for card in command.cards))
    return command
