"""Hard bots on a cluster: their jobs run on Ray workers, and their hands go on without any."""

import pytest

from bots.actions import stay
from bots.arena import act, deal, seated, to_act
from bots.explanation import Path
from bots.jobs import HoldemJob, parts, run_part
from bots.protocol import observe
from bots.styles import TEMPERS
from cluster.actors import RayExecutor
from engine.cards import FULL_DECK
from engine.game import Game
from engine.settings import BotLevel, BotSeat, BotStyle, Settings, make_settings
from engine.units import HandNumber
from engine.view import view_of
from tests.integration.site import Site, until

pytestmark = pytest.mark.integration


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


async def test_hard_bots_play_a_hand(site: Site) -> None:
    salon = await site.open(
        bots=(BotSeat(BotLevel.HARD), BotSeat(BotLevel.HARD), BotSeat(BotLevel.EASY)),
        seats=3,
        bot_speed="instant",
        plays_unwatched=True,
        between_hands=0,
    )
    await site.done(salon, None)

    async def played() -> bool:
        return len(await site.journal.hands(salon)) >= 10

    await until(played)
    notes = []
    for number in await site.journal.hands(salon):
        record = await site.journal.hand(salon, HandNumber(number))
        assert record is not None
        assert [player.level for player in record.players].count("hard") == 2
        notes += [note.why for note in record.notes]
    assert any(note.path == Path.WORKERS for note in notes), "no decision was worked out by workers"
