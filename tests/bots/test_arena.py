"""The arena: duplicate matches that can be repeated, and the levels in their order."""

import random

import pytest

from bots.actions import stay
from bots.arena import Misbehaved, accept, deal, play_deal, seated, to_act
from bots.protocol import Bot, BotAction, Observation
from bots.roster import bot
from bots.scores import Score
from engine.cards import FULL_DECK
from engine.commands import Check
from engine.game import Game
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.units import PlayerId
from tests.bots.matches import match

HARD_DEALS = {Game.HOLDEM: 5000, Game.DRAW: 700}
"""What an edge of 15 big blinds in 100 hands, or of 6 small bets, takes to be seen."""


def settings_of(game: Game, seats: int = 2) -> Settings:
    settings = make_settings(game, {"seats": seats, "hand_limit": 1000})
    assert isinstance(settings, Settings)
    return settings


def level_of(game: Game, level: BotLevel) -> Bot:
    return bot(game, level, BotStyle.BALANCED)


def duel(game: Game, one: BotLevel, other: BotLevel, deals: int) -> Score:
    """What `one` wins of `other`, heads-up, each deck played from both seats."""
    return match(settings_of(game), [level_of(game, one), level_of(game, other)], deals=deals, seed=11)[0]


class Caller:
    """Checks and calls, and stands pat."""

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        return stay(observation)


@pytest.mark.parametrize("game", Game)
def test_a_match_can_be_repeated_and_makes_no_chips(game: Game) -> None:
    bots = [level_of(game, level) for level in (BotLevel.EASY, BotLevel.NORMAL, BotLevel.EASY)]
    scores = match(settings_of(game, 3), bots, deals=20, seed=5)
    assert scores == match(settings_of(game, 3), bots, deals=20, seed=5)
    assert scores != match(settings_of(game, 3), bots, deals=20, seed=6)
    assert sum(score.mean for score in scores) == pytest.approx(0.0)


class Watching:
    """Notes the cards of each turn by seat, and the chance that comes with it; then does as Caller."""

    def __init__(self) -> None:
        self.cards: dict[int, tuple[int, ...]] = {}
        self.chance: list[float] = []

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        self.cards.setdefault(observation.seat, observation.cards)
        self.chance.append(rng.random())
        return stay(observation)


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("game", Game)
def test_rotation_gives_each_bot_each_seat_with_the_same_cards(game: Game, players: int) -> None:
    watching = [Watching() for _ in range(players)]
    play_deal(seated(settings_of(game, players), players), [[w.decide for w in watching]], seed=3, number=8)
    first = watching[0].cards
    assert sorted(first) == list(range(1, players + 1))
    assert len(set(first.values())) == players
    assert all(other.cards == first for other in watching)


def test_each_deal_and_seed_has_a_deck_of_its_own() -> None:
    dealt: set[tuple[int, ...]] = set()
    for seed, number in ((3, 0), (3, 1), (4, 0)):
        watching = [Watching(), Watching()]
        fresh = seated(settings_of(Game.HOLDEM), 2)
        play_deal(fresh, [[w.decide for w in watching]], seed=seed, number=number)
        dealt |= set(watching[0].cards.values())
    assert len(dealt) == 6


def test_chance_depends_on_the_deal_and_the_bot_and_not_on_the_rotation() -> None:
    """It is the same stream in each rotation, and no two bots or deals have one in common."""
    seen: list[Watching] = []
    for number in (0, 1):
        pair = [Watching(), Watching()]
        fresh = seated(settings_of(Game.HOLDEM), 2)
        play_deal(fresh, [[w.decide for w in pair]], seed=3, number=number)
        seen += pair
    for watching in seen:
        half = len(watching.chance) // 2
        assert watching.chance[:half] == watching.chance[half:]
    assert len({watching.chance[0] for watching in seen}) == 4


@pytest.mark.parametrize("game", Game)
def test_a_bot_that_draws_no_chance_ties_with_itself(game: Game) -> None:
    """The same cards from both seats: luck of the cards cancels out."""
    scores = match(settings_of(game), [Caller(), Caller()], deals=30, seed=1)
    assert [score.mean for score in scores] == [0.0, 0.0]
    assert scores[0].error == 0.0


def test_a_refused_command_is_an_error_of_the_bot() -> None:
    table = deal(seated(settings_of(Game.HOLDEM), 2), FULL_DECK)
    assert table.hand is not None
    check = Check(PlayerId(f"player{to_act(table)}"), table.hand.hand, table.hand.turn)
    with pytest.raises(Misbehaved, match="check"):
        accept(table, check)


@pytest.mark.parametrize("game, deals", [(Game.HOLDEM, 1500), (Game.DRAW, 1500)])
def test_normal_beats_easy(game: Game, deals: int) -> None:
    """Seeded, so that it passes or fails for good; by more than one standard error."""
    score = duel(game, BotLevel.NORMAL, BotLevel.EASY, deals)
    assert score.mean > score.error


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("other", [BotLevel.EASY, BotLevel.NORMAL])
@pytest.mark.parametrize("game", Game)
def test_hard_beats_the_levels_below(game: Game, other: BotLevel) -> None:
    """As above."""
    score = duel(game, BotLevel.HARD, other, HARD_DEALS[game])
    assert score.mean > score.error
