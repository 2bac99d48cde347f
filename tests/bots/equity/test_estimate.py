"""Estimates as others ask for them: exact or sampled, in this thread, on threads, streamed, and refused."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import aclosing
from math import sqrt
from statistics import fmean
from typing import Any

import pytest

from bots.equity import exact
from bots.equity.budget import Budget, Exactness
from bots.equity.chunks import CHUNK, NoDeal
from bots.equity.estimate import estimate, estimate_now, estimates
from bots.equity.exact import TooManyDeals
from bots.equity.executor import InProcess
from bots.equity.paths import VARIABLE, Path, PathMissing, available
from bots.equity.questions import Question
from bots.equity.sampling import OutOfTime
from bots.equity.spots import Spot, make_draw_spot, make_holdem_spot
from bots.equity.tally import Estimate, Stop, sampled
from tests.bots.equity.fake_workers import Workers, frozen, in_virtual_time, slow, whole

FLOP = make_holdem_spot(["AsKs", "random"], board="2c 7d Jh")
MANY = make_holdem_spot(["AsKs", "QQ+, AK:0.5", "random"], board="2c 7d Jh")
DRAW = make_draw_spot("As Ad 7c 8d 2h", discard="7c 8d 2h", opponents=["drew 3", "drew 1"])
PATHS = pytest.mark.parametrize("path", available())


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Has a path be the one that is taken."""
    return lambda path: monkeypatch.setenv(VARIABLE, path)


