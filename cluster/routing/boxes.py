"""Boxes: each salon's letters, one batch at a time, in the order in which they came.

Law of this file: a letter is answered once, at the latest when its patience ends; a salon has at most one batch
under way, since hosts' answers to two might cross. The next one sets off in the turn of the loop in which the
last came back.
"""

import asyncio
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog

from cluster.envelope import Accepted, Answer, Broken, Envelope, SalonId, Seq, Unavailable
from cluster.journal.log import REPLIES_KEPT
from cluster.routing.hosts import HostAnswer, NotHere, Slow
from cluster.routing.leases import HostName
from engine.units import PlayerId

_RETRY_MS: Final = 500
_MOST_IN_A_BATCH: Final = 64
_log = structlog.get_logger()

Sent = tuple[HostName, "asyncio.Future[list[HostAnswer]]"]
"""To which host a batch went, and its answers to come."""


@dataclass(frozen=True, slots=True)
class Letter:
    """An envelope, and its answer to come; it is done where nobody waits for it any more."""

    envelope: Envelope
    answer: "asyncio.Future[Answer]"


@dataclass(slots=True)
class _Box:
    """One salon's letters, from the first until all have their answers."""

    waiting: list[Letter]
    under_way: Sequence[Letter] = ()


class Boxes:
    """The letters of one process, of one event loop."""

    def __init__(
        self,
        set_off: Callable[[SalonId, Sequence[Letter]], Sent | None],
        deliver: Callable[[SalonId, list[Letter], Sent | None], Awaitable[None]],
        heard: Callable[[SalonId, Seq], None],
    ) -> None:
        """`set_off` sends a batch where it is known where to.

        `deliver` answers every letter of a batch in whatever way it takes; it gets what `set_off` led to.
        `heard` is told of each commit that a letter is answered with.
        """
        self._set_off = set_off
        self._deliver = deliver
        self._heard = heard
        self._boxes: dict[SalonId, _Box] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        """Salons with letters that are not answered."""
        return len(self._boxes)

    async def call(self, salon: SalonId, envelopes: Sequence[Envelope], patience: float) -> list[Answer]:
        """An answer for each envelope; after `patience` seconds UNAVAILABLE.

        Raises:
            ValueError: a command has no request_id, without which it could be executed twice.
        """
        if any(envelope.command is not None and not envelope.request_id for envelope in envelopes):
            raise ValueError("an envelope with a command needs a request_id")
        loop = asyncio.get_running_loop()
        letters = [Letter(envelope, loop.create_future()) for envelope in envelopes]
        expiry = loop.call_later(patience, _expire, letters)
        box = self._boxes.get(salon)
        if box is None:
            # A list of its own: the box grows and shrinks while this call waits for its letters.
            self._boxes[salon] = _Box(list(letters))
            self._send_on(salon)
        else:
            box.waiting.extend(letters)
        try:
            return [await letter.answer for letter in letters]
        finally:
            expiry.cancel()
            for letter in letters:
                letter.answer.cancel()  # of a caller who has gone: nobody tries any longer

    def handed_out(
        self, letters: Sequence[Letter], answers: Sequence[HostAnswer]
    ) -> tuple[list[Letter], bool]:
        """Give each letter its answer; what is left are those without a last word, and whether it takes long."""
        left = []
        for letter, answer in zip(letters, answers, strict=True):
            if isinstance(answer, NotHere | Slow | Unavailable):
                left.append(letter)
                continue
            if isinstance(answer, Accepted):
                self._heard(letter.envelope.salon, answer.seq)
            if not letter.answer.done():
                letter.answer.set_result(answer)
        return left, any(isinstance(answer, Slow) for answer in answers)

    async def close(self) -> None:
        """Answer nothing more; callers are cancelled."""
        for box in self._boxes.values():
            for letter in (*box.under_way, *box.waiting):
                letter.answer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _send_on(self, salon: SalonId) -> None:
        """Send the salon's next batch; without one the box is gone."""
        box = self._boxes[salon]
        box.waiting = [letter for letter in box.waiting if not letter.answer.done()]
        batch = box.under_way = _first_batch(box.waiting)
        del box.waiting[: len(batch)]
        if not batch:
            del self._boxes[salon]
            return
        sent = self._set_off(salon, batch)
        if sent is None:
            self._start(self._take_around(salon, batch, None))
        else:
            sent[1].add_done_callback(lambda _: self._came_back(salon, batch, sent))

    def _came_back(self, salon: SalonId, batch: list[Letter], sent: Sent) -> None:
        """Go on to the next batch where each letter of this one has its last word."""
        _, answers = sent
        if answers.cancelled() or answers.exception() or any(map(_is_open, answers.result())):
            self._start(self._take_around(salon, batch, sent))
        else:
            self.handed_out(batch, answers.result())
            self._send_on(salon)

    async def _take_around(self, salon: SalonId, batch: list[Letter], sent: Sent | None) -> None:
        try:
            await self._deliver(salon, batch, sent)
        except Exception as bug:  # noqa: BLE001 - a bug here must not leave a caller without an answer
            incident = uuid.uuid4().hex[:12]
            _log.error("delivery_broke", salon=salon, incident=incident, bug=type(bug).__name__)
            answer_all(batch, Broken(incident))
        self._send_on(salon)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def answer_all(letters: Sequence[Letter], answer: Answer) -> None:
    """Answer those that have no answer yet."""
    for letter in letters:
        if not letter.answer.done():
            letter.answer.set_result(answer)


def _is_open(answer: HostAnswer) -> bool:
    return isinstance(answer, NotHere | Slow | Unavailable)


def _first_batch(letters: Sequence[Letter]) -> list[Letter]:
    """The letters that go together: of one player no more than the salon remembers, since they may be sent twice."""
    counts: Counter[PlayerId] = Counter()
    for at, letter in enumerate(letters[:_MOST_IN_A_BATCH]):
        player = letter.envelope.player
        counts[player] += 1
        if counts[player] > REPLIES_KEPT:
            return list(letters[:at])
    return list(letters[:_MOST_IN_A_BATCH])


def _expire(letters: Sequence[Letter]) -> None:
    answer_all(letters, Unavailable(_RETRY_MS, "the salon did not answer in time; the outcome is unknown"))
