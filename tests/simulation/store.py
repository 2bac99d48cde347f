"""The store as one process reaches it: the logs and the rest of Redis at the end of a wire that delays and fails.

A call that was sent takes effect whatever becomes of who sent it. One that is not answered may have taken effect
or not; who asked hears so late, or at once where the connection was refused.
"""

import asyncio
import copy
from collections.abc import Callable
from typing import Any

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.hand_record import HandRecord
from cluster.journal.log import (
    Activated,
    Appendix,
    Commit,
    Entry,
    Fenced,
    Gap,
    Head,
    Loaded,
    LogFault,
    Lost,
    Mend,
    Mended,
    Passivated,
    Passivation,
    Snapshot,
    WatchedNow,
)
from cluster.redis_door import ANSWER_TIMEOUT
from cluster.versions import UNSAID, Versions
from engine.units import HandNumber
from tests.cluster.memory_redis import Batch, MemoryRedis
from tests.simulation.logs import WitnessedJournal, at_once
from tests.simulation.timeline import Process, Timeline
from tests.simulation.weather import Weather

_OF_LOGS = frozenset(
    (
        "create",
        "activate",
        "append",
        "quarantine",
        "passivate",
        "let_go",
        "mend",
        "note_loss",
        "head",
        "load",
        "read",
        "snapshots",
        "hand",
    )
)
Note = Callable[[str, str, object], None]


class Store:
    """The servers behind the wires: the logs and the rest. `down` and `cut` are who gets no answer."""

    def __init__(
        self, loop: Timeline, weather: Weather, logs: WitnessedJournal, redis: MemoryRedis, note: Note
    ) -> None:
        self.loop = loop
        self.weather = weather
        self.logs = logs
        self.redis = redis
        self.note = note
        self.down = False
        """Connections are refused."""
        self.silent = False
        """It takes no call and answers none, as a server that was stopped."""
        self.failing_over = False
        """What is on its way is lost, with effect or without."""
        self.over = False
        self.cut: set[Process] = set()
        """Who cannot reach it."""
        self.half_cut: set[Process] = set()
        """Who reaches the logs alone: the connection of his lease hangs."""

    def keep(self) -> None:
        """Let a replica have everything as it is now."""
        self.logs.keep()
        redis = self.redis
        self._replica = copy.deepcopy((redis.sets, redis.sorted, redis.hashes, redis.texts))

    def fail_over(self) -> list[SalonId]:
        """Go on with what the replica has; answers the salons of which it has not the last commits."""
        redis = self.redis
        redis.sets, redis.sorted, redis.hashes, redis.texts = copy.deepcopy(self._replica)
        return self.logs.fail_over()

    def call(self, process: Process, kind: str, work: Callable[[], Any]) -> "asyncio.Future[Any]":
        """Have `work` done at the store, once."""
        future = self.loop.create_future()
        if self.over:
            _failed(future, RedisConnectionError("the schedule is over"))
        else:
            self.loop.after(self.weather.store_lag(), self._arrive, process, kind, work, future)
        return future

    def _arrive(self, process: Process, kind: str, work: Callable[[], Any], future: Any) -> None:
        if self.down:
            self._fail(future, RedisConnectionError("connection refused"), self.weather.store_lag())
            return
        if self.silent or process in self.cut or (process in self.half_cut and kind not in _OF_LOGS):
            self._fail(future, RedisTimeoutError("no answer"), ANSWER_TIMEOUT)
            return
        commits = kind == "append"
        if self.weather.strikes("commit timed out unwritten" if commits else "store call failed"):
            self._fail(future, RedisTimeoutError("no answer"), self.weather.until(ANSWER_TIMEOUT))
            return
        if self.failing_over and self.weather.rng.random() < 0.5:
            self._fail(future, RedisConnectionError("connection reset"), self.weather.store_lag())
            return
        answer = work()
        self.note(f"append {type(answer).__name__}" if commits else kind, process.name, answer)
        unheard = "commit timed out written" if commits else "store call answered too late"
        if self.failing_over or self.weather.strikes(unheard):
            self._fail(future, RedisTimeoutError("no answer"), self.weather.until(ANSWER_TIMEOUT))
            return
        self.loop.after(self.weather.store_lag(), self._answer, process, future, answer)

    def _answer(self, process: Process, future: Any, answer: Any) -> None:
        if self.silent or process in self.cut:
            self._fail(future, RedisTimeoutError("no answer"), ANSWER_TIMEOUT)
        elif not future.done():
            future.set_result(answer)

    def _fail(self, future: Any, error: Exception, after: float) -> None:
        self.loop.after(after, _failed, future, error)


