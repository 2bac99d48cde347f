"""Every bot plays every hand by the rules: the engine refuses none of its commands."""

import random
from itertools import product

import pytest

from bots.arena import Choose, act, deal, seated, shuffled, to_act
from bots.protocol import BotAction, is_legal, observe
from bots.roster import bot
from engine.commands import LOTS
from engine.game import Game
from engine.refusals import Refusal
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.table import Table
from engine.view import TableView

HANDS = {BotLevel.EASY: 25, BotLevel.NORMAL: 25, BotLevel.HARD: 2}
SEATS = {Game.HOLDEM: (2, 3, 6, 9), Game.DRAW: (2, 3, 6)}
TABLES = [
    (Game.HOLDEM, {"ante": 1}),
    (Game.HOLDEM, {"small_blind": 5, "big_blind": 10, "min_buy_in": 20, "max_buy_in": 2000}),
    (Game.DRAW, {}),
    (Game.DRAW, {"all_in": True, "min_buy_in": 4, "max_buy_in": 400, "raise_cap": 1}),
]


def table_of(game: Game, given: dict[str, object], players: int, rng: random.Random) -> Table:
    """A table whose stacks differ, short ones among them."""
    settings = make_settings(game, {**given, "seats": players, "hand_limit": 1000})
    assert isinstance(settings, Settings), settings
    stack = rng.randint(settings.min_buy_in, settings.min_buy_in * 3)
    return seated(settings, players, min(stack, settings.max_buy_in))


def play_session(table: Table, hands: int, choose: Choose, rng: random.Random) -> int:
    """Play until the hands are dealt or too few have chips; how many turns there were."""
    turns = 0
    for _ in range(hands):
        if not table.next_hand_at:
            break
        table = deal(table, shuffled(rng), rng.randrange(LOTS))
        while to_act(table):
            table = act(table, choose)
            turns += 1
    return turns


@pytest.mark.parametrize("level, style", list(product(BotLevel, BotStyle)))
@pytest.mark.parametrize("game, given", TABLES, ids=["holdem-ante", "holdem-short", "draw", "draw-all-in"])
def test_a_bot_only_ever_returns_legal_actions(
    game: Game, given: dict[str, object], level: BotLevel, style: BotStyle
) -> None:
    """Through the real engine, which would refuse anything else (N21)."""
    player = bot(game, level, style)
    rng = random.Random(f"{game} {given} {level} {style}")

    def choose(view: TableView) -> BotAction:
        observation = observe(view)
        action = player.decide(observation, rng)
        assert is_legal(action, observation), (action, observation)
        assert not (action.kind == "fold" and observation.check), "folds where a check is free"
        return action

    turns = 0
    for players in SEATS[game]:
        for _ in range(3):
            turns += play_session(table_of(game, given, players, rng), HANDS[level], choose, rng)
    assert turns > 20


@pytest.mark.parametrize("game", Game)
def test_bots_of_all_kinds_play_a_long_session_together(game: Game) -> None:
    """Chips are neither lost nor made (P9)."""
    kinds = [(level, style) for level in (BotLevel.EASY, BotLevel.NORMAL) for style in BotStyle]
    bots = [bot(game, level, style) for level, style in kinds]
    settings = make_settings(game, {"seats": 6, "hand_limit": 1000})
    assert not isinstance(settings, Refusal)
    rng = random.Random(7)
    table = seated(settings, 6)
    bought = sum(table.stacks)
    for _ in range(120):
        if not table.next_hand_at:
            break
        table = deal(table, shuffled(rng), rng.randrange(LOTS))
        while to_act(table):
            table = act(table, lambda view: bots[view.viewer - 1].decide(observe(view), rng))
        assert sum(table.stacks) == bought
    assert table.hands_dealt > 20
