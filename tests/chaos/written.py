"""What was written: everything that Redis ever took of the salons, in its order, read from the append-only file.

The file and not the streams: a stream forgets what is trimmed, says nothing of epochs given out between two commits,
and may be followed through the very connection that a fault cuts. The file has each write in the order in which it was
executed, a script's as one transaction, on disk before it was answered. Rewriting it must be off, and nothing may have
been there before it began: then it is the whole history. What a server had not written whole when it was killed, it
cuts off at its next start; at the end of the last file it is left out here.
"""

import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgpack

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.chain import LINK
from cluster.journal.log import Commit
from cluster.journal.stored import entry_of, snapshot_from
from cluster.salons.opening import BOT_NAMES
from engine.commands import AddBot, OpenSalon
from engine.decide import decide
from engine.events import Event
from engine.refusals import Refusal
from engine.table import Table
from engine.units import OPERATOR, Millis, PlayerId

Command = list[bytes]
_KEY: Final = re.compile(rb"\{s:([a-z0-9]{1,32})\}:([a-z]+)")
_AUXILIARY: Final = 0xFA
_END: Final = 0xFF
_MAGIC: Final = 9
_CRC: Final = 8


class Unreadable(Exception):
    """The files are not the whole history."""


@dataclass(frozen=True, slots=True)
class Activation:
    """The salon was given to a host, under a new epoch."""

    epoch: Epoch
    host: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A commit was appended: the entry's fields, and its part of the vault."""

    epoch: Epoch
    seq: Seq
    fields: dict[bytes, bytes]
    vault: bytes
    at: int = 0
    """Its place among all writes."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The log was set to other entries than were appended, or commits were said to be lost."""

    why: str


Write = Activation | Entry | Rewriting


@dataclass
class Salon:
    """One salon's writes in their order, and its finished hands as they were written last."""

    writes: list[Write] = field(default_factory=list)
    hands: dict[int, bytes] = field(default_factory=dict)
    quarantine: str = ""
    """Why it was taken out of play."""


@dataclass
class Written:
    """The salons by their ids."""

    salons: dict[SalonId, Salon] = field(default_factory=dict)
    transactions: int = 0


def read(folder: Path) -> Written:
    """What the multi-part append-only file in `folder` says.

    Raises:
        Unreadable: it was rewritten, or began with what it does not tell of, or is damaged.
    """
    written = Written()
    files = _files(folder)
    for at, path in enumerate(files, 1):
        for transaction in _transactions(path, last=at == len(files)):
            written.transactions += 1
            _take(written, transaction)
    return written


# The files


def _files(folder: Path) -> list[Path]:
    """The files that hold commands, in their order."""
    (manifest,) = folder.glob("*.manifest")
    parts = []
    for line in manifest.read_text().splitlines():
        words = line.split()
        told = dict(zip(words[::2], words[1::2], strict=True))
        if told["type"] == "b" and not _is_empty((folder / told["file"]).read_bytes()):
            raise Unreadable(f"{told['file']} holds data: what was written before is not known")
        if told["type"] == "i":
            parts.append((int(told["seq"]), folder / told["file"]))
    numbers = [number for number, _ in sorted(parts)]
    if numbers != list(range(1, len(numbers) + 1)):
        raise Unreadable(f"of the append-only files there are the numbers {numbers}: it was rewritten")
    return [path for _, path in sorted(parts)]


def _is_empty(snapshot: bytes) -> bool:
    """Whether a snapshot says nothing but what server made it."""
    at = _MAGIC
    while snapshot[at] == _AUXILIARY:
        at = _behind_text(snapshot, _behind_text(snapshot, at + 1))
    return snapshot[at] == _END and len(snapshot) == at + 1 + _CRC


def _behind_text(snapshot: bytes, at: int) -> int:
    """Where a text of a snapshot ends; one that is a number is one, two or four bytes."""
    first = snapshot[at]
    match first >> 6:
        case 0:
            return at + 1 + first
        case 1:
            return at + 2 + ((first & 0x3F) << 8 | snapshot[at + 1])
        case _:
            return at + 1 + {0xC0: 1, 0xC1: 2, 0xC2: 4}[first]


def _transactions(path: Path, *, last: bool) -> Iterator[list[Command]]:
    """What was executed together; a command alone is a transaction of its own."""
    together: list[Command] | None = None
    for command in _commands(path, last=last):
        match command[0].upper():
            case b"MULTI":
                together = []
            case b"EXEC":
                yield together or []
                together = None
            case b"SELECT":
                pass
            case _ if together is None:
                yield [command]
            case _:
                together.append(command)


def _commands(path: Path, *, last: bool) -> Iterator[Command]:
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        at, end = 0, len(content)
        while at < end:
            if content[at : at + 1] == b"#":  # a comment: when it was written
                at = content.find(b"\n", at) + 1 or end
                continue
            command, behind = _command(content, at)
            if not behind:
                if last:
                    return
                raise Unreadable(f"{path.name} is damaged at byte {at}")
            yield command
            at = behind


