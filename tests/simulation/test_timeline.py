"""The timeline: virtual time in one order, and processes that freeze and die at any callback."""

import asyncio

import pytest

from tests.simulation.timeline import OF_PROCESS, Process, Stuck, Timeline


@pytest.fixture
def loop() -> Timeline:
    return Timeline(start=0)


def test_hours_go_by_at_once_and_in_their_order(loop: Timeline) -> None:
    seen: list[tuple[float, str]] = []

    async def wait(seconds: float, name: str) -> None:
        await asyncio.sleep(seconds)
        seen.append((loop.now, name))

    async def both() -> None:
        await asyncio.gather(wait(7_200, "late"), wait(3_600, "early"))

    loop.run(both())
    assert seen == [(3_600, "early"), (7_200, "late")]
    loop.end()


def test_what_waits_for_nothing_is_stuck(loop: Timeline) -> None:
    async def forever() -> None:
        await loop.create_future()

    with pytest.raises(Stuck):
        loop.run(forever())
    loop.end()


def test_of_a_dead_process_nothing_is_run_not_even_what_stands_in_finally(loop: Timeline) -> None:
    done: list[str] = []
    over = False

    async def work() -> None:
        try:
            await asyncio.sleep(1)
            done.append("work")
        finally:
            if not over:
                done.append("finally")

    process = Process(loop, "p")
    _ = process.spawn(work())
    loop.after(0.5, process.die)
    loop.run(asyncio.sleep(5))
    assert done == []
    over = True
    loop.end()
    assert all(task.done() for task in loop.tasks)


def test_a_frozen_process_goes_on_where_it_was(loop: Timeline) -> None:
    seen: list[float] = []

    async def tick() -> None:
        for _ in range(3):
            await asyncio.sleep(1)
            seen.append(loop.now)

    process = Process(loop, "p")
    _ = process.spawn(tick())
    loop.after(1.5, process.freeze)
    loop.after(9.0, process.thaw)
    loop.run(asyncio.sleep(20))
    assert seen == [1, 9, 10]
    loop.end()


def test_a_process_dies_before_the_callback_that_was_meant(loop: Timeline) -> None:
    steps: list[int] = []

    async def walk() -> None:
        for step in range(10):
            steps.append(step)
            await asyncio.sleep(0)

    process = Process(loop, "p")
    _ = process.spawn(walk())
    process.die_after(4)
    loop.run(asyncio.sleep(1))
    assert steps == [0, 1, 2]
    assert process.dead
    loop.end()


def test_what_a_process_starts_is_its_own(loop: Timeline) -> None:
    seen: list[Process | None] = []

    async def child() -> None:
        seen.append(OF_PROCESS.get())

    async def parent() -> None:
        await asyncio.get_running_loop().create_task(child())

    process = Process(loop, "p")
    _ = process.spawn(parent())
    loop.run(asyncio.sleep(1))
    assert seen == [process]
    loop.end()


def test_a_task_that_raised_and_was_not_asked_is_told_of(loop: Timeline) -> None:
    async def fail() -> None:
        raise ValueError("nobody hears me")

    _ = Process(loop, "p").spawn(fail())
    loop.run(asyncio.sleep(1))
    loop.end()
    assert loop.complaints == ["a task raised ValueError('nobody hears me'), and nobody looked"]


def test_clocks_of_processes_differ(loop: Timeline) -> None:
    process = Process(loop, "p", skew=100, rate=1.001)
    loop.run(asyncio.sleep(1_000))
    assert process.monotonic() == pytest.approx(100 + 1_001)
    loop.end()


@pytest.mark.parametrize("seconds", [0, 1])
def test_what_goes_round_and_round_is_stuck(
    loop: Timeline, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr("tests.simulation.timeline._MOST_STEPS", 100)
    monkeypatch.setattr("tests.simulation.timeline._MOST_AT_ONCE", 100)

    async def spin() -> None:
        while True:  # noqa: ASYNC110 - that is what it is
            await asyncio.sleep(seconds)

    with pytest.raises(Stuck, match="steps"):
        loop.run(spin())
    loop.end()
