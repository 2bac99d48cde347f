"""Mutations: the product with one of its rules taken out, to see that the simulation misses it.

Each takes the rule out of a product function, or of the twin of a script, for as long as it is entered; nothing of
it is in the product.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Final
from unittest.mock import patch

from cluster.codec.refusals import refused
from cluster.envelope import Seq
from cluster.journal.log import Appended, Appendix, Commit, Entry, SalonLog
from cluster.routing.directory import Directory
from cluster.routing.leases import Leases
from cluster.salons.memory import Memory, Origin
from cluster.salons.salon import Salon
from cluster.watching import replica
from cluster.watching.feed import Feed
from cluster.watching.replica import Replica
from cluster.watching.watched import Watched
from croupier.v1 import refusal_pb2
from engine.decide import Decision
from engine.events import Audience
from engine.units import Millis
from engine.value import changed, value
from tests.cluster.memory_journal import MemoryJournal


def _fence() -> AbstractContextManager[object]:
    """A commit of any epoch is taken."""
    fenced = MemoryJournal._append

    def append(self: MemoryJournal, commit: Commit) -> Appendix:
        salon = self.salons[commit.salon]
        holds, salon.epoch = salon.epoch, commit.epoch
        try:
            return fenced(self, commit)
        finally:
            salon.epoch = holds

    return patch.object(MemoryJournal, "_append", append)


@contextmanager
def _dedupe() -> Iterator[None]:
    """Neither a salon nor its log knows a request again."""
    remembering = MemoryJournal._append

    def append(self: MemoryJournal, commit: Commit) -> Appendix:
        self.salons[commit.salon].replies.clear()
        return remembering(self, commit)

    with (
        patch.object(MemoryJournal, "_append", append),
        patch.object(Memory, "reply", lambda *_: None),
    ):
        yield


def _remember_answers() -> AbstractContextManager[object]:
    """A salon decides a request again whose answer it has; only the log knows it, and writes it once."""
    return patch.object(Memory, "reply", lambda *_: None)


def _vault() -> AbstractContextManager[object]:
    """What nobody may see is written by itself, after the rest was answered."""
    whole = MemoryJournal._enter

    def enter(self: MemoryJournal, salon: Any, commit: Commit) -> None:
        public = tuple(event for event in commit.events if event.AUDIENCE is not Audience.NOBODY)
        whole(self, salon, changed(commit, events=public))
        entry = salon.entries[-1]

        def write_vault() -> None:
            if entry in salon.entries:
                salon.entries[salon.entries.index(entry)] = changed(entry, events=commit.events)

        asyncio.get_running_loop().call_later(0.002, write_vault)

    return patch.object(MemoryJournal, "_enter", enter)


def _log_before_answer() -> AbstractContextManager[object]:
    """A salon lets a commit be so, and answers, while it is still on its way to the log."""

    async def commit(
        self: Salon, memory: Memory, decision: Decision, origin: Origin, now: Millis
    ) -> Appendix:
        step = await memory.step(self._salon, decision, origin, at=now, log=self._house.log)
        self._spawn(_sent(self._house.log, step.commit))
        memory.advance(step)
        self._go_on(memory)
        return Appended(step.commit.epoch, step.commit.seq)

    return patch.object(Salon, "_commit", commit)


async def _sent(log: SalonLog, commit: Commit) -> None:
    try:
        await log.append(commit)
    except Exception:  # noqa: BLE001 - nobody waits for it: that is the mutation
        return


def _detect_the_lost_tail() -> AbstractContextManager[object]:
    """A log takes a commit that does not follow its last one."""
    following = MemoryJournal._append

    def append(self: MemoryJournal, commit: Commit) -> Appendix:
        salon = self.salons[commit.salon]
        if commit.epoch == salon.epoch and commit.seq > salon.seq + 1:
            salon.seq, salon.chain = Seq(commit.seq - 1), commit.chain
        return following(self, commit)

    return patch.object(MemoryJournal, "_append", append)


def _say_how_far_it_was() -> AbstractContextManager[object]:
    """Who activates a salon does not say how far he was told that its log was."""
    return patch.object(Directory, "heard", lambda *_: None)


def _look_at_the_head() -> AbstractContextManager[object]:
    """A salon answers from its memory without asking whether it is still the salon's."""

    async def holds(*_: object) -> bool:
        return True

    return patch.object(Salon, "_holds", holds)


