"""Hard bots on a cluster: their jobs run on Ray workers, and their hands go on without any."""

import asyncio
import random
from collections import Counter

import pytest

from bots.actions import stay
from bots.arena import act, deal, seated, to_act
from bots.equity.executor import ExecutorLost
from bots.explanation import Path
from bots.jobs import HoldemJob, is_whole, parts, run_part
from bots.protocol import observe
from bots.styles import TEMPERS
from cluster.actors.bot_jobs import MOST_JOBS, RayExecutor
from cluster.bench.mixed_play import turns
from cluster.journal.hand_record import HandRecord
from cluster.salons.botplay import BotPlay
from engine.cards import FULL_DECK
from engine.game import Game
from engine.settings import BotLevel, BotSeat, BotStyle, Settings, make_settings
from engine.units import HandNumber
from engine.view import view_of
from tests.cluster.bench import HandClock
from tests.integration.site import Site, until

pytestmark = pytest.mark.integration

OUTSIDE_TABLES = 150
"""Hard decisions of a game."""


@pytest.fixture
def river() -> HoldemJob:
    """A river heads-up: a job of two parts."""
    settings = make_settings(Game.HOLDEM, {"seats": 2, "hand_limit": 100})
    assert isinstance(settings, Settings)
    table = deal(seated(settings, 2), FULL_DECK)
    while len(observe(view_of(table, to_act(table))).board) < 5:
        table = act(table, lambda view: stay(observe(view)))
    return HoldemJob(observe(view_of(table, to_act(table))), TEMPERS[BotStyle.BALANCED])


async def test_parts_on_workers_find_what_one_process_finds(ray_cluster: None, river: HoldemJob) -> None:
    found = await RayExecutor().run(river, deadline_ms=60_000)
    assert found == tuple(run_part(river, part) for part in range(parts(river)))
    assert None not in found


async def test_what_is_late_is_not_waited_for(ray_cluster: None, river: HoldemJob) -> None:
    assert await RayExecutor().run(river, deadline_ms=1) == (None, None)


async def test_no_more_is_asked_of_workers_than_they_can_do(ray_cluster: None, river: HoldemJob) -> None:
    """The bot decides as a normal one then, and as a hard one again once they have done what was asked."""
    executor = RayExecutor()
    asked = [asyncio.create_task(executor.run(river, deadline_ms=60_000)) for _ in range(MOST_JOBS)]
    await asyncio.sleep(0)
    with pytest.raises(ExecutorLost, match=f"{MOST_JOBS} jobs"):
        await executor.run(river, deadline_ms=60_000)
    assert all(is_whole(results) for results in await asyncio.gather(*asked))
    assert is_whole(await executor.run(river, deadline_ms=60_000))


async def warm(job: HoldemJob) -> None:
    """Have both workers do a job, however long that takes: each has to start and to import before its first."""
    both = [RayExecutor().run(job, deadline_ms=60_000) for _ in range(2)]
    assert all(None not in results for results in await asyncio.gather(*both))


@pytest.mark.timeout(300)
async def test_hard_bots_play_a_hand(site: Site, river: HoldemJob) -> None:
    """They play on until workers have worked a turn out.

    Ray lends no worker from one host to another, so that a host's first ones have to start, which takes a busy machine
    longer than ten hands.
    """
    await warm(river)
    salon = await site.open(
        bots=(BotSeat(BotLevel.HARD), BotSeat(BotLevel.HARD), BotSeat(BotLevel.EASY)),
        seats=3,
        bot_speed="instant",
        plays_unwatched=True,
        between_hands=0,
    )
    await site.done(salon, None)
    hands: dict[int, HandRecord] = {}

    async def played() -> bool:
        for number in set(await site.journal.hands(salon)) - hands.keys():
            record = await site.journal.hand(salon, HandNumber(number))
            assert record is not None
            hands[number] = record
        paths = {note.why.path for record in hands.values() for note in record.notes}
        return len(hands) >= 10 and Path.WORKERS in paths

    await until(played, within=200)
    assert all([player.level for player in hand.players].count("hard") == 2 for hand in hands.values())


@pytest.mark.timeout(300)
@pytest.mark.parametrize("game", Game)
async def test_workers_make_more_than_19_in_20_of_the_hard_decisions_outside_the_tables(
    game: Game, ray_cluster: None, river: HoldemJob
) -> None:
    """With two equity workers, in the time that salons give by default, over real hands of all levels and sizes.

    Nobody waits until that time is over, so that it is there for a busy machine.
    """
    await warm(river)
    clock = HandClock()
    bots = BotPlay(RayExecutor(), clock, sleep=_at_once)
    play = turns(game, random.Random(f"share {game}"))
    turn = next(play)
    paths: Counter[str] = Counter()
    while paths.total() - paths[Path.TABLE] < OUTSIDE_TABLES:
        clock.time = turn.view.deadline - turn.view.settings.turn_time
        answer = await bots.decide(turn.view, turn.player)
        paths[answer.note.path] += turn.level is BotLevel.HARD
        turn = play.send(answer.command)
    assert paths[Path.WORKERS] > 0.95 * OUTSIDE_TABLES, paths


async def _at_once(seconds: float) -> None:
    """A sleep that takes no time."""
