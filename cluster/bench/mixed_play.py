"""Mixed play: real hands of both games, played from a seed by bots of all levels and styles, whose turns are measured."""

import random
from collections.abc import Generator
from typing import Final, NamedTuple

from bots.arena import accept, deal, shuffled, to_act
from engine.commands import LOTS, AddBot, OpenSalon, TurnCommand
from engine.game import Game
from engine.refusals import Refusal
from engine.settings import BotLevel, BotStyle, make_settings
from engine.table import Player, Table
from engine.units import PlayerId, Seat
from engine.view import TableView, view_of

MOST: Final = {Game.HOLDEM: 9, Game.DRAW: 6}
"""Players."""
HANDS: Final = 10
"""That a table plays: its stacks go over from one to the next, and who has none buys in again."""
_OWNER: Final = PlayerId("bench")


class Turn(NamedTuple):
    """A turn as a salon asks a bot for it."""

    view: TableView
    player: Player

    @property
    def level(self) -> BotLevel:
        """The bot's."""
        return self.player.level or BotLevel.EASY

    @property
    def style(self) -> BotStyle:
        """The bot's."""
        return self.player.style or BotStyle.BALANCED


def turns(game: Game, rng: random.Random) -> Generator[Turn, TurnCommand, None]:
    """Endless turns at tables of all sizes in turn, the usual settings otherwise; each is to be answered with its command.

    Raises:
        Misbehaved: a command was refused.
    """
    while True:
        sizes = range(2, MOST[game] + 1)
        for players in rng.sample(sizes, len(sizes)):
            yield from at_table(game, players, HANDS, rng)


def at_table(game: Game, players: int, hands: int, rng: random.Random) -> Generator[Turn, TurnCommand, None]:
    """The turns of so many hands at one table; see `turns`."""
    table = _opened(game, players, rng)
    for _ in range(hands):
        table = deal(table, shuffled(rng), rng.randrange(LOTS))
        while seat := to_act(table):
            view, player = view_of(table, seat), table.players[seat]
            assert player, "nobody has the seat to act"
            command = yield Turn(view, player)
            table = accept(table, command, now=view.deadline)


def _opened(game: Game, players: int, rng: random.Random) -> Table:
    """A table whose every seat a bot has."""
    settings = make_settings(game, {"seats": players, "hand_limit": HANDS})
    assert not isinstance(settings, Refusal), settings
    levels, styles = list(BotLevel), list(BotStyle)
    table = accept(None, OpenSalon(_OWNER, settings))
    for seat in range(1, players + 1):
        bot = PlayerId(f"bot{seat}")
        table = accept(table, AddBot(_OWNER, bot, bot, rng.choice(levels), rng.choice(styles), Seat(seat)))
    return table
