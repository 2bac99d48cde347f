"""EquityService: the calculator, on the cluster's equity nodes or, where there are none, on a few threads here.

Whoever is dealt into a hand that is being played is refused until it is over. That is a courtesy to the other
players and no guard: he may sign in twice, or calculate elsewhere. Work ends with the call that asked for it.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from math import inf
from typing import Any, Final, Protocol, TypeVar

from bots.equity.budget import Exactness
from bots.equity.chunks import NoDeal
from bots.equity.estimate import question_of
from bots.equity.exact import TooManyDeals, seconds
from bots.equity.executor import Executor, in_thread
from bots.equity.paths import Path, chosen
from bots.equity.sampling import OutOfTime
from cluster.calculator import Asked, answers
from cluster.codec.equity import NoQuestion, answer_to_message, asked
from cluster.codec.refusals import refused
from cluster.gateway.doorman import VISITOR
from cluster.gateway.errors import Declined, resync, too_fast
from cluster.gateway.limits import Buckets, Full, Limits, Places
from croupier.v1 import equity_pb2, equity_pb2_grpc, refusal_pb2
from croupier.v1.refusal_pb2 import Refusal
from engine.units import PlayerId

T = TypeVar("T")

MOST_SAMPLES: Final = 1_000_000_000
MOST_MS: Final = 10_000
MOST_EXACT: Final = 2.0
"""Seconds that an exact result may take: it is counted by one thread of the gateway, which nothing stops."""
UNREAD: Final = 5.0
"""Seconds beyond the longest job for a client that is slow to read."""
_READING_MS: Final = 1.0
_READING_BYTE_MS: Final = 0.02
"""What a player must have left of his allowance for his question to be read, and for each byte of it."""
_ANSWER_MS: Final = 50
"""What is left of a call's time for its answer, at least."""
_ANSWER_PART: Final = 20
"""And one part of its time in so many: with seconds to spare it should be answered in time by a busy machine too."""
_SOME_EXACT: Final = 0.5
"""Seconds that an exact result takes at most where samples would do."""
_SAMPLE: Final = 2e-8
_SLOW_SAMPLE: Final = 2e-7
"""Seconds for a sample and player, in C and in numpy, at the most usually."""
_WIDEST: Final = 0.25
"""The largest variance that a player's part of the pot can have."""
_BUSY_MS: Final = 500


class Players(Protocol):
    """Whoever knows where players sit."""

    async def plays(self, player: PlayerId) -> bool:
        """Whether the player is in a hand that is being played. Raises RedisError, LogFault."""


class EquityService(equity_pb2_grpc.EquityServiceServicer):
    """How often hands win."""

    def __init__(self, players: Players, executor: Executor, limits: Limits) -> None:
        self._players = players
        self._executor = executor
        self._most = limits.computing.burst
        self._allowances = Buckets(limits.computing)
        self._places = Places(limits.estimates_at_once, each=limits.estimates)
        self._reading = Places(1, each=limits.estimates)
        """Of all players one question at a time: to read is Python, and each reader takes its time from the event loop."""

    async def Estimate(
        self, request: equity_pb2.EstimateRequest, context: Any
    ) -> equity_pb2.EstimateResponse:
        """The final result."""
        last = equity_pb2.EquityEstimate()
        async with aclosing(self._estimates(request.question, context)) as found:
            async for estimate in found:
                last = estimate
        return equity_pb2.EstimateResponse(estimate=last)

    async def StreamEstimate(  # type: ignore[override]  # it writes to the context
        self, request: equity_pb2.StreamEstimateRequest, context: Any
    ) -> None:
        """Partial results, and the final one. Who does not read loses his turn with RESYNC."""
        limit = asyncio.timeout(MOST_MS / 1000 + UNREAD)
        try:
            async with limit, aclosing(self._estimates(request.question, context)) as found:
                async for estimate in found:
                    await context.write(equity_pb2.StreamEstimateResponse(estimate=estimate))
        except TimeoutError:
            if not limit.expired():
                raise
            raise Declined(resync()) from None

    async def _estimates(
        self, question: equity_pb2.EquityQuestion, context: Any
    ) -> AsyncGenerator[equity_pb2.EquityEstimate, None]:
        """Partial results, and the final one last. Raises Declined, RedisError, LogFault."""
        player = VISITOR.get().session.player
        try:
            read = _limited(await self._read(player, question), context.time_remaining())
            if await self._players.plays(player):
                raise Declined(_hand_in_progress())
            seed = secrets.randbits(63) if read.seed is None else read.seed
            async with (
                self._turn(player, read) as in_time,
                aclosing(answers(in_time, self._executor, seed=seed)) as found,
            ):
                async for answer in found:
                    yield answer_to_message(answer, read, seed)
        except NoQuestion as wrong:
            raise Declined(_malformed(wrong)) from wrong
        except TooManyDeals as wrong:
            raise Declined(_malformed(NoQuestion(str(wrong), field="budget.exactness"))) from wrong
        except NoDeal as wrong:
            raise Declined(_malformed(NoQuestion(str(wrong), field="spot"))) from wrong
        except OutOfTime as late:
            raise Declined(_out_of_time(str(late))) from late

    async def _read(self, player: PlayerId, question: equity_pb2.EquityQuestion) -> Asked:
        """The question, read in a thread: a long one takes longer than others may wait. Raises Declined, NoQuestion."""
        clock = asyncio.get_running_loop().time
        price = min(self._most, _READING_MS + _READING_BYTE_MS * question.ByteSize())
        retry_ms = self._allowances.take(player, price)
        if retry_ms:
            raise Declined(too_fast(retry_ms))
        took = 0.0
        try:
            async with self._reading.place(player, MOST_MS / 1000):
                began = clock()
                try:
                    return await _to_its_end(in_thread(asked, question))
                finally:
                    took = 1000 * (clock() - began)
        except Full:
            raise Declined(_busy()) from None
        finally:
            self._allowances.give_back(player, price - took)

    @asynccontextmanager
    async def _turn(self, player: PlayerId, read: Asked) -> AsyncIterator[Asked]:
        """A place for the job and the player's allowance for it; the job as it is when its turn has come.

        It pays what it should take, and afterwards what it took more or less. Raises Declined.
        """
        clock = asyncio.get_running_loop().time
        came, most = clock(), read.budget.deadline_ms or MOST_MS
        exact = _exact_ms(read)
        price = min(most, self._most, exact or _sampled_ms(read))
        try:
            async with self._places.place(player, most / 1000):
                retry_ms = self._allowances.take(player, price)
                if retry_ms:
                    raise Declined(too_fast(retry_ms))
                began = clock()
                left = max(1, round(most - 1000 * (began - came)))
                try:
                    yield replace(read, budget=replace(read.budget, deadline_ms=left))
                finally:
                    # What counts all deals goes on to its end, whoever still waits for it.
                    took = max(exact, 1000 * (clock() - began))
                    self._allowances.give_back(player, price - took)
        except Full:
            raise Declined(_busy()) from None


