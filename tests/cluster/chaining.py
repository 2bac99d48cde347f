"""A journal for tests that write commits by hand: it chains them as whoever holds a salon does."""

from redis.asyncio import Redis

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


class ChainingJournal(Journal):
    """The real journal, and the chain of each salon's last commit that went through it."""

    def __init__(self, redis: Redis) -> None:
        super().__init__(redis)
        self.chains: dict[SalonId, bytes] = {}

    async def create(self, first: Commit) -> Appendix:
        return self._kept(first, await super().create(first))

    async def append(self, commit: Commit) -> Appendix:
        chain = self.chains.get(commit.salon, b"")
        return self._kept(commit, await super().append(changed(commit, chain=chain)))

    async def passivate(self, rest: Passivation) -> Passivated | WatchedNow | Fenced | Gap:
        return await super().passivate(changed(rest, chain=self.chains.get(rest.salon, b"")))

    async def mend(self, mend: Mend) -> Mended | Fenced | Gap:
        outcome = await super().mend(mend)
        if isinstance(outcome, Mended):
            self.chains[mend.salon] = outcome.chain
        return outcome

    def _kept(self, commit: Commit, outcome: Appendix) -> Appendix:
        if isinstance(outcome, Appended):
            self.chains[commit.salon] = outcome.chain
        return outcome
