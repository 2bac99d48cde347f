"""Opening a salon: with its bots where they are asked for, and once."""

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from cluster.envelope import Accepted, RequestReused
from cluster.journal.log import LogFault, replay
from cluster.journal.redis_journal import Journal
from cluster.lobby import Lobby, Row, row_of
from cluster.routing.sleepers import Sleepers
from cluster.salons.opening import Opening
from cluster.secret import Secret
from engine.alarms import sweep_at
from engine.commands import OpenSalon
from engine.settings import BotLevel, BotSeat, BotStyle
from engine.units import NOBODY, Millis, Seat
from engine.view import view_of
from tests.cluster.bench import HandClock
from tests.cluster.salons import OWNER, settings_of

pytestmark = pytest.mark.integration


def bot(seat: int, level: BotLevel = BotLevel.EASY) -> BotSeat:
    return BotSeat(level, BotStyle.BALANCED, Seat(seat))


@pytest.fixture
def opening(store: Redis) -> Opening:
    return Opening(
        Journal(store), HandClock(), Secret(b"k" * 32), lobby=Lobby(store), sleepers=Sleepers(store)
    )


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
    first, again = await opening.open(command, "once"), await opening.open(command, "once")
    assert (first.salon, first.answer) == (again.salon, again.answer)
    assert again.asleep is None, "who asks again must look: it may have gone on meanwhile"
    other = OpenSalon(OWNER, settings_of(seats=4))
    assert isinstance((await opening.open(other, "once")).answer, RequestReused)


async def test_a_salon_that_waits_for_somebody_needs_nobody_to_run_it(store: Redis, opening: Opening) -> None:
    """It is in the log as a passivated one is, in the lobby, and woken when its time is over."""
    opened = await opening.open(OpenSalon(OWNER, settings_of()), "once")
    assert opened.asleep is not None
    assert opened.asleep.view is not None
    journal = Journal(store)
    head = await journal.head(opened.salon)
    assert head is not None
    assert (head.epoch, head.seq, head.host) == (opened.asleep.epoch, opened.asleep.seq, "")
    loaded = await journal.load(opened.salon)
    assert loaded is not None
    assert loaded.snapshot is not None
    assert (loaded.tail, loaded.loss, loaded.torn) == ((), None, False)
    table = replay(loaded)
    assert view_of(table, NOBODY) == opened.asleep.view
    row = await Lobby(store).find(opened.salon)
    assert row == row_of(table, opened.salon, head.epoch, head.seq, head.opened_at)
    due = sweep_at(table)
    assert due > 0
    assert await Sleepers(store).due(due, 9) == [(opened.salon, due)]


async def test_an_opening_asked_for_later_again_puts_nothing_off(store: Redis) -> None:
    sleepers, clock = Sleepers(store), HandClock()
    opening = Opening(Journal(store), clock, Secret(b"k" * 32), lobby=Lobby(store), sleepers=sleepers)
    await opening.open(OpenSalon(OWNER, settings_of()), "once")
    due = await sleepers.due(Millis(10**15), 9)
    clock.time += 3_600_000
    await opening.open(OpenSalon(OWNER, settings_of()), "once")
    assert await sleepers.due(Millis(10**15), 9) == due != []


async def test_a_salon_whose_bots_play_by_themselves_has_to_be_taken_up(
    store: Redis, opening: Opening
) -> None:
    settings = settings_of(bots=(bot(0), bot(0)), plays_unwatched=True)
    opened = await opening.open(OpenSalon(OWNER, settings), "once")
    assert opened.asleep is None
    loaded = await Journal(store).load(opened.salon)
    assert loaded is not None
    assert len(loaded.tail) == 1


async def test_bots_that_wait_for_somebody_are_not_listed_as_playing(store: Redis, opening: Opening) -> None:
    """Their hand is scheduled, and dealt when somebody sits down or looks on."""
    for number, unwatched in enumerate((False, True)):
        settings = settings_of(bots=(bot(0), bot(0)), plays_unwatched=unwatched)
        salon = (await opening.open(OpenSalon(OWNER, settings), f"once {number}")).salon
        loaded = await Journal(store).load(salon)
        assert loaded is not None
        table = replay(loaded)
        assert table.next_hand_at
        assert row_of(table, salon, loaded.head.epoch, loaded.head.seq, Millis(1)).playing is unwatched


async def test_an_opening_whose_row_was_not_written_is_not_answered(store: Redis) -> None:
    """Whoever asked has no answer, asks again, and then has to have the salon taken up, which writes its row."""

    class Mute(Lobby):
        async def write(self, row: Row) -> bool:
            raise RedisError(f"{row.salon} not written")

    made = [
        Opening(Journal(store), HandClock(), Secret(b"k" * 32), lobby=lobby, sleepers=Sleepers(store))
        for lobby in (Mute(store), Lobby(store))
    ]
    command = OpenSalon(OWNER, settings_of())
    with pytest.raises(LogFault, match="Redis did not answer"):
        await made[0].open(command, "once")
    again = await made[1].open(command, "once")
    assert isinstance(again.answer, Accepted)
    assert again.asleep is None
