"""The arena: bots against each other through the real engine, to measure how strong they are.

Every deal is a fresh table with full stacks, played once for each rotation of the bots over the seats with
the same cards, so that luck of the cards cancels out; the group of these hands is the unit of statistics.
The arena deals its own decks from a seed, and each bot has a stream of chance of its own. A match of many deals
is in duplicate.py.
"""

import random
from collections.abc import Callable, Sequence

from bots.protocol import BotAction, Observation, observe, to_command
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
Player = Callable[[Observation, random.Random], BotAction]
"""Decides for a bot, whatever its seat, with the bot's own chance."""
_OWNER = PlayerId("arena")


class Misbehaved(Exception):
    """A bot's command was refused by the engine."""


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


def play_deal(fresh: Table, lineups: Sequence[Sequence[Player]], *, seed: int, number: int) -> list[int]:
    """The chips that each player wins with one deck from all seats together, hand by hand from full stacks.

    `lineups` has the players for each rotation, or once for all of them. The deck has a stream of chance of its
    own, and so has each player, the same one in each rotation: what they are depends on the seed, the deal's number
    and, of a player's, which one he is; none tells anything about another.
    """
    deck = random.Random(f"deck {seed} {number}")
    start = deal(fresh, shuffled(deck), deck.randrange(LOTS))
    count = len(lineups[0])
    won = [0] * count
    for turn in range(count):
        order = [(at + turn) % count for at in range(count)]
        players = [lineups[turn % len(lineups)][player] for player in order]
        chances = [random.Random(f"bot {seed} {number} {player}") for player in order]
        after = play_out(start, _at_their_seats(players, chances))
        for seat, player in enumerate(order, 1):
            won[player] += after.stacks[seat] - fresh.stacks[seat]
    return won


def _at_their_seats(players: Sequence[Player], chances: Sequence[random.Random]) -> Choose:
    def choose(view: TableView) -> BotAction:
        at = view.viewer - 1
        return players[at](observe(view), chances[at])

    return choose
