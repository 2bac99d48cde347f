"""Matches of a few deals as they are: no blocks, and no bot made anew."""

from collections.abc import Sequence

from bots.arena import play_deal, seated
from bots.protocol import Bot
from bots.scores import Score, score_of
from engine.settings import Settings


def match(settings: Settings, bots: Sequence[Bot], *, deals: int, seed: int) -> list[Score]:
    """What each bot wins a hand, in big blinds or small bets, over so many decks in all rotations."""
    fresh = seated(settings, len(bots))
    unit = (settings.big_blind or settings.small_bet) * len(bots)
    won = [play_deal(fresh, [[bot.decide for bot in bots]], seed=seed, number=at) for at in range(deals)]
    return [score_of([chips / unit for chips in of_bot]) for of_bot in zip(*won, strict=True)]
