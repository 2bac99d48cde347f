"""The calculator over real gRPC, on Ray's equity nodes: answers, streams, and who is refused."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from bots.equity.budget import Budget
from bots.equity.estimate import estimate_now
from bots.equity.spots import make_holdem_spot
from cluster.actors import equity_workers
from cluster.client import Client, RefusedCall, new_request_id
from cluster.gateway import server
from cluster.gateway.limits import Limits, Rate
from croupier.v1 import equity_pb2, salon_pb2, turn_pb2
from croupier.v1.equity_pb2 import EquityEstimate, EquityQuestion
from tests.gateway.equity_questions import ACES, draw, holdem
from tests.integration.gateways import DEADLINE, Guest, Running, act, wrong
from tests.integration.site import until

pytestmark = pytest.mark.integration
CODE = grpc.StatusCode
LONG: dict[str, Any] = {"standard_error": 1e-6, "exactness": equity_pb2.EXACTNESS_NEVER}


@pytest.fixture
async def gateway(ray_cluster: None, redis_url: str, store: Redis) -> AsyncIterator[Running]:
    """A gateway whose calculator computes on the run's Ray."""
    running = Running(redis_url)
    await running.start()
    yield running
    await running.stop()
    await running.kill_hosts()


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The tasks that Ray was asked for."""
    asked: list[Any] = []
    run = equity_workers.EquityWorkers.run

    async def noted(self: equity_workers.EquityWorkers, task: Any) -> Any:
        asked.append(task)
        return await run(self, task)

    monkeypatch.setattr(equity_workers.EquityWorkers, "run", noted)
    return asked


async def _estimate(guest: Guest, question: EquityQuestion) -> EquityEstimate:
    request = equity_pb2.EstimateRequest(question=question)
    estimate: EquityEstimate = (await guest.call(guest.equity.Estimate, request)).estimate
    return estimate


def _stream(guest: Guest, question: EquityQuestion) -> Any:
    return guest.equity.StreamEstimate(
        equity_pb2.StreamEstimateRequest(question=question), metadata=guest.metadata
    )


async def test_an_estimate_on_ray_is_bit_by_bit_the_one_of_a_thread(
    gateway: Running, tasks: list[Any]
) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        estimate = await _estimate(ann, holdem("AhKh", "QQ+, AKs", "random", samples=5_000_000))
    expected = estimate_now(
        make_holdem_spot(["AhKh", "QQ+, AKs", "random"]), Budget(samples=5_000_000), seed=7
    )
    assert [player.equity for player in estimate.players] == [player.equity for player in expected.players]
    assert tasks, "no Ray worker was asked"


async def test_partial_results_come_while_it_goes_on(gateway: Running, tasks: list[Any]) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        got = [
            response.estimate
            async for response in _stream(ann, holdem("AhKh", "random", deadline_ms=1_000, **LONG))
        ]
    assert len(got) >= 3
    assert [estimate.stop for estimate in got[:-1]] == [0] * (len(got) - 1)
    assert got[-1].stop == equity_pb2.EQUITY_STOP_DEADLINE
    assert got[-1].samples > got[0].samples
    assert tasks


async def test_discards_are_compared(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        estimate = await _estimate(ann, draw(ACES, (3, 1), samples=5_000))
    assert (len(estimate.discards), len(estimate.players)) == (26, 3)
    assert set(estimate.discard.cards) == {"7c", "8d", "2h"}


async def test_a_stream_that_is_cancelled_ends_its_work(gateway: Running, tasks: list[Any]) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        streams = [_stream(ann, holdem("AhKh", "random", **LONG)) for _ in range(2)]
        for stream in streams:
            await stream.read()
        assert (await wrong(_estimate(ann, holdem("AA", "KK")))).info.reason == "TOO_FAST"
        for stream in streams:
            stream.cancel()

        async def is_free() -> bool:
            with contextlib.suppress(grpc.aio.AioRpcError):
                return bool((await _estimate(ann, holdem("AA", "random", samples=10))).samples)
            return False

        await until(is_free)
        count = len(tasks)
        await asyncio.sleep(0.3)
        assert len(tasks) == count


async def test_a_caller_at_the_table_is_refused_until_the_hand_is_over(gateway: Running) -> None:
    question = holdem("AhKh", "random", samples=10)
    async with (
        Guest(gateway.address, "Ann") as ann,
        Guest(gateway.address, "Bob") as bob,
        Guest(gateway.address, "Eve") as eve,
    ):
        salon = await ann.open(between_hands_ms=5_000)
        await ann.join(salon, 1)
        assert (await _estimate(ann, question)).samples == 10
        await bob.join(salon, 2)

        async def view() -> Any:
            request = salon_pb2.GetViewRequest(salon_id=salon)
            return (await ann.call(ann.salons.GetView, request)).view

        async def dealt() -> bool:
            return bool((await view()).in_hand)

        await until(dealt)
        for guest in (ann, bob):
            refused = await wrong(_estimate(guest, question))
            assert (refused.code, refused.info.reason) == (CODE.FAILED_PRECONDITION, "HAND_IN_PROGRESS")
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await _stream(guest, question).read()
            assert error.value.code() is CODE.FAILED_PRECONDITION
        assert (await _estimate(eve, question)).samples == 10

        for guest in (ann, bob):
            seen = (await guest.call(guest.salons.GetView, salon_pb2.GetViewRequest(salon_id=salon))).view
            if seen.HasField("your_turn"):
                await guest.call(guest.salons.Act, act(salon, seen.your_turn, fold=turn_pb2.Fold()))
                break
        assert not await dealt()
        assert (await _estimate(ann, question)).samples == 10


async def test_nonsense_is_refused_by_field_and_place(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        for question, field in (
            (holdem("AhKh", "QQ+, AXs"), "holdem.players[1].range"),
            (holdem("AhKh", "AhQh"), "holdem"),
            (holdem(*["random"] * 10), "holdem.players"),
            (holdem("AhKh", "random", board="Qs 7d"), "holdem.board"),
            (holdem("AhKh", "AA:nan"), "holdem.players[1].range"),
            (holdem("AhKh", "random", deadline_ms=0), "budget.deadline_ms"),
            (holdem("AhKh", "x" * 15_000), "holdem.players[1].range"),
            (holdem("AhKh", "x" * 60_000), "holdem.players"),
        ):
            refused = await wrong(_estimate(ann, question))
            assert (refused.code, refused.info.reason) == (CODE.INVALID_ARGUMENT, "MALFORMED")
            assert refused.fields == [field]
            assert ("place" in refused.info.metadata) == field.endswith("range")


async def test_without_a_token_nothing_is_calculated(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        request = equity_pb2.EstimateRequest(question=holdem("AA", "KK"))
        refused = await wrong(ann.equity.Estimate(request, timeout=DEADLINE))
        assert refused.code is CODE.UNAUTHENTICATED


async def test_a_call_is_answered_before_its_own_deadline(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        request = equity_pb2.EstimateRequest(question=holdem("AhKh", "random", **LONG))
        response = await ann.equity.Estimate(request, metadata=ann.metadata, timeout=5)
        assert response.estimate.stop == equity_pb2.EQUITY_STOP_DEADLINE


async def test_whoever_has_used_up_his_computing_time_is_told_when_to_ask_again(
    gateway: Running, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "Limits", lambda: Limits(computing=Rate(100, 300)))
    poor = Running(redis_url)
    await poor.start()
    try:
        async with Guest(poor.address, "Ann") as ann:
            question = holdem("AhKh", "random", deadline_ms=250, **LONG)
            await _estimate(ann, question)
            refused = await wrong(_estimate(ann, question))
        assert (refused.code, refused.info.reason) == (CODE.RESOURCE_EXHAUSTED, "TOO_FAST")
        assert refused.retries
    finally:
        await poor.stop()


async def test_the_client_follows_a_stream_and_tells_a_refusal(gateway: Running) -> None:
    async with Client(gateway.address, patience=DEADLINE) as client:
        await client.sign_in("Ann", new_request_id())
        got = [each async for each in client.estimates(holdem("AhKh", "random", deadline_ms=400, **LONG))]
        assert got[-1].stop == equity_pb2.EQUITY_STOP_DEADLINE
        with pytest.raises(RefusedCall, match="deadline_ms is 0"):
            async for _ in client.estimates(holdem("AhKh", "random", deadline_ms=0)):
                pass
