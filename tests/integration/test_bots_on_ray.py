"""Hard bots on a cluster: their jobs run on Ray workers, and their hands go on without any."""

from typing import Any

import pytest

from bots.holdem_ranges import ANYTHING
from bots.old_equity import EquityJob, chunk_seed, combined, run_chunk
from cluster.actors import RayExecutor
from engine.settings import BotLevel, BotSeat
from engine.units import HandNumber
from tests.integration.site import Site, until

pytestmark = pytest.mark.integration


def a_job(**given: Any) -> EquityJob:
    fields: dict[str, Any] = {
        "game": "holdem",
        "cards": (51, 50),
        "draws": 0,
        "board": (0, 5, 10),
        "dead": (),
        "rivals": (ANYTHING,),
        "seed": 7,
        "samples": 50,
    }
    return EquityJob(**{**fields, **given})


async def test_chunks_on_workers_add_up_to_what_one_process_finds(ray_cluster: None) -> None:
    job = a_job()
    tally = await RayExecutor().run(job, chunks=4, deadline_ms=20_000)
    assert tally == combined(run_chunk(job, chunk_seed(job, chunk), job.samples) for chunk in range(4))


async def test_what_is_late_is_not_waited_for(ray_cluster: None) -> None:
    tally = await RayExecutor().run(a_job(samples=10_000_000), chunks=2, deadline_ms=50)
    assert tally.samples == 0


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
    assert any("samples" in note.rule or note.samples for note in notes), "no decision was sampled"
