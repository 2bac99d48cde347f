"""What the calculator lets one player have of it: time, places, and the reading of long questions."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from cluster.codec.equity import asked
from cluster.gateway import equity_service
from cluster.gateway.errors import Declined, code_of
from cluster.gateway.limits import Full, Places, Rate
from croupier.v1 import equity_pb2, refusal_pb2
from croupier.v1.equity_pb2 import EquityQuestion
from engine.units import PlayerId
from tests.gateway.bureau import LONG, Bureau, begun, ended
from tests.gateway.equity_questions import holdem


async def test_a_player_has_so_much_computing_time_and_no_more() -> None:
    bureau = Bureau(computing=Rate(0.001, 300))
    await bureau.ask(holdem("AhKh", "random", deadline_ms=250, **LONG))
    refusal = await bureau.why(holdem("AhKh", "random", deadline_ms=250, **LONG))
    assert refusal.reason == refusal_pb2.REASON_TOO_FAST
    assert refusal.retry_after_ms > 0
    assert (await bureau.ask(holdem("AhKh", "random", samples=10), player="bob")).samples == 10


async def test_what_a_job_did_not_take_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each seems to take the 10 s that any job may, and takes next to nothing."""
    for name in ("_SAMPLE", "_SLOW_SAMPLE"):
        monkeypatch.setattr(equity_service, name, 1.0)
    bureau = Bureau(computing=Rate(0.001, 100_000))
    for _ in range(20):
        await bureau.ask(holdem("AhKh", "random", samples=10))


async def test_what_a_job_took_more_is_owed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_SAMPLE", "_SLOW_SAMPLE"):
        monkeypatch.setattr(equity_service, name, 0.0)
    bureau = Bureau(computing=Rate(1, 100))
    await bureau.ask(holdem("AhKh", "random", deadline_ms=300, **LONG))
    refusal = await bureau.why(holdem("AhKh", "random", deadline_ms=300, **LONG))
    assert refusal.retry_after_ms > 50_000


async def test_an_allowance_that_is_nearly_spent_is_enough_for_what_is_small() -> None:
    bureau = Bureau(computing=Rate(0.001, 400))
    await bureau.ask(holdem("AhKh", "random", deadline_ms=300, **LONG))
    for _ in range(5):
        await bureau.ask(holdem("AhKh", "QQ", board="Qs 7d 2s"))
        await bureau.ask(holdem("AhKh", "random", samples=1_000))


async def test_an_exact_result_is_paid_for_by_who_does_not_wait_for_it() -> None:
    """A thread counts all deals to the end."""
    bureau = Bureau(computing=Rate(0.001, 10_000))
    read = asked(holdem("22+", "random", exactness=equity_pb2.EXACTNESS_ALWAYS, board="Qs 7d 2s"))
    for _ in range(3):
        with suppress(asyncio.CancelledError):
            async with bureau.service._turn(PlayerId("ann"), read):
                raise asyncio.CancelledError
    takes = equity_service._exactly(read)
    level, _ = bureau.service._allowances._buckets["ann"]
    assert level < 10_001 - 3 * 1_000 * takes
    assert takes > 0


SLOW_TO_READ = holdem("AA", "random," * 2_000 + "?")
"""It takes some tenths of a second."""


async def test_to_read_a_question_takes_computing_time_too() -> None:
    """It is read where it holds up nobody."""
    bureau = Bureau(computing=Rate(0.001, 50))
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    with pytest.raises(Declined) as declined:
        await bureau.ask(SLOW_TO_READ)
    ticking.cancel()
    assert ticks > 5
    assert declined.value.refusal.reason == refusal_pb2.REASON_MALFORMED
    refusal = await bureau.why(holdem("AA", "KK"))
    assert refusal.reason == refusal_pb2.REASON_TOO_FAST


async def test_a_question_is_paid_for_by_its_length_before_it_is_read() -> None:
    bureau = Bureau(computing=Rate(0.001, 50))
    bureau.service._allowances.take("ann", 45)
    refusal = await bureau.why(SLOW_TO_READ)
    assert refusal.reason == refusal_pb2.REASON_TOO_FAST
    assert (await bureau.ask(holdem("AhKh", "QQ", board="Qs 7d 2s"))).exact


