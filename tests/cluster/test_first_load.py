"""A salon's first load: where the log does not answer it is tried again, with nobody asking."""

import asyncio
from typing import Any

import pytest

from cluster.envelope import Epoch, Seq
from cluster.journal.log import Activated, LogCorrupt, LogFault, LogNewer
from cluster.routing.hosts import Admitted, NotHere
from cluster.salons import tenure
from cluster.salons.salon import Salon
from cluster.versions import KNOWN, Versions
from tests.cluster.bench import Bench
from tests.cluster.memory_journal import Fault
from tests.cluster.salons import SALON


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenure, "_RECOVERY", (0.0,))


async def given_away(made: int = 0) -> Bench:
    """A salon in a hand, which host:b was given and has not loaded."""
    bench = await Bench().opened(turn_time=20_000, time_bank=0)
    await bench.seated("ann", "bob", "cid")
    await bench.ring()
    await bench.done(bench.turn())
    bench.salon.close()
    head = await bench.journal.head(SALON)
    assert isinstance(await bench.journal.activate(SALON, head.epoch, "host:b"), Activated)
    bench.salon = Salon(SALON, bench.house("host:b"), made=Seq(made))
    return bench


def failing(bench: Bench, call: str, *faults: Exception) -> None:
    """Let the log answer `call` with these first."""
    real, left = getattr(bench.journal, call), list(faults)

    async def fails(*given: Any, **named: Any) -> Any:
        if left:
            raise left.pop(0)
        return await real(*given, **named)

    setattr(bench.journal, call, fails)


@pytest.mark.parametrize("times", [1, 3])
async def test_a_log_that_does_not_answer_is_read_until_it_does(times: int) -> None:
    bench = await given_away()
    failing(bench, "load", *[LogFault("a hiccup")] * times)
    with pytest.raises(LogFault):
        await bench.salon.load()
    await bench.until(lambda: bench.salon.loaded)
    assert bench.salon._timer is not None, "the turn's time goes on"
    await bench.settled()
    bench.salon.close()


def newer(host: str) -> LogNewer:
    """What a log says that a later version wrote, and that is `host`'s."""
    return LogNewer(Epoch(1), host, Versions(99, "1.0.0"), KNOWN)


async def test_what_the_log_was_to_be_told_is_told_until_it_answers() -> None:
    """That it is another version's, or cannot be read, and is nobody's then."""
    for why in (newer("host:b"), LogCorrupt("torn")):
        bench = await given_away()
        failing(bench, "load", why, why)
        failing(bench, "let_go" if isinstance(why, LogNewer) else "quarantine", LogFault("a hiccup"))
        with pytest.raises(LogFault, match="hiccup"):
            await bench.salon.load()
        await bench.until(lambda bench=bench: bench.gone == [SALON])  # type: ignore[misc]  # it is this bench
        await bench.settled()


async def test_a_log_that_ends_too_early_is_read_again_with_its_loss() -> None:
    bench = await given_away(made=99)
    assert await bench.salon.load() == NotHere()
    await bench.until(lambda: bench.salon.loaded)
    assert bench.salon.made == 100
    await bench.settled()
    bench.salon.close()


async def test_one_reader_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the log turns out to be another than was thought."""
    bench = await given_away()
    failing(bench, "load", *[LogFault("a hiccup")] * 50)
    most = 0
    for _ in range(50):
        with pytest.raises(LogFault):
            await bench.salon.load()
        bench.salon._doubt()
        most = max(most, len(bench.salon._tasks))
    assert most == 1
    await bench.until(lambda: bench.salon.loaded)
    bench.salon._doubt()
    await bench.until(lambda: bench.salon.loaded)
    await bench.settled()
    bench.salon.close()


async def test_a_later_versions_salon_that_another_plays_is_left_to_it() -> None:
    """The other is of that version, and in the middle of a hand, it may be."""
    bench = await given_away()
    failing(bench, "load", newer("host:c"))
    failing(bench, "let_go", AssertionError("it is not this host's to be let go"))
    assert await bench.salon.load() == NotHere()
    assert bench.gone == [SALON]
    assert bench.laid_down == []


RECOVERY = (0.11, 0.22, 0.55)


async def test_a_log_that_takes_nothing_is_read_less_and_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may answer reads alone, for hours: a salon that tries all the time would leave its neighbours no host."""
    waits: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        if seconds in RECOVERY:
            waits.append(seconds)
        await real(0)

    bench = await given_away()
    assert await bench.salon.load() == Admitted()
    monkeypatch.setattr(tenure, "_RECOVERY", RECOVERY)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    bench.journal.faults = [Fault.BEFORE] * 1_000
    bench.clock.time += 100_000
    await bench.salon._ring()
    await bench.until(lambda: len(waits) > len(RECOVERY))
    assert waits[: len(RECOVERY) + 1] == [*RECOVERY, RECOVERY[-1]]
    bench.journal.faults.clear()
    await bench.settled()
    await bench.ring()
    waits.clear()
    bench.salon._doubt()
    await bench.settled()
    assert waits == [RECOVERY[0]], "it was written to since"
