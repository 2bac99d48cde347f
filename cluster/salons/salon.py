"""A salon: one table, run by its log. Knows neither Ray nor Redis.

Crash contract: nothing is answered, timed, asked of a bot or listed before its commit is in the log, so that
whoever loads the log goes on where this one was. There is one commit in flight, and the table in memory is
always the table after the last commit; where that is in doubt it is dropped and read again. A refusal is a
value. A log that does not answer is a fault: UNAVAILABLE. Anything else that is raised is a bug: it is
logged under an incident, and this salon alone is read again; at the third in a row it is quarantined. What is kept of
this when the log is in doubt stands in `tenure`.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, assert_never

import structlog

from cluster.envelope import (
    Accepted,
    Answer,
    Envelope,
    Epoch,
    Refused,
    RequestReused,
    SalonId,
    Seq,
    Unavailable,
)
from cluster.journal.log import (
    Activated,
    Appended,
    Appendix,
    Duplicate,
    Fenced,
    Gap,
    Loaded,
    Passivated,
    Reused,
    WatchedNow,
)
from cluster.lobby import Row, row_of
from cluster.routing.hosts import HostAnswer, NotHere
from cluster.routing.leases import HostName
from cluster.salons.bot_turns import BotTurns, still_open
from cluster.salons.house import BotTurn, House
from cluster.salons.memory import Memory, Origin, digest_of, in_hand
from cluster.salons.outages import DUES, heard
from cluster.salons.passivation import wakes_at
from cluster.salons.resting import Resting
from cluster.salons.spoken import too_late, view_for
from cluster.salons.tenure import RETRY_MS, Tenure
from engine.alarms import next_alarm
from engine.commands import Command, Sweep, TurnCommand
from engine.decide import Decision, decide
from engine.refusals import Refusal
from engine.table import Table
from engine.units import Millis
from engine.view import TableView

_AGAIN: Final = 1.0
"""Seconds before a salon asks itself again for what it refused itself."""
_UNWATCHED: Final = 60.0
"""Seconds between two looks at what time makes due where no hand starts because nobody is there."""
_log = structlog.get_logger()


class Salon(Tenure):
    """One activation of a salon. Of one event loop; `close` it to be rid of its timer and its bots."""

    def __init__(self, salon: SalonId, house: House, *, made: Seq = Seq(0)) -> None:
        """See `Tenure`."""
        super().__init__(salon, house, made=made)
        self._timer: asyncio.TimerHandle | None = None
        self._held_until = float("-inf")
        self._resting = Resting(salon, house, lambda: self._spawn(self._rest()))
        self._bots = BotTurns(salon, house, self._act)

    async def handle(self, envelopes: Sequence[Envelope]) -> list[HostAnswer]:
        """Answer envelopes in their order, each after its commit."""
        async with self._lock:
            self._resting.used()
            answers = [await self._answer(envelope) for envelope in envelopes]
            if self._memory and self._memory.table.over:
                self._wind_up()  # it was loaded for these answers alone
            return answers

    # Leaving

    @property
    def between_hands(self) -> bool:
        """Whether it is loaded and no hand is on."""
        return self._memory is not None and not in_hand(self._memory.table)

    def hold(self, until: float) -> None:
        """Start no hand before `until`, by the clock of its loop: the salon is about to be handed over."""
        self._held_until = until

    async def hand_over(self, to: HostName, *, mid_hand: bool) -> bool:
        """Give the salon to another host after the commit that is in flight, and drop it; False where it stays.

        It stays where a hand is on, unless `mid_hand`, and where the log is just being read. Raises LogFault: it
        went or it did not, and is read again.
        """
        async with self._lock:
            memory = self._memory
            if memory is None or not (mid_hand or self.between_hands):
                return False
            try:
                if not await self._holds(memory):
                    return False
                outcome = await self._house.log.activate(self._salon, memory.epoch, to, made=memory.seq)
            except BaseException:
                self._doubt()
                raise
            # Also where another was quicker: it is another's now.
            self._give_up("handed over")
            return isinstance(outcome, Activated)

    # Beginning

    async def _go_on_from(self, memory: Memory, loaded: Loaded) -> None:
        """Go on with what was read.

        What time made due while nobody ran the salon goes before any command; and who lost time by it gets that back.
        """
        self._resting.used()
        since = await self._outages.end(memory, loaded.head)
        if loaded.loss is not None:
            # Where that is not done, whoever begins next could not tell since when.
            self._outages.begin(since)
            if not self._fares(await self._accept(memory, loaded.loss, self._house.clock.now())):
                return
        await self._make_good(memory, since)
        if self._memory is memory and 0 < wakes_at(memory.table) <= self._house.clock.now():
            await self._do(memory, Sweep())
        if self._memory is memory:
            self._outages.made_good()
            self._go_on(memory)
            self._resting.look_later()

    def _stand_still(self) -> None:
        self._bots.forget()
        self._resting.cancel()
        self._ring_in(None)

    # Outages

    async def excuse(self, since: Millis) -> None:
        """Make good that nobody could play here since then, to all who lost time by it; it goes on from now."""
        async with self._lock:
            if self._memory:
                await self._guarded(self._make_good(self._memory, since))
            else:
                self._outages.begin(since)

    async def _make_good(self, memory: Memory, since: Millis) -> bool:
        """Give back what was lost since then; False where that is nothing."""
        owed = False
        since = self._outages.owed(since)
        for due in DUES:
            now = self._house.clock.now()
            decision = due(memory, since, now) if self._memory is memory else None
            if decision is not None:
                self._settled(await self._commit(memory, decision, Origin(), now))
                owed = True
        if owed:
            self._outages.made_good()
        return owed

    # Resting

    def _wind_up(self) -> None:
        """Leave a salon that is over to its log: whoever asks all the same has it loaded again."""
        if self._house.idle:
            self._resting.look_again()
        else:
            self._give_up("over")

    async def _rest(self) -> None:
        """Let nobody run the salon any more, if it is over or has been idle long enough."""
        async with self._lock:
            if self._memory and self._resting.due(self._memory.table):
                await self._guarded(self._passivate(self._memory))

    async def _passivate(self, memory: Memory) -> None:
        """Leave the salon to its log. What comes meanwhile waits for the lock, and then for its next activation."""
        outcome = await self._resting.begin(memory)
        match outcome:
            case Passivated():
                self._give_up("passivated")
            case WatchedNow() if memory.table.over:
                self._give_up("over")
            case WatchedNow():
                self._resting.look_later()
            case Fenced() | Gap():
                if await self._mend(memory):
                    self._resting.look_again()
            case _:
                assert_never(outcome)

    # Answering

    async def _answer(self, envelope: Envelope) -> HostAnswer:
        memory = self._memory
        if memory is None:
            return NotHere()
        return await self._guarded(self._judge(memory, envelope))

    async def _judge(self, memory: Memory, envelope: Envelope) -> HostAnswer:
        command, player = envelope.command, envelope.player
        if command is None:
            return await self._look(memory, envelope)
        origin = Origin(
            player, envelope.request_id, digest_of(command), in_turn=isinstance(command, TurnCommand)
        )
        known = memory.reply(player, envelope.request_id)
        if known and known.digest != origin.digest:
            return RequestReused()
        if known:
            return self._accepted(memory, envelope, known.epoch, known.seq)
        late = too_late(envelope, memory.table)
        if late:
            return Refused(late) if await self._holds(memory) else NotHere()
        answer = await self._execute(memory, command, origin)
        if isinstance(answer, Appended | Duplicate):
            return self._accepted(memory, envelope, answer.epoch, answer.seq)
        return answer

    async def _look(self, memory: Memory, envelope: Envelope) -> HostAnswer:
        """Answer from memory, if it is still the last word; and see whether a hand may start now."""
        if not await self._holds(memory):
            return NotHere()
        self._arm(memory)
        return self._accepted(memory, envelope, memory.epoch, memory.seq)

    def _accepted(self, memory: Memory, envelope: Envelope, epoch: Epoch, seq: Seq) -> Accepted:
        """The answer; with the view only where that is as it was after the commit, which is what a view says of itself."""
        current = (epoch, seq) == (memory.epoch, memory.seq)
        view = view_for(memory.table, envelope.player) if envelope.wants_view and current else None
        return Accepted(epoch, seq, view)

    # Committing

    async def _execute(
        self, memory: Memory, command: Command, origin: Origin
    ) -> Appended | Duplicate | Answer | NotHere:
        """Decide, commit, and only then let it be so."""
        now = self._house.clock.now()
        decision = decide(memory.table, command, now=now)
        if isinstance(decision, Refusal):
            return Refused(decision) if await self._holds(memory) else NotHere()
        return self._settled(await self._commit(memory, decision, origin, now))

    async def _commit(self, memory: Memory, decision: Decision, origin: Origin, now: Millis) -> Appendix:
        step = await memory.step(self._salon, decision, origin, at=now, log=self._house.log)
        outcome = await self._house.log.append(step.commit)
        if isinstance(outcome, Gap | Fenced) and await self._mend(memory):
            step = await memory.step(self._salon, decision, origin, at=now, log=self._house.log)
            outcome = await self._house.log.append(step.commit)
        if isinstance(outcome, Appended):
            memory.advance(step, outcome.chain)
            self._breaks = self._readings = 0
            self._resting.used()
            self._go_on(memory)
            if memory.table.over:
                self._wind_up()
        return outcome

    def _settled(self, outcome: Appendix) -> Appended | Duplicate | Answer | NotHere:
        match outcome:
            case Appended():
                return outcome
            case Fenced():
                self._give_up("fenced")
                return NotHere()
            case Duplicate():
                self._doubt()
                return outcome
            case Reused():
                self._doubt()
                return RequestReused()
            case Gap():
                self._doubt()
                return Unavailable(RETRY_MS, "the log is further than this salon: it reads it again")
            case _:
                assert_never(outcome)

    # Going on: timer, bots, lobby

    def _go_on(self, memory: Memory) -> None:
        self._house.changed(self._salon, lambda: self._row(memory))
        self._arm(memory)
        asking = self._bots.due(memory.table)
        if asking is not None:
            self._spawn(asking)

    def _row(self, memory: Memory) -> Row:
        return row_of(memory.table, self._salon, memory.epoch, memory.seq, memory.opened_at)

    def _arm(self, memory: Memory) -> None:
        """Set the one timer to what time makes due first."""
        alarm = next_alarm(memory.table)
        self._ring_in(None if alarm is None else max(0, alarm.at - self._house.clock.now()) / 1000)

    def _ring_in(self, seconds: float | None) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, lambda: self._spawn(self._ring()))

    async def _ring(self) -> None:
        async with self._lock:
            if self._memory:
                await self._guarded(self._do_due(self._memory))

    async def _do_due(self, memory: Memory) -> None:
        """Do what is due. A timer that rings early, late or twice does nothing wrong: the table says what is due."""
        alarm = next_alarm(memory.table)
        if alarm is None or alarm.at > self._house.clock.now():
            self._arm(memory)
            return
        command: Command | None = alarm.command
        if await self._make_good(memory, heard(self._house)):
            return
        held = asyncio.get_running_loop().time() < self._held_until
        if command is None and not held and await self._may_start(memory.table):
            command = self._house.hand_start()
        if not await self._do(memory, command or Sweep()):
            # Refused: nothing was due after all, or no hand may start and nothing else is due.
            self._ring_in(_AGAIN if command or held else _UNWATCHED)

    async def _do(self, memory: Memory, command: Command) -> bool:
        """Execute a command of the salon's own; False where it changed nothing."""
        answer = await self._execute(memory, command, Origin())
        if isinstance(answer, Refused) and not isinstance(command, Sweep):
            _log.warning("salon_refused_itself", salon=self._salon, text=answer.refusal.text)
        return not isinstance(answer, Refused)

    async def _may_start(self, table: Table) -> bool:
        """Whether a hand may start: not one of bots alone that nobody sees, unless the salon plays unwatched."""
        if table.settings.plays_unwatched:
            return True
        if any(player is not None and player.level is None for player in table.players):
            return True
        return await self._house.watched(self._salon)

    async def _act(self, view: TableView, turn: BotTurn, origin: Origin) -> Refused | None:
        """Execute a bot's command by the path of every command, if the view's turn is still the turn."""
        async with self._lock:
            memory = self._memory
            if memory is None or not still_open(memory.table, view):
                return None
            answer = await self._guarded(self._execute_bot(memory, turn, origin))
            return answer if isinstance(answer, Refused) else None

    async def _execute_bot(self, memory: Memory, turn: BotTurn, origin: Origin) -> HostAnswer | None:
        answer = await self._execute(memory, turn.command, origin)
        return None if isinstance(answer, Appended | Duplicate) else answer
