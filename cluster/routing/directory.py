"""The directory: gets envelopes to the one host that has their salon, which it activates where nobody has it.

Crash contract: which host has a salon stands in Redis alone; what is cached here is a guess that a wrong
address corrects. Any number of directories may activate one salon at once: a compare-and-set on its epoch
lets one win, and the others find the winner's host. An outcome that is unknown is asked for again, with the
same request_id, until the caller's deadline; a command is executed once whatever happens here. Who activates a
salon says how far it was told that the log was, so that one whose end a store has forgotten is not gone on with.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar, assert_never

import structlog
from redis.exceptions import RedisError

from cluster.envelope import (
    Answer,
    Envelope,
    Exhausted,
    Quarantined,
    SalonId,
    Seq,
    Unavailable,
    UnknownSalon,
)
from cluster.journal.log import Activated, Head, LogFault, LogNewer
from cluster.journal.redis_journal import Journal
from cluster.recent import Recent
from cluster.routing.boxes import Boxes, Letter, Sent, answer_all
from cluster.routing.drains import NodeId
from cluster.routing.hosts import Admitted, HostAnswer, HostDied, HostFault, Hosts, NotHere, Refusing
from cluster.routing.leases import HostName, Leases, Reserved, Standing
from cluster.routing.post import Post
from cluster.routing.starts import Starts
from cluster.versions import Versions

_BACKOFF: Final = (0.0, 0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Seconds before each try but the first. A salon that slept takes two: its last host has not got it."""
_EXHAUSTED_RETRY_MS: Final = 5_000
_NEWER_RETRY_MS: Final = 5_000
_MOST_ROUTES: Final = 200_000
"""Salons whose host is remembered; of the others it is asked again."""
_MOST_POSTS: Final = 10_000
"""Hosts, which come and go: one that is left out gets another post when it is written to."""
_MOVES_AT_ONCE: Final = 16
_START_SLICE: Final = 1.0
_LOOKS: Final = 3
"""At who has a salon that is to be moved, since others may move it too."""
_START_PATIENCE: Final = 60.0
_ADMIT_PATIENCE: Final = 10.0
"""Seconds for a host to read a salon's log; it goes on reading when nobody waits any more."""
_log = structlog.get_logger()
_T = TypeVar("_T")


