"""Every chunk is handed out until it is counted once, however it is cut and lost."""

import random
from math import inf

import pytest

from bots.equity.chunks import CHUNK, ChunkTask, chunk_seed
from bots.equity.ledger import Ledger
from bots.equity.paths import Path
from bots.equity.tally import Tally
from tests.bots.equity.fake_workers import QUESTION, counted, whole


def ledger(samples: int | None) -> Ledger:
    return Ledger(QUESTION, Path.C, seed=7, samples=samples)


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_losses_and_sizes_counts_the_same(seed: int) -> None:
    rng = random.Random(seed)
    samples = rng.randrange(1, 60 * CHUNK)
    book = ledger(samples)
    out: list[ChunkTask] = []
    while book.chunks_left or out:
        if book.chunks_left and rng.random() < 0.5:
            out.append(book.take(rng.randrange(1, 12)))
        elif out:
            task = out.pop(rng.randrange(len(out)))
            if rng.random() < 0.3:
                book.lose(task)
            else:
                book.count(task, counted(task))
    assert book.tally == whole(samples)
    assert book.samples_out == 0


def test_a_task_is_counted_once_only() -> None:
    book = ledger(5 * CHUNK)
    task = book.take(2)
    book.count(task, counted(task))
    with pytest.raises(KeyError):
        book.count(task, counted(task))
    lost = book.take(2)
    book.lose(lost)
    with pytest.raises(KeyError):
        book.count(lost, counted(lost))


def test_what_is_no_answer_to_a_task_is_refused() -> None:
    book = ledger(5 * CHUNK)
    task = book.take(2)
    with pytest.raises(ValueError, match="came for a task of 65536"):
        book.count(task, Tally.empty(2))


def test_without_an_end_there_is_always_more() -> None:
    book = ledger(None)
    assert book.chunks_left == inf
    assert book.take(3).samples == 3 * CHUNK
    assert book.take(2).first == 3


def test_only_a_jobs_last_chunk_is_short() -> None:
    book = ledger(2 * CHUNK + 5)
    first, rest = book.take(1), book.take(9)
    assert (first.first, first.count, first.samples) == (0, 1, CHUNK)
    assert (rest.first, rest.count, rest.samples) == (1, 2, CHUNK + 5)
    book.lose(rest)
    assert [book.take(1).samples, book.take(1).samples] == [CHUNK, 5]


def test_chunks_have_seeds_of_their_own() -> None:
    """Part of what a seed means: these numbers never change."""
    assert [chunk_seed(7, 0), chunk_seed(7, 1)] == [15971330445000585728, 5553609203046970859]
    assert len({chunk_seed(seed, chunk) for seed in range(30) for chunk in range(30)}) == 900
