"""Duplicate matches: blocks that come out the same wherever they are played, and bots that are held to the rules."""

import random

import pytest

from bots.actions import stay
from bots.duplicate import BLOCK, BadMatch, Block, Match, check, play_block, scores, settings_of, total_work
from bots.foreign import ForeignMissing
from bots.protocol import BotAction, Observation
from bots.roster import bot
from engine.game import Game
from engine.settings import BotLevel, BotStyle
from tests.bots.matches import match as play_match

HERE = "tests.bots.test_duplicate"


class Caller:
    """Checks and calls, and stands pat."""

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        return stay(observation)


class Careless:
    """Now crashes, now answers with nonsense, now bets what it may not, now calls."""

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        chance = rng.random()
        if chance < 0.1:
            raise ZeroDivisionError("of its own")
        if chance < 0.2:
            return "call"  # type: ignore[return-value]  # that is what it is for
        if chance < 0.3:
            return BotAction("raise", observation.raise_max + 1)
        if chance < 0.4:
            return BotAction("draw", cards=None)  # type: ignore[arg-type]  # as above
        return stay(observation)


class Forgetful:
    """Calls the first time that it is asked, and folds from then on: it has a memory."""

    def __init__(self) -> None:
        self.asked = 0

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        self.asked += 1
        return stay(observation) if self.asked == 1 else BotAction("fold")


class Unmakeable:
    def __init__(self, what: int) -> None:
        self.what = what

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        return stay(observation)


class NoBot:
    pass


def match_of(*bots: str, game: Game = Game.HOLDEM, deals: int = 45, seed: int = 4, stack: int = 100) -> Match:
    return Match(game, bots, BotStyle.BALANCED, stack, deals, seed)


def played(match: Match) -> list[Block]:
    return [play_block(match, number) for number in range(match.blocks)]


def test_blocks_cover_each_deal_once() -> None:
    match = match_of("easy", "easy", deals=2 * BLOCK + 5)
    assert match.blocks == 3
    assert [at for number in range(3) for at in match.deals_of(number)] == list(range(2 * BLOCK + 5))


@pytest.mark.parametrize("game", Game)
def test_match_comes_out_the_same_in_whatever_order_its_blocks_are_played(game: Game) -> None:
    match = match_of("easy", "normal", "normal/loose", game=game)
    forth = played(match)
    back = [play_block(match, number) for number in reversed(range(match.blocks))]
    assert scores(match, forth) == scores(match, back)
    assert [block.won for block in forth] == [block.won for block in reversed(back)]
    assert sum(score.mean for score in scores(match, forth)) == pytest.approx(0.0)
    assert all(sum(deal) == 0 for block in forth for deal in block.won)


def test_figures_are_those_of_a_match_in_one_go() -> None:
    """In hundreds of hands, and big blinds."""
    match = match_of("easy", "normal")
    bots = [bot(Game.HOLDEM, level, BotStyle.BALANCED) for level in (BotLevel.EASY, BotLevel.NORMAL)]
    whole = play_match(settings_of(match), bots, deals=match.deals, seed=match.seed)
    for score, of_blocks in zip(whole, scores(match, played(match)), strict=True):
        assert of_blocks.mean == pytest.approx(100 * score.mean)
        assert of_blocks.error == pytest.approx(100 * score.error)


def test_another_seed_is_another_match() -> None:
    one, other = match_of("easy", "normal"), match_of("easy", "normal", seed=5)
    assert scores(one, played(one)) != scores(other, played(other))


def test_a_pair_of_one_bot_without_chance_ties() -> None:
    match = match_of(f"{HERE}:Caller", f"{HERE}:Caller")
    assert [score.mean for score in scores(match, played(match))] == [0.0, 0.0]


def test_nobody_can_lose_more_than_the_stack() -> None:
    match = match_of(f"{HERE}:Caller", "easy", stack=3)
    assert all(abs(chips) <= 2 * 3 * 20 for block in played(match) for deal in block.won for chips in deal)


@pytest.mark.parametrize("game", Game)
def test_wrong_decisions_of_a_foreign_bot_are_counted_and_passed(game: Game) -> None:
    match = match_of(f"{HERE}:Careless", f"{HERE}:Caller", game=game)
    careless, caller = total_work(match, played(match))
    assert careless.faults.keys() == {"crashed", "no_action", "illegal"}
    assert 0.2 < careless.faults.total() / careless.decisions < 0.6
    assert careless.first_fault
    assert not caller.faults


def test_a_bot_remembers_nothing_of_the_other_rotation_or_block() -> None:
    """It has not seen the deal; so each block asks each of its two copies a first time, and its first deal is a tie."""
    match = match_of(f"{HERE}:Forgetful", f"{HERE}:Forgetful")
    forth, back = played(match), [play_block(match, number) for number in (2, 0, 1)]
    assert {block.number: block.won for block in forth} == {block.number: block.won for block in back}
    assert all(block.won[0] == (0, 0) for block in forth)


def test_block_survives_being_written_down() -> None:
    match = match_of(f"{HERE}:Careless", "easy")
    block = play_block(match, 1)
    assert Block.from_plain(block.to_plain()) == block


def test_times_are_counted() -> None:
    match = match_of("easy", "normal")
    for work in total_work(match, played(match)):
        assert work.decisions == sum(work.times.values()) > match.deals
        assert 0 < work.quantile(0.5) <= work.quantile(0.99) <= 1.1 * work.wall


@pytest.mark.parametrize(
    "bots,said",
    [
        (("medium", "easy"), "'medium' is no bot: write a level"),
        (("hard/wild", "easy"), "'hard/wild' is no bot"),
        (("easy",), "at least 2 bots"),
        (("easy",) * 10, "from 2 to 9 players"),
    ],
)
def test_wrong_bots_are_refused(bots: tuple[str, ...], said: str) -> None:
    with pytest.raises(BadMatch, match=said):
        check(match_of(*bots))


@pytest.mark.parametrize(
    "name,said",
    [
        ("no.such:Bot", "cannot be imported"),
        (f"{HERE}:Nobody", "has no class Nobody; it has: .*Caller"),
        (f"{HERE}:NoBot", "has no method decide"),
        (f"{HERE}:Unmakeable", "cannot be made: TypeError"),
        (f"{HERE}:", "write MODULE:CLASS"),
        (":Caller", "write MODULE:CLASS"),
    ],
)
def test_foreign_bots_that_cannot_be_had_are_refused(name: str, said: str) -> None:
    with pytest.raises(ForeignMissing, match=said):
        check(match_of("easy", name))


@pytest.mark.parametrize("game,stack", [(Game.HOLDEM, 1001), (Game.DRAW, 3)])
def test_stacks_that_no_table_has_are_refused(game: Game, stack: int) -> None:
    with pytest.raises(BadMatch, match=f"stacks of {stack}"):
        check(match_of("easy", "easy", game=game, stack=stack))
