"""The store's logs, with a witness beside them. Everything here happens at once; the wires in front bring delays."""

import copy
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import (
    Activated,
    Appended,
    Appendix,
    Commit,
    Fenced,
    Gap,
    Lost,
    Mend,
    Mended,
    Passivated,
    Passivation,
    WatchedNow,
)
from engine.events import Event
from tests.cluster.memory_journal import MemoryJournal
from tests.simulation.timeline import Process
from tests.simulation.witness import Witness

T = TypeVar("T")


class WitnessedJournal(MemoryJournal):
    """A memory journal whose every write is witnessed. `time` answers milliseconds since the Unix epoch."""

    def __init__(self, witness: Witness, time: Callable[[], int], watched: Callable[[SalonId], bool]) -> None:
        super().__init__()
        self._witness = witness
        self._time = time
        self._watched = watched
        self._stored: tuple[Event, ...] = ()
        """Of the last commit, as the log has them."""
        self._replica: dict[SalonId, Any] = {}

    async def create(self, first: Commit) -> Appendix:
        self.now = self._time()
        outcome = await super().create(first)
        if isinstance(outcome, Appended):
            stored = self.salons[first.salon].entries[-1].events
            self._witness.created(first, outcome.epoch, stored)
        return outcome

    async def activate(
        self, salon: SalonId, seen: Epoch, host: str, *, made: Seq = Seq(0)
    ) -> Activated | Lost:
        self.now = self._time()
        return await super().activate(salon, seen, host, made=made)

    def activate_for(
        self, told: Seq, salon: SalonId, seen: Epoch, host: str, *, made: Seq
    ) -> Activated | Lost:
        """Activate for one who was told of commit `told`, whatever he says."""
        outcome = at_once(self.activate(salon, seen, host, made=made))
        if isinstance(outcome, Activated):
            self._witness.activated(salon, outcome.epoch, told)
        return outcome

    async def append(self, commit: Commit) -> Appendix:
        outcome = self._append(commit)
        if isinstance(outcome, Appended):
            self._witness.committed(commit, commit.epoch, self._stored)
        return outcome

    async def passivate(self, rest: Passivation) -> Passivated | WatchedNow | Fenced | Gap:
        self.salons[rest.salon].watched = self._watched(rest.salon)
        outcome = await super().passivate(rest)
        if isinstance(outcome, Passivated):
            self._witness.passivated(rest.salon, rest.epoch)
        return outcome

    async def mend(self, mend: Mend) -> Mended | Fenced | Gap:
        outcome = await super().mend(mend)
        if isinstance(outcome, Mended):
            self._witness.mended(mend)
        return outcome

    def append_by(self, process: Process, commit: Commit) -> Appendix:
        """Append for a process, which is the only one of the commit's epoch."""
        outcome = at_once(self.append(commit))
        if isinstance(outcome, Appended):
            self._witness.wrote(process, commit)
        return outcome

    def told_to(self, process: Process, salon: SalonId) -> Seq:
        """What a gateway was told of the salon."""
        return self._witness.told_to(process, salon)

    def acknowledged(self, salon: SalonId, answer: Appendix) -> None:
        """Whoever sent a commit hears what became of it."""
        self._witness.acknowledged(salon, answer)

    def keep(self) -> None:
        """Let a replica have the logs as they are now."""
        self._replica = copy.deepcopy(self.salons)

    def fail_over(self) -> list[SalonId]:
        """Go on with what the replica has; answers the salons of which it has not the last commits."""
        lost = [salon for salon, log in self.salons.items() if log != self._replica[salon]]
        for salon in lost:
            self.salons[salon] = copy.deepcopy(self._replica[salon])
            self._witness.rewound(salon, self.salons[salon].epoch, self.salons[salon].seq)
        return lost

    def _enter(self, salon: Any, commit: Commit) -> None:
        super()._enter(salon, commit)
        self._stored = salon.entries[-1].events


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine answers that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        answer: T = done.value
        return answer
    raise AssertionError("it waits")
