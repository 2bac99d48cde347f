"""Hidden cards: turns of real play, and the same turns with all that the mover cannot see dealt anew."""

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from bots.arena import act, deal, seated, shuffled, to_act
from bots.protocol import Bot, observe
from bots.roster import bot
from engine.cards import FULL_DECK, Card
from engine.commands import LOTS
from engine.game import Game
from engine.hand import Hand, Part
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.table import Table
from engine.units import Seat
from engine.view import TableView, view_of

TURNS: Final = 1_000
"""A game."""
MOST: Final = {Game.HOLDEM: 9, Game.DRAW: 6}
"""Players."""
STACKS: Final = (5, 10, 30, 100)
"""In big blinds, or small bets; a table's players begin with the same."""
HANDS: Final = 3
"""That a table plays, its stacks going over from one to the next."""
CHOICE: Final = 2
"""Turns of a street that are played, for each that is taken."""
LEVELS: Final = (BotLevel.EASY, BotLevel.NORMAL, BotLevel.NORMAL, BotLevel.HARD)
STREETS: Final = {Game.HOLDEM: 4, Game.DRAW: 3}


class Moment(NamedTuple):
    """A turn of a hand in progress, and the style of the bot that is asked for it."""

    table: Table
    seat: Seat
    style: BotStyle

    @property
    def hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    @property
    def view(self) -> TableView:
        return view_of(self.table, self.seat)

    @property
    def stub(self) -> tuple[Card, ...]:
        """The rest of the deck."""
        return self.hand.deck[self.hand.dealt :]

    @property
    def rivals(self) -> tuple[tuple[Card, ...], ...]:
        """The cards of the others who have not folded."""
        live = (at for at in self.hand.seats if self.hand.parts[at] is Part.LIVE and at != self.seat)
        return tuple(self.hand.cards[at] for at in live)

    @property
    def seen(self) -> frozenset[Card]:
        """The mover's own cards, the board, and what was turned up."""
        shown = (card for cards in self.hand.shown for card in cards)
        return frozenset((*self.hand.cards[self.seat], *self.hand.board, *shown))


def redealt(moment: Moment, rng: random.Random) -> Moment:
    """The same turn with every card that the mover cannot see exchanged for another of them.

    What it discarded itself is dealt anew too: no observation has it.
    """
    hidden = [card for card in FULL_DECK if card not in moment.seen]
    return exchanged(moment, dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True)))


def exchanged(moment: Moment, other: dict[Card, Card]) -> Moment:
    """The same turn with other cards, wherever they lie."""
    copy = moment._replace(table=moment.table.copy())
    copy.hand.cards = [tuple(other.get(card, card) for card in cards) for cards in moment.hand.cards]
    copy.hand.deck = tuple(other.get(card, card) for card in moment.hand.deck)
    return copy


class Canary(int):
    """A hidden card: whatever carries it along unchanged has this name in its bytes."""


def marked(moment: Moment) -> Moment:
    """The same turn with canaries for all hidden cards."""
    return exchanged(moment, {card: Card(Canary(card)) for card in FULL_DECK if card not in moment.seen})


@cache
def moments(game: Game) -> tuple[Moment, ...]:
    """`TURNS` turns of real play, as many of each street, the same ones every time."""
    rng = random.Random(f"moments {game}")
    wanted = -(-TURNS // STREETS[game])
    found: defaultdict[str, list[Moment]] = defaultdict(list)
    play = _played(game, rng)
    while len(found) < STREETS[game] or any(len(some) < CHOICE * wanted for some in found.values()):
        moment = next(play)
        found[moment.hand.rules.streets[moment.hand.street].value].append(moment)
    chosen = [moment for some in found.values() for moment in rng.sample(some, wanted)]
    rng.shuffle(chosen)
    return tuple(chosen[:TURNS])


def _played(game: Game, rng: random.Random) -> Iterator[Moment]:
    """Endless turns at tables of all sizes, where bots of all levels and styles play."""
    while True:
        players = rng.randint(2, MOST[game])
        table = _table(game, players, rng)
        bots = [bot(game, rng.choice(LEVELS), rng.choice(list(BotStyle))) for _ in range(players)]
        for _ in range(HANDS):
            if not table.next_hand_at:
                break
            table = deal(table, shuffled(rng), rng.randrange(LOTS))
            while seat := to_act(table):
                yield Moment(table, seat, rng.choice(list(BotStyle)))
                table = _acted(table, bots[seat - 1], rng)


def _acted(table: Table, player: Bot, rng: random.Random) -> Table:
    return act(table, lambda view: player.decide(observe(view), rng))


def _table(game: Game, players: int, rng: random.Random) -> Table:
    """Draw is played with all-in bets and without."""
    stack, all_in = rng.choice(STACKS), rng.random() < 0.7
    asked: dict[str, object] = {"seats": players, "hand_limit": 1000}
    if game is Game.DRAW:
        asked["all_in"] = all_in
        stack = stack // 2 if all_in else max(stack, 30)
    usual = make_settings(game, asked)
    assert isinstance(usual, Settings)
    chips = stack * (usual.big_blind or usual.small_bet)
    settings = make_settings(game, {**asked, "min_buy_in": chips, "max_buy_in": chips})
    assert isinstance(settings, Settings), settings
    return seated(settings, players, chips)
