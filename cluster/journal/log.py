"""A salon's log: what is written, what is read back, and how a table is made of it. No Redis here.

The log is the truth. One commit is one entry with one `seq`; its events happened together or not at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final, Protocol

from bots.explanation import Explanation
from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.hand_record import HandRecord
from cluster.versions import UNSAID, Versions
from engine.apply import evolve
from engine.events import Event
from engine.table import Table
from engine.units import HandNumber, Millis, PlayerId
from engine.value import value

HANDS_KEPT: Final = 200
"""Finished hands of a salon whose records are kept, at most."""
HANDS_KEPT_FOR: Final = 30 * 24 * 3_600 * 1_000
"""Milliseconds."""
REPLIES_KEPT: Final = 8
"""Of a player in a salon: the last ones."""
REPLIES_RETIRED_FOR: Final = Millis(600_000)
"""How long a passivated salon's replies are kept that it can do without."""


class LogFault(Exception):
    """The log did not answer: what was asked of it may have happened or not."""


class LogNewer(LogFault):
    """A later version wrote to the log: this one neither reads nor writes it, and leaves it to those that know how."""

    def __init__(self, epoch: Epoch, host: str, needed: Versions, known: Versions) -> None:
        """`epoch` and `host` are those of the head."""
        super().__init__(
            f"a later version of the product wrote it (schema {needed.schema}; this one knows {known.schema}; "
            f"rules {needed.rules}; this one knows {known.rules}): it is played where that version runs"
        )
        self.epoch = epoch
        self.host = host


class LogCorrupt(Exception):
    """The log cannot be replayed: an entry is missing, unreadable, or does not fit the table before it."""


@value
class Head:
    """Who may write a salon's log, and how far it is. `host` is empty where nobody has the salon: it sleeps, or was let go."""

    epoch: Epoch
    seq: Seq
    host: str
    opened_at: Millis
    quarantine: str = ""
    """Why the salon is not to be activated; empty where it may be."""
    before: str = ""
    """Whose the salon was before `host`; empty where it was nobody's."""
    chain: bytes = b""
    """After the last commit; empty where no commit of a version that chains them was made."""
    lost: Seq = Seq(0)
    """A commit that was made and may be missing: a holder of the salon found the log older than it was."""
    needs: Versions = UNSAID
    """What whoever is to play the salon must know."""


@value
class Fold:
    """The table after a commit, from which a replay starts instead of from the first entry.

    `whole`: a hand ended with this commit; the last `keep` such tables are kept and the log behind the oldest
    is trimmed. Otherwise it takes the place of the newest.
    """

    table: Table
    keep: int
    whole: bool = True


@value
class Commit:
    """What one command did. `digest` tells two commands under one request_id apart; `note` is a bot's explanation."""

    salon: SalonId
    epoch: Epoch
    seq: Seq
    at: Millis
    events: tuple[Event, ...]
    player: PlayerId = PlayerId("")
    request_id: str = ""
    digest: str = ""
    note: Explanation | None = None
    fold: Fold | None = None
    record: HandRecord | None = None
    """The finished hand, which replaces an earlier record of the same hand."""
    stale_from: HandNumber = HandNumber(0)
    """See `Reply`."""
    chain: bytes = b""
    """After the commit before it; see `chain`."""


@value
class Passivation:
    """An idle salon as it is kept while nobody runs it: the table after commit `seq`, which a replay begins with.

    Replies that are `kept` stay for good, those that are `retired` for some minutes.
    """

    salon: SalonId
    epoch: Epoch
    seq: Seq
    at: Millis
    table: Table
    kept: "dict[PlayerId, list[Reply]]"
    retired: "dict[PlayerId, list[Reply]]"
    chain: bytes = b""


@value
class Appended:
    """The commit is in the log, on disk; `chain` is what binds the next one to it."""

    epoch: Epoch
    seq: Seq
    chain: bytes = field(default=b"", compare=False)


@value
class Fenced:
    """Another activation holds the salon; nothing was written, and this one will never write again."""


@value
class Duplicate:
    """The request was committed before, as this commit."""

    epoch: Epoch
    seq: Seq


@value
class Reused:
    """The player used the request_id for another command."""


@value
class Gap:
    """The commit does not follow the log's last, which is `last`, or the log has lost or changed a part before it."""

    last: Seq


Appendix = Appended | Fenced | Duplicate | Reused | Gap
"""What became of a commit."""


@value
class Passivated:
    """Nobody runs the salon now; who activates it goes on where it was."""


@value
class WatchedNow:
    """Somebody watches the salon: nothing was done."""


@value
class Activated:
    """The salon is the named host's, under this epoch."""

    epoch: Epoch


@value
class Lost:
    """Another was quicker, or the salon is quarantined or unknown: read the head again."""


@value
class Reply:
    """A request that was committed, and its answer.

    Sent again, it is refused as stale once hand `stale_from` has begun, known or not: the reply may be forgotten
    then. 0: at once, since it names its turn.
    """

    request_id: str
    digest: str
    seq: Seq
    epoch: Epoch
    stale_from: HandNumber = HandNumber(0)


