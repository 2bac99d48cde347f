"""The ground that everything of one schedule stands on: its time, its chance, its store, and what is written down of it."""

from collections import Counter
from random import Random
from typing import Any

from cluster.clock import RedisClock
from cluster.envelope import SalonId
from cluster.routing.drains import NodeId
from cluster.salons.house import BotDesk
from engine.cards import FULL_DECK
from engine.commands import LOTS, StartHand
from engine.events import HandEnded, HandStarted, HandVoided, SalonEnded, TimedOut
from engine.units import Millis
from tests.cluster.memory_redis import MemoryRedis
from tests.simulation.logs import WitnessedJournal
from tests.simulation.store import Store
from tests.simulation.timeline import Process, Timeline
from tests.simulation.weather import Weather
from tests.simulation.witness import Witness

_COUNTED = (HandStarted, HandEnded, HandVoided, TimedOut, SalonEnded)
_MIDNIGHT = 1_700_000_000
"""Seconds since the Unix epoch at which the timeline's zero is."""


class Ground:
    """One schedule's. Everything that is drawn comes from `rng`, in an order that the seed alone decides."""

    bots: BotDesk

    def __init__(self, seed: int, *, traced: bool = False) -> None:
        self.rng = Random(seed)
        self.loop = Timeline()
        self.counts: Counter[str] = Counter()
        """What happened, how often."""
        self.trace: list[tuple[Any, ...]] = []
        """What happened, in its order: the same in every run of the seed."""
        self.diary: list[tuple[float, str, str, object]] | None = [] if traced else None
        """The same for a reader, with what was answered."""
        self.violations: list[str] = []
        self.moves: list[Any] = []
        """Who is told of a commit: callables that take its salon and seq."""
        self.weather = Weather(self.rng, self.counts)
        self.witness = Witness(self.violate, self._moved)
        self.ahead = 0
        """Milliseconds by which the store's clock was put."""
        logs = WitnessedJournal(self.witness, self.millis, self.is_watched)
        self.store = Store(self.loop, self.weather, logs, MemoryRedis(self.millis), self.note)
        self.cut: set[tuple[str, str]] = set()
        """Gateways and hosts between which nothing arrives."""
        self.viewers: dict[str, set[SalonId]] = {}
        """What is watched through each gateway."""
        self.nodes = {NodeId(f"n{at}"): self.rng.randint(2, 4) for at in range(1, 1 + self.rng.randint(1, 3))}
        self.preempted: dict[NodeId, Millis] = {}
        """The nodes that Ray drains, and by when."""
        self.idle = Millis(self.rng.choice((0, 300, 1_000)))
        self.spares = self.rng.choice((0, 0, 1))
        self.salons_per_host = self.rng.randint(1, 3)
        self.unborn = self.rng.choice((0.0, 0.0, 0.1))
        """How likely a host is never to start."""
        self._slow_starts = self.rng.random() < 0.2

    def millis(self) -> int:
        """The store's time in milliseconds since the Unix epoch."""
        return int((self.loop.now + _MIDNIGHT) * 1_000) + self.ahead

    def note(self, kind: str, who: str, what: object) -> None:
        """Write down that something happened."""
        self.counts[kind] += 1
        self.trace.append((self.loop.now, kind, who, type(what).__name__))
        if self.diary is not None:
            self.diary.append((self.loop.now, kind, who, what))

    def violate(self, what: str) -> None:
        """Write down that something happened that must not."""
        if not self.store.over:
            self.violations.append(f"{self.loop.now - 1_000:.3f} s: {what}")

    def process(self, name: str) -> Process:
        """A process with a clock of its own."""
        skew, rate = self.rng.uniform(-500, 500), 1 + self.rng.uniform(-1e-3, 1e-3)
        return Process(self.loop, name, skew=skew, rate=rate)

    def clock(self, redis: Any, process: Process) -> RedisClock:
        """The log's clock of a process, up to a minute wrong until it has asked."""
        clock = RedisClock(redis, monotonic=process.monotonic)
        clock._offset = self.millis() / 1_000 - process.monotonic() + self.rng.uniform(-60, 0)
        return clock

    def hand_start(self) -> StartHand:
        """A deck and a lot of the schedule's chance."""
        deck = list(FULL_DECK)
        self.rng.shuffle(deck)
        return StartHand(tuple(deck), self.rng.randrange(LOTS))

    def start_lag(self) -> float:
        """Seconds until a new host's process is there."""
        return self.rng.uniform(0.5, 6.0) if self._slow_starts else self.rng.uniform(0.02, 0.6)

    async def watched(self, salon: SalonId) -> bool:
        """Whether anybody watches."""
        return self.is_watched(salon)

    def is_watched(self, salon: SalonId) -> bool:
        """Whether anybody watches."""
        return any(salon in salons for salons in self.viewers.values())

    def _moved(self, salon: SalonId) -> None:
        chronicle = self.witness.salons[salon]
        self.trace.append((self.loop.now, "commit", salon, chronicle.seq))
        if self.diary is not None:
            self.diary.append((self.loop.now, "commit", salon, chronicle.commits[-1]))
        last = chronicle.commits[-1]
        for event in last.events if last else ():
            if isinstance(event, _COUNTED):
                self.counts[f"event {type(event).__name__}"] += 1
        for tell in self.moves:
            tell(salon, chronicle.seq)
