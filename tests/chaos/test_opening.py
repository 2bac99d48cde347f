"""What opened a salon is told by the table that stands for it, whatever bots it was opened with."""

import dataclasses

import pytest

from cluster.salons.opening import BOT_NAMES
from engine.commands import AddBot, OpenSalon
from engine.decide import Decision, decide
from engine.game import Game
from engine.settings import BotLevel, BotSeat, Settings, make_settings
from engine.units import OPERATOR, Millis, PlayerId, Seat
from tests.chaos.written import opening_of

NOW = Millis(1_000)


@pytest.mark.parametrize("bots", range(4))
def test_the_events_are_those_that_were_decided(bots: int) -> None:
    """With two or more the first hand is called."""
    seats = tuple(BotSeat(BotLevel.EASY, seat=Seat(0)) for _ in range(bots))
    usual = make_settings(Game.DRAW, {})
    assert isinstance(usual, Settings)
    settings = dataclasses.replace(usual, bots=seats)
    decision = decide(None, OpenSalon(PlayerId("owner"), settings), now=NOW)
    for number, bot in enumerate(seats):
        assert isinstance(decision, Decision)
        seating = AddBot(OPERATOR, PlayerId(f"bot{number}"), BOT_NAMES[number], bot.level, bot.style)
        seated = decide(decision.table, seating, now=NOW)
        assert isinstance(seated, Decision)
        decision = Decision(decision.events + seated.events, seated.table)
    assert isinstance(decision, Decision)
    assert opening_of(decision.table, NOW) == decision.events
