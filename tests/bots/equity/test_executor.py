"""Chunks on threads of this process, on every path that this machine has."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from bots.equity.budget import Budget
from bots.equity.chunks import CHUNK, ChunkTask, NoDeal, Ran, run_task
from bots.equity.executor import InProcess, in_thread
from bots.equity.paths import Path, PathMissing, available
from bots.equity.sampling import Job, sample
from bots.equity.tally import Stop, Tally, sampled
from tests.bots.equity.asking import holdem

QUESTION = holdem("AsKs", "QQ+, AK:0.5", "random", board="2c 7d Jh")


@pytest.mark.parametrize("path", available())
@pytest.mark.parametrize("threads", [1, 2, 5])
async def test_samples_are_the_same_on_any_number_of_threads(path: Path, threads: int) -> None:
    samples = 25 * CHUNK + 9
    job = Job(QUESTION, Budget(samples=samples), 7, InProcess(threads), here=InProcess(1))
    estimate = await sample(job, path, deadline=float("inf"), tell=lambda _: None)
    whole = run_task(ChunkTask(QUESTION, path, 7, 0, 26, 9)).tally
    assert estimate == sampled(whole, path, Stop.SAMPLES)


def test_a_task_is_the_sum_of_its_chunks() -> None:
    chunks = [run_task(ChunkTask(QUESTION, Path.NUMPY, 7, first, 1)).tally for first in (3, 4)]
    assert run_task(ChunkTask(QUESTION, Path.NUMPY, 7, 3, 2)).tally == sum(chunks, Tally.empty(3))
    assert chunks[0] != chunks[1]


def test_the_paths_draw_samples_of_their_own_of_one_equity() -> None:
    tallies = [run_task(ChunkTask(QUESTION, path, 7, 0, 4)).tally for path in available()]
    (equity, *others) = [sampled(tally, Path.NUMPY, Stop.SAMPLES).players[0].equity for tally in tallies]
    assert others == pytest.approx([equity] * len(others), abs=0.005)
    assert Path.C not in available() or len(set(tallies)) > 1


@pytest.mark.parametrize("path", available())
def test_hands_that_leave_each_other_no_cards_are_an_error(path: Path) -> None:
    with pytest.raises(NoDeal, match="the hands leave each other"):
        run_task(ChunkTask(holdem("AA", "AA", "AA"), path, 7, 0, 1))


def test_a_path_that_is_not_there_is_told_from_a_deal_that_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: Path) -> None:
        raise PathMissing("no avx512")

    monkeypatch.setattr("bots.equity.chunks.kernel", missing)
    with pytest.raises(PathMissing):
        run_task(ChunkTask(QUESTION, Path.AVX512, 7, 0, 1))


def test_a_task_that_nobody_wants_any_more_ends_after_a_chunk() -> None:
    answers = iter([False, False, False, True])
    assert (
        run_task(ChunkTask(QUESTION, Path.NUMPY, 7, 0, 99), lambda: next(answers)).tally.samples == 3 * CHUNK
    )


async def test_a_cancelled_task_is_not_wanted_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = threading.Event(), threading.Event()

    def endless(task: ChunkTask, unwanted: Callable[[], bool]) -> Ran:
        began.set()
        while not unwanted():
            pass
        ended.set()
        return Ran(Tally.empty(3), 0.0)

    monkeypatch.setattr("bots.equity.executor.run_task", endless)
    work = asyncio.ensure_future(InProcess(1).run(ChunkTask(QUESTION, Path.NUMPY, 7, 0, 1)))
    assert await in_thread(began.wait, 20)
    work.cancel()
    assert await in_thread(ended.wait, 20)
    assert work.cancelled()


async def test_the_event_loop_goes_on_meanwhile() -> None:
    go_on = threading.Event()
    work = asyncio.ensure_future(in_thread(go_on.wait, 20))
    await asyncio.sleep(0)
    assert not work.done()
    go_on.set()
    assert await work


def test_a_process_that_ends_does_not_wait_for_what_nobody_waits_for() -> None:
    """A thread that sleeps for an hour, interrupted as Ctrl-C does it."""
    program = (
        "import asyncio, time\n"
        "from bots.equity.executor import in_thread\n"
        "async def main():\n"
        "    try:\n"
        "        await asyncio.wait_for(in_thread(time.sleep, 3600), 0.1)\n"
        "    except TimeoutError:\n"
        "        print('given up')\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=True)
    assert done.stdout == b"given up\n"


async def test_what_fails_in_a_thread_fails_where_it_is_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 1, 0)