def _alarms_of_a_loaded_salon() -> AbstractContextManager[object]:
    """A salon that was loaded sets no timer."""
    load = Salon._load

    async def loaded(self: Salon) -> Any:
        answer = await load(self)
        self._ring_in(None)
        return answer

    return patch.object(Salon, "_load", loaded)


@contextmanager
def _hot_set() -> Iterator[None]:
    """Whoever finds a host dead finds none of its salons."""

    async def hot(*_: object) -> set[Any]:
        return set()

    with patch.object(Leases, "hot", hot):
        yield


def _own_cards() -> AbstractContextManager[object]:
    """The feed shows everybody every seat's cards."""
    return patch.object(replica, "sees", lambda event, _: event.AUDIENCE is not Audience.NOBODY)


def _own_turn() -> AbstractContextManager[object]:
    """The feed tells nobody that it is his turn."""
    return patch.object(replica, "_asked", lambda *_: None)


def _own_seat() -> AbstractContextManager[object]:
    """The feed shows those who hold a seat what spectators are shown."""
    return patch.object(Replica, "seated", lambda *_: False)


def _commit_by_commit() -> AbstractContextManager[object]:
    """The feed shows a table where a commit would do."""

    def take(self: Watched, entry: Entry, now: Millis) -> None:
        self.replica.advance(entry)
        for watcher in list(self.watchers):
            self._reseat(watcher, now)

    return patch.object(Watched, "take", take)


def _go_on_watching() -> AbstractContextManager[object]:
    """The feed lets go of its viewers where it must read the log anew."""

    def replaced(self: Watched, replica: Replica, _: Millis) -> None:
        self.replica = replica
        self.end_all(refused(refusal_pb2.REASON_FAULT, "it broke"))

    return patch.object(Watched, "replaced", replaced)


def _look_after_silence() -> AbstractContextManager[object]:
    """The feed relies on its wake-ups."""

    async def look_around(_: Feed) -> None:
        return

    return patch.object(Feed, "look_around", look_around)


@value
class Rule:
    """A rule of the product: `taken_out` lasts as long as it is entered, and `missed` is what the violation is then."""

    taken_out: Callable[[], AbstractContextManager[object]]
    missed: str


RULES: Final = {
    "fence": Rule(_fence, "fence:"),
    "dedupe": Rule(_dedupe, "twice:"),
    "remember answers": Rule(_remember_answers, "twice:"),
    "vault before deal": Rule(_vault, "vault:"),
    "log before answer": Rule(_log_before_answer, "lost:"),
    "detect the lost tail": Rule(_detect_the_lost_tail, "fork:"),
    "say how far it was": Rule(_say_how_far_it_was, "fork:"),
    "look at the head": Rule(_look_at_the_head, "lost:"),
    "alarms of a loaded salon": Rule(_alarms_of_a_loaded_salon, "liveness:"),
    "hot set": Rule(_hot_set, "liveness:"),
    "own cards": Rule(_own_cards, "secrets:"),
    "own turn": Rule(_own_turn, "secrets:"),
    "own seat": Rule(_own_seat, "secrets:"),
    "commit by commit": Rule(_commit_by_commit, "watching:"),
    "go on watching": Rule(_go_on_watching, "watching:"),
    "look after silence": Rule(_look_after_silence, "liveness:"),
}
"""What may be taken out, by its name."""


@contextmanager
def without(*rules: str) -> Iterator[None]:
    """The product without these rules."""
    with ExitStack() as stack:
        for rule in rules:
            stack.enter_context(RULES[rule].taken_out())
        yield