@value
class CommandStatus:
    """What a log knows of one player's request, as it was after commit `seq`.

    `done` is its reply, None where it is not known: then it was done by no commit after `complete_after`. Until
    `certain_until` the answer stays, unless the request is done meanwhile or too many others of the player's are.
    """

    epoch: Epoch
    seq: Seq
    done: Reply | None
    complete_after: Seq
    certain_until: Millis


@value
class Entry:
    """One commit as it was read; without what nobody may see and what a bot thought, unless a salon loads itself."""

    epoch: Epoch
    seq: Seq
    at: Millis
    events: tuple[Event, ...]
    note: Explanation | None = None
    player: PlayerId = PlayerId("")
    request_id: str = ""
    chain: bytes = b""
    """After it."""


@value
class Snapshot:
    """The table as it was after commit `seq`."""

    epoch: Epoch
    seq: Seq
    table: Table
    chain: bytes = b""
    """After that commit."""


@value
class Loss:
    """What the store has forgotten of a log: so many commits at its end, or with 0 what the hand needs to go on."""

    commits: int
    seen: Seq
    """The last commit that the head tells of."""
    last: Seq
    """The last that is known to have been made."""
    hand: HandNumber
    """The greatest number that a hand may have been given."""
    why: str


@value
class Mend:
    """A log as its holder knows it: the table at `base`, None before the first commit, and all commits after that.

    `seen` is the last seq that the store had; `replies` and `record` are written again with it.
    """

    salon: SalonId
    epoch: Epoch
    seen: Seq
    base: Snapshot | None
    commits: tuple[Commit, ...]
    replies: "dict[PlayerId, list[Reply]]"
    record: HandRecord | None = None


@value
class Mended:
    """The log is what its holder said, with this chain."""

    chain: bytes


@value
class Loaded:
    """Everything a host needs to take a salon up: the newest snapshot, the entries after it, the last replies."""

    head: Head
    snapshot: Snapshot | None
    tail: tuple[Entry, ...]
    replies: dict[PlayerId, list[Reply]]
    loss: Loss | None = None
    """What is missing: then the tail ends where the log can be relied on no longer."""
    torn: bool = False
    """Entries before the snapshot are missing, which only those who watch need."""


class SalonLog(Protocol):
    """What a salon needs of its log. Every method raises LogFault where the log does not answer.

    Those that read the head raise LogNewer, which is one, where a later version wrote.
    """

    async def append(self, commit: Commit) -> Appendix:
        """Append `commit` if its epoch is the salon's and its seq the next."""

    async def activate(
        self, salon: SalonId, seen: Epoch, host: str, *, made: Seq = Seq(0)
    ) -> Activated | Lost:
        """Give the salon to `host`, if its epoch is still the one `seen`.

        `made` is a commit that the caller knows to have been made: where the log has it no more, the next load says so.
        Lost also where the salon is quarantined, or a later version's.
        """

    async def passivate(self, rest: Passivation) -> Passivated | WatchedNow | Fenced | Gap:
        """Keep an idle salon small and without a host, if its epoch is the salon's and its seq the last."""

    async def load(self, salon: SalonId) -> Loaded | None:
        """Read a salon back, None where there is none. Raises LogCorrupt where it cannot be read."""

    async def head(self, salon: SalonId) -> Head | None:
        """Who may write, and how far the log is."""

    async def hand(self, salon: SalonId, hand: HandNumber) -> HandRecord | None:
        """The record of one finished hand."""

    async def mend(self, mend: Mend) -> Mended | Fenced | Gap:
        """Write the log anew, if the epoch is the salon's and the log ends where the caller saw it end."""

    async def note_loss(self, salon: SalonId, epoch: Epoch, last: Seq) -> bool:
        """Note that the log is older than `epoch`, and that commits up to `last` were made; the next load says so."""

    async def let_go(self, salon: SalonId, epoch: Epoch) -> bool:
        """Leave the salon to whoever activates it next, if `epoch` still holds it."""

    async def quarantine(self, salon: SalonId, epoch: Epoch, why: str) -> bool:
        """Keep the salon from being activated again, if `epoch` still holds it."""


def replay(loaded: Loaded, before: Callable[[Table, Entry], None] | None = None) -> Table:
    """The table that the log says there is; `before` sees it before each entry. Raises LogCorrupt."""
    after = loaded.snapshot.seq if loaded.snapshot else 0
    table = loaded.snapshot.table if loaded.snapshot else Table()
    for entry in loaded.tail:
        if entry.seq != after + 1:
            raise LogCorrupt(f"commit {after + 1} is missing: the next one found is {entry.seq}")
        after = entry.seq
        if before:
            before(table, entry)
        fold(table, entry.events)
    if after != loaded.head.seq and loaded.loss is None:
        raise LogCorrupt(f"the log ends at commit {after}, but its head says {loaded.head.seq}")
    return table


def fold(table: Table, events: Sequence[Event]) -> None:
    """Let `events` have happened to `table`, in place. Raises LogCorrupt where one does not fit."""
    for event in events:
        try:
            evolve(table, event)
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            # What the error says of itself may name a card.
            bug = type(error).__name__
            raise LogCorrupt(f"{type(event).__name__} does not fit the table: {bug}") from error
