"""A bot's turn takes as long as its manners say, however much there was to think about."""

import random
from typing import Any

import pytest

from bots import five_cards
from bots.arena import act, deal, seated, shuffled, to_act
from bots.equity import EquityJob, Tally
from bots.manners import thinking_time
from bots.protocol import BotAction, observe
from cluster.salons.botplay import BotPlay
from engine.game import Game
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.table import Player, Table
from engine.value import changed
from engine.view import TableView, view_of


class Slow:
    """An executor whose jobs all take as long as they may."""

    def __init__(self) -> None:
        self.spent = 0

    async def run(self, job: EquityJob, *, chunks: int, deadline_ms: int) -> Tally:
        del chunks
        self.spent += deadline_ms
        return Tally(job.samples, wins=1)


def at_the_draw(choices: int) -> tuple[TableView, Player]:
    """Who draws first and his view, in a hand that leaves him so many sensible draws."""
    settings = make_settings(Game.DRAW, {"seats": 2, "bot_speed": "instant"})
    assert isinstance(settings, Settings)
    for seed in range(1_000):
        table: Table = deal(seated(settings, 2), shuffled(random.Random(seed)))
        while (seat := to_act(table)) and not observe(view_of(table, seat)).draw:
            table = act(table, lambda view: BotAction("check" if observe(view).check else "call"))
        view = view_of(table, seat)
        if len(five_cards.best_draws(observe(view).cards)) == choices:
            player = table.players[seat]
            assert player is not None
            return view, changed(player, level=BotLevel.HARD, style=BotStyle.BALANCED)
    raise AssertionError(f"no hand has {choices} sensible draws")


@pytest.mark.parametrize("choices", [1, 3])
async def test_a_hard_bots_sampling_fits_into_its_time_whatever_its_cards(
    choices: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The timing of a message must not tell of a card: how many draws there are to weigh is one."""
    told: list[Any] = []

    def noted(*args: Any, **more: Any) -> int:
        told.append(thinking_time(*args, **more))
        return int(told[-1])

    monkeypatch.setattr("cluster.salons.botplay.thinking_time", noted)
    executor, (view, player) = Slow(), at_the_draw(choices)
    await BotPlay(executor).decide(view, player)
    assert executor.spent < told[0]
