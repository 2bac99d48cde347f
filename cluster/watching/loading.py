"""Loading: a salon's replica, made from its log as it is kept, which may be trimmed meanwhile."""

from typing import Final, Protocol

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import Entry, Head, LogFault, Snapshot
from cluster.watching.replica import Missing, Replica

PAGE: Final = 512
"""Entries that are read at a time."""
_TRIES: Final = 5


class Readable(Protocol):
    """What a feed needs of the salons' logs. Every method that waits raises LogFault where the log does not answer.

    And LogNewer, which is one, where a later version wrote what cannot be read here.
    """

    async def head(self, salon: SalonId) -> Head | None:
        """How far the log is; None where there is no such salon."""

    async def read(self, salon: SalonId, after: tuple[Epoch, Seq], count: int = 256) -> list[Entry]:
        """The entries behind `after`, oldest first. Raises LogCorrupt."""

    async def snapshots(self, salon: SalonId) -> list[Snapshot]:
        """The tables kept, newest first. Raises LogCorrupt."""

    def told(self, message: bytes) -> Entry | None:
        """The entry that a wake-up brings, None where it brings none that can be read."""


async def loaded(log: Readable, salon: SalonId) -> Replica | None:
    """The salon's replica; None where there is no such salon. Raises LogFault, LogCorrupt."""
    for _ in range(_TRIES):
        if await log.head(salon) is None:
            return None
        snapshots = await log.snapshots(salon)
        entries = await _entries(log, salon)
        try:
            return Replica(salon, snapshots, entries)
        except Missing:
            # The log was trimmed between the two reads: the newer snapshot is there now.
            continue
    raise LogFault(f"the log of salon {salon} was trimmed {_TRIES} times while it was read")


async def _entries(log: Readable, salon: SalonId) -> list[Entry]:
    entries: list[Entry] = []
    after = (Epoch(0), Seq(0))
    while True:
        page = await log.read(salon, after, PAGE)
        entries += page
        if len(page) < PAGE:
            return entries
        after = (page[-1].epoch, page[-1].seq)