@pytest.fixture
def fake_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets no thread run, so that time may be virtual."""
    monkeypatch.setattr("bots.equity.estimate.InProcess", Workers)
    monkeypatch.setenv(VARIABLE, Path.NUMPY)


def sampling(**rules: Any) -> Budget:
    return Budget(**rules, exact=Exactness.NEVER)


@PATHS
async def test_heads_up_on_a_flop_is_exact_whatever_the_budget(
    path: Path, take: Callable[[Path], None]
) -> None:
    """AK without help wins about 62 % against any two cards here: 1,070,190 deals."""
    take(path)
    found = await estimate(FLOP, Budget(samples=1), InProcess(1), seed=7)
    assert (found.stop, found.exact, found.samples, found.path) == (Stop.EXACT, True, 1_070_190, path)
    assert found == estimate_now(FLOP, Budget(samples=1), seed=99)


@PATHS
@pytest.mark.parametrize("spot", [FLOP, MANY, DRAW])
@pytest.mark.parametrize("samples", [1000, CHUNK, 7 * CHUNK + 1])
async def test_a_seed_gives_the_same_samples_everywhere(
    path: Path, spot: Spot, samples: int, take: Callable[[Path], None]
) -> None:
    take(path)
    found = [
        estimate_now(spot, sampling(samples=samples), seed=7),
        await estimate(spot, sampling(samples=samples), InProcess(1), seed=7),
        await estimate(spot, sampling(samples=samples), InProcess(3), seed=7),
    ]
    assert found[0] == found[1] == found[2]
    assert (found[0].samples, found[0].stop, found[0].path) == (samples, Stop.SAMPLES, path)
    assert found[0] != estimate_now(spot, sampling(samples=samples), seed=8)


@PATHS
def test_samples_come_to_what_is_exact(path: Path, take: Callable[[Path], None]) -> None:
    take(path)
    for spot in (
        FLOP,
        make_holdem_spot(["AA:0.1, 33", "QsJs"], board="3c 9s Ts"),
        make_draw_spot("As Ks Qs Js 2d", discard="2d", opponents=["drew 1"]),
    ):
        truth = estimate_now(spot, Budget(exact=Exactness.ALWAYS), seed=7)
        found = estimate_now(spot, sampling(samples=10 * CHUNK), seed=7)
        for one, other in zip(found.players, truth.players, strict=True):
            assert abs(one.equity - other.equity) < 4 * one.error
            assert abs(one.tie - other.tie) < 0.005


@PATHS
def test_of_weights_proportions_alone_count(path: Path, take: Callable[[Path], None]) -> None:
    """Those of several players are multiplied, and two as small as these make 0."""
    take(path)
    tiny, plain = (
        make_holdem_spot([f"AA:{unit}, KK:{2 * unit}", f"QQ:{unit}, JJ:{3 * unit}"], board="2c 3d 4h")
        for unit in (2.0**-600, 0.25)
    )
    budget = Budget(exact=Exactness.ALWAYS)
    assert estimate_now(tiny, budget, seed=7) == estimate_now(plain, budget, seed=7)


@pytest.mark.slow
@PATHS
@pytest.mark.parametrize(
    "spot",
    [
        pytest.param(FLOP, id="heads-up"),
        pytest.param(make_holdem_spot(["AsKd", "AhKc"], board="2d 7d Jh"), id="nearly always a tie"),
        pytest.param(make_holdem_spot(["AA:0.1, 33", "QsJs"], board="3c 9s Ts"), id="weights"),
        pytest.param(make_holdem_spot(["AsKs", "QdQc", "7h6h"], board="2c 7d Jh"), id="three"),
        pytest.param(make_draw_spot("As Ks Qs Js 2d", discard="2d", opponents=["drew 1"]), id="draw"),
    ],
)
def test_the_standard_error_is_right(path: Path, spot: Spot, take: Callable[[Path], None]) -> None:
    """Over 1,000 seeds the error made is what was said: the mean square of their ratio is 1, within 4 of its own errors."""
    take(path)
    truth = estimate_now(spot, Budget(exact=Exactness.ALWAYS), seed=0)
    found = [estimate_now(spot, sampling(samples=2000), seed=seed) for seed in range(1000)]
    for player, true in enumerate(truth.players):
        ratios = [(one.players[player].equity - true.equity) / one.players[player].error for one in found]
        assert fmean(ratio * ratio for ratio in ratios) == pytest.approx(1, abs=4 * sqrt(2 / 1000))
        assert fmean(ratios) == pytest.approx(0, abs=4 / sqrt(1000))


def test_it_stops_at_the_error() -> None:
    found = estimate_now(MANY, sampling(error=0.002), seed=7)
    assert found.stop is Stop.ERROR
    assert found.stderr <= 0.002


def test_in_this_thread_a_deadline_leaves_a_few_samples_at_least() -> None:
    found = estimate_now(MANY, sampling(deadline_ms=1), seed=7)
    assert found.stop in (Stop.DEADLINE, Stop.SAMPLES)
    assert found.samples >= 1
    assert estimate_now(MANY, sampling(deadline_ms=200), seed=7).stop is Stop.DEADLINE


async def test_what_can_not_be_exact_is_refused_before_anything_is_done() -> None:
    budget = Budget(exact=Exactness.ALWAYS)
    with pytest.raises(TooManyDeals, match="sample instead"):
        await estimate(make_holdem_spot(["random", "random"]), budget, InProcess(1), seed=7)
    with pytest.raises(TooManyDeals, match="one opponent"):
        estimate_now(DRAW, budget, seed=7)
    with pytest.raises(TooManyDeals, match=r"the deadline leaves 0\.001 s"):
        estimate_now(
            make_holdem_spot(["AsKs", "QdQc"]), Budget(deadline_ms=1, exact=Exactness.ALWAYS), seed=7
        )


async def test_exact_work_that_takes_longer_than_it_should_gives_way_to_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on = threading.Event()

    def stuck(question: Question, path: Path) -> Estimate:
        go_on.wait(20)
        raise AssertionError

    monkeypatch.setattr(exact, "exactly", stuck)
    try:
        found = await estimate(FLOP, Budget(deadline_ms=300), InProcess(1), seed=7)
        assert found.stop is Stop.DEADLINE
        with pytest.raises(OutOfTime, match="not all deals were counted within 50 ms"):
            await estimate(FLOP, Budget(deadline_ms=50, exact=Exactness.ALWAYS), InProcess(1), seed=7)
    finally:
        go_on.set()


async def test_a_path_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "fpga")
    with pytest.raises(PathMissing, match="fpga"):
        await estimate(FLOP, Budget(), InProcess(1), seed=7)


def test_partial_results_are_streamed_and_the_last_one_is_final(fake_threads: None) -> None:
    samples = 1000 * CHUNK
    workers = Workers(1)

    async def main() -> list[Estimate]:
        budget = sampling(samples=samples)
        return [found async for found in estimates(make_holdem_spot(["AA", "KK"]), budget, workers, seed=7)]

    *partials, last = in_virtual_time(main())
    assert last == sampled(whole(samples), Path.NUMPY, Stop.SAMPLES)
    assert {partial.stop for partial in partials} == {Stop.NONE}
    assert 7 <= len(partials) <= 11
    assert [partial.samples for partial in partials] == sorted({partial.samples for partial in partials})


def test_who_is_slow_to_take_partial_results_holds_nothing_up(fake_threads: None) -> None:
    async def main() -> tuple[float, list[Estimate]]:
        taken: list[Estimate] = []
        async for found in estimates(
            make_holdem_spot(["AA", "KK"]), sampling(samples=1000 * CHUNK), Workers(1), seed=7
        ):
            taken.append(found)
            await asyncio.sleep(0.45)
        return asyncio.get_running_loop().time(), taken

    seconds, taken = in_virtual_time(main())
    assert seconds < 1.6
    assert [found.stop for found in taken] == [Stop.NONE, Stop.NONE, Stop.SAMPLES]


def test_closing_the_stream_ends_the_work(fake_threads: None) -> None:
    workers = Workers(2, [None] * 30, always=frozen)

    async def main() -> None:
        spot = make_holdem_spot(["AA", "KK"])
        async with aclosing(estimates(spot, sampling(samples=10**10), workers, seed=7)) as stream:
            async for found in stream:
                assert found.stop is Stop.NONE
                break
        assert asyncio.get_running_loop().time() < 1

    in_virtual_time(main())
    assert workers.out == 0
    assert workers.cancelled > 0


def test_a_stream_raises_what_goes_wrong(fake_threads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.equity.estimate.InProcess", lambda threads: Workers(threads, always=slow))

    async def main() -> None:
        async for _ in estimates(MANY, sampling(deadline_ms=50), Workers(1), seed=7):
            raise AssertionError

    with pytest.raises(OutOfTime):
        in_virtual_time(main())


def test_a_stream_has_its_own_deadline(fake_threads: None) -> None:
    async def main() -> tuple[float, Estimate]:
        stream = estimates(MANY, sampling(deadline_ms=250), Workers(2), seed=7)
        found = [found async for found in stream]
        return asyncio.get_running_loop().time(), found[-1]

    seconds, last = in_virtual_time(main())
    assert last.stop is Stop.DEADLINE
    assert 0.24 < seconds <= 0.251


def test_hands_that_leave_no_deal_are_an_error_in_samples_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spots that cannot be dealt are refused when they are made; this is what is left for the kernel to find."""

    def none(*question: object) -> list[int]:
        raise RuntimeError("no possible deal was found")

    monkeypatch.setenv(VARIABLE, Path.NUMPY)
    monkeypatch.setattr("bots.equity.numpy_kernel.holdem_sample", none)
    with pytest.raises(NoDeal, match="no possible deal was found: the hands leave each other"):
        estimate_now(MANY, sampling(samples=10), seed=7)
