"""Duplicate matches: many deals in blocks, each of which can be played anywhere and comes out the same.

A block's result depends on the match and on the block's number alone: its deals have chance of their own, and
its bots are made for it, one for each rotation, so that none has seen the deal before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bots.arena import Misbehaved, Player, play_deal, seated
from bots.foreign import Foreign, is_foreign, make_foreign
from bots.protocol import Bot
from bots.roster import bot
from bots.scores import Score, score_of
from bots.work import Work, timed
from engine.game import Game
from engine.refusals import Refusal
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.table import Table

BLOCK: Final = 20
"""Deals a block."""
UNITS: Final = {Game.HOLDEM: "bb/100", Game.DRAW: "small bets/100"}
STAKES: Final[Mapping[Game, Mapping[str, int]]] = {
    Game.HOLDEM: {"small_blind": 10, "big_blind": 20},
    Game.DRAW: {},
}
"""What differs from the usual settings; 20 chips a big blind leave room for bets of any share of a pot."""
_STYLE: Final = "/"


class BadMatch(ValueError):
    """There is no such match; the message says what is wrong and what would be right."""


@dataclass(frozen=True, slots=True)
class Match:
    """What is played. `stack` is in big blinds, in draw in small bets; `path` is where foreign bots are looked for."""

    game: Game
    bots: tuple[str, ...]
    """Such as easy, hard/tight or my.module:MyBot, in the order of their seats in the first rotation."""
    style: BotStyle
    stack: int
    deals: int
    seed: int
    path: str = ""

    @property
    def blocks(self) -> int:
        """How many blocks its deals make."""
        return -(-self.deals // BLOCK)

    def deals_of(self, block: int) -> range:
        """The numbers of a block's deals."""
        return range(block * BLOCK, min((block + 1) * BLOCK, self.deals))


@dataclass(frozen=True, slots=True)
class Block:
    """What came of a block of deals."""

    number: int
    won: tuple[tuple[int, ...], ...]
    """Chips by deal and bot, over all rotations."""
    work: tuple[Work, ...]
    """By bot."""

    def to_plain(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {"block": self.number, "won": self.won, "work": [work.to_plain() for work in self.work]}

    @staticmethod
    def from_plain(plain: dict[str, Any]) -> "Block":
        """What `to_plain` made. Raises KeyError, TypeError or ValueError for what it did not."""
        won = tuple(tuple(int(chips) for chips in deal) for deal in plain["won"])
        return Block(int(plain["block"]), won, tuple(Work.from_plain(work) for work in plain["work"]))


def settings_of(match: Match) -> Settings:
    """The table that a match is played at.

    Raises:
        BadMatch: there can be none.
    """
    asked = {"seats": len(match.bots), "hand_limit": 1000, **STAKES[match.game]}
    table = make_settings(match.game, asked)
    if isinstance(table, Refusal):
        raise BadMatch(table.text)
    buy_in = match.stack * _unit(table)
    made = make_settings(match.game, {**asked, "min_buy_in": buy_in, "max_buy_in": buy_in})
    if isinstance(made, Refusal):
        words = "big blinds" if match.game is Game.HOLDEM else "small bets"
        raise BadMatch(f"stacks of {match.stack} {words}, which are {buy_in} chips: {made.text}")
    return made


def check(match: Match) -> None:
    """Make sure that a match can be played.

    Raises:
        BadMatch: a bot or a number is wrong.
        ForeignMissing: a foreign bot cannot be had.
    """
    if match.deals < 1:
        raise BadMatch(f"{match.deals} deals refused: play at least 1")
    if len(match.bots) < 2:
        raise BadMatch("a match needs at least 2 bots")
    for name in dict.fromkeys(match.bots):
        _made(name, match)
    settings_of(match)


def play_block(match: Match, number: int) -> Block:
    """Play a block of a match.

    Raises:
        Misbehaved: a bot of our own did what is not legal; the message says in which deal.
        ForeignMissing: a foreign bot cannot be had here.
    """
    settings = settings_of(match)
    fresh = seated(settings, len(match.bots), match.stack * _unit(settings))
    work = [Work() for _ in match.bots]
    made = [[_made(name, match) for name in match.bots] for _ in match.bots]
    lineups = [[timed(work[at], one.decide) for at, one in enumerate(lineup)] for lineup in made]
    won = tuple(_dealt(match, lineups, fresh, at) for at in match.deals_of(number))
    for lineup in made:
        for at, one in enumerate(lineup):
            if isinstance(one, Foreign):
                work[at].add(Work(faults=one.faults, notes=one.notes, first_fault=one.first_fault))
    return Block(number, won, tuple(work))


def scores(match: Match, blocks: Sequence[Block]) -> list[Score]:
    """What each bot won a hundred hands, in `UNITS`, with deals as the sample; the same in whatever order the blocks are."""
    unit = _unit(settings_of(match)) * len(match.bots)
    deals = [deal for block in sorted(blocks, key=lambda block: block.number) for deal in block.won]
    return [score_of([100 * deal[at] / unit for deal in deals]) for at in range(len(match.bots))]


def total_work(match: Match, blocks: Sequence[Block]) -> list[Work]:
    """What each bot did in all blocks."""
    totals = [Work() for _ in match.bots]
    for block in sorted(blocks, key=lambda block: block.number):
        for total, work in zip(totals, block.work, strict=True):
            total.add(work)
    return totals


def _unit(settings: Settings) -> int:
    return settings.big_blind or settings.small_bet


def _made(name: str, match: Match) -> Bot:
    """A new bot. Raises BadMatch or ForeignMissing."""
    if is_foreign(name):
        return make_foreign(name, match.path)
    level, _, style = name.partition(_STYLE)
    try:
        return bot(match.game, BotLevel(level), BotStyle(style) if style else match.style)
    except ValueError:
        levels, styles = ", ".join(BotLevel), ", ".join(BotStyle)
        raise BadMatch(
            f"{name!r} is no bot: write a level ({levels}), with a style ({styles}) if you like, such as hard/tight, "
            "or MODULE:CLASS"
        ) from None


def _dealt(match: Match, lineups: Sequence[Sequence[Player]], fresh: Table, number: int) -> tuple[int, ...]:
    try:
        return tuple(play_deal(fresh, lineups, seed=match.seed, number=number))
    except Misbehaved as error:
        raise Misbehaved(f"deal {number} of seed {match.seed}: {error}") from error
