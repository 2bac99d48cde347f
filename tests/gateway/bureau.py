"""The calculator behind the door, and what is around it."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from bots.equity.chunks import ChunkTask, Ran
from bots.equity.executor import InProcess
from cluster.gateway.doorman import VISITOR, Visitor
from cluster.gateway.equity_service import EquityService
from cluster.gateway.errors import Declined
from cluster.gateway.limits import Limits
from cluster.sessions import Session
from croupier.v1 import equity_pb2
from croupier.v1.equity_pb2 import EquityEstimate, EquityQuestion
from engine.units import Millis, PlayerId

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


async def begun(bureau: Bureau, question: EquityQuestion, player: str = "ann") -> asyncio.Task[None]:
    """A stream that has brought something."""
    call = Call()
    task = asyncio.create_task(bureau.stream(question, call, player))
    async with asyncio.timeout(10):
        await call.came.wait()
    return task


async def ended(*tasks: asyncio.Task[Any]) -> None:
    """End them, and wait until they have."""
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
