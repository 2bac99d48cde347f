"""The calculator: discards compared one after the other, each with its share of the time."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest

from bots.equity import discards
from bots.equity.budget import Budget
from bots.equity.executor import InProcess
from bots.equity.newest import newest
from bots.equity.paths import Path
from bots.equity.sampling import OutOfTime
from bots.equity.spots import DrawSpot
from bots.equity.tally import Estimate, PlayerEquity, Stop
from cluster.calculator import Answer, Asked, answers
from cluster.codec.equity import asked
from tests.gateway.equity_questions import ACES, draw

Estimating = Callable[[DrawSpot, Budget], Coroutine[Any, Any, Estimate]]


def worth(equity: float, stop: Stop = Stop.SAMPLES) -> Estimate:
    players = PlayerEquity(equity, 0, equity, 0.01), PlayerEquity(1 - equity, 0, 1 - equity, 0.01)
    return Estimate(stop is Stop.EXACT, 100, players, Path.C, stop)


async def compared(
    monkeypatch: pytest.MonkeyPatch, estimating: Estimating, read: Asked | None = None
) -> list[Answer]:
    """The answers where each discard is estimated by `estimating`."""

    async def estimate(spot: DrawSpot, budget: Budget, executor: Any, *, seed: int) -> Estimate:
        assert seed == 7
        return await estimating(spot, budget)

    monkeypatch.setattr(discards, "estimate", estimate)
    async with aclosing(answers(read or asked(draw(ACES, (1,))), InProcess(1), seed=7)) as found:
        return [answer async for answer in found]


async def test_the_best_discard_so_far_is_told_as_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def estimating(spot: DrawSpot, budget: Budget) -> Estimate:
        for _ in range(5):
            await asyncio.sleep(0)
        return worth(len(spot.discard) / 10)

    found = await compared(monkeypatch, estimating)
    assert [len(answer.weighed) for answer in found] == list(range(1, 27))
    assert [answer.stop for answer in found] == [Stop.NONE] * 25 + [Stop.SAMPLES]
    assert [len(answer.best) for answer in found] == [0] + [1] * 5 + [2] * 10 + [3] * 10
    for answer in found:
        assert answer.estimate == max(answer.weighed, key=lambda each: each.players[0].equity)


async def test_each_discard_has_an_even_share_of_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first takes nothing, so that the others have more."""
    shares: list[int] = []

    async def estimating(spot: DrawSpot, budget: Budget) -> Estimate:
        assert budget.deadline_ms is not None
        shares.append(budget.deadline_ms)
        return worth(0.5, Stop.DEADLINE)

    found = await compared(monkeypatch, estimating, asked(draw(ACES, (1,), deadline_ms=26_000_000)))
    assert found[-1].stop is Stop.DEADLINE
    for at, share in enumerate(shares):
        assert 0.99 * 26_000_000 / (26 - at) < share <= 26_000_000 / (26 - at)


@pytest.mark.parametrize(
    "stops, stop",
    [
        ([Stop.EXACT] * 26, Stop.EXACT),
        ([Stop.EXACT] * 25 + [Stop.ERROR], Stop.ERROR),
        ([Stop.ERROR] + [Stop.DEADLINE] + [Stop.EXACT] * 24, Stop.DEADLINE),
    ],
)
async def test_why_it_stopped_is_what_left_the_most_open(
    monkeypatch: pytest.MonkeyPatch, stops: list[Stop], stop: Stop
) -> None:
    each = iter(stops)

    async def estimating(spot: DrawSpot, budget: Budget) -> Estimate:
        return worth(0.5, next(each))

    assert (await compared(monkeypatch, estimating))[-1].stop is stop


async def test_what_was_weighed_in_time_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def estimating(spot: DrawSpot, budget: Budget) -> Estimate:
        if len(spot.discard) > 1:
            raise OutOfTime
        return worth(0.5)

    last = (await compared(monkeypatch, estimating))[-1]
    assert (len(last.weighed), len(last.discards), last.stop) == (6, 26, Stop.DEADLINE)


async def test_where_nothing_was_weighed_in_time_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def estimating(spot: DrawSpot, budget: Budget) -> Estimate:
        raise OutOfTime

    with pytest.raises(OutOfTime):
        await compared(monkeypatch, estimating)


async def test_to_close_is_to_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    async def estimate(spot: DrawSpot, budget: Budget, executor: Any, *, seed: int) -> Estimate:
        if not spot.discard:
            return worth(0.5)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        raise AssertionError

    monkeypatch.setattr(discards, "estimate", estimate)
    async with asyncio.timeout(5):
        async with aclosing(answers(asked(draw(ACES, (1,))), InProcess(1), seed=7)) as found:
            assert len((await anext(found)).weighed) == 1
        assert ended == ["cancelled"]


async def test_the_newest_is_taken_and_what_came_meanwhile_is_passed_over() -> None:
    go_on = asyncio.Event()

    async def work(tell: Callable[[int], None]) -> int:
        tell(1)
        await go_on.wait()
        for number in (2, 3, 4):
            tell(number)
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        tell(5)
        return 6

    async with aclosing(newest(work)) as found:
        assert await anext(found) == 1
        go_on.set()
        for _ in range(20):
            await asyncio.sleep(0)
        assert [number async for number in found] == [6]


async def test_what_the_work_raises_is_raised_to_who_waits() -> None:
    async def work(tell: Callable[[int], None]) -> int:
        tell(1)
        await asyncio.sleep(0)
        raise ZeroDivisionError

    found = newest(work)
    assert await anext(found) == 1
    with pytest.raises(ZeroDivisionError):
        await anext(found)
