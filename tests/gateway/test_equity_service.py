"""The calculator behind the door: who is answered, with what, how long it takes, and what ends with the call."""

import asyncio
import math
from contextlib import suppress
from typing import Any

import pytest

from bots.equity.budget import Budget
from bots.equity.chunks import ChunkTask, Ran
from bots.equity.estimate import estimate_now
from bots.equity.executor import InProcess
from bots.equity.paths import VARIABLE
from bots.equity.spots import make_holdem_spot
from cluster.codec.equity import asked
from cluster.gateway import equity_service
from cluster.gateway.doorman import VISITOR, Visitor
from cluster.gateway.equity_service import EquityService
from cluster.gateway.errors import Declined, code_of, status_of
from cluster.gateway.limits import Full, Limits, Places, Rate
from cluster.sessions import Session
from croupier.v1 import equity_pb2, refusal_pb2
from croupier.v1.equity_pb2 import EquityEstimate, EquityQuestion
from engine.units import Millis, PlayerId
from tests.gateway.equity_questions import ACES, draw, holdem

LONG: dict[str, Any] = {"standard_error": 1e-6, "exactness": equity_pb2.EXACTNESS_NEVER}
"""A budget that only a deadline ends."""


class Call:
    """The context of a call; `read` is how many messages its client takes before it reads no more."""

    def __init__(self, seconds: float | None = None, read: int = 1_000_000) -> None:
        self.seconds = seconds
        self.read = read
        self.got: list[EquityEstimate] = []
        self.came = asyncio.Event()

    def time_remaining(self) -> float | None:
        return self.seconds

    async def write(self, response: equity_pb2.StreamEstimateResponse) -> None:
        if len(self.got) >= self.read:
            await asyncio.Event().wait()
        self.got.append(response.estimate)
        self.came.set()


class AtTheTable:
    """Players by hand: those in `playing` are in a hand."""

    def __init__(self) -> None:
        self.playing: set[str] = set()

    async def plays(self, player: PlayerId) -> bool:
        return player in self.playing


class Counted:
    """Threads that count what is under way."""

    def __init__(self) -> None:
        self._threads = InProcess(1)
        self.under_way = 0
        self.asked = 0
        self.both = asyncio.Event()
        """Two are under way."""

    async def workers(self) -> int:
        return 1

    async def run(self, task: ChunkTask) -> Ran:
        self.asked += 1
        self.under_way += 1
        if self.under_way == 2:
            self.both.set()
        try:
            return await self._threads.run(task)
        finally:
            self.under_way -= 1


class Bureau:
    """The service and what is around it."""

    def __init__(self, **limits: Any) -> None:
        self.table = AtTheTable()
        self.threads = Counted()
        self.service = EquityService(self.table, self.threads, Limits(**limits))

    async def ask(
        self, question: EquityQuestion, call: Call | None = None, player: str = "ann"
    ) -> EquityEstimate:
        enter(player)
        request = equity_pb2.EstimateRequest(question=question)
        return (await self.service.Estimate(request, call or Call())).estimate

    async def stream(self, question: EquityQuestion, call: Call, player: str = "ann") -> None:
        enter(player)
        await self.service.StreamEstimate(equity_pb2.StreamEstimateRequest(question=question), call)

    async def why(self, question: EquityQuestion, player: str = "ann", call: Call | None = None) -> Any:
        """The refusal of it, by both calls."""
        refusals = []
        for asking in (self.ask(question, call, player), self.stream(question, call or Call(), player)):
            with pytest.raises(Declined) as declined:
                await asking
            refusals.append(declined.value.refusal)
        assert refusals[0].reason == refusals[1].reason
        return refusals[0]


def enter(player: str) -> None:
    VISITOR.set(Visitor(Session(PlayerId(player), player, Millis(9)), "mark", "token"))


async def test_the_answer_is_what_the_seed_gives_anywhere() -> None:
    estimate = await Bureau().ask(holdem("AhKh", "QQ+, AKs", samples=100_000))
    spot = make_holdem_spot(["AhKh", "QQ+, AKs"])
    expected = estimate_now(spot, Budget(samples=100_000), seed=7)
    assert [player.equity for player in estimate.players] == [player.equity for player in expected.players]
    assert [player.standard_error for player in estimate.players] == [
        player.error for player in expected.players
    ]
    assert (estimate.samples, estimate.exact, estimate.seed) == (100_000, False, 7)
    assert estimate.stop == equity_pb2.EQUITY_STOP_SAMPLES
    assert estimate.standard_error == expected.stderr


async def test_a_seed_that_was_made_here_repeats_the_answer() -> None:
    bureau = Bureau()
    first = await bureau.ask(holdem("AhKh", "random", samples=1_000, seed=None))
    again = await bureau.ask(holdem("AhKh", "random", samples=1_000, seed=first.seed))
    other = await bureau.ask(holdem("AhKh", "random", samples=1_000, seed=None))
    assert again == first
    assert other.seed != first.seed


