"""Jobs are plain data of an observation, and their parts fall back on each other."""

import pickle
import random

import pytest

from bots.deadlines import after, never
from bots.explanation import Path
from bots.hard import HardHoldem
from bots.in_process import InProcess
from bots.jobs import (
    RIVER,
    RULES,
    DrawJob,
    HoldemJob,
    Job,
    is_enough,
    is_whole,
    parts,
    run_part,
)
from bots.styles import TEMPERS
from engine.settings import BotStyle
from tests.bots.positions import at_draw, facing, river

BALANCED = TEMPERS[BotStyle.BALANCED]
BOARD = "Ks 9d 7h 4c 2s"
RIVER_JOB = HoldemJob(facing("Kd Jc", BOARD, 12), BALANCED)
DRAW_JOB = DrawJob(at_draw("As Ad 9c 5h 3d", players=4), BALANCED, seed=1)


@pytest.mark.parametrize("job", [RIVER_JOB, DRAW_JOB])
def test_a_result_is_plain_data_and_the_same_after_a_journey(job: Job) -> None:
    sent: Job = pickle.loads(pickle.dumps(job))
    assert sent == job
    for part in range(parts(job)):
        result = run_part(job, part)
        assert pickle.loads(pickle.dumps(result)) == result == run_part(sent, part)


def test_a_job_of_draw_is_small() -> None:
    """Ranges are made where they are wanted, and never sent."""
    assert len(pickle.dumps(DRAW_JOB)) < 2_000
    assert parts(DRAW_JOB) == 1
    assert run_part(DRAW_JOB, 0, late=lambda: True) is None


def test_only_a_river_heads_up_is_solved() -> None:
    assert parts(RIVER_JOB) == 2
    assert parts(HoldemJob(river("Kd Jc", "Ks 9d 7h 4c"), BALANCED)) == 1


def test_the_solution_is_preferred_and_the_rules_are_its_fallback() -> None:
    bot = HardHoldem(BALANCED)
    rules, solution = run_part(RIVER_JOB, RULES), run_part(RIVER_JOB, RIVER)
    whole, part = (
        bot.answer(RIVER_JOB.observation, results, random.Random(1))
        for results in ((rules, solution), (rules, None))
    )
    assert "solved" in whole.why
    assert "worth" in part.why
    assert is_whole((rules, solution))
    assert is_enough((rules, None))
    assert not is_whole((rules, None))


@pytest.mark.parametrize("results", [(), (None, None)])
def test_nothing_is_never_enough(results: tuple[None, ...]) -> None:
    assert not is_enough(results)


async def test_this_process_runs_what_it_can_before_the_deadline() -> None:
    assert InProcess().path is Path.IN_PROCESS
    assert await InProcess().run(RIVER_JOB, deadline_ms=0) == (None, None)
    assert None not in await InProcess().run(RIVER_JOB, deadline_ms=60_000)


def test_lateness() -> None:
    assert not never()
    assert after(-1)()
    assert not after(60_000)()


def test_an_explanation_tells_ranges_equity_odds_mix_and_lot_and_no_own_card() -> None:
    bot = HardHoldem(BALANCED)
    for part in (RULES, RIVER):
        action = bot.answer(RIVER_JOB.observation, (run_part(RIVER_JOB, part),), random.Random(1))
        why = action.explanation
        assert why is not None
        assert "seat 2" in why.ranges
        assert why.equity is not None
        assert why.error is not None
        assert why.pot_odds == pytest.approx(12 / 44)
        assert sum(share for _, share in why.mix) == pytest.approx(1)
        assert why.lot is not None
        assert why.drawn.split()[0] == action.kind
