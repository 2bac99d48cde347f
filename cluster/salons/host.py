"""A host: one process's salons, its lease, the batches that gateways bring, and salons that leave. Knows no Ray.

Crash contract: a host that dies leaves nothing but its lease and its hot set, from which a sweep finds what to
activate elsewhere. One that was given up (it froze, say, and woke) drops every salon as soon as it hears so,
at its next renewal or its first refused commit, and answers nothing more for them.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import structlog
from redis.exceptions import RedisError

from cluster.clock import RedisClock
from cluster.envelope import Envelope, SalonId, Seq
from cluster.journal.answering import answer_of
from cluster.journal.log import LogFault
from cluster.lobby import LobbyDesk
from cluster.recent import Recent
from cluster.routing.drains import NodeId
from cluster.routing.hosts import Admitted, HostAnswer, NotHere, Refusing, Slow
from cluster.routing.leases import HostName, Leases, Standing
from cluster.routing.pulses import Pulses
from cluster.salons.house import House
from cluster.salons.salon import Salon
from cluster.versions import KNOWN, Versions
from engine.units import LEAST_OUTAGE, Millis

_BATCH_PATIENCE: Final = 0.1
"""Seconds after which a batch is answered without those of its salons that are not done,"""
_BEHIND: Final = 3
"""and how many times as long as the first of them the others may take,"""
_LEAST_BEHIND: Final = 0.02
"""which is never less than this."""
_RENEWALS_A_LEASE: Final = 3
_CLOCK_EVERY: Final = 30
"""Renewals between two looks at the log's clock, and at what is known of this host: which salons are counted here, and its node."""
_HOLD: Final = 3.0
"""Seconds for which a salon that may be handed over starts no hand; whoever wants it says so again meanwhile."""
_MOST_GONE: Final = 10_000
"""Salons that are gone of which a host still knows how far they were, or where they are."""
_log = structlog.get_logger()
_T = TypeVar("_T")


