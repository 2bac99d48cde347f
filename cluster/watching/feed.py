"""The feed: from the salons' logs to whoever watches them through this gateway.

One replica a watched salon, however many watch it. A wake-up brings the entry that was committed; the log is read where
it is not the next one. Law of this file: a wake-up may be lost, so that a salon that was silent is compared
with its head every second; and no watcher is waited for, so that a slow one costs the others nothing.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final, Protocol

import structlog

from cluster.clock import Clock
from cluster.codec.refusals import unknown_salon
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import LogCorrupt, LogFault, LogNewer
from cluster.journal.salon_keys import channel
from cluster.watching.admission import Ticket, denied, unshowable, written_later
from cluster.watching.loading import PAGE, Readable, loaded
from cluster.watching.place import Place
from cluster.watching.replica import Missing, Replica
from cluster.watching.watched import Sink, Watcher, after_loss
from croupier.v1 import refusal_pb2
from engine.settings import Visibility
from engine.units import PlayerId
from engine.value import value

_EVERY: Final = 1.0
"""Seconds between two looks at the heads of silent salons."""
_PRESENCE_EVERY: Final = 3.0
"""Seconds after which presence is said again."""
_AT_ONCE: Final = 32
_MOST_CHARTERS: Final = 50_000
_log = structlog.get_logger()


class Listening(Protocol):
    """Whoever wakes the feed."""

    def listen(self, channel: str, listener: Callable[[bytes], None]) -> None:
        """Call `listener` with every message of `channel`, as far as none is lost."""

    def forget(self, channel: str) -> None:
        """Listen no longer."""


class Announcing(Protocol):
    """Whoever is told what is watched here. No method raises."""

    async def opened(self, salon: SalonId) -> None:
        """Somebody begins to watch. May take as long as a salon takes to wake."""

    async def still_open(self, salon: SalonId) -> None:
        """Somebody goes on watching. May take as long."""

    async def closed(self, salon: SalonId) -> None:
        """Nobody watches any more."""


@value
class Charter:
    """What a salon is and stays for its life."""

    owner: PlayerId
    visibility: Visibility


class Feed:
    """The salons that are watched through this gateway. Of one event loop; `run` keeps it going."""

    def __init__(
        self,
        log: Readable,
        wakeups: Listening,
        clock: Clock,
        doors: Announcing,
        *,
        heard: Callable[[SalonId, Seq], None] = lambda _salon, _seq: None,
    ) -> None:
        """`heard` is told of the last commit that was shown of a salon: if its log has it no more, that is a loss."""
        self._heard = heard
        self._log = log
        self._wakeups = wakeups
        self._clock = clock
        self._doors = doors
        self._places: dict[SalonId, Place] = {}
        self._loading: dict[SalonId, asyncio.Task[Place | None]] = {}
        self._coming: Counter[SalonId] = Counter()
        """Viewers on their way in, for whom a place is kept open."""
        self._charters: dict[SalonId, Charter] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def watch(
        self, salon: SalonId, ticket: Ticket, sink: Sink, *, resume: tuple[Epoch, Seq] | None = None
    ) -> Watcher | refusal_pb2.Refusal:
        """Show the salon to `sink` from now on, first what it missed since `resume` or a snapshot.

        Raises LogFault.
        """
        try:
            return await self._admitted(salon, ticket, sink, resume)
        except LogNewer:
            return written_later()
        except LogCorrupt as corrupt:
            _log.error("watch_refused", salon=salon, why=str(corrupt))
            return unshowable()

    async def _admitted(
        self, salon: SalonId, ticket: Ticket, sink: Sink, resume: tuple[Epoch, Seq] | None
    ) -> Watcher | refusal_pb2.Refusal:
        """As `watch`. Raises LogCorrupt too."""
        with self._kept_open(salon):
            place = await self._open(salon)
            if place is None:
                return unknown_salon()
            live = place.watched.replica.live
            if denied(live.table, ticket) or (resume and resume > (live.epoch, live.seq)):
                # The viewer may have been told of more than was heard of here: that he has a seat, for one.
                await self._catch_up(salon, place)
            refusal = denied(self._replica_at(salon, place).live.table, ticket)
            if refusal is not None:
                return refusal
            watcher = Watcher(salon, ticket, sink)
            place.watched.welcome(watcher, resume, self._clock.now())
            return watcher

    def unwatch(self, watcher: Watcher) -> None:
        """Show it nothing more."""
        place = self._places.get(watcher.salon)
        if place is not None:
            place.watched.watchers.discard(watcher)
            self._close_if_unwatched(watcher.salon, place)

    async def replica(self, salon: SalonId) -> Replica | None:
        """The salon as its log is now, watched or not; not to be changed, nor kept. Raises LogFault, LogCorrupt."""
        place = self._places.get(salon)
        if place is None:
            return await loaded(self._log, salon)
        with self._kept_open(salon):
            await self._catch_up(salon, place)
            return self._replica_at(salon, place)

    async def charter(self, salon: SalonId) -> Charter | None:
        """What the salon is; None where there is none. Raises LogFault, LogCorrupt."""
        known = self._charters.get(salon)
        if known is not None:
            return known
        replica = await self.replica(salon)
        if replica is None:
            return None
        table = replica.live.table
        while len(self._charters) >= _MOST_CHARTERS:
            self._charters.pop(next(iter(self._charters)))
        known = self._charters[salon] = Charter(table.owner, table.settings.visibility)
        return known

    # Opening and closing

    @contextmanager
    def _kept_open(self, salon: SalonId) -> Iterator[None]:
        """Keep the salon's place for as long as somebody is on his way in."""
        self._coming[salon] += 1
        try:
            yield
        finally:
            self._coming[salon] -= 1
            if not self._coming[salon]:
                del self._coming[salon]
            place = self._places.get(salon)
            if place is not None:
                self._close_if_unwatched(salon, place)

    async def _open(self, salon: SalonId) -> Place | None:
        place = self._places.get(salon)
        if place is not None:
            return place
        loading = self._loading.get(salon)
        if loading is None:
            loading = self._loading[salon] = asyncio.create_task(self._opened(salon))
            loading.add_done_callback(lambda _: self._loading.pop(salon, None))
        return await asyncio.shield(loading)

    async def _opened(self, salon: SalonId) -> Place | None:
        """Listen first and read then, so that nothing falls in between."""
        self._wakeups.listen(channel(salon), lambda message: self._hear(salon, message))
        replica = None
        try:
            replica = await loaded(self._log, salon)
        finally:
            if replica is None:
                self._wakeups.forget(channel(salon))
        if replica is None:
            return None
        place = self._places[salon] = Place(replica)
        self._announce(salon, place, self._doors.opened)
        self._wake(salon)
        return place

    def _announce(self, salon: SalonId, place: Place, say: Callable[[SalonId], Awaitable[None]]) -> None:
        """Say it beside everything else: what waits for its salon to wake holds up no other."""
        place.announcing = True
        self._spawn(self._announced(salon, place, say))

    async def _announced(
        self, salon: SalonId, place: Place, say: Callable[[SalonId], Awaitable[None]]
    ) -> None:
        try:
            await say(salon)
        finally:
            place.announcing = False

    def _replica_at(self, salon: SalonId, place: Place) -> Replica:
        """The place's replica. Raises LogFault where it was let go of meanwhile: it may be anything."""
        if self._places.get(salon) is not place:
            raise LogFault(f"salon {salon} was let go of while it was read")
        return place.watched.replica

    def _close_if_unwatched(self, salon: SalonId, place: Place) -> None:
        if not place.watched.watchers and salon not in self._coming:
            self._close(salon, place)

    def _close(self, salon: SalonId, place: Place) -> None:
        if self._places.get(salon) is place:
            del self._places[salon]
            self._wakeups.forget(channel(salon))
            self._spawn(self._doors.closed(salon))

    # Reading

    def _hear(self, salon: SalonId, message: bytes) -> None:
        """Take in what a wake-up brings if it is the next entry, and else read on."""
        place = self._places.get(salon)
        entry = self._log.told(message)
        if place is None or entry is None or place.reading.locked() or place.stale:
            self._wake(salon, entry.seq if entry else _seq(message))
            return
        live = place.watched.replica.live
        if (entry.epoch, entry.seq) != (live.epoch, live.seq + 1) or after_loss(entry):
            self._wake(salon, entry.seq)
            return
        place.silent = False
        try:
            place.watched.take(entry, self._clock.now())
            self._heard(salon, entry.seq)
        except Exception as bug:  # noqa: BLE001 - one unreadable salon must not take others with it
            self._broke(salon, place, bug)
        else:
            self._close_if_unwatched(salon, place)

    def _wake(self, salon: SalonId, heard: Seq = Seq(0)) -> None:
        place = self._places.get(salon)
        if place is None:
            return
        place.heard = max(place.heard, heard)
        place.silent = False
        place.stale = True
        if not place.woken:
            place.woken = True
            self._spawn(self._read_on(salon, place))

    async def _read_on(self, salon: SalonId, place: Place) -> None:
        try:
            while place.stale and self._places.get(salon) is place:
                place.stale = False
                await self._catch_up(salon, place)
        except LogFault as fault:
            place.stale = True
            _log.warning("feed_late", salon=salon, fault=str(fault))
        except Exception:  # noqa: BLE001 - it was let go of; one unreadable salon must not take others with it
            return
        finally:
            place.woken = False

    def _broke(self, salon: SalonId, place: Place, bug: Exception) -> None:
        """Let go of a salon that cannot be shown. The bug's message stays out of the log: it may name a card."""
        _log.error("feed_broke", salon=salon, bug=type(bug).__name__)
        self._let_go(salon, place, unshowable())

    def _let_go(self, salon: SalonId, place: Place, refusal: refusal_pb2.Refusal) -> None:
        """Show no more of a place, whoever is on his way to it: its replica is no more to be relied on."""
        self._close(salon, place)
        place.watched.end_all(refusal)

    async def _catch_up(self, salon: SalonId, place: Place) -> None:
        """Take in and show what the log has more, if the place is still open.

        Raises LogFault. If that is LogNewer, or whatever else it raises, the salon cannot be shown and was let go of.
        """
        async with place.reading:
            try:
                if self._places.get(salon) is place:
                    await self._read_further(salon, place)
            except LogNewer:
                self._let_go(salon, place, written_later())
                raise
            except LogFault:
                raise
            except Exception as bug:
                self._broke(salon, place, bug)
                raise

    async def _read_further(self, salon: SalonId, place: Place) -> None:
        while True:
            live = place.watched.replica.live
            # What is heard of while the log answers may be behind its answer.
            heard = place.heard
            entries = await self._log.read(salon, (live.epoch, live.seq), PAGE)
            try:
                for entry in entries:
                    live = place.watched.replica.live
                    if (entry.epoch, entry.seq) > (live.epoch, live.seq):
                        place.watched.take(entry, self._clock.now())
            except Missing:
                await self._reload(salon, place)
                return
            if len(entries) < PAGE:
                break
        self._heard(salon, place.watched.replica.live.seq)
        if heard > place.watched.replica.live.seq or place.other:
            await self._reload(salon, place)
        self._close_if_unwatched(salon, place)

    async def _reload(self, salon: SalonId, place: Place) -> None:
        replica = await loaded(self._log, salon)
        place.heard, place.other = Seq(0), False
        if replica is None:
            self._let_go(salon, place, unknown_salon())
        else:
            place.watched.replaced(replica, self._clock.now())
        self._close_if_unwatched(salon, place)

    # Looking by itself

    async def run(self) -> None:
        """Look after silent salons and say who is watched, until cancelled."""
        try:
            async with asyncio.TaskGroup() as rounds:
                rounds.create_task(self._keep_looking())
                rounds.create_task(self._stay_open())
        finally:
            for task in self._tasks:
                task.cancel()

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(_EVERY)
            await self.look_around()

    async def _stay_open(self) -> None:
        while True:
            await asyncio.sleep(_PRESENCE_EVERY)
            for salon, place in list(self._places.items()):
                if not place.announcing:
                    self._announce(salon, place, self._doors.still_open)

    async def look_around(self) -> None:
        """Read on where nothing was heard and the head says that there is more."""
        silent = []
        for salon, place in list(self._places.items()):
            self._close_if_unwatched(salon, place)
            if place.silent or place.stale:
                silent.append(salon)
            place.silent = True
        await _some_at_a_time(self._compare(salon) for salon in silent)

    async def _compare(self, salon: SalonId) -> None:
        try:
            head = await self._log.head(salon)
        except LogNewer:
            # What this version can read of it is shown.
            self._wake(salon)
            return
        except LogFault as fault:
            _log.warning("feed_late", salon=salon, fault=str(fault))
            return
        place = self._places.get(salon)
        if place is None or head is None:
            return
        live = place.watched.replica.live
        behind = head.seq != live.seq or head.epoch != place.head_epoch
        place.head_epoch = head.epoch
        # As many commits and other ones, of an epoch before: to read behind what is known brings none of them.
        place.other = head.seq == live.seq and head.epoch < live.epoch
        if place.stale or place.other or behind:
            self._wake(salon, head.seq)

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _seq(message: bytes) -> Seq:
    """The commit that a wake-up tells of."""
    return Seq(int(message)) if message.isdigit() else Seq(0)


async def _some_at_a_time(works: Iterable[Coroutine[object, object, None]]) -> None:
    works = iter(works)
    while batch := list(islice(works, _AT_ONCE)):
        await asyncio.gather(*batch)
