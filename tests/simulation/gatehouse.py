"""Gateways on the timeline: the production directory, caretaker and feed in a process that may freeze and die."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from redis.exceptions import RedisError

from cluster.envelope import Accepted, Answer, Envelope, SalonId
from cluster.journal.salon_keys import channel
from cluster.routing.caretaker import Caretaker
from cluster.routing.directory import Directory
from cluster.routing.leases import HostName, Leases
from cluster.routing.placement import Placement, PlacementRules
from cluster.routing.sleepers import Sleepers, Waker
from cluster.watching.feed import Feed
from engine.units import PlayerId
from tests.simulation.ground import Ground
from tests.simulation.inns import LEASE, Inn, settle
from tests.simulation.roads import Road
from tests.simulation.store import RemoteJournal, RemoteRedis

_RESET = 0.002
"""Seconds until a client hears that its connection broke."""


class GatewayLost(Exception):
    """The gateway did not answer: what was asked of it may have happened or not."""


class Bells:
    """Wake-ups that may be lost: what a subscription brings to one gateway."""

    def __init__(self) -> None:
        self.listeners: dict[str, Callable[[bytes], None]] = {}

    def listen(self, channel: str, listener: Callable[[bytes], None]) -> None:
        self.listeners[channel] = listener

    def forget(self, channel: str) -> None:
        self.listeners.pop(channel, None)


class Gatehouse:
    """A gateway's process."""

    def __init__(self, ground: Ground, inns: dict[HostName, Inn], name: str) -> None:
        self.name = name
        self.process = process = ground.process(name)
        self.process.on_death.append(self._died)
        self.calls: list[asyncio.Future[Any]] = []
        self.watched = ground.viewers[name] = set[SalonId]()
        self.bells = Bells()
        self._ground = ground
        redis: Any = RemoteRedis(ground.store, process)
        journal: Any = RemoteJournal(ground.store, process)
        leases = Leases(redis)
        self.clock = ground.clock(redis, process)
        road = Road(ground, inns, process)
        self.directory = Directory(
            road,
            journal,
            leases,
            salons_per_host=ground.salons_per_host,
            call_timeout=3.5,
        )
        placement = Placement(
            road,
            leases,
            self.directory,
            clock=self.clock,
            rules=PlacementRules(ground.salons_per_host, ground.spares, 2),
            monotonic=process.monotonic,
        )
        self.leases = leases
        self.caretaker = Caretaker(
            leases, self.directory, name, lease=LEASE, placement=placement, monotonic=process.monotonic
        )
        self.feed = Feed(journal, self.bells, self.clock, self, heard=self.directory.heard)
        waker = Waker(Sleepers(redis), leases, name, now=self.clock.now, wake=self._wake)
        self._upkeep = [
            process.spawn(_forgiven(work))
            for work in (self.clock.synchronise, self.caretaker.run, self.feed.run, waker.run)
        ]

    # What its feed announces

    async def _wake(self, salon: SalonId) -> Answer:
        (answer,) = await self.directory.call(salon, [Envelope(salon, PlayerId(""), "", None)])
        return answer

    async def opened(self, salon: SalonId) -> None:
        self.watched.add(salon)
        await self._wake(salon)

    async def still_open(self, salon: SalonId) -> None:
        self.watched.add(salon)

    async def closed(self, salon: SalonId) -> None:
        self.watched.discard(salon)

    # Its clients

    def call(self, envelopes: list[Envelope], patience: float) -> "asyncio.Future[list[Answer]]":
        """A client's call, all for one salon; raises GatewayLost where the connection breaks. Cancelled, the gateway may not hear of it."""
        ground = self._ground
        future: asyncio.Future[list[Answer]] = ground.loop.create_future()
        if not ground.weather.strikes("client's call lost"):
            ground.loop.after(ground.weather.wire_lag(), self._arrive, envelopes, patience, future)
        return future

    def ring(self, salon: SalonId, message: bytes) -> None:
        """A commit was published."""
        if not self._ground.weather.strikes("wake-up lost"):
            self._ground.loop.after(self._ground.weather.store_lag(), self._hear, channel(salon), message)

    def _hear(self, name: str, message: bytes) -> None:
        listener = self.bells.listeners.get(name)
        if listener is not None:
            self._ground.loop.call_soon(listener, message, context=self.process.context)

    def _arrive(self, envelopes: list[Envelope], patience: float, future: Any) -> None:
        if self.process.dead:
            self._ground.loop.after(_RESET, settle, future, GatewayLost(self.name))
            return
        self.calls.append(future)
        call = self.process.spawn(self.directory.call(envelopes[0].salon, envelopes, patience=patience))
        call.add_done_callback(
            lambda done: self._reply(envelopes[0].salon, future, done), context=self._ground.loop.outside
        )
        if self._ground.weather.rng.random() < 0.5:
            # The client's hanging up is heard.
            future.add_done_callback(
                lambda gone: gone.cancelled() and call.cancel(), context=self._ground.loop.outside
            )

    def _reply(self, salon: SalonId, future: Any, done: "asyncio.Task[list[Answer]]") -> None:
        if not done.cancelled() and done.exception() is None:
            for answer in done.result():
                if isinstance(answer, Accepted):
                    self._ground.witness.told(self.process, salon, answer.seq)
        if future in self.calls:
            self.calls.remove(future)
        if self._ground.store.over or self._ground.weather.strikes("client's call lost"):
            return
        if done.cancelled() or done.exception() is not None:
            self._ground.loop.after(_RESET, settle, future, GatewayLost(self.name))
        else:
            self._ground.loop.after(self._ground.weather.wire_lag(), settle, future, done.result())

    def _died(self) -> None:
        self._ground.note("gateway died", self.name, None)
        del self._ground.viewers[self.name]
        calls, self.calls = self.calls, []
        for call in calls:
            self._ground.loop.after(_RESET, settle, call, GatewayLost(self.name))


async def _forgiven(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do `work`; the clock's first look at the store may fail, and its next one makes that good."""
    try:
        await work()
    except RedisError:
        return
