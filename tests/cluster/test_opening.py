"""Opening a salon: with its bots where they are asked for, and once."""

import pytest
from redis.asyncio import Redis

from cluster.envelope import Accepted
from cluster.journal.log import replay
from cluster.journal.redis_journal import Journal
from cluster.salons.opening import Opening
from cluster.secret import Secret
from engine.commands import OpenSalon
from engine.settings import BotLevel, BotSeat, BotStyle
from engine.units import Seat
from tests.cluster.bench import HandClock
from tests.cluster.salons import OWNER, settings_of

pytestmark = pytest.mark.integration


def bot(seat: int, level: BotLevel = BotLevel.EASY) -> BotSeat:
    return BotSeat(level, BotStyle.BALANCED, Seat(seat))


@pytest.fixture
def opening(store: Redis) -> Opening:
    return Opening(Journal(store), HandClock(), Secret(b"k" * 32))


async def test_a_bot_without_a_seat_takes_none_that_another_names(store: Redis, opening: Opening) -> None:
    bots = (bot(0), bot(0), bot(1, BotLevel.HARD), bot(2, BotLevel.NORMAL))
    opened = await opening.open(OpenSalon(OWNER, settings_of(bots=bots)), "once")
    assert isinstance(opened.answer, Accepted), opened.answer
    loaded = await Journal(store).load(opened.salon)
    assert loaded is not None
    players = replay(loaded).players
    seats = {seat: player.level for seat, player in enumerate(players) if player is not None}
    assert seats == {1: BotLevel.HARD, 2: BotLevel.NORMAL, 3: BotLevel.EASY, 4: BotLevel.EASY}


async def test_a_salon_asked_for_twice_is_opened_once(opening: Opening) -> None:
    command = OpenSalon(OWNER, settings_of(bots=(bot(0),)))
    assert await opening.open(command, "once") == await opening.open(command, "once")