async def _to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """What `work` answers. It is waited for even where nobody wants it any more: its thread goes on to the end."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    finally:
        await asyncio.wait([task])


def _limited(read: Asked, remaining: float | None) -> Asked:
    """The question as far as a gateway goes. Raises NoQuestion."""
    budget = read.budget
    if budget.samples is not None and budget.samples > MOST_SAMPLES:
        text = f"samples is {budget.samples}: at most {MOST_SAMPLES} are right here"
        raise NoQuestion(text, field="budget.samples")
    if budget.deadline_ms is not None and budget.deadline_ms > MOST_MS:
        text = f"deadline_ms is {budget.deadline_ms}: at most {MOST_MS} is right here"
        raise NoQuestion(text, field="budget.deadline_ms")
    takes = _exactly(read) if budget.exact is Exactness.ALWAYS else 0.0
    if MOST_EXACT < takes < inf:
        text = (
            f"exact would take about {takes:.3g} s, and {MOST_EXACT:.0f} s is the limit here: sample instead, "
            "such as to a standard error of 0.001"
        )
        raise NoQuestion(text, field="budget.exactness")
    deadline = budget.deadline_ms or MOST_MS
    if remaining is not None:
        left = int(1000 * remaining)
        deadline = max(1, min(deadline, left - max(_ANSWER_MS, left // _ANSWER_PART)))
    return replace(read, budget=replace(budget, samples=budget.most_samples, deadline_ms=deadline))


def _exactly(read: Asked) -> float:
    """About how many seconds the exact result takes; of a comparison, that of one discard."""
    return seconds(question_of(read.spot), chosen()) if read.hands else 0.0


def _exact_ms(read: Asked) -> float:
    """About how many milliseconds go into counting all deals; 0 where there will be samples."""
    if read.budget.exact is Exactness.NEVER:
        return 0.0
    takes = _exactly(read)
    most = MOST_EXACT if read.budget.exact is Exactness.ALWAYS else _SOME_EXACT
    return 1000 * takes * max(1, len(read.choices)) if takes <= most else 0.0


def _sampled_ms(read: Asked) -> float:
    """About how many milliseconds it takes to sample, as far as the budget tells."""
    budget = read.budget
    needed = inf if budget.error is None else _WIDEST / budget.error**2
    samples = min(needed, inf if budget.samples is None else budget.samples)
    each = _SLOW_SAMPLE if chosen() is Path.NUMPY else _SAMPLE
    return 1000 * samples * each * len(read.hands) * max(1, len(read.choices))


def _malformed(wrong: NoQuestion) -> Refusal:
    place = {"place": wrong.place, "length": wrong.length} if wrong.place else {}
    return refused(refusal_pb2.REASON_MALFORMED, str(wrong), field=wrong.field, **place)


def _hand_in_progress() -> Refusal:
    return refused(
        refusal_pb2.REASON_HAND_IN_PROGRESS,
        "you are in a hand that is being played: ask again when it is over",
    )


def _out_of_time(text: str) -> Refusal:
    return refused(refusal_pb2.REASON_OUT_OF_TIME, f"{text}: ask with a later deadline")


def _busy() -> Refusal:
    return refused(
        refusal_pb2.REASON_TOO_FAST,
        "other estimates are under way: wait for those of yours, or ask again soon",
        retry_ms=_BUSY_MS,
    )
