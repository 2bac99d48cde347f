"""What is announced of salons that are watched: to whoever asks, again and again, and nobody waits for another's salon."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from structlog.testing import capture_logs

from cluster.envelope import SalonId
from cluster.watching import feed
from cluster.watching.admission import Ticket
from cluster.watching.doors import Doors
from cluster.watching.watched import Watcher
from engine.units import PlayerId
from tests.cluster.salons import SALON, join
from tests.gateway.parlour import Eyes, Parlour, settled

SLOW = SalonId("slow")


class Presences:
    """Who is said to watch. While `gone` it does not answer."""

    def __init__(self) -> None:
        self.watching: set[tuple[SalonId, str]] = set()
        self.gone = False

    async def watch(self, salon: SalonId, gateway: str) -> bool:
        self._answer()
        new = (salon, gateway) not in self.watching
        self.watching.add((salon, gateway))
        return new

    async def leave(self, salon: SalonId, gateway: str) -> None:
        self._answer()
        self.watching.discard((salon, gateway))

    def _answer(self) -> None:
        if self.gone:
            raise RedisConnectionError("refused")


class Bedside:
    """Doors onto salons that are woken by hand: a slow one when `awake` is set."""

    def __init__(self) -> None:
        self.presences = Presences()
        self.woken: list[SalonId] = []
        self.awake = asyncio.Event()
        presences: Any = self.presences
        self.doors = Doors(presences, "gateway", self._wake)

    async def _wake(self, salon: SalonId) -> None:
        if salon.startswith(SLOW):
            await self.awake.wait()
        self.woken.append(salon)


async def test_a_salon_is_woken_when_it_begins_to_be_watched_and_where_that_was_forgotten() -> None:
    bedside = Bedside()
    await bedside.doors.opened(SALON)
    await bedside.doors.still_open(SALON)
    assert bedside.woken == [SALON]
    bedside.presences.watching.clear()
    await bedside.doors.still_open(SALON)
    assert bedside.woken == [SALON, SALON]
    await bedside.doors.closed(SALON)
    assert bedside.presences.watching == set()


async def test_a_presence_that_cannot_be_said_is_a_line_in_the_log() -> None:
    """It is a hint: the salon is woken all the same when it begins to be watched."""
    bedside = Bedside()
    bedside.presences.gone = True
    with capture_logs() as logs:
        await bedside.doors.opened(SALON)
        await bedside.doors.still_open(SALON)
        await bedside.doors.closed(SALON)
    assert [line["event"] for line in logs] == ["presence_unsaid"] * 3
    assert bedside.woken == [SALON]


async def test_salons_that_are_slow_to_wake_hold_up_no_other() -> None:
    bedside = Bedside()
    slow = [asyncio.create_task(bedside.doors.opened(SalonId(f"slow{number}"))) for number in range(99)]
    await settled()
    quick = asyncio.create_task(bedside.doors.opened(SALON))
    await settled()
    assert bedside.woken == [SALON]
    bedside.awake.set()
    await asyncio.gather(quick, *slow)


@pytest.fixture
async def parlour(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Parlour]:
    """Its feed runs, and looks and announces in every turn of the loop."""
    monkeypatch.setattr(feed, "_EVERY", 0)
    monkeypatch.setattr(feed, "_PRESENCE_EVERY", 0)
    parlour = Parlour()
    await parlour.open()
    running = asyncio.create_task(parlour.feed.run())
    yield parlour
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_salon_is_announced_as_long_as_it_is_watched(parlour: Parlour) -> None:
    watcher = await parlour.feed.watch(SALON, Ticket(PlayerId("eve")), Eyes())
    assert isinstance(watcher, Watcher)
    await settled()
    assert parlour.doors.said[0] == ("opened", SALON)
    assert parlour.doors.said.count(("still open", SALON)) > 1
    parlour.feed.unwatch(watcher)
    await settled()
    assert parlour.doors.said[-1] == ("closed", SALON)


async def test_a_salon_that_is_slow_to_wake_keeps_no_other_from_what_it_missed(
    parlour: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lost wake-ups are made good, presence is said again, and who comes is announced."""
    asleep = asyncio.Event()
    said: list[SalonId] = []

    async def still_open(salon: SalonId) -> None:
        said.append(salon)
        if salon == SLOW:
            await asleep.wait()

    monkeypatch.setattr(parlour.doors, "still_open", still_open)
    eyes = await parlour.watch("eve")
    await parlour.open(salon=SLOW)
    assert isinstance(await parlour.feed.watch(SLOW, Ticket(PlayerId("eve")), Eyes()), Watcher)
    await settled()
    assert said.count(SLOW) == 1
    parlour.bell.lost = True
    said.clear()
    seq = await parlour.done(join("bob", 2))
    assert eyes.seqs[-1] == seq
    assert said.count(SALON) > 1
    assert said.count(SLOW) == 0
    asleep.set()
    await settled()
    assert said.count(SLOW) > 0
