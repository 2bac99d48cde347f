"""The post to one host: salons that have envelopes at the same moment travel in one call.

A salon is in at most one unanswered call. While a call is under way the next one fills, since a call costs many times
what an envelope in it does; one that is late keeps the next waiting no longer, of which there is never more than
one. What takes long leaves the batches and goes in a call of its own.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from cluster.envelope import Envelope
from cluster.routing.hosts import HostAnswer, HostFault, Hosts
from cluster.routing.leases import HostName

_UNDER_WAY: Final = 2
_LATE: Final = 0.005
"""Seconds after which a call is late."""
_MOST_SALONS: Final = 128
_Letter = tuple[Sequence[Envelope], "asyncio.Future[list[HostAnswer]]"]


class Post:
    """Delivers to one host. Of one event loop."""

    def __init__(self, hosts: Hosts, host: HostName, timeout: float) -> None:
        self._hosts = hosts
        self._host = host
        self._timeout = timeout
        self._letters: list[_Letter] = []
        self._calls: dict[asyncio.Task[Any], float] = {}
        """Those under way, and when each is late."""
        self._pumping = False

    def put(self, envelopes: Sequence[Envelope]) -> "asyncio.Future[list[HostAnswer]]":
        """One salon's answers to come, or Slow where they take long.

        The future ends with HostFault, or with what a bug of the way there raises.
        """
        loop = asyncio.get_running_loop()
        answers: asyncio.Future[list[HostAnswer]] = loop.create_future()
        self._letters.append((envelopes, answers))
        if not self._pumping:
            # Whoever else writes in this turn of the loop comes along.
            self._pumping = True
            loop.call_soon(self._pump)
        return answers

    async def carry_alone(self, envelopes: Sequence[Envelope]) -> list[HostAnswer]:
        """One salon's answers, however long they take. Raises HostFault."""
        (answers,) = await self._call([envelopes], patient=True)
        return answers

    def close(self) -> None:
        """Call nobody any more; what was put in and has no answer gets none."""
        self._letters.clear()
        for call in list(self._calls):
            call.cancel()

    def _pump(self) -> None:
        self._pumping = False
        loop = asyncio.get_running_loop()
        while self._letters and self._may_call(loop.time()):
            letters = self._letters[:_MOST_SALONS]
            del self._letters[:_MOST_SALONS]
            task = loop.create_task(self._carry(letters))
            self._calls[task] = loop.time() + _LATE
            task.add_done_callback(self._called)
            loop.call_later(_LATE, self._pump)

    def _may_call(self, now: float) -> bool:
        return len(self._calls) < _UNDER_WAY and all(late <= now for late in self._calls.values())

    def _called(self, task: asyncio.Task[Any]) -> None:
        del self._calls[task]
        self._pump()

    async def _carry(self, letters: list[_Letter]) -> None:
        outcome: list[list[HostAnswer]] | Exception
        try:
            outcome = await self._call([envelopes for envelopes, _ in letters], patient=False)
        except Exception as error:  # noqa: BLE001 - whatever it was, whoever waits for an answer hears of it
            outcome = error
        for at, (_, future) in enumerate(letters):
            if future.done():
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome[at])

    async def _call(self, batches: list[Sequence[Envelope]], *, patient: bool) -> list[list[HostAnswer]]:
        try:
            async with asyncio.timeout(self._timeout):
                answers = await self._hosts.deliver(self._host, batches, patient=patient)
        except TimeoutError as error:
            raise HostFault(f"{self._host} did not answer for {self._timeout} s") from error
        if list(map(len, answers)) != list(map(len, batches)):
            raise ValueError(f"{self._host} answered something else than was asked")
        return answers
