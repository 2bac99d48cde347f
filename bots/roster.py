"""The roster: which bot plays a game at a level in a style."""

from collections.abc import Callable
from typing import Final

from bots.draw_solver.shelf import PACKAGED, Shelf
from bots.easy import EasyDraw, EasyHoldem
from bots.hard import HardBot, HardDraw, HardHoldem, InOneGo
from bots.normal_draw import NormalDraw
from bots.normal_holdem import NormalHoldem
from bots.protocol import Bot
from bots.styles import TEMPERS, Temper
from engine.game import Game
from engine.settings import BotLevel, BotStyle

_EASY: Final[dict[Game, Callable[[Temper], Bot]]] = {Game.HOLDEM: EasyHoldem, Game.DRAW: EasyDraw}
_NORMAL: Final[dict[Game, Callable[[Temper], Bot]]] = {Game.HOLDEM: NormalHoldem, Game.DRAW: NormalDraw}


def bot(game: Game, level: BotLevel, style: BotStyle) -> Bot:
    """The bot that decides where it stands; a hard one samples at once, without a deadline."""
    if level is BotLevel.HARD:
        return InOneGo(hard_bot(game, style))
    temper = TEMPERS[style]
    return _EASY[game](temper) if level is BotLevel.EASY else _NORMAL[game](temper)


def hard_bot(game: Game, style: BotStyle, shelf: Shelf = PACKAGED) -> HardBot:
    """The hard bot of a game, in its two parts, with the tables that it plays draw by."""
    temper = TEMPERS[style]
    return HardHoldem(temper) if game is Game.HOLDEM else HardDraw(temper, shelf)
