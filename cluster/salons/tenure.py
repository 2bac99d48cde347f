"""A salon's tenure: what one activation knows of its table, as long as the log says that the salon is its own.

Law of this file: the table in memory is the table after the last commit. Where that is in doubt it is dropped, and
read again as soon as the log answers; where the log has lost what is known here, that is mended first.
"""

import asyncio
import traceback
import uuid
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any, Final, TypeVar, assert_never

import structlog

from cluster.envelope import Broken, SalonId, Seq, Unavailable
from cluster.journal.log import Loaded, LogCorrupt, LogFault, LogNewer, Loss
from cluster.routing.hosts import Admitted, NotHere, Refusing
from cluster.salons.house import House
from cluster.salons.memory import Memory
from cluster.salons.mends import Fate, accept, mend, read
from cluster.salons.outages import Outages
from engine.units import Millis

RETRY_MS: Final = 200
"""After which a command may be sent again whose outcome is unknown."""
_NEWER_RETRY_MS: Final = 5_000
_MOST_BREAKS: Final = 3
_RECOVERY: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_log = structlog.get_logger()
_T = TypeVar("_T")


class Tenure(ABC):
    """One activation's hold on a salon. What is done with the table is its heir's."""

    def __init__(self, salon: SalonId, house: House, *, made: Seq = Seq(0)) -> None:
        """`made` is a commit that is known to have been made: a log that ends before it has lost it."""
        self._salon = salon
        self._house = house
        self._made = made
        self._lock = asyncio.Lock()
        self._memory: Memory | None = None
        self._over = ""
        """Why it will never have a memory again; empty while it may."""
        self._breaks = 0
        self._last: Memory | None = None
        """What was known before the log was in doubt, until it is read again: the store may have forgotten it."""
        self._outages = Outages(house)
        self._readings = 0
        """How often it was to be read again since the last commit."""
        self._recovery: object = None
        """Names what reads the log until it answers; None where nothing does."""
        self._tasks: set[asyncio.Task[None]] = set()

    @abstractmethod
    async def _go_on_from(self, memory: Memory, loaded: Loaded) -> None:
        """Go on with what was read. Raises LogFault."""

    @abstractmethod
    def _stand_still(self) -> None:
        """Ask nobody and wait for nothing: there is no table."""

    @property
    def loaded(self) -> bool:
        """Whether it can answer without reading its log first."""
        return self._memory is not None

    @property
    def made(self) -> Seq:
        """The last commit that is known here to have been made; 0 for none."""
        known = self._memory or self._last
        return max(self._made, known.seq) if known else self._made

    async def load(self) -> Admitted | NotHere | Refusing:
        """Read the log, if it is not read, and go on where it ends.

        Raises LogFault: it is read again, soon and until it answers, for a salon that was given here is no other's.
        """
        async with self._lock:
            return await self._load()

    def close(self) -> None:
        """Do nothing more, whatever is under way."""
        self._over = self._over or "closed"
        self._drop()
        for task in self._tasks:
            task.cancel()

    # Reading back

    async def _load(self) -> Admitted | NotHere | Refusing:
        if self._over:
            return NotHere()
        if self._memory:
            return Admitted()
        try:
            answer = await self._begin()
        except LogFault:
            self._drop()
            self._read_again()
            raise
        if self.loaded:
            self._recovery = None
        return answer

    async def _begin(self) -> Admitted | NotHere | Refusing:
        try:
            loaded = await self._read()
            if loaded is None or loaded.head.host != self._house.host:
                self._give_up("another host's")
                return NotHere()
            if loaded.head.quarantine:
                self._give_up("quarantined")
                return Refusing(loaded.head.quarantine)
            last = loaded.loss.last if loaded.loss else loaded.head.seq
            if last < self._made:
                await self._house.log.note_loss(self._salon, loaded.head.epoch, self._made)
                self._read_again()
                return NotHere()
            self._made = last
            self._memory = memory = Memory(loaded)
            self._last = None
            if not loaded.torn or await self._mend(memory):
                await self._go_on_from(memory, loaded)
        except LogNewer as newer:
            if newer.host != self._house.host:
                self._give_up("another host's")
                return NotHere()
            if self._house.sleeps:
                # Nobody has it now: whoever can is to take it up, whether or not anybody asks.
                await self._house.sleeps(self._salon, self._house.clock.now())
            await self._house.log.let_go(self._salon, newer.epoch)
            self._give_up("a later version's")
            return Refusing(str(newer), _NEWER_RETRY_MS)
        except LogCorrupt as corrupt:
            return await self._quarantine(str(corrupt))
        except LogFault:
            raise
        except Exception as bug:  # noqa: BLE001 - a salon that cannot begin is as broken as one that cannot go on
            await self._broke(bug)
            return NotHere()
        return Admitted() if self.loaded else NotHere()

    async def _quarantine(self, why: str) -> Refusing:
        _log.error("salon_quarantined", salon=self._salon, why=why)
        head = await self._house.log.head(self._salon)
        if head and head.host == self._house.host:
            done = await self._house.log.quarantine(self._salon, head.epoch, why)
            if done and self._house.shut:
                await self._house.shut(self._salon)
        self._give_up(f"quarantined: {why}")
        return Refusing(why)

    def _drop(self) -> None:
        """Forget the table: the log may know better."""
        if self._memory:
            # One whose loss was not accepted is less than the log may have been: kept, it would hide the loss.
            self._last = None if self._memory.loss else self._memory
        self._memory = None
        self._stand_still()

    def _give_up(self, why: str) -> None:
        if not self._over:
            self._over = why
            self._drop()
            self._house.gone(self._salon)

    def _doubt(self) -> None:
        """Drop the table and read it again, soon and until it succeeds, so that a hand goes on with nobody asking."""
        self._drop()
        if not self._over:
            self._outages.begin()
            self._read_again()

    def _read_again(self) -> None:
        if self._recovery is None and not self._over:
            self._recovery = object()
            self._spawn(self._recover(self._recovery))

    async def _recover(self, this: object) -> None:
        """Read the log until it is read, by whomever; less and less often as long as nothing can be written to it."""
        while self._recovery is this and not self._over:
            wait = _RECOVERY[min(self._readings, len(_RECOVERY) - 1)]
            self._readings += 1
            await asyncio.sleep(wait)
            if self._recovery is not this or self._over:
                return
            try:
                await self.load()
            except LogFault as fault:
                _log.warning("salon_still_unread", salon=self._salon, fault=str(fault))

    # What the store forgets

    async def _read(self) -> Loaded | None:
        """Read the log, and let it be what was known here. Raises LogFault, LogCorrupt."""
        found = await read(self._house.log, self._salon, self._last, self._house.host)
        if isinstance(found, Fate):
            self._fares(found)
            raise LogFault("the log is not what was known of it: it is read again as it is")
        return found

    async def _mend(self, memory: Memory) -> bool:
        """Write the log anew where the store has forgotten what was committed here; False where that is not it."""
        return self._fares(await mend(self._house.log, self._salon, memory, self._house.host))

    async def _accept(self, memory: Memory, loss: Loss, now: Millis) -> Fate:
        """Go on without what the log has lost."""
        return await accept(self._house.log, self._salon, memory, loss, host=self._house.host, now=now)

    def _fares(self, fate: Fate) -> bool:
        """Whether the log is as it was remembered; where it is not, it is read again or is another's."""
        match fate:
            case Fate.MENDED:
                return True
            case Fate.ELSEWHERE:
                self._give_up("another host's")
            case Fate.AHEAD:
                self._doubt()
            case Fate.ANOTHER:
                self._doubt()
                self._last = None
            case _:
                assert_never(fate)
        return False

    async def _holds(self, memory: Memory) -> bool:
        """Whether this activation is still the salon's: what it says from memory is true only then."""
        head = await self._house.log.head(self._salon)
        if head is None or (head.epoch, head.seq, head.chain) != (memory.epoch, memory.seq, memory.chain):
            return await self._mend(memory)
        return True

    # Faults and bugs

    async def _guarded(self, work: Coroutine[Any, Any, _T]) -> _T | Unavailable | Broken:
        """Do `work` on the memory, and drop it where the memory may be wrong afterwards."""
        try:
            return await work
        except LogFault as fault:
            _log.warning("salon_outcome_unknown", salon=self._salon, fault=str(fault))
            self._doubt()
            return Unavailable(
                RETRY_MS, "the log did not answer: the command may or may not have been executed"
            )
        except asyncio.CancelledError:
            self._doubt()
            raise
        except Exception as bug:  # noqa: BLE001 - a bug of one salon must not take others with it
            return await self._broke(bug)

    async def _broke(self, bug: Exception) -> Broken:
        """Answer for a bug. Its message stays out of the log: it may name a card."""
        incident = uuid.uuid4().hex[:12]
        frames = "".join(traceback.format_tb(bug.__traceback__))
        _log.error("salon_broke", salon=self._salon, incident=incident, bug=type(bug).__name__, frames=frames)
        self._breaks += 1
        if self._breaks >= _MOST_BREAKS:
            try:
                await self._quarantine(f"broke {self._breaks} times in a row, last in incident {incident}")
            except LogFault:
                self._doubt()
        else:
            self._doubt()
        return Broken(incident)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
