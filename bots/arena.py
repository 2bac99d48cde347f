"""The arena: bots against each other through the real engine, to measure how strong they are.

Every deal is a fresh table with full stacks, played once for each rotation of the bots over the seats with
the same cards, so that luck of the cards cancels out; the group of these hands is the unit of statistics.
The arena deals its own decks from a seed, and each bot has a stream of chance of its own.
"""

import random
from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple

from bots.protocol import Bot, BotAction, observe, to_command
from engine.cards import FULL_DECK, Card
from engine.commands import LOTS, Command, Join, OpenSalon, StartHand
from engine.decide import decide
from engine.refusals import Refusal
from engine.settings import Settings
from engine.table import Table
from engine.units import Chips, Millis, PlayerId, Seat
from engine.view import TableView, view_of

Choose = Callable[[TableView], BotAction]
"""Decides for whichever seat the view belongs to."""
_OWNER = PlayerId("arena")


class Misbehaved(Exception):
    """A bot's command was refused by the engine."""


class Score(NamedTuple):
    """What a bot won a hand, in big blinds (fixed limit: small bets), with its standard error."""

    mean: float
    error: float
    deals: int


def accept(table: Table | None, command: Command, *, now: int = 0) -> Table:
    """The table after a command that has to be accepted.

    Raises:
        Misbehaved: it was refused; the message is the refusal's.
    """
    decision = decide(table, command, now=Millis(now))
    if isinstance(decision, Refusal):
        raise Misbehaved(f"{command}: {decision.text}")
    return decision.table


def seated(settings: Settings, players: int, stack: int = 0) -> Table:
    """A table at which `players` sit from seat 1 on, with `stack` chips each or the usual buy-in."""
    table = accept(None, OpenSalon(_OWNER, settings))
    for seat in range(1, players + 1):
        name = f"player{seat}"
        table = accept(table, Join(PlayerId(name), name, Seat(seat), Chips(stack)))
    return table


def shuffled(rng: random.Random) -> tuple[Card, ...]:
    """A deck in an order that the seed repeats: for arenas and tests alone."""
    return tuple(rng.sample(FULL_DECK, len(FULL_DECK)))


def deal(table: Table, deck: tuple[Card, ...], lot: int = 0) -> Table:
    """The table with its next hand dealt, at the time when it is due."""
    return accept(table, StartHand(deck, lot), now=table.next_hand_at)


def to_act(table: Table) -> Seat:
    """Whose turn it is; 0 when the hand is over."""
    return table.hand.to_act if table.hand and not table.hand.over else Seat(0)


def act(table: Table, choose: Choose) -> Table:
    """The table after the decision of the seat to act."""
    seat = to_act(table)
    view = view_of(table, seat)
    player = next(seen.player for seen in view.seats if seen.seat == seat)
    return accept(table, to_command(choose(view), view, player), now=view.deadline)


def play_out(table: Table, choose: Choose) -> Table:
    """The table after the hand in progress."""
    while to_act(table):
        table = act(table, choose)
    return table


def match(settings: Settings, bots: Sequence[Bot], *, deals: int, seed: int) -> list[Score]:
    """How `bots` score against each other over `deals` decks, each played in all rotations."""
    fresh = seated(settings, len(bots))
    decks = random.Random(f"decks {seed}")
    unit = settings.big_blind or settings.small_bet
    results: list[list[float]] = [[] for _ in bots]
    for number in range(deals):
        start = deal(fresh, shuffled(decks), decks.randrange(LOTS))
        won = [0] * len(bots)
        for turn in range(len(bots)):
            order = [(at + turn) % len(bots) for at in range(len(bots))]
            after = play_out(start, _players(bots, order, f"{seed} {number} {turn}"))
            for seat, player in enumerate(order, 1):
                won[player] += after.stacks[seat] - fresh.stacks[seat]
        for player, chips in enumerate(won):
            results[player].append(chips / len(bots) / unit)
    return [_score(result) for result in results]


def _players(bots: Sequence[Bot], order: Sequence[int], seed: str) -> Choose:
    """The bots at their seats; each with chance of its own, which no deck comes from."""
    chances = [random.Random(f"{seed} {player}") for player in order]

    def choose(view: TableView) -> BotAction:
        at = view.viewer - 1
        return bots[order[at]].decide(observe(view), chances[at])

    return choose


def _score(results: Sequence[float]) -> Score:
    deals = len(results)
    mean = sum(results) / deals
    spread = sum((result - mean) ** 2 for result in results) / max(1, deals - 1)
    return Score(mean, sqrt(spread / deals), deals)
