"""Replay configurations: the rules that a recorded hand was played by, which may be none of the product's games.

Fixed-limit hold'em, blinds in draw and a big blind's ante for all are such. A raise that nobody can answer is
taken (N8), there is no cap on raises, and all-in is always open.
"""

from engine.game import DRAW_STREETS, HOLDEM_STREETS, Game, HandRules, Structure
from engine.units import Chips

_CARDS = {Game.HOLDEM: 2, Game.DRAW: 5}


def configuration(
    game: Game,
    structure: Structure,
    *,
    bets: tuple[Chips, Chips],
    blinds: tuple[Chips, Chips],
    ante: Chips,
    ante_for_all: bool,
) -> HandRules:
    """Rules for a replay.

    `bets` are the units of the first round or two and of the others; `blinds` the small and the big one, 0 where
    there is none; with `ante_for_all` antes are dead money, posted by one player for everybody.
    """
    first, later = bets
    holdem = game is Game.HOLDEM
    return HandRules(
        game=game,
        structure=structure,
        streets=HOLDEM_STREETS if holdem else DRAW_STREETS,
        units=(first, first, later, later) if holdem else (first, Chips(0), later),
        hole_cards=_CARDS[game],
        small_blind=blinds[0],
        big_blind=blinds[1],
        ante=ante,
        raise_cap=0,
        all_in=True,
        big_blind_ante=ante_for_all,
        unanswerable_raises=True,
    )