async def test_without_any_rule_it_stops_at_a_million_samples_and_not_at_the_deadline() -> None:
    estimate = await Bureau().ask(holdem(*["random"] * 3, exactness=equity_pb2.EXACTNESS_NEVER))
    assert (estimate.samples, estimate.stop) == (1_000_000, equity_pb2.EQUITY_STOP_SAMPLES)


async def test_what_is_cheap_is_exact() -> None:
    estimate = await Bureau().ask(holdem("AhKh", "QQ", board="Qs 7d 2s"))
    assert (estimate.exact, estimate.stop) == (True, equity_pb2.EQUITY_STOP_EXACT)
    assert estimate.samples == 3 * 990
    assert math.isclose(sum(player.equity for player in estimate.players), 1.0)


async def test_at_draw_all_26_discards_are_compared() -> None:
    bureau = Bureau()
    estimate = await bureau.ask(draw(ACES, (3, 1), samples=2_000))
    assert (len(estimate.discards), estimate.samples) == (26, 26 * 2_000)
    assert set(estimate.discard.cards) == {"7c", "8d", "2h"}
    best = max(row.own.equity for row in estimate.discards)
    assert estimate.players[0].equity == best
    assert [player.hand for player in estimate.players] == ["AsAd7c8d2h", "drew 3", "drew 1"]
    one = await bureau.ask(draw(ACES, (3, 1), discard="7c 8d 2h", samples=2_000))
    assert len(one.discards) == 1
    assert one.players == estimate.players
    assert one.discards[0] == estimate.discards[25]


async def test_at_draw_without_opponents_the_chances_are_told() -> None:
    estimate = await Bureau().ask(draw(ACES, discard="7c 8d 2h"))
    assert (estimate.exact, estimate.samples, len(estimate.players)) == (True, 0, 0)
    chances = {each.category: each.chance for each in estimate.discards[0].chances}
    assert chances[equity_pb2.HAND_CATEGORY_PAIR] == 11_559 / 16_215


async def test_a_stream_ends_with_the_final_result() -> None:
    bureau, call = Bureau(), Call()
    await bureau.stream(holdem("AhKh", "random", deadline_ms=450, **LONG), call)
    assert len(call.got) >= 2
    assert [estimate.stop for estimate in call.got[:-1]] == [0] * (len(call.got) - 1)
    assert call.got[-1].stop == equity_pb2.EQUITY_STOP_DEADLINE
    counts = [estimate.samples for estimate in call.got]
    assert counts == sorted(counts)


async def test_a_comparison_streams_one_discard_after_the_other() -> None:
    bureau, call = Bureau(), Call()
    await bureau.stream(draw(ACES, (3, 1), samples=40_000), call)
    known = [sum(row.HasField("own") for row in estimate.discards) for estimate in call.got]
    assert known == sorted(known)
    assert known[-1] == 26
    assert call.got[-1].stop == equity_pb2.EQUITY_STOP_SAMPLES


async def test_who_is_in_a_hand_is_refused_until_it_is_over() -> None:
    bureau = Bureau()
    bureau.table.playing.add("ann")
    refusal = await bureau.why(holdem("AhKh", "random"))
    assert refusal.reason == refusal_pb2.REASON_HAND_IN_PROGRESS
    assert code_of(refusal).name == "FAILED_PRECONDITION"
    assert bureau.threads.asked == 0
    assert (await bureau.ask(holdem("AhKh", "random"), player="eve")).players
    bureau.table.playing.clear()
    assert (await bureau.ask(holdem("AhKh", "random"))).players


@pytest.mark.parametrize(
    "question, field, words",
    [
        (EquityQuestion(), "spot", "holdem or draw"),
        (holdem("AhKh", "AhQh"), "holdem", "Ah"),
        (holdem(*["random"] * 10), "holdem.players", "10 players"),
        (holdem("AhKh", "random", board="Qs 7d"), "holdem.board", "a board of 2 cards"),
        (holdem("AhKh", "AA:nan"), "holdem.players[1].range", '"nan" (place 4)'),
        (holdem("AhKh", ""), "holdem.players[1].range", "an empty range"),
        (holdem("AhKh", "random", deadline_ms=0), "budget.deadline_ms", "deadline_ms is 0"),
        (holdem("AhKh", "random", deadline_ms=10_001), "budget.deadline_ms", "at most 10000"),
        (holdem("AhKh", "random", samples=1_000_000_001), "budget.samples", "at most 1000000000"),
        (
            holdem("random", "random", exactness=equity_pb2.EXACTNESS_ALWAYS),
            "budget.exactness",
            "2 s is the limit",
        ),
        (
            draw(ACES, (1, 1), exactness=equity_pb2.EXACTNESS_ALWAYS),
            "budget.exactness",
            "exact is for one opponent",
        ),
    ],
)
async def test_nonsense_is_refused_by_its_field(question: EquityQuestion, field: str, words: str) -> None:
    bureau = Bureau()
    refusal = await bureau.why(question)
    assert (refusal.reason, refusal.metadata["field"]) == (refusal_pb2.REASON_MALFORMED, field)
    assert words in refusal.text
    assert status_of(refusal).code.name == "INVALID_ARGUMENT"
    assert bureau.threads.asked == 0


