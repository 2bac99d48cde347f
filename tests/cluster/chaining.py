"""Journals for tests that write commits by hand: they chain them as whoever holds a salon does."""

from typing import Any

from cluster.envelope import SalonId
from cluster.journal.log import (
    Appended,
    Appendix,
    Commit,
    Fenced,
    Gap,
    Mend,
    Mended,
    Passivated,
    Passivation,
    WatchedNow,
)
from cluster.journal.redis_journal import Journal
from engine.value import changed
from tests.cluster.memory_journal import MemoryJournal


class _Chaining:
    """Before a log in the order of classes: the chain of each salon's last commit that went through it."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.chains: dict[SalonId, bytes] = {}
        self._log: Any = super()

    async def create(self, first: Commit) -> Appendix:
        return self._kept(first, await self._log.create(first))

    async def append(self, commit: Commit) -> Appendix:
        chain = self.chains.get(commit.salon, b"")
        return self._kept(commit, await self._log.append(changed(commit, chain=chain)))

    async def passivate(self, rest: Passivation) -> Passivated | WatchedNow | Fenced | Gap:
        chained = changed(rest, chain=self.chains.get(rest.salon, b""))
        outcome: Passivated | WatchedNow | Fenced | Gap = await self._log.passivate(chained)
        return outcome

    async def mend(self, mend: Mend) -> Mended | Fenced | Gap:
        outcome: Mended | Fenced | Gap = await self._log.mend(mend)
        if isinstance(outcome, Mended):
            self.chains[mend.salon] = outcome.chain
        return outcome

    def _kept(self, commit: Commit, outcome: Appendix) -> Appendix:
        if isinstance(outcome, Appended):
            self.chains[commit.salon] = outcome.chain
        return outcome


class ChainingJournal(_Chaining, Journal):
    """The real journal."""


class ChainingMemory(_Chaining, MemoryJournal):
    """The one in memory."""
