"""The post to one host: salons that have envelopes at the same moment travel in one call.

A salon is in at most one unanswered call; two calls are under way at most, so that the next one fills while
they are. What takes long leaves the batches and goes in a call of its own.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from cluster.envelope import Envelope
from cluster.routing.hosts import HostAnswer, HostFault, Hosts
from cluster.routing.leases import HostName

_UNDER_WAY: Final = 2
_MOST_SALONS: Final = 128
_Letter = tuple[Sequence[Envelope], "asyncio.Future[list[HostAnswer]]"]


class Post:
    """Delivers to one host. Of one event loop."""

    def __init__(self, hosts: Hosts, host: HostName, timeout: float) -> None:
        self._hosts = hosts
        self._host = host
        self._timeout = timeout
        self._letters: list[_Letter] = []
        self._calls: set[asyncio.Task[Any]] = set()

    async def send(self, envelopes: Sequence[Envelope], *, patient: bool) -> list[HostAnswer]:
        """One salon's answers. Raises HostFault, and what a bug of the way there raises."""
        if patient:
            (answers,) = await self._call([envelopes], patient=True)
            return answers
        future: asyncio.Future[list[HostAnswer]] = asyncio.get_running_loop().create_future()
        self._letters.append((envelopes, future))
        # Whoever else writes in this turn of the loop comes along.
        asyncio.get_running_loop().call_soon(self._pump)
        return await future

    def _pump(self) -> None:
        while self._letters and len(self._calls) < _UNDER_WAY:
            letters = self._letters[:_MOST_SALONS]
            del self._letters[:_MOST_SALONS]
            task = asyncio.get_running_loop().create_task(self._carry(letters))
            self._calls.add(task)
            task.add_done_callback(self._called)

    def _called(self, task: asyncio.Task[Any]) -> None:
        self._calls.discard(task)
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
                return await self._hosts.deliver(self._host, batches, patient=patient)
        except TimeoutError as error:
            raise HostFault(f"{self._host} did not answer for {self._timeout} s") from error