class Readers:
    """Threads that read, counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.most = 0
        self.began = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        monkeypatch.setattr(equity_service, "asked", self._asked)

    def _asked(self, question: EquityQuestion) -> Any:
        self.now += 1
        self.most = max(self.most, self.now)
        self._loop.call_soon_threadsafe(self.began.set)
        try:
            return asked(question)
        finally:
            self.now -= 1


async def test_one_question_is_read_at_a_time_and_two_of_a_player_at_most_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readers, bureau = Readers(monkeypatch), Bureau()
    calls = [bureau.ask(SLOW_TO_READ, player=player) for player in ["ann"] * 40 + ["bob"]]
    refused = [call.refusal for call in await asyncio.gather(*calls, return_exceptions=True)]  # type: ignore[union-attr]
    reasons = [refusal.reason for refusal in refused]
    assert reasons.count(refusal_pb2.REASON_MALFORMED) == 3
    assert reasons[-1] == refusal_pb2.REASON_MALFORMED
    assert reasons.count(refusal_pb2.REASON_TOO_FAST) == 38
    assert readers.most == 1


async def test_a_question_that_nobody_waits_for_any_more_is_read_to_its_end_before_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readers, bureau = Readers(monkeypatch), Bureau()
    for _ in range(5):
        call = asyncio.create_task(bureau.ask(SLOW_TO_READ))
        await readers.began.wait()
        readers.began.clear()
        await ended(call)
        assert not readers.now
    assert readers.most == 1


async def test_one_player_has_two_jobs_at_a_time_and_others_their_own() -> None:
    bureau = Bureau()
    long = holdem("AhKh", "random", **LONG)
    first, second = await begun(bureau, long), await begun(bureau, long)
    refusal = await bureau.why(holdem("AhKh", "random"))
    assert (refusal.reason, code_of(refusal).name) == (refusal_pb2.REASON_TOO_FAST, "RESOURCE_EXHAUSTED")
    assert (await bureau.ask(holdem("AhKh", "random", samples=10), player="bob")).samples == 10
    await ended(first, second)
    assert (await bureau.ask(holdem("AhKh", "random", samples=10))).samples == 10


async def test_a_job_waits_for_its_turn_as_long_as_its_deadline() -> None:
    bureau = Bureau(estimates_at_once=1)
    first = await begun(bureau, holdem("AhKh", "random", **LONG))
    refusal = await bureau.why(holdem("AhKh", "random", deadline_ms=50), player="bob")
    assert refusal.reason == refusal_pb2.REASON_TOO_FAST
    waiting = asyncio.create_task(bureau.ask(holdem("AhKh", "random", samples=10), player="bob"))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await ended(first)
    assert (await waiting).samples == 10


async def test_time_spent_waiting_is_time_that_the_job_has_not() -> None:
    bureau = Bureau(estimates_at_once=1)
    read = asked(holdem("AhKh", "random", deadline_ms=1_000, **LONG))
    ann, bob = PlayerId("ann"), PlayerId("bob")
    async with bureau.service._turn(ann, read) as first:
        waiting = asyncio.create_task(bureau.service._turn(bob, read).__aenter__())
        await asyncio.sleep(0.2)
    second = await waiting
    assert first.budget.deadline_ms == 1_000
    assert second.budget.deadline_ms is not None
    assert 0 < second.budget.deadline_ms <= 810


async def test_places_are_free_again_however_a_job_ended() -> None:
    places = Places(1, each=2)
    for _ in range(3):
        with suppress(ZeroDivisionError):
            async with places.place("ann", 1.0):
                raise ZeroDivisionError
        with pytest.raises(Full):
            async with places.place("ann", 1.0), places.place("bob", 0.01):
                pass
    assert not places._held


@pytest.mark.parametrize(
    "remaining, asks, left",
    [
        (None, None, 10_000),
        (None, 700, 700),
        (-1.0, None, 1),
        (0.0, None, 1),
        (0.03, None, 1),
        (0.35, None, 300),
        (1.0, None, 950),
        (2.0, None, 1_900),
        (2.0, 700, 700),
        (10.0, None, 9_500),
        (60.0, None, 10_000),
    ],
)
def test_a_part_of_a_calls_time_is_left_for_its_answer(
    remaining: float | None, asks: int | None, left: int
) -> None:
    budget: dict[str, Any] = LONG if asks is None else {**LONG, "deadline_ms": asks}
    question = holdem("AhKh", "random", **budget)
    assert equity_service._limited(asked(question), remaining).budget.deadline_ms == left
