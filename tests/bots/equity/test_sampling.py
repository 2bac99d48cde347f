"""Whatever happens to workers, each chunk is counted once, rules are obeyed, and deadlines kept."""

import asyncio
from typing import Any

import pytest

from bots.equity.budget import Budget
from bots.equity.chunks import CHUNK
from bots.equity.executor import Executor
from bots.equity.paths import Path
from bots.equity.sampling import Job, OutOfTime, sample, stop_of
from bots.equity.tally import Estimate, Stop, Tally, sampled
from tests.bots.equity.fake_workers import (
    PACE,
    QUESTION,
    Fault,
    Workers,
    frozen,
    gone,
    in_virtual_time,
    lost,
    slow,
    stubborn,
    whole,
    without_wide,
)

BIG = 1000 * CHUNK + 17


class Told:
    """An estimate with all that is known of how it came about."""

    def __init__(self, workers: Workers, path: Path = Path.C, here: Workers | None = None) -> None:
        self.workers = workers
        self.here = here or Workers(1)
        self.partials: list[Estimate] = []
        self.path = path
        self.seconds = 0.0
        self.cancelled = 0
        """Tasks that were cancelled by the time that the estimate was there, and not by the end of everything."""

    def run(self, **budget: Any) -> Estimate:
        return in_virtual_time(self._run(Budget(**budget)))

    async def _run(self, budget: Budget) -> Estimate:
        loop = asyncio.get_running_loop()
        deadline = (budget.deadline_ms or 1e12) / 1000 if budget.deadline_ms else float("inf")
        job = Job(QUESTION, budget, 7, self.workers, self.here)
        estimate = await sample(job, self.path, deadline=deadline, tell=self.partials.append)
        self.seconds = loop.time()
        await asyncio.sleep(0)
        self.cancelled = self.workers.cancelled
        return estimate


def of(workers: Executor, **budget: Any) -> Estimate:
    assert isinstance(workers, Workers)
    return Told(workers).run(**budget)