async def test_the_place_of_a_mistake_is_told_to_programs() -> None:
    metadata = (await Bureau().why(holdem("AhKh", "QQ+, AXs"))).metadata
    assert dict(metadata) == {"field": "holdem.players[1].range", "place": "6", "length": "3"}


async def test_a_call_that_ends_sooner_is_answered_in_time() -> None:
    clock = asyncio.get_running_loop().time
    began = clock()
    estimate = await Bureau().ask(holdem("AhKh", "random", **LONG), Call(seconds=0.35))
    assert clock() - began < 5, "it took all the time that any job has"
    assert estimate.stop == equity_pb2.EQUITY_STOP_DEADLINE
    assert estimate.samples > 0


async def test_nothing_counted_in_time_is_told_and_not_to_be_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def never(self: InProcess, task: ChunkTask) -> Ran:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(InProcess, "run", never)
    refusal = await Bureau().why(holdem("random", "random", deadline_ms=20, **LONG))
    assert refusal.reason == refusal_pb2.REASON_OUT_OF_TIME
    assert code_of(refusal).name == "RESOURCE_EXHAUSTED"
    assert refusal.retry_after_ms == 0


async def _begun(bureau: Bureau, question: EquityQuestion, player: str = "ann") -> asyncio.Task[None]:
    """A stream that has brought something."""
    call = Call()
    task = asyncio.create_task(bureau.stream(question, call, player))
    async with asyncio.timeout(10):
        await call.came.wait()
    return task


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("question", [holdem("AhKh", "random", **LONG), draw(ACES, (3, 1), **LONG)])
async def test_work_ends_with_the_call_that_asked_for_it(question: EquityQuestion) -> None:
    bureau = Bureau()
    calls = [asyncio.create_task(bureau.ask(question)), asyncio.create_task(bureau.stream(question, Call()))]
    async with asyncio.timeout(10):
        await bureau.threads.both.wait()
    await _ended(*calls)
    assert bureau.threads.under_way == 0
    asked = bureau.threads.asked
    await asyncio.sleep(0.05)
    assert bureau.threads.asked == asked
    assert (await bureau.ask(holdem("AhKh", "random", samples=10))).samples == 10


async def test_who_reads_slowly_gets_the_newest_and_holds_up_nothing() -> None:
    """The first message is taken, the second only after a while: what came meanwhile is passed over."""
    bureau, call = Bureau(), Call()
    gate = asyncio.Event()
    write = call.write

    async def slow(response: equity_pb2.StreamEstimateResponse) -> None:
        await write(response)
        if len(call.got) == 1:
            await gate.wait()

    call.write = slow  # type: ignore[method-assign]  # a client that reads slowly
    task = asyncio.create_task(bureau.stream(holdem("AhKh", "random", deadline_ms=700, **LONG), call))
    await call.came.wait()
    asked = bureau.threads.asked
    await asyncio.sleep(1.0)
    assert bureau.threads.asked > asked, "the work waited for its reader"
    gate.set()
    await task
    assert [estimate.stop for estimate in call.got] == [0, equity_pb2.EQUITY_STOP_DEADLINE]


async def test_who_does_not_read_at_all_loses_his_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equity_service, "MOST_MS", 300)
    monkeypatch.setattr(equity_service, "UNREAD", 0.1)
    bureau = Bureau()
    with pytest.raises(Declined) as declined:
        await bureau.stream(holdem("AhKh", "random", **LONG), Call(read=1))
    assert declined.value.refusal.reason == refusal_pb2.REASON_RESYNC
    assert (await bureau.ask(holdem("AhKh", "random", samples=10))).samples == 10


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
        await _ended(call)
        assert not readers.now
    assert readers.most == 1


async def test_one_player_has_two_jobs_at_a_time_and_others_their_own() -> None:
    bureau = Bureau()
    long = holdem("AhKh", "random", **LONG)
    first, second = await _begun(bureau, long), await _begun(bureau, long)
    refusal = await bureau.why(holdem("AhKh", "random"))
    assert (refusal.reason, code_of(refusal).name) == (refusal_pb2.REASON_TOO_FAST, "RESOURCE_EXHAUSTED")
    assert (await bureau.ask(holdem("AhKh", "random", samples=10), player="bob")).samples == 10
    await _ended(first, second)
    assert (await bureau.ask(holdem("AhKh", "random", samples=10))).samples == 10


async def test_a_job_waits_for_its_turn_as_long_as_its_deadline() -> None:
    bureau = Bureau(estimates_at_once=1)
    first = await _begun(bureau, holdem("AhKh", "random", **LONG))
    refusal = await bureau.why(holdem("AhKh", "random", deadline_ms=50), player="bob")
    assert refusal.reason == refusal_pb2.REASON_TOO_FAST
    waiting = asyncio.create_task(bureau.ask(holdem("AhKh", "random", samples=10), player="bob"))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await _ended(first)
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


async def test_a_path_that_is_not_there_is_the_servers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway looks before it serves; a call that meets it all the same is a bug and no refusal."""
    monkeypatch.setenv(VARIABLE, "cuda")
    with pytest.raises(RuntimeError, match="cuda"):
        await Bureau().ask(holdem("AhKh", "random"))
