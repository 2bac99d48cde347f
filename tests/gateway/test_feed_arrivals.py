"""Arrivals at a salon that is shown already: whoever comes is judged and shown by all that he was told of."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import Entry, LogCorrupt, LogFault
from cluster.watching.replica import MOST_MISSED
from croupier.v1 import refusal_pb2
from engine.commands import Leave
from engine.events import TurnStarted
from engine.units import Millis, PlayerId, Seat, Turn
from tests.cluster.salons import SALON, join
from tests.gateway.parlour import Parlour, settled


async def opened(**given: Any) -> Parlour:
    """A salon that ann holds a seat in and watches."""
    parlour = Parlour()
    await parlour.open(**{"between_hands": 1_000, **given})
    await parlour.seat("ann")
    await parlour.watch("ann")
    return parlour


@pytest.mark.parametrize("given", [{"spectators": False}, {"visibility": "invitation"}], ids=str)
async def test_a_player_just_seated_watches_whatever_wakeup_was_lost(given: dict[str, Any]) -> None:
    parlour = await opened(**given)
    parlour.bell.lost = True
    seq = await parlour.done(join("bob", 2))
    eyes = await parlour.watch("bob")
    assert (eyes.kinds, eyes.seqs) == (["snapshot"], [seq])
    assert eyes.updates[0].snapshot.viewer == 2


@pytest.mark.parametrize("moved", [False, True], ids=["same epoch", "next epoch"])
async def test_who_resumes_ahead_of_the_replica_is_not_taken_back(moved: bool) -> None:
    parlour = await opened()
    parlour.bell.lost = True
    if moved:
        await parlour.activate()
    seq = await parlour.done(join("bob", 2))
    head = await parlour.journal.head(SALON)
    assert head is not None
    eyes = await parlour.watch("bob", (head.epoch, seq))
    assert eyes.updates == []
    await parlour.feed.look_around()
    await settled()
    parlour.bell.lost = False
    await parlour.done(join("cid", 3))
    assert (eyes.kinds, eyes.seqs) == (["commit"], [seq + 1])


@pytest.mark.parametrize("missed", [MOST_MISSED, MOST_MISSED + 1])
async def test_who_missed_much_gets_a_snapshot_and_no_long_list(missed: int) -> None:
    parlour = await opened()
    first = (await parlour.watch("eve")).updates[0]
    for number in range(missed):
        await parlour.done(Leave(PlayerId("bob")) if number % 2 else join("bob", 2))
    eyes = await parlour.watch("eve", (first.epoch, first.seq))
    assert eyes.kinds == (["commit"] * missed if missed == MOST_MISSED else ["snapshot"])
    assert eyes.seqs[-1] == first.seq + missed


async def test_a_spectator_resumes_behind_those_who_play() -> None:
    """V2: the steps that he missed are those that he may see by now."""
    parlour = await opened(spectator_delay=1)
    await parlour.done(join("bob", 2))
    eve = await parlour.watch("eve")
    for _ in range(3):
        await parlour.play_hand(fold=True)
    seen, ends = eve.updates[-3], eve.updates[-1]
    again = await parlour.watch("eve", (seen.epoch, seen.seq))
    assert (again.kinds, again.seqs) == (["commit", "commit"], [seen.seq + 1, ends.seq])
    head = await parlour.journal.head(SALON)
    assert head is not None
    assert ends.seq < head.seq


async def test_who_may_not_watch_is_refused_and_the_salon_let_go_of() -> None:
    parlour = Parlour()
    await parlour.open(spectators=False)
    assert await parlour.refused("eve") == refusal_pb2.REASON_NO_SPECTATORS
    await settled()
    assert parlour.bell.listeners == {}
    assert await parlour.refused("eve") == refusal_pb2.REASON_NO_SPECTATORS


async def test_the_log_is_read_by_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the replica may have it read anew: what a wake-up brings meanwhile is not taken back."""
    parlour = await opened()
    await parlour.done(join("bob", 2))
    eyes = await parlour.watch("eve")
    parlour.bell.lost = True
    for _ in range(4):
        await parlour.play_hand(fold=True)
    parlour.bell.lost = False
    read, slow, answer = parlour.journal.read, [True], asyncio.Event()

    async def read_slowly(salon: SalonId, after: tuple[Epoch, Seq], *count: int) -> list[Entry]:
        entries = await read(salon, after, *count)
        if after == (0, 0) and slow and slow.pop():
            await answer.wait()
        return entries

    monkeypatch.setattr(parlour.journal, "read", read_slowly)
    asked = asyncio.create_task(parlour.feed.replica(SALON))
    await settled()
    assert not slow
    await parlour.done(join("cid", 3))
    last = await parlour.done(join("dan", 4))
    answer.set()
    replica = await asked
    await settled()
    assert replica is not None
    assert replica.live.seq >= last - 2
    assert eyes.seqs == sorted(eyes.seqs)
    assert eyes.seqs[-1] == last


async def test_a_replica_that_took_half_a_commit_is_used_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever read the log on, with whatever others were on their way."""
    parlour = await opened()
    eyes = await parlour.watch("eve")
    stored = parlour.journal.salons[SALON]
    right = stored.entries[-1]
    half = (*right.events, TurnStarted(Seat(9), Turn(1), Millis(5), Millis(5)))
    stored.entries.append(Entry(stored.epoch, Seq(stored.seq + 1), Millis(1), half))
    read = parlour.journal.read

    async def read_later(*where: Any) -> list[Entry]:
        await asyncio.sleep(0)
        return await read(*where)

    monkeypatch.setattr(parlour.journal, "read", read_later)
    with capture_logs() as logs:
        asked = [asyncio.create_task(parlour.feed.replica(SALON)) for _ in range(2)]
        first, second = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(first, LogCorrupt)
    assert str(first) == "TurnStarted does not fit the table: LookupError", "what it says may name a card"
    assert isinstance(second, LogFault)
    assert [line["event"] for line in logs] == ["feed_broke"]
    assert eyes.end is not None
    stored.entries.pop()
    again = await parlour.watch("fay")
    assert (again.kinds, again.seqs) == (["snapshot"], [right.seq])
    assert sum(bool(seat.player_id) for seat in again.updates[0].snapshot.seats) == 1
