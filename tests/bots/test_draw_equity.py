"""Equity at draw by sampling: right on known spots, the same on any number of workers, blind to what is hidden."""

import pickle
import random
from dataclasses import replace

import pytest

from bots.draw_equity import TIE_UNITS, DrawQuestion, Tally, chunk_seed, combined, run_chunk
from bots.draw_ranges import Line, draw_hand
from bots.in_process import InProcess
from bots.jobs import CHUNKS, DrawJob
from bots.strength import category_of
from engine.cards import parse_cards
from engine.ranking import Category


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_cards(text))


def draw(keep: str, dead: str, *lines: Line) -> DrawQuestion:
    given_up = cards(dead)
    return DrawQuestion(cards(keep), 5 - len(cards(keep)), given_up, lines, seed=1, samples=100)


def test_a_hand_that_cannot_lose_or_win_alone() -> None:
    """A royal flush wins every pot, against any number; more opponents take more pots of a pair (S6)."""
    royal = DrawQuestion(cards("Ts Js Qs Ks As"), 0, (), (Line(3, 1, 0),) * 2, seed=1, samples=50)
    assert run_chunk(royal, 1, 50) == Tally(50, 50, 0)
    wins = [run_chunk(draw("As Ad", "9c 5h 3d", *[Line(3, 1, 0)] * n), 1, 3000).win for n in (1, 2, 5)]
    assert wins == sorted(wins, reverse=True)


def test_a_chunk_depends_on_question_and_number_alone() -> None:
    question = draw("As Ad", "9c 5h 3d", Line(3, 1, 0))
    seeds = [chunk_seed(question, chunk) for chunk in range(8)]
    assert len(set(seeds)) == 8
    assert [chunk_seed(pickle.loads(pickle.dumps(question)), chunk) for chunk in range(8)] == seeds
    assert run_chunk(question, seeds[0], 100) == run_chunk(question, seeds[0], 100)


def test_a_tally_is_the_same_in_whatever_order_chunks_come_back() -> None:
    """The estimate does not depend on the number of workers."""
    question = draw("As Ad", "9c 5h 3d", Line(1, 1, 2))
    chunks = [run_chunk(question, chunk_seed(question, chunk), 60) for chunk in range(6)]
    whole = combined(chunks)
    assert whole == combined(reversed(chunks)) == combined([combined(chunks[:2]), combined(chunks[2:])])
    assert whole.samples == 360
    assert whole.ties < whole.samples * TIE_UNITS


def test_draw_counts_matter() -> None:
    """A pair of aces beats who drew three far more often than who drew one or stood pat."""
    wins = [run_chunk(draw("As Ad 9c 5h 3d", "", Line(drawn, 2, 0)), 1, 3000).win for drawn in (3, 1, 0)]
    assert wins[0] > wins[1] + 0.1
    assert wins[1] > wins[2] + 0.1


@pytest.mark.parametrize("drawn", [-1, 0, 1, 2, 3])
def test_a_hand_of_any_line_is_five_cards_that_were_not_gone(drawn: int) -> None:
    rng = random.Random(drawn)
    for _ in range(300):
        gone = set(rng.sample(range(52), 22))
        used = gone.copy()
        hand = draw_hand(Line(drawn, rng.randrange(3), rng.randrange(4)), used, rng)
        assert len(set(hand)) == 5
        assert gone.isdisjoint(hand)
        assert used == gone | set(hand)


def test_who_stood_pat_has_mostly_a_made_hand() -> None:
    rng = random.Random(2)
    made = sum(category_of(draw_hand(Line(0, 2, 0), set(), rng)) >= Category.STRAIGHT for _ in range(1000))
    assert 550 < made < 750


def test_no_known_card_is_ever_dealt_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sampling is from the 52 cards without the own, the public and the dead ones."""
    seen: set[int] = set()

    def noted(hand: tuple[int, ...]) -> int:
        seen.update(hand)
        return len(seen)

    monkeypatch.setattr("bots.draw_equity.strength_of", noted)
    job = replace(draw("As Ad", "9c 5h 3d", Line(3, 1, 0), Line(-1, 0, 0)), cards=())
    run_chunk(job, 1, 200)
    assert seen == set(range(52)) - set(job.dead)


def test_a_tally_of_nothing_says_so() -> None:
    assert Tally().win == 0.0
    assert Tally().error == 1.0


async def test_the_executor_of_this_process_runs_all_chunks() -> None:
    job = draw("As Ad", "9c 5h 3d", Line(3, 1, 0))
    (tally,) = await InProcess().run(DrawJob((job,)), deadline_ms=60_000)
    assert tally == combined(run_chunk(job, chunk_seed(job, chunk), job.samples) for chunk in range(CHUNKS))


async def test_the_executor_of_this_process_stops_at_its_deadline() -> None:
    """Late is no error: what was done counts."""
    job = draw("As Ad", "9c 5h 3d", Line(3, 1, 0))
    assert await InProcess().run(DrawJob((job, job)), deadline_ms=0) == (None, None)