def _failed(future: Any, error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # whoever waited may be dead, and hears nothing


class RemoteJournal:
    """The logs, as one process reaches them: what `cluster.journal.redis_journal.Journal` is over a real server."""

    def __init__(self, store: Store, process: Process) -> None:
        self._store = store
        self._process = process
        self._logs = store.logs

    async def create(self, first: Commit) -> Appendix:
        answer: Appendix = await self._ask("create", lambda: at_once(self._logs.create(first)))
        return answer

    async def activate(
        self, salon: SalonId, seen: Epoch, host: str, *, made: Seq = Seq(0), needs: Versions = UNSAID
    ) -> Activated | Lost:
        """All processes here are of one version, so that it does not matter what is needed."""
        told = self._logs.told_to(self._process, salon)

        def work() -> Activated | Lost:
            return self._logs.activate_for(told, salon, seen, host, made=made)

        answer: Activated | Lost = await self._ask("activate", work)
        return answer

    async def append(self, commit: Commit) -> Appendix:
        work = self._logs.append_by
        answer: Appendix = await self._ask("append", lambda: work(self._process, commit))
        self._logs.acknowledged(commit.salon, answer)
        return answer

    async def quarantine(self, salon: SalonId, epoch: Epoch, why: str) -> bool:
        answer: bool = await self._ask(
            "quarantine", lambda: at_once(self._logs.quarantine(salon, epoch, why))
        )
        return answer

    async def passivate(self, rest: Passivation) -> Passivated | WatchedNow | Fenced | Gap:
        answer: Passivated | WatchedNow | Fenced | Gap = await self._ask(
            "passivate", lambda: at_once(self._logs.passivate(rest))
        )
        return answer

    async def mend(self, mend: Mend) -> Mended | Fenced | Gap:
        answer: Mended | Fenced | Gap = await self._ask("mend", lambda: at_once(self._logs.mend(mend)))
        return answer

    async def note_loss(self, salon: SalonId, epoch: Epoch, last: Seq) -> bool:
        work = self._logs.note_loss
        answer: bool = await self._ask("note_loss", lambda: at_once(work(salon, epoch, last)))
        return answer

    async def let_go(self, salon: SalonId, epoch: Epoch) -> bool:
        answer: bool = await self._ask("let_go", lambda: at_once(self._logs.let_go(salon, epoch)))
        return answer

    def told(self, message: bytes) -> Entry | None:
        return self._logs.told(message)

    async def head(self, salon: SalonId, *, newer: bool = False) -> Head | None:
        answer: Head | None = await self._ask("head", lambda: at_once(self._logs.head(salon)))
        return answer

    async def load(self, salon: SalonId) -> Loaded | None:
        answer: Loaded | None = await self._ask("load", lambda: at_once(self._logs.load(salon)))
        return answer

    async def read(self, salon: SalonId, after: tuple[Epoch, Seq], count: int = 256) -> list[Entry]:
        answer: list[Entry] = await self._ask("read", lambda: at_once(self._logs.read(salon, after, count)))
        return answer

    async def snapshots(self, salon: SalonId) -> list[Snapshot]:
        answer: list[Snapshot] = await self._ask("snapshots", lambda: at_once(self._logs.snapshots(salon)))
        return answer

    async def hand(self, salon: SalonId, hand: HandNumber) -> HandRecord | None:
        answer: HandRecord | None = await self._ask("hand", lambda: at_once(self._logs.hand(salon, hand)))
        return answer

    async def _ask(self, kind: str, work: Callable[[], Any]) -> Any:
        try:
            return await self._store.call(self._process, kind, work)
        except (RedisConnectionError, RedisTimeoutError) as error:
            raise LogFault(repr(error)) from error


class RemoteRedis:
    """The rest of Redis, as one process reaches it: each command of the twin in memory at the end of the wire."""

    connection_pool = MemoryRedis.connection_pool

    def __init__(self, store: Store, process: Process) -> None:
        self._store = store
        self._process = process

    def pipeline(self, *, transaction: bool) -> Batch:
        """Commands that travel together."""
        return Batch(
            self._store.redis,
            lambda work: self._store.call(self._process, "pipeline", lambda: at_once(work())),
        )

    def __getattr__(self, command: str) -> Callable[..., Any]:
        work = getattr(self._store.redis, command)

        def call(*args: Any, **options: Any) -> "asyncio.Future[Any]":
            return self._store.call(self._process, command, lambda: at_once(work(*args, **options)))

        self.__dict__[command] = call
        return call
