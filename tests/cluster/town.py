"""A directory over hosts in this process, and who asks it."""

from typing import Any

from redis.asyncio import Redis

from cluster.envelope import Answer, Envelope, SalonId
from cluster.journal.log import Appended, replay
from cluster.journal.redis_journal import Journal
from cluster.routing.caretaker import Caretaker
from cluster.routing.directory import Directory
from cluster.routing.leases import Leases
from cluster.routing.placement import Placement, PlacementRules
from engine.commands import Command
from engine.table import Table
from engine.units import Millis, PlayerId
from tests.cluster.bench import HandClock
from tests.cluster.local_hosts import LocalHosts
from tests.cluster.salons import SALON, opening


class Town:
    """A directory over hosts in this process."""

    def __init__(self, store: Redis) -> None:
        self.store = store
        self.journal = Journal(store)
        self.leases = Leases(store)
        self.hosts = LocalHosts(store)
        self.directories: list[Directory] = []
        self.directory = self.another()

    def another(self, salons_per_host: int = 1) -> Directory:
        made = Directory(self.hosts, self.journal, self.leases, salons_per_host=salons_per_host)
        self.directories.append(made)
        return made

    async def stop(self) -> None:
        for directory in self.directories:
            await directory.close()
        await self.hosts.stop()

    async def opened(self, *salons: str, **settings: Any) -> None:
        seconds, _ = await self.store.time()
        for salon in salons or (SALON,):
            first = opening(salon=SalonId(salon), at=seconds * 1_000, **settings)
            assert isinstance(await self.journal.create(first), Appended)

    def caretaker(self, who: str = "me") -> Caretaker:
        """One that judges at once."""
        return Caretaker(self.leases, self.directory, who, lease=Millis(0))

    async def ask(
        self, command: Command | None, request_id: str = "", salon: str = SALON, patience: float = 10.0
    ) -> Answer:
        envelope = asked(command, request_id, salon)
        (answer,) = await self.directory.call(SalonId(salon), [envelope], patience=patience)
        return answer

    async def host(self, salon: str = SALON) -> str:
        head = await self.journal.head(SalonId(salon))
        assert head is not None
        return head.host

    async def table(self, salon: str = SALON) -> Table:
        """The table as the log says it is."""
        loaded = await self.journal.load(SalonId(salon))
        assert loaded is not None
        return replay(loaded)

    def placement(self, clock: HandClock | None = None, **rules: int) -> Placement:
        """One whose clocks stand at zero unless the test moves them; no spares and no balance unless asked for."""
        clock = clock or HandClock()
        return Placement(
            self.hosts,
            self.leases,
            self.directory,
            clock=clock,
            rules=PlacementRules(**{"spares": 0, "rebalance": 0, **rules}),
            monotonic=lambda: clock.now() / 1000,
        )


def asked(command: Command | None, request_id: str = "", salon: str = SALON) -> Envelope:
    player = PlayerId(getattr(command, "player", ""))
    return Envelope(SalonId(salon), player, request_id or f"r-{command}", command)
