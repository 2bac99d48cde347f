"""Garbage: seldom looked for, and more often where it grows."""

import asyncio
import contextlib
import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from cluster.garbage import Garbage


class Clock:
    """Seconds by hand; each look at it takes `step`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.step = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class Knot:
    """What holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize(
    "took, since, more, due",
    [
        (0.01, 59, 0, False),
        (0.01, 60, 0, True),
        (0.5, 499, 0, False),
        (0.5, 500, 0, True),
        (0.01, 99, 90_000, False),
        (0.01, 100, 90_000, True),
        (0.5, 100, 499_999, False),
        (0.5, 19, 500_000, False),
        (0.5, 20, 500_000, True),
    ],
)
def test_collections_take_a_thousandth_of_the_time_or_a_twentieth_where_much_is_new(
    took: float, since: float, more: int, due: bool
) -> None:
    clock = Clock()
    garbage = Garbage(clock)
    clock.step = took
    garbage.collect()
    clock.step = 0.0
    clock.now += since
    assert garbage.is_due(more=more) is due


@pytest.fixture
def thawed() -> Iterator[None]:
    """What was frozen is frozen again after the test."""
    yield
    gc.collect()
    gc.freeze()


async def test_only_it_collects_and_it_finds_what_holds_itself(
    thawed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cluster.garbage._EVERY", 0.001)
    clock = Clock()
    running = asyncio.create_task(Garbage(clock).run())
    await asyncio.sleep(0)
    try:
        assert not gc.isenabled()
        knot = weakref.ref(Knot())
        assert knot() is not None
        clock.now = 61.0
        async with asyncio.timeout(5):
            while knot() is not None:  # noqa: ASYNC110 - nobody tells when the collector ran
                await asyncio.sleep(0.001)
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_a_gateway_passes_over_what_was_there_and_finds_what_is_young() -> None:
    """In a process of its own, whose collector it sets for good."""
    script = """
import gc, weakref
from cluster.garbage import settle
class Knot: pass
old = Knot(); old.itself = old; gone = weakref.ref(old)
settle(); del old
young = Knot(); young.itself = young; found = weakref.ref(young); del young
gc.collect(0)
print(gc.get_freeze_count() > 10_000, gone() is not None, found() is None, gc.get_threshold()[0])
"""
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["True", "True", "True", "50000"]