def _command(content: mmap.mmap, at: int) -> tuple[Command, int]:
    """The command that begins there and where it ends; 0 where it is cut off. Raises Unreadable."""
    line = content.find(b"\r\n", at)
    if line < 0:
        return [], 0
    if content[at : at + 1] != b"*":
        raise Unreadable(f"there is no command at byte {at}")
    parts: Command = []
    end = len(content)
    for _ in range(int(content[at + 1 : line])):
        at = line + 2
        line = content.find(b"\r\n", at)
        if line < 0:
            return [], 0
        start = line + 2
        line = start + int(content[at + 1 : line])
        if line + 2 > end:
            return [], 0
        parts.append(content[start:line])
    return parts, line + 2


# What they say


def _take(written: Written, transaction: list[Command]) -> None:
    """Enter what a transaction did to a salon; a script touches one salon alone."""
    of_salon: dict[bytes, list[tuple[bytes, Command]]] = {}
    for command in transaction:
        found = _KEY.match(command[1]) if len(command) > 1 else None
        if found is not None:
            of_salon.setdefault(found[1], []).append((found[2], command))
    for name, commands in of_salon.items():
        salon = written.salons.setdefault(SalonId(name.decode()), Salon())
        _enter(SalonId(name.decode()), salon, commands, written.transactions)


def _enter(name: SalonId, salon: Salon, commands: list[tuple[bytes, Command]], at: int) -> None:
    parts = dict.fromkeys(part for part, _ in commands)
    emptied = any(part == b"log" and command[0].upper() in (b"DEL", b"UNLINK") for part, command in commands)
    if emptied and b"retired" not in parts:
        salon.writes.append(Rewriting("the log was written anew"))
    vault: dict[bytes, bytes] = {}
    for part, command in commands:
        verb = command[0].upper()
        if part == b"vault" and verb == b"HSET":
            vault.update(_pairs(command[2:]))
        elif part == b"log" and verb == b"XADD":
            salon.writes.append(_entry(command, vault, at))
        elif part == b"head" and verb in (b"HSET", b"HMSET"):
            _head(salon, _pairs(command[2:]))
        elif part == b"hands" and verb == b"HSET":
            salon.hands |= {int(number): record for number, record in _pairs(command[2:]).items()}
    if salon.writes and b"log" not in parts and any(_is_born(part, command) for part, command in commands):
        salon.writes.append(_first_entry(name, commands, at))


def _head(salon: Salon, said: dict[bytes, bytes]) -> None:
    if b"lost" in said:
        salon.writes.append(Rewriting(f"commit {said[b'lost'].decode()} was said to be lost"))
    if b"quarantine" in said:
        salon.quarantine = said[b"quarantine"].decode()
    if b"epoch" in said:
        activation = Activation(Epoch(int(said[b"epoch"])), said[b"host"].decode())
        # A new salon's epoch is given out with its first commit, which is written before its head.
        salon.writes.insert(0 if b"born" in said else len(salon.writes), activation)


def _is_born(part: bytes, command: Command) -> bool:
    return part == b"head" and b"born" in command[2::2]


def _first_entry(name: SalonId, commands: list[tuple[bytes, Command]], at: int) -> Entry:
    """The first commit of a salon that was opened asleep: its log is the table after it, which tells its events.

    That they are those is for the head's chain to say.
    """
    said = {part: command for part, command in commands if part in (b"snap", b"retired")}
    head = next(_pairs(command[2:]) for part, command in commands if _is_born(part, command))
    snapshot = snapshot_from(said[b"snap"][2])
    ((player, ((request, *_),)),) = msgpack.unpackb(said[b"retired"][2]).items()
    first = Commit(
        name,
        snapshot.epoch,
        snapshot.seq,
        Millis(int(head[b"opened"])),
        _opening_of(snapshot.table, Millis(int(head[b"opened"]))),
        PlayerId(player),
        request,
    )
    fields = dict(entry_of(first)[0]) | {LINK: head[b"chain"]}
    return Entry(snapshot.epoch, snapshot.seq, fields, b"", at)


def _opening_of(table: Table, at: Millis) -> tuple[Event, ...]:
    """What opened a salon and seated its bots, those first that had a seat to name, decided again.

    Raises:
        Unreadable: it cannot have come to this table.
    """
    sat = {player.name: player for player in table.players if player}
    decision = decide(None, OpenSalon(table.owner, table.settings), now=at)
    events: tuple[Event, ...] = ()
    for number, bot in sorted(enumerate(table.settings.bots), key=lambda numbered: not numbered[1].seat):
        name = BOT_NAMES[number % len(BOT_NAMES)]
        if isinstance(decision, Refusal) or name not in sat:
            raise Unreadable(
                f"a salon that was opened asleep has not the bot {name} that its settings ask for"
            )
        events += decision.events
        seating = AddBot(OPERATOR, sat[name].player, name, bot.level, bot.style, bot.seat)
        decision = decide(decision.table, seating, now=at)
    if isinstance(decision, Refusal):
        raise Unreadable(f"a salon that was opened asleep could not be: {decision.text}")
    return events + decision.events


def _entry(command: Command, vault: dict[bytes, bytes], at: int) -> Entry:
    epoch, _, seq = command[2].partition(b"-")
    return Entry(Epoch(int(epoch)), Seq(int(seq)), _pairs(command[3:]), vault.get(seq, b""), at)


def _pairs(parts: Command) -> dict[bytes, bytes]:
    return dict(zip(parts[::2], parts[1::2], strict=True))
