"""The post to one host: what travels together, and what waits for what."""

import asyncio
from collections.abc import Sequence

import pytest

from cluster.envelope import Accepted, Envelope, Epoch, SalonId, Seq
from cluster.routing import post as module
from cluster.routing.hosts import HostAnswer, HostFault
from cluster.routing.leases import HostName
from cluster.routing.post import Post
from engine.units import PlayerId

HOST = HostName("host:1")


class Line:
    """A host whose calls end when they are told to."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[SalonId], bool, asyncio.Event]] = []
        self.fault: Exception | None = None

    async def deliver(
        self, host: HostName, batches: Sequence[Sequence[Envelope]], *, patient: bool
    ) -> list[list[HostAnswer]]:
        assert host == HOST
        done = asyncio.Event()
        self.calls.append(([batch[0].salon for batch in batches], patient, done))
        await done.wait()
        if self.fault:
            raise self.fault
        return [[Accepted(Epoch(1), Seq(int(each.salon))) for each in batch] for batch in batches]

    @property
    def carried(self) -> list[list[SalonId]]:
        return [salons for salons, _, _ in self.calls]


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def post(line: Line, monkeypatch: pytest.MonkeyPatch) -> Post:
    monkeypatch.setattr(module, "_LATE", 60.0)
    return Post(line, HOST, 60.0)  # type: ignore[arg-type]  # it delivers, and a post asks for nothing else


def letter(salon: str) -> list[Envelope]:
    return [Envelope(SalonId(salon), PlayerId("ann"), "1", None, False)]


def answered(salon: str) -> list[HostAnswer]:
    return [Accepted(Epoch(1), Seq(int(salon)))]


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_what_is_written_in_one_turn_of_the_loop_travels_together(line: Line, post: Post) -> None:
    sent = [post.put(letter(salon)) for salon in "123"]
    await turns()
    assert line.carried == [["1", "2", "3"]]
    line.calls[0][2].set()
    assert await asyncio.gather(*sent) == [answered(salon) for salon in "123"]


async def test_the_next_call_fills_while_one_is_under_way(line: Line, post: Post) -> None:
    first = post.put(letter("1"))
    await turns()
    later = []
    for salon in "234":
        later.append(post.put(letter(salon)))
        await turns()
    assert line.carried == [["1"]]
    line.calls[0][2].set()
    assert await first == answered("1")
    await turns()
    assert line.carried == [["1"], ["2", "3", "4"]]
    line.calls[1][2].set()
    assert await asyncio.gather(*later) == [answered(salon) for salon in "234"]


async def test_a_late_call_lets_one_more_go_and_no_third(
    line: Line, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LATE", 0.0)
    both = []
    for salon in "12":
        both.append(post.put(letter(salon)))
        await turns()
    await asyncio.sleep(0.01)
    third = post.put(letter("3"))
    await asyncio.sleep(0.01)
    assert line.carried == [["1"], ["2"]]
    line.calls[1][2].set()
    await turns()
    assert line.carried == [["1"], ["2"], ["3"]]
    for _, _, done in line.calls:
        done.set()
    assert await asyncio.gather(*both, third) == [answered(salon) for salon in "123"]


async def test_who_has_to_wait_goes_when_the_call_before_is_late(
    line: Line, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LATE", 0.02)
    first = post.put(letter("1"))
    await turns()
    second = post.put(letter("2"))
    await turns()
    assert line.carried == [["1"]]
    async with asyncio.timeout(5):
        while len(line.calls) < 2:  # noqa: ASYNC110 - it is the post's own timer that calls
            await asyncio.sleep(0.001)
    for _, _, done in line.calls:
        done.set()
    assert (await first, await second) == (answered("1"), answered("2"))


async def test_a_fault_is_told_to_all_who_travelled_and_the_next_goes(line: Line, post: Post) -> None:
    sent = [post.put(letter(salon)) for salon in "12"]
    await turns()
    line.fault = HostFault("the line is cut")
    line.calls[0][2].set()
    for each in sent:
        with pytest.raises(HostFault, match="cut"):
            await each
    line.fault = None
    third = post.put(letter("3"))
    await turns()
    line.calls[1][2].set()
    assert await third == answered("3")


async def test_what_takes_long_goes_alone_and_keeps_nobody_waiting(line: Line, post: Post) -> None:
    alone = asyncio.create_task(post.carry_alone(letter("1")))
    await turns()
    other = post.put(letter("2"))
    await turns()
    assert [(salons, patient) for salons, patient, _ in line.calls] == [(["1"], True), (["2"], False)]
    for _, _, done in line.calls:
        done.set()
    assert (await alone, await other) == (answered("1"), answered("2"))


async def test_a_host_that_is_silent_is_a_fault(line: Line) -> None:
    post = Post(line, HOST, 0.01)  # type: ignore[arg-type]  # as above
    with pytest.raises(HostFault, match="did not answer"):
        await post.put(letter("1"))