class Directory:
    """One process's way to every salon. Of one event loop; `close` ends what it has under way."""

    def __init__(
        self,
        hosts: Hosts,
        journal: Journal,
        leases: Leases,
        *,
        salons_per_host: int = 1,
        call_timeout: float = 3.5,
    ) -> None:
        """`call_timeout`: seconds for a host's answer to a batch; a little more than a silent host's lease."""
        self._hosts = hosts
        self._journal = journal
        self._leases = leases
        self._per_host = salons_per_host
        self._call_timeout = call_timeout
        self._boxes = Boxes(self._set_off, self._deliver, self.heard)
        self._routes: Recent[SalonId, HostName] = Recent(_MOST_ROUTES)
        self._told: Recent[SalonId, Seq] = Recent(_MOST_ROUTES)
        """The last commit of which anybody here was told."""
        self._posts: dict[HostName, Post] = {}
        self._starts = Starts(hosts, leases, lambda host: self._start(self._give_up(host)))
        self._dead: set[HostName] = set()
        self._moves: dict[HostName, asyncio.Task[bool]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def call(
        self, salon: SalonId, envelopes: Sequence[Envelope], *, patience: float = 10.0
    ) -> list[Answer]:
        """An answer for each envelope, all of one salon, executed in their order; after `patience` seconds UNAVAILABLE.

        Raises:
            ValueError: a command has no request_id, without which it could be executed twice.
        """
        return await self._boxes.call(salon, envelopes, patience)

    async def evacuate(self, host: HostName) -> bool:
        """Kill a host that was condemned, and activate its salons elsewhere.

        False where one has to be tried again: the host stays condemned. Never raises for what is out of reach.
        """
        move = self._moves.get(host)
        if move is None:
            move = self._moves[host] = self._spawn(self._evacuate(host))
            move.add_done_callback(lambda _: self._moves.pop(host, None))
        return await asyncio.shield(move)

    async def place_elsewhere(
        self, salon: SalonId, leaving: HostName, onto: NodeId | None = None
    ) -> HostName | None:
        """A host that is there and has room kept for the salon, on a node that does not drain; None where there is none.

        It is never `leaving`, and with `onto` on that node. Raises HostFault, LogFault, RedisError.
        """
        head = await self._journal.head(salon, newer=True)
        reserved = await self._reserve(salon, head, leaving=leaving, onto=onto) if head else None
        if head is None or reserved is None:
            return None
        if reserved.starting:
            self._starts.begin(reserved.host, without=await self._shut(head.needs))
        return reserved.host if await self._starts.succeeded(reserved.host, _START_PATIENCE) else None

    async def start_spare(self, host: HostName, node: NodeId) -> bool:
        """Create a host that `Leases.spare` named; False where it could not be."""
        self._starts.begin(host, node=node)
        return await self._starts.succeeded(host, _START_PATIENCE)

    async def take_up(self, salon: SalonId, host: HostName) -> None:
        """Have the salon loaded by the host that it was handed to, so that its time goes on. Raises HostFault, LogFault."""
        self._remember(salon, host)
        await self._admitted(host, salon)

    def heard(self, salon: SalonId, seq: Seq) -> None:
        """Somebody here was told of the salon's commit `seq`."""
        if seq > self._told.get(salon, 0):
            self._told[salon] = seq

    async def close(self) -> None:
        """End what is under way; its callers are cancelled."""
        for task in list(self._tasks):
            task.cancel()
        for post in self._posts.values():
            post.close()
        await asyncio.gather(*self._tasks, self._starts.close(), return_exceptions=True)
        await self._boxes.close()

    # Letters on their way

    def _set_off(self, salon: SalonId, letters: Sequence[Letter]) -> Sent | None:
        """Send the letters at once, where the salon's host is known to be there."""
        host = self._routes.get(salon)
        if host is None or self._starts.under_way(host):
            return None
        return host, self._post(host).put([letter.envelope for letter in letters])

    async def _deliver(self, salon: SalonId, letters: list[Letter], sent: Sent | None) -> None:
        """Try until each letter has its answer, or its deadline has passed."""
        attempt = 0
        patient = False
        while letters:
            attempt += 1
            first, sent = sent, None
            try:
                place = first[0] if first else await self._place(salon)
                if isinstance(place, str):
                    answers = await (first[1] if first else self._ask(place, letters, patient=patient))
                    letters, patient = self._boxes.handed_out(letters, answers)
                    gone = [answer.host for answer in answers if isinstance(answer, NotHere)]
                    if any(gone) and attempt == 1:
                        # The log is asked where following a host's word has led nowhere.
                        self._remember(salon, max(gone))
                    elif gone:
                        place = await self._admit(place, salon)
                if place is not None and not isinstance(place, str):
                    answer_all(letters, place)
            except HostDied as died:
                self._host_died(salon, died.host)
            except LogNewer as newer:
                answer_all(letters, Unavailable(_NEWER_RETRY_MS, str(newer)))
            except (HostFault, LogFault, RedisError, OSError) as fault:
                _log.info("salon_out_of_reach", salon=salon, attempt=attempt, fault=repr(fault))
                self._routes.pop(salon, None)
            letters = [letter for letter in letters if not letter.answer.done()]
            if letters:
                await asyncio.sleep(_BACKOFF[min(attempt, len(_BACKOFF)) - 1])

    async def _ask(self, host: HostName, letters: Sequence[Letter], *, patient: bool) -> list[HostAnswer]:
        """What the host answers. Raises HostFault."""
        post, envelopes = self._post(host), [letter.envelope for letter in letters]
        return await (post.carry_alone(envelopes) if patient else post.put(envelopes))

    # Where a salon is

    async def _place(self, salon: SalonId) -> HostName | Answer | None:
        """The salon's host, or what to answer instead; None: look again."""
        known = self._routes.get(salon)
        if known is not None:
            return known if await self._starts.over(known, _START_SLICE) else None
        head = await self._journal.head(salon)
        if head is None:
            return UnknownSalon()
        if head.quarantine:
            return Quarantined(head.quarantine)
        host = HostName(head.host)
        standing = await self._leases.standing(host) if host else Standing.GONE
        match standing:
            case Standing.GONE:
                place = await self._activate(salon, head)
                if not isinstance(place, str):
                    return place
                # It has not got the salon yet, as far as anybody told it: asked at once it would only say so.
                answer = await self._admit(place, salon)
                return self._routes.get(salon) if answer is None else answer
            case Standing.SILENT:
                return None
            case Standing.LIVING:
                self._remember(salon, host)
                return host
            case _:
                assert_never(standing)

    async def _activate(self, salon: SalonId, head: Head) -> HostName | Answer | None:
        """Give the salon to a host with room, by compare-and-set, and then create the host if it is new."""
        reserved = await self._reserve(salon, head)
        if reserved is None:
            return await self._no_place(head.needs)
        made = self._told.get(salon, Seq(0))
        outcome = await self._journal.activate(salon, head.epoch, reserved.host, made=made, needs=head.needs)
        if not isinstance(outcome, Activated):
            return None
        if reserved.starting:
            self._starts.begin(reserved.host, without=await self._shut(head.needs))
        self._remember(salon, reserved.host)
        return reserved.host if await self._starts.over(reserved.host, _START_SLICE) else None

    async def _reserve(
        self, salon: SalonId, head: Head, *, leaving: HostName | None = None, onto: NodeId | None = None
    ) -> Reserved | None:
        """See `Leases.reserve`. Raises HostFault, RedisError."""
        room = await self._hosts.capacity(await self._shut(head.needs))
        return await self._leases.reserve(
            salon,
            per_host=self._per_host,
            most_hosts=room,
            leaving=leaving,
            onto=onto,
            needs=head.needs,
        )

    async def _shut(self, needs: Versions) -> set[NodeId]:
        """The nodes where no host is created for a salon: those that drain, and those of an older release."""
        return {*await self._leases.drains.all(), *await self._leases.older_nodes(needs)}

    async def _no_place(self, needs: Versions) -> Answer:
        """What to say where no host can have a salon: there is no room, or none that knows what it needs."""
        older = await self._leases.older_nodes(needs)
        if not older or await self._hosts.capacity(older):
            return Exhausted(_EXHAUSTED_RETRY_MS)
        text = (
            f"no host that runs knows the version of this salon (schema {needs.schema}, rules {needs.rules}): "
            "it goes on when one of a later release does"
        )
        return Unavailable(_NEWER_RETRY_MS, text)

    def _remember(self, salon: SalonId, host: HostName) -> None:
        self._routes[salon] = host

    async def _admit(self, host: HostName, salon: SalonId) -> Answer | None:
        """Have the host load the salon, in a call of its own; None: try the envelopes again."""
        answer = await self._admitted(host, salon)
        if isinstance(answer, Refusing):
            self._routes.pop(salon, None)
            return Unavailable(answer.retry_ms, answer.why) if answer.retry_ms else Quarantined(answer.why)
        if not isinstance(answer, Admitted):
            self._routes.pop(salon, None)
        return None

    async def _admitted(self, host: HostName, salon: SalonId) -> Admitted | NotHere | Refusing:
        """What the host says to loading the salon. Raises LogFault, and HostFault, also where it says nothing."""
        await self._note_loss(salon)
        try:
            async with asyncio.timeout(_ADMIT_PATIENCE):
                return await self._hosts.admit(host, salon)
        except TimeoutError as error:
            raise HostFault(f"{host} did not load {salon} in {_ADMIT_PATIENCE} s") from error

    async def _note_loss(self, salon: SalonId) -> None:
        """Where the log has not (any more) what somebody here was told of, let whoever loads it know. Raises LogFault."""
        made = self._told.get(salon)
        head = await self._journal.head(salon, newer=True) if made else None
        if made and head and head.seq < made:
            await self._journal.note_loss(salon, head.epoch, made)

    def _post(self, host: HostName) -> Post:
        post = self._posts.get(host)
        if post is None:
            while len(self._posts) >= _MOST_POSTS:
                self._posts.pop(next(iter(self._posts)))
            post = self._posts[host] = Post(self._hosts, host, self._call_timeout)
        return post

    # Hosts that are gone

    def _host_died(self, salon: SalonId, host: HostName) -> None:
        """Its whole hot set moves at once, not only this salon, which may have gone elsewhere meanwhile."""
        if self._routes.get(salon) == host:
            del self._routes[salon]
        if host not in self._dead:
            _log.warning("host_died", host=host)
            self._posts.pop(host, None)
            self._dead.add(host)
            self._start(self._give_up(host))

    async def _give_up(self, host: HostName) -> None:
        try:
            await self._leases.condemn(host, only_if_lapsed=False)
        except (RedisError, OSError) as fault:
            _log.warning("host_not_given_up", host=host, fault=repr(fault))
        else:
            await self.evacuate(host)
        finally:
            self._dead.discard(host)

    async def _evacuate(self, host: HostName) -> bool:
        self._posts.pop(host, None)
        for salon in [salon for salon, at in self._routes.items() if at == host]:
            del self._routes[salon]
        limit = asyncio.Semaphore(_MOVES_AT_ONCE)

        async def move(salon: SalonId) -> bool:
            async with limit:
                return await self._move(salon, host)

        # It may commit nothing more, and where the cluster is full its place is what its salons wait for.
        self._hosts.kill(host)
        try:
            moved = await asyncio.gather(*(move(salon) for salon in sorted(await self._leases.hot(host))))
            if all(moved):
                await self._leases.bury(host)
        except (RedisError, OSError) as fault:
            _log.warning("host_not_evacuated", host=host, fault=repr(fault))
            return False
        return all(moved)

    async def _move(self, salon: SalonId, host: HostName) -> bool:
        """Activate the salon elsewhere, if it is still `host`'s; False where that has to be tried again."""
        try:
            for _ in range(_LOOKS):
                # Also of a later release's salon: it is this process that cannot play it.
                head = await self._journal.head(salon, newer=True)
                if head is None or head.quarantine:
                    return True
                if not head.host:
                    return True  # it is nobody's, and waits for whoever asks
                place: HostName | None = HostName(head.host)
                standing = await self._leases.standing(HostName(head.host))
                if place == host or standing is Standing.GONE:
                    # Of another that is gone as well the salons may have been seen to before this one was given to it.
                    outcome = await self._activate(salon, head)
                    if outcome is not None and not isinstance(outcome, str):
                        break  # nobody has room for it
                    place = self._routes.get(salon)
                elif standing is Standing.SILENT:
                    return True  # it is in the hot set of that host, whose own end moves it on
                if place is None or place == host:
                    continue  # another was quicker, and says where it is now
                # Whoever activated it may have gone before it was loaded, and nobody would start its timer.
                if await self._starts.over(place, _START_PATIENCE):
                    return not isinstance(await self._admitted(place, salon), NotHere)
                break
        except (HostFault, LogFault, RedisError, OSError) as fault:
            _log.warning("salon_not_moved", salon=salon, fault=repr(fault))
        return False

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        _ = self._spawn(work)

    def _spawn(self, work: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
