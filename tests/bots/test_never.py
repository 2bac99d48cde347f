"""Positions in which a bot of no level and no style may ever do the named thing: what users remember of bad bots."""

import random
from itertools import product
from typing import Any

import pytest

from bots.protocol import BotAction, Observation, is_legal
from bots.roster import bot
from engine.game import Game
from engine.settings import BotLevel, BotStyle
from tests.bots.positions import at_draw, facing, facing_a_bet, postdraw, preflop, river

TRIES = {BotLevel.EASY: 60, BotLevel.NORMAL: 60, BotLevel.HARD: 12}
LEVELS = list(product(BotLevel, BotStyle))
DRY = "Ks 9d 7h 4c 2s"
ROYAL_BOARD = "As Ks Qs 4c 2d"

RAISED = [("preflop", 2, "raise", 200)]
NEVER: list[tuple[str, Observation, str, int]] = [
    ("folds the nuts to a bet", facing("Js Ts", ROYAL_BOARD, 15), "fold", 0),
    ("folds the nuts to an all-in", facing("Js Ts", ROYAL_BOARD, 190), "fold", 0),
    ("folds for free on the river", river("3d 5c", DRY), "fold", 0),
    ("folds for free on the flop", river("3d 5c", "Ks 9d 7h"), "fold", 0),
    ("folds two pair at ten to one", facing("Kd 9c", DRY, 2, pot=20), "fold", 0),
    ("calls with the worst hand against an all-in", facing("3d 5c", DRY, 190), "call", 0),
    ("raises with the worst hand against a bet of the pot", facing("3d 5c", DRY, 190), "raise", 0),
    ("raises who is all-in already", facing("Js Ts", ROYAL_BOARD, 190), "raise", 0),
    ("folds aces before the flop", preflop("As Ad", line=[("preflop", 2, "raise", 10)]), "fold", 0),
    ("folds aces to an all-in", preflop("As Ad", line=RAISED), "fold", 0),
    ("calls 100 big blinds with seven-deuce", preflop("7s 2d", line=RAISED), "call", 0),
    ("raises with seven-deuce against an all-in", preflop("7s 2d", line=RAISED), "raise", 0),
    ("is all-in for 200 big blinds unopened with aces", preflop("As Ad", stack=400), "raise", 100),
    ("is all-in for 200 big blinds unopened with nothing", preflop("7s 2d", stack=400), "raise", 100),
    ("is all-in for 200 big blinds under the gun", preflop("Ks Kd", stack=400, players=6), "raise", 100),
    ("plays seven-deuce under the gun", preflop("7s 2d", players=6), "raise", 0),
    ("bets 200 big blinds into a pot of ten", river("Js Ts", ROYAL_BOARD, stack=400), "bet", 200),
]


FULL, NOTHING = "As Ad Ac Ks Kd", "9s 7d 5c 4h 2d"
DRAWING: dict[str, Any] = {"street": "draw", "draw": True, "draw_max": 3, "bet_min": 0, "bet_max": 0}
NEVER += [
    ("folds the best five to a bet", facing_a_bet("Ts Js Qs Ks As"), "fold", 0),
    ("folds the best five to a bet and calls", facing_a_bet("Ts Js Qs Ks As", (1, 1, 1)), "fold", 0),
    ("folds a full house to a bet", facing_a_bet(FULL, (0, 1)), "fold", 0),
    ("folds for free after the draw", postdraw(NOTHING, (1, 1)), "fold", 0),
    ("folds for free before the draw", at_draw(NOTHING, players=4), "fold", 0),
    ("calls with the worst hand after the draw", facing_a_bet(NOTHING, (1, 1)), "call", 0),
    ("raises with the worst hand against three", facing_a_bet(NOTHING, (1, 1, 1)), "raise", 0),
    ("bluffs against four", postdraw(NOTHING, (1, 1, 1, 1)), "bet", 0),
]
"""Of draw, heads-up by the table where it is the hard bot."""


def decisions(observation: Observation, level: BotLevel, style: BotStyle) -> list[BotAction]:
    player = bot(Game(observation.game), level, style)
    return [player.decide(observation, random.Random(seed)) for seed in range(TRIES[level])]


@pytest.mark.parametrize("level, style", LEVELS)
@pytest.mark.parametrize("name, observation, kind, least", NEVER, ids=[never[0] for never in NEVER])
def test_no_bot_ever(
    name: str, observation: Observation, kind: str, least: int, level: BotLevel, style: BotStyle
) -> None:
    """See the table; of a bet or raise, to `least` or more."""
    for action in decisions(observation, level, style):
        assert is_legal(action, observation), (name, action)
        assert not (action.kind == kind and action.to >= least), (name, action)


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("level, style", LEVELS)
def test_no_bot_ever_breaks_a_straight_or_better(level: BotLevel, style: BotStyle, players: int) -> None:
    for own in (FULL, "Ts Js Qs Ks As", "9s 8d 7c 6s 5h", "As Js 9s 4s 2s"):
        drawing = at_draw(own, players=players, **DRAWING)
        assert {action.cards for action in decisions(drawing, level, style)} == {()}


@pytest.mark.parametrize("style", BotStyle)
def test_a_hard_bot_does_not_check_the_nuts_behind(style: BotStyle) -> None:
    """Last to act on the river: a check wins nothing more."""
    assert {action.kind for action in decisions(river("Js Ts", ROYAL_BOARD), BotLevel.HARD, style)} == {"bet"}


@pytest.mark.parametrize("level", BotLevel)
def test_a_decision_depends_on_the_observation_and_the_seed_alone(level: BotLevel) -> None:
    """The same twice; and another seed is another lot somewhere."""
    spots = [river("Kd Jc", DRY), facing("Ad 9c", DRY, 12), preflop("4s 3d"), river("8s 6s", "Ks 9s 7h")]
    for observation in spots:
        once, again = (decisions(observation, level, BotStyle.BALANCED) for _ in range(2))
        assert once == again
        assert [action.explanation for action in once] == [action.explanation for action in again]
    assert any(len(set(decisions(spot, BotLevel.HARD, BotStyle.BALANCED))) > 1 for spot in spots)