@pytest.mark.parametrize("workers", [1, 2, 3, 16])
@pytest.mark.parametrize("samples", [1, CHUNK - 1, CHUNK, CHUNK + 1, 40 * CHUNK, BIG])
def test_samples_are_the_same_on_any_number_of_workers(workers: int, samples: int) -> None:
    assert of(Workers(workers), samples=samples) == sampled(whole(samples), Path.C, Stop.SAMPLES)


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([lost], id="one lost"),
        pytest.param([lost] * 5, id="five lost in a row"),
        pytest.param([None, lost, None, None, lost, lost], id="some lost"),
        pytest.param([frozen], id="one frozen"),
        pytest.param([stubborn], id="one that answers when it was given up"),
        pytest.param([slow, None, slow, None, slow], id="some late"),
        pytest.param([slow, lost, frozen, stubborn, lost], id="everything"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_what_happens_to_workers_changes_no_sample(faults: list[Fault | None], workers: int) -> None:
    """A lost chunk is drawn again with its own seed, and no chunk counts twice."""
    assert of(Workers(workers, faults), samples=BIG) == sampled(whole(BIG), Path.C, Stop.SAMPLES)


def test_a_small_job_asks_no_worker() -> None:
    workers = Workers(2)
    assert of(workers, samples=5 * CHUNK).samples == 5 * CHUNK
    assert not workers.asked


def test_an_executor_without_workers_leaves_the_job_to_this_process() -> None:
    estimate = of(Workers(0), samples=BIG)
    assert estimate == sampled(whole(BIG), Path.C, Stop.SAMPLES, alone=True)


@pytest.mark.parametrize("faults", [[gone], [None, None, gone], [None, slow, gone, lost]])
def test_an_executor_that_is_lost_on_the_way_leaves_the_rest_to_this_process(
    faults: list[Fault | None],
) -> None:
    workers = Workers(2, faults)
    assert of(workers, samples=BIG) == sampled(whole(BIG), Path.C, Stop.SAMPLES, alone=True)


def test_workers_that_are_lost_again_and_again_are_not_asked_for_ever() -> None:
    workers = Workers(2, always=lost)
    assert of(workers, samples=BIG) == sampled(whole(BIG), Path.C, Stop.SAMPLES, alone=True)
    assert len(workers.asked) < 20


def test_a_job_goes_on_although_every_worker_is_frozen() -> None:
    told = Told(Workers(2, always=frozen))
    assert told.run(samples=200 * CHUNK) == sampled(whole(200 * CHUNK), Path.C, Stop.SAMPLES)
    assert told.seconds < 60
    assert told.cancelled == len(told.workers.asked)


def test_a_worker_without_the_path_puts_the_whole_job_on_the_next_lower_one() -> None:
    told = Told(Workers(2, [None, None], always=without_wide), Path.AVX512)
    assert told.run(samples=BIG) == sampled(whole(BIG), Path.C, Stop.SAMPLES)
    assert all(task.path is Path.C for task in told.workers.asked[-20:])


def test_tasks_take_some_tens_of_milliseconds_and_less_towards_the_end() -> None:
    workers = Workers(2)
    of(workers, samples=BIG)
    sizes = [task.count * PACE for task in workers.asked]
    assert max(sizes) <= 0.05
    assert min(sizes[:-4]) >= 0.005
    assert sizes[-4] < sizes[0]


def test_twice_as_many_tasks_are_out_as_there_are_workers() -> None:
    workers = Workers(3)
    of(workers, samples=BIG)
    assert workers.most_out == 6


def test_workers_do_what_one_thread_would_take_their_number_longer_for() -> None:
    one, two = Told(Workers(1)), Told(Workers(2))
    one.run(samples=BIG)
    two.run(samples=BIG)
    assert one.seconds == pytest.approx(1.0, rel=0.03)
    assert two.seconds == pytest.approx(0.5, rel=0.05)


def test_it_stops_at_the_error_that_was_asked_for() -> None:
    told = Told(Workers(2))
    estimate = told.run(error=0.0001)
    assert estimate.stop is Stop.ERROR
    assert estimate.stderr <= 0.0001
    assert estimate.stderr > 0.00009, "far more was drawn than was needed"
    assert told.workers.out == 0


def test_an_error_is_not_believed_to_be_smaller_than_one_sample_could_make_it() -> None:
    """What never happened in so many samples may happen once in as many: samples without a loss have an error of 0."""
    budget = Budget(error=1e-5)
    assert stop_of(budget, Tally((CHUNK, 0, 0, 0), CHUNK)) is None
    assert stop_of(budget, Tally((100_000, 0, 0, 0), 100_000)) is Stop.ERROR
    assert stop_of(budget, Tally((0, 0, 0, 0), 0)) is None


def test_as_many_samples_are_drawn_as_make_an_error_of_0_believable() -> None:
    told = Told(Workers(2, surely=True), here=Workers(1, surely=True))
    assert told.run(error=1e-6).samples == pytest.approx(1_000_000, rel=0.06)
    assert len(told.workers.asked) + len(told.here.asked) < 10, "chunk by chunk, and not as many as it takes"
    assert of(Workers(2), error=0.5).samples == CHUNK


def test_the_first_rule_that_is_met_stops() -> None:
    assert of(Workers(2), samples=3 * CHUNK, error=1e-5).stop is Stop.SAMPLES
    assert of(Workers(2), samples=BIG, error=0.001).stop is Stop.ERROR
    assert of(Workers(2), samples=BIG, deadline_ms=50).stop is Stop.DEADLINE


@pytest.mark.parametrize("deadline_ms", [3, 10, 50, 200, 1000])
@pytest.mark.parametrize("always", [None, slow, frozen, lost, stubborn])
def test_a_deadline_is_kept_to_the_millisecond_and_not_wasted(deadline_ms: int, always: Fault | None) -> None:
    told = Told(Workers(2, always=always))
    estimate = told.run(deadline_ms=deadline_ms)
    assert estimate.stop is Stop.DEADLINE
    assert told.seconds <= deadline_ms / 1000 + 0.001
    if always is None and deadline_ms >= 50:
        assert estimate.samples / CHUNK * PACE >= 1.5 * deadline_ms / 1000 - 0.03


def test_what_was_out_at_the_deadline_is_cancelled() -> None:
    told = Told(Workers(2, always=slow))
    told.run(deadline_ms=100)
    assert told.cancelled == len(told.workers.asked) > 0


@pytest.mark.parametrize("deadline_ms", [*range(20, 120, 3), 1000])
def test_nothing_is_sent_that_would_not_be_back_by_the_deadline(deadline_ms: int) -> None:
    told = Told(Workers(2, trip=0.003))
    told.run(deadline_ms=deadline_ms)
    assert told.workers.asked
    assert told.cancelled == 0


@pytest.mark.parametrize("deadline_ms", [50, 100, 200])
def test_a_task_takes_no_more_than_a_part_of_the_time_that_is_left(deadline_ms: int) -> None:
    told = Told(Workers(2))
    told.run(deadline_ms=deadline_ms)
    assert max(task.count * PACE for task in told.workers.asked) <= max(0.005, deadline_ms / 8000 + PACE)


def test_where_no_chunk_fits_before_the_deadline_a_part_of_one_is_drawn() -> None:
    estimate = of(Workers(2), deadline_ms=1)
    assert estimate.stop is Stop.DEADLINE
    assert CHUNK / 4 < estimate.samples < CHUNK


def test_nothing_by_the_deadline_is_an_error() -> None:
    with pytest.raises(OutOfTime, match="nothing was counted within 20 ms"):
        Told(Workers(2), here=Workers(1, always=slow)).run(deadline_ms=20)


def test_partial_results_come_ten_times_a_second_and_grow() -> None:
    told = Told(Workers(1))
    told.run(samples=3 * BIG)
    assert len(told.partials) == pytest.approx(3.0 / 0.1, abs=7)
    samples = [partial.samples for partial in told.partials]
    assert samples == sorted(set(samples))
    assert {partial.stop for partial in told.partials} == {Stop.NONE}


def test_cancelling_a_job_cancels_its_tasks() -> None:
    workers = Workers(2, always=frozen)

    async def main() -> None:
        job = Job(QUESTION, Budget(samples=BIG), 7, workers, Workers(1))
        work = asyncio.ensure_future(sample(job, Path.C, deadline=float("inf"), tell=lambda _: None))
        await asyncio.sleep(1)
        work.cancel()
        await asyncio.wait({work})
        await asyncio.sleep(0)

    in_virtual_time(main())
    assert workers.cancelled == len(workers.asked) == 4