class Host:
    """The salons of one process. `house` makes a salon's surroundings, given what to call when it is gone."""

    def __init__(
        self,
        house: Callable[[Callable[[SalonId], None]], House],
        *,
        leases: Leases,
        desk: LobbyDesk,
        clock: RedisClock,
        lease: Millis,
        node: NodeId | None = None,
        pulses: Pulses | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        knows: Versions = KNOWN,
    ) -> None:
        """`node` is the one that this process runs on; None where nobody asks.

        `pulses` is where hosts say that they live; without it nobody knows since when one that died did not.
        """
        pulse = pulses.last if pulses else None
        self._house = replace(house(self._forget), heard=self._heard, pulse=pulse, settled=self._settled)
        self._pulses = pulses
        self._leases = leases
        self._desk = desk
        self._clock = clock
        self._lease = lease
        self._node = node
        self._monotonic = monotonic
        self._knows = knows
        self._salons: dict[SalonId, Salon] = {}
        self._process = uuid.uuid4().hex
        self._begun = False
        self._beginning = asyncio.Lock()
        self._given_up = False
        self._renewed = 0.0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._strays: set[SalonId] = set()
        self._forwarded: Recent[SalonId, HostName] = Recent(_MOST_GONE)
        self._made: Recent[SalonId, Seq] = Recent(_MOST_GONE)
        """The last commits of salons that went from here, which the store may forget."""

    @property
    def salons(self) -> frozenset[SalonId]:
        """The salons that it runs now."""
        return frozenset(self._salons)

    async def start(self) -> bool:
        """Take the first lease, once; False where the host was given up before it began, or is another process.

        Raises RedisError: it has not begun, has no clock to judge by, answers nothing, and may be started again.
        """
        async with self._beginning:
            if not self._begun:
                await self._clock.synchronise()
                if await self._leases.begin(self._house.host, self._process):
                    await self._renew(anew=True)
                else:
                    self._given_up = True
                if not self._given_up:
                    self._start(self._desk.run())
                    self._begun = True
        return not self._given_up

    async def run(self) -> None:
        """Renew the lease until the host is given up."""
        rounds = 0
        while not self._given_up:
            await asyncio.sleep(self._lease / 1000 / _RENEWALS_A_LEASE)
            rounds += 1
            try:
                counted = await self._renew(anew=rounds % _CLOCK_EVERY == 0)
                if self._pulses:
                    await self._pulses.beat(self._house.host)
                if rounds % _CLOCK_EVERY == 0:
                    await self._clock.synchronise()
                # One that is here and not loaded may have come when it could not be counted: nobody else would load it.
                if rounds % _CLOCK_EVERY == 0 or counted != sum(
                    salon.loaded for salon in self._salons.values()
                ):
                    await self._recount()
            except (RedisError, OSError, LogFault) as error:
                _log.warning("lease_not_renewed", host=self._house.host, error=repr(error))

    async def admit(self, salon: SalonId) -> Admitted | NotHere | Refusing:
        """Load a salon, if the log says that it is this host's. Raises RedisError, LogFault."""
        if not await self._lives():
            return NotHere()
        running = self._salons.get(salon)
        if running is None:
            # Here before it is counted here, or its last stay's end could take it from the count.
            running = self._salons[salon] = Salon(salon, self._house, made=self._made.pop(salon, Seq(0)))
        await self._leases.hold(self._house.host, salon)
        loaded = await running.load()
        if isinstance(loaded, Admitted):
            self._forwarded.pop(salon, None)
        return loaded

    async def deliver(
        self, batches: Sequence[Sequence[Envelope]], *, patient: bool
    ) -> list[list[HostAnswer]]:
        """Answer each batch, one salon's envelopes, in order; unless `patient`, Slow for a salon that takes long."""
        if not await self._lives():
            return [[NotHere()] * len(batch) for batch in batches]
        works = [self._spawn(self._handle(batch)) for batch in batches]
        if patient:
            await asyncio.wait(works)
        else:
            await _most_of(works)
        return [
            work.result() if work.done() else [Slow()] * len(batch)
            for work, batch in zip(works, batches, strict=True)
        ]

    def ready_to_leave(self, most: int) -> list[SalonId]:
        """Which of its first `most` salons have no hand; those that play start no other for three seconds."""
        wanted = sorted(self._salons.items(), key=lambda item: not item[1].between_hands)[:most]
        for _, salon in wanted:
            salon.hold(asyncio.get_running_loop().time() + _HOLD)
        return [name for name, salon in wanted if salon.between_hands]

    async def hand_over(self, name: SalonId, to: HostName, *, mid_hand: bool) -> bool:
        """Give a salon to another host by the log, and drop it; False where it stays, or where that is not known.

        One where a hand is on stays, unless `mid_hand`. Whoever asks here for one that went is told where it is.
        """
        salon = self._salons.get(name)
        try:
            went = salon is not None and await salon.hand_over(to, mid_hand=mid_hand)
        except LogFault as fault:
            _log.warning("salon_not_handed_over", salon=name, fault=str(fault))
            self._start(self._see_off(name, to))  # it may have gone all the same
            return False
        if went:
            self._forwarded[name] = to
            self._start(self._see_off(name, to))
        return went

    def stop(self) -> None:
        """Drop everything; the process may end."""
        self._given_up = True
        for salon in list(self._salons.values()):
            salon.close()
        self._salons.clear()
        for task in self._tasks:
            task.cancel()

    async def _handle(self, batch: Sequence[Envelope]) -> list[HostAnswer]:
        name = batch[0].salon
        salon = self._salons.get(name)
        if salon is None or not salon.loaded:
            return [NotHere(self._forwarded.get(name, HostName("")))] * len(batch)
        return await salon.handle(batch)

    async def _lives(self) -> bool:
        """Whether this host may answer, and may still: after a lapse it asks first, for it may have been asleep."""
        if not self._begun:
            return False
        if not self._given_up and self._monotonic() - self._renewed > self._lease / 1000:
            await self._renew()
        return not self._given_up

    async def _renew(self, *, anew: bool = False) -> int:
        """Keep the lease, and say how many salons are counted here; none where it is over. Raises RedisError.

        `anew` says where this host is and what it knows too, of which the log's server may have forgotten the last word.
        """
        asked = self._monotonic()
        said = (self._node, self._knows) if anew else ()
        counted = await self._leases.renew(self._house.host, self._lease, *said)
        if counted is not None:
            since, was_away = self._heard(), self._is_away(asked)
            self._renewed = asked
            if was_away:
                for salon in list(self._salons.values()):
                    self._start(salon.excuse(since))
        else:
            _log.warning("host_given_up", host=self._house.host, salons=len(self._salons))
            self._given_up = True
            for salon in list(self._salons.values()):
                salon.close()
            self._salons.clear()
        return counted or 0

    def _is_away(self, now: float) -> bool:
        """Whether the lease was not renewed for longer than its rounds take: the log was away, or this process."""
        rounds = 2 * self._lease / 1000 / _RENEWALS_A_LEASE
        return 0 < self._renewed < now - max(rounds, LEAST_OUTAGE / 1000)

    def _heard(self) -> Millis:
        """Now; or when the lease was last renewed, where that is too long ago."""
        now = self._monotonic()
        ago = now - self._renewed if self._is_away(now) else 0.0
        return Millis(self._clock.now() - int(ago * 1000))

    async def _recount(self) -> None:
        """Let the hot set say what runs here, and at the second look begin to load what was meant to come and did not.

        Whoever gave them to this host may have died before he said so. One that went elsewhere is let go.
        """
        hot = await self._leases.hot(self._house.host)
        loaded = {name for name, salon in self._salons.items() if salon.loaded}
        for salon in sorted(self._salons.keys() - hot):
            await self._leases.hold(self._house.host, salon)
        strays = hot - loaded
        if coming := strays & self._strays:
            # Not here: thousands of them take longer than a lease, which is renewed meanwhile.
            self._start(self._take_in(sorted(coming)))
        self._strays = strays - coming

    async def _take_in(self, salons: Sequence[SalonId]) -> None:
        for salon in salons:
            try:
                await self.admit(salon)
            except (RedisError, OSError, LogFault) as error:
                _log.warning("stray_not_loaded", salon=salon, error=repr(error))

    def _forget(self, salon: SalonId) -> None:
        gone = self._salons.pop(salon, None)
        if gone is not None:
            gone.close()
            self._made[salon] = gone.made
            self._start(self._release(salon))

    async def _settled(self, salon: SalonId) -> None:
        await answer_of(self._desk.settle(salon))

    async def _see_off(self, salon: SalonId, to: HostName) -> None:
        """See to it that the salon is loaded where it went: who moved it may have died, and who saw to `to`'s end saw it here."""
        while not self._given_up:
            try:
                # Again: it may have waited for the salon in vain. Before the look: who sees to its end sees that.
                await self._leases.hold(to, salon)
                if await self._leases.standing(to) is Standing.GONE:
                    if self._house.sleeps:
                        await self._house.sleeps(salon, self._clock.now())
                    await self._leases.release(to, salon)
            except (RedisError, OSError, LogFault) as error:
                _log.warning("salon_not_seen_off", salon=salon, error=repr(error))
                await asyncio.sleep(self._lease / 1000 / _RENEWALS_A_LEASE)
            else:
                return

    async def _release(self, salon: SalonId) -> None:
        try:
            if salon not in self._salons:
                # Before it is counted here no longer: a host that has none left may be ended at once.
                await self._desk.settle(salon)
            if salon not in self._salons:
                await self._leases.release(self._house.host, salon)
        except (RedisError, OSError) as error:
            _log.warning("salon_not_released", salon=salon, error=repr(error))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        _ = self._spawn(work)

    def _spawn(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _most_of(works: Sequence[asyncio.Task[Any]]) -> None:
    """Wait until all are done, or those that are not take much longer than the first: nobody waits for them."""
    began = asyncio.get_running_loop().time()
    _, pending = await asyncio.wait(works, timeout=_BATCH_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    if pending and len(pending) < len(works):
        took = asyncio.get_running_loop().time() - began
        await asyncio.wait(works, timeout=min(max(_BEHIND * took, _LEAST_BEHIND), _BATCH_PATIENCE))
