"""The calculator behind the door: who is answered, with what, how long it takes, and what ends with the call."""

import asyncio
import math

import pytest

from bots.equity.budget import Budget
from bots.equity.chunks import ChunkTask, Ran
from bots.equity.estimate import estimate_now
from bots.equity.executor import InProcess
from bots.equity.paths import VARIABLE
from bots.equity.spots import make_holdem_spot
from cluster.gateway import equity_service
from cluster.gateway.errors import Declined, code_of, status_of
from croupier.v1 import equity_pb2, refusal_pb2
from croupier.v1.equity_pb2 import EquityQuestion
from tests.gateway.bureau import LONG, Bureau, Call, ended
from tests.gateway.equity_questions import ACES, draw, holdem


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


@pytest.mark.parametrize("question", [holdem("AhKh", "random", **LONG), draw(ACES, (3, 1), **LONG)])
async def test_work_ends_with_the_call_that_asked_for_it(question: EquityQuestion) -> None:
    bureau = Bureau()
    calls = [asyncio.create_task(bureau.ask(question)), asyncio.create_task(bureau.stream(question, Call()))]
    async with asyncio.timeout(10):
        await bureau.threads.both.wait()
    await ended(*calls)
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


async def test_a_path_that_is_not_there_is_the_servers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway looks before it serves; a call that meets it all the same is a bug and no refusal."""
    monkeypatch.setenv(VARIABLE, "cuda")
    with pytest.raises(RuntimeError, match="cuda"):
        await Bureau().ask(holdem("AhKh", "random"))
