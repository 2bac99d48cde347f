"""A bot's turn takes as long as its manners say, however much there was to think about."""

import random
from typing import Any

import pytest

from bots import five_cards
from bots.advice import Advice, Option
from bots.arena import act, deal, seated, shuffled, to_act
from bots.explanation import Explanation, Path
from bots.jobs import Job, parts
from bots.manners import SAMPLING, thinking_time
from bots.protocol import BotAction, observe
from cluster.salons.botplay import BotPlay
from engine.game import Game
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.table import Player, Table
from engine.value import changed
from engine.view import TableView, view_of
from tests.cluster.bench import HandClock


class Slow:
    """An executor whose jobs all take as long as they may, by a clock that it moves."""

    path = Path.WORKERS

    def __init__(self, clock: HandClock) -> None:
        self.clock = clock

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Advice | None, ...]:
        self.clock.time += deadline_ms
        return (Advice((Option("draw", 0, 1.0),), Explanation("draws")),) * parts(job)


async def time_taken(view: TableView, player: Player, *, after: int = 0) -> int:
    """How long the turn lasts of a bot that is asked so many ms after its beginning, in all."""
    began = view.deadline - view.settings.turn_time
    clock = HandClock(began + after)

    async def sleep(seconds: float) -> None:
        clock.time += round(seconds * 1000)

    await BotPlay(Slow(clock), clock, sleep).decide(view, player)
    return clock.time - began


def at_the_draw(
    choices: int, bot_speed: str = "instant", turn_time: int = 20_000
) -> tuple[TableView, Player]:
    """Who draws first of three and his view, in a hand that leaves him so many sensible draws."""
    settings = make_settings(Game.DRAW, {"seats": 3, "bot_speed": bot_speed})
    assert isinstance(settings, Settings)
    for seed in range(1_000):
        table: Table = deal(seated(settings, 3), shuffled(random.Random(seed)))
        while (seat := to_act(table)) and not observe(view_of(table, seat)).draw:
            table = act(table, lambda view: BotAction("check" if observe(view).check else "call"))
        view = view_of(table, seat)
        if len(five_cards.best_draws(observe(view).cards)) == choices:
            player = table.players[seat]
            assert player is not None
            return view, changed(player, level=BotLevel.HARD, style=BotStyle.BALANCED)
    raise AssertionError(f"no hand has {choices} sensible draws")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The thinking times that the bots' manners have given."""
    told: list[int] = []

    def noted(*args: Any, **more: Any) -> int:
        told.append(thinking_time(*args, **more))
        return told[-1]

    monkeypatch.setattr("cluster.salons.botplay.thinking_time", noted)
    return told


@pytest.mark.parametrize("bot_speed", ["instant", "fast", "natural"])
@pytest.mark.parametrize("choices", [1, 3])
async def test_a_hard_bot_takes_its_time_whatever_its_cards(
    choices: int, bot_speed: str, told: list[int]
) -> None:
    """The timing of a message must not tell of a card: how many draws there are to weigh is one."""
    view, player = at_the_draw(choices, bot_speed)
    assert [await time_taken(view, player)] == told


async def test_its_time_counts_from_the_turns_beginning(told: list[int]) -> None:
    view, player = at_the_draw(1, "natural")
    assert [await time_taken(view, player, after=50)] == told


@pytest.mark.parametrize("choices", [1, 3])
@pytest.mark.parametrize("after", [10_000, 19_000, 19_900])
async def test_a_bot_that_is_asked_late_acts_before_its_clock_runs_out(choices: int, after: int) -> None:
    """Its salon was taken up elsewhere in the middle of the turn."""
    view, player = at_the_draw(choices, "natural")
    taken = await time_taken(view, player, after=after)
    assert after < taken < 20_000
    assert taken <= after + SAMPLING
