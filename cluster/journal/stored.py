"""The parts of a salon's log as Redis keeps them: as bytes that are written, and what is read of them.

A reader takes what any earlier version wrote: see tests/golden. What is not to be seen is in the vault alone.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgpack

from bots.explanation import Explanation, explanation_from_plain, explanation_to_plain
from cluster.envelope import Epoch, Seq
from cluster.journal.chain import LENGTH, LINK, VAULT, vault_hash
from cluster.journal.log import REPLIES_KEPT, Commit, Entry, Head, LogNewer, Reply, Snapshot
from cluster.journal.verified import Fields
from cluster.versions import Versions
from engine.events import Audience, Event
from engine.record import event_from_plain, event_to_plain, table_from_plain, table_to_plain
from engine.table import Table
from engine.units import HandNumber, Millis, PlayerId

_CHAIN: Final = bytes((0xC4, LENGTH))
"""How a snapshot begins that tells the chain; one that does not begins its table."""
_ZLIB: Final = b"\x78"
"""The first byte of a snapshot that is compressed; one that is not begins a map."""
_UNKNOWN_HAND: Final = HandNumber(2**31)
"""Of replies that were written before it was noted when they may be forgotten."""


def packed(plain: Any) -> bytes:
    """Plain data as bytes."""
    raw: bytes = msgpack.packb(plain)
    return raw


def head_from(fields: Fields, knows: Versions | None) -> Head | None:
    """The head as it was read; None where there is none. Raises LogNewer, unless `knows` is None."""
    if b"epoch" not in fields:
        return None
    needs = Versions(int(fields.get(b"schema", b"1")), fields.get(b"rules", b"1.0.0").decode())
    if knows and not knows.cover(needs):
        raise LogNewer(Epoch(int(fields[b"epoch"])), fields[b"host"].decode(), needs, knows)
    return Head(
        Epoch(int(fields[b"epoch"])),
        Seq(int(fields[b"seq"])),
        fields[b"host"].decode(),
        Millis(int(fields[b"opened"])),
        fields.get(b"quarantine", b"").decode(),
        fields.get(b"from", b"").decode(),
        fields.get(b"chain", b""),
        Seq(int(fields.get(b"lost", b"0"))),
        needs,
    )


def entry_of(commit: Commit) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """What the commit's entry says, in the order of the chain and without its link, and its part of the vault."""
    public, vault = split(commit.events)
    fields = [(b"e", packed(public)), (b"t", b"%d" % commit.at)]
    if commit.request_id:
        fields += [(b"r", commit.request_id.encode()), (b"p", commit.player.encode())]
    if commit.note:
        fields.append((b"w", packed(explanation_to_plain(commit.note))))
    hidden = packed(vault) if vault else b""
    if hidden:
        fields.append((VAULT, vault_hash(hidden)))
    return fields, hidden


def split(events: Sequence[Event]) -> tuple[list[Any], list[Any]]:
    """The plain events for the log, and [position, event] of those for the vault."""
    public: list[Any] = []
    vault: list[Any] = []
    for at, event in enumerate(events):
        if event.AUDIENCE is Audience.NOBODY:
            vault.append([at, event_to_plain(event)])
        else:
            public.append(event_to_plain(event))
    return public, vault


def entry_from(entry_id: bytes, fields: Fields, vault: Fields | None = None) -> Entry:
    """An entry as it was read; with `vault` as a salon reads its own, else as much as those who watch need."""
    epoch, _, seq = entry_id.partition(b"-")
    place = Epoch(int(epoch)), Seq(int(seq)), Millis(int(fields[b"t"]))
    plains: list[Any] = msgpack.unpackb(fields[b"e"])
    if vault is None:
        return Entry(*place, tuple(event_from_plain(plain) for plain in plains))
    if seq in vault:
        for at, plain in msgpack.unpackb(vault[seq]):
            plains.insert(at, plain)
    return Entry(
        *place,
        tuple(event_from_plain(plain) for plain in plains),
        _note(fields),
        PlayerId(fields.get(b"p", b"").decode()),
        fields.get(b"r", b"").decode(),
        fields.get(LINK, b""),
    )


def _note(fields: Fields) -> Explanation | None:
    """What a bot said; earlier versions wrote it as a text."""
    if b"w" in fields:
        return explanation_from_plain(msgpack.unpackb(fields[b"w"]))
    return explanation_from_plain(fields[b"x"].decode()) if b"x" in fields else None


def snapshot_of(table: Table, chain: bytes, *, small: bool = False) -> bytes:
    """A table as it is kept behind its place in the log: with the chain there, compressed where it is to be small."""
    plain = packed(table_to_plain(table))
    return (packed(chain) if chain else b"") + (zlib.compress(plain, 9) if small else plain)


def snapshot_from(raw: bytes) -> Snapshot:
    """A table as it is kept: its place in the log, the chain there, and the table, which may be compressed."""
    place, _, packed = raw.partition(b":")
    epoch, _, seq = place.partition(b"-")
    chain = b""
    if packed.startswith(_CHAIN):
        at = len(_CHAIN)
        chain, packed = packed[at : at + LENGTH], packed[at + LENGTH :]
    plain = msgpack.unpackb(zlib.decompress(packed) if packed.startswith(_ZLIB) else packed)
    return Snapshot(Epoch(int(epoch)), Seq(int(seq)), table_from_plain(plain), chain)


def listed(replies: Sequence[Reply]) -> list[list[Any]]:
    """Replies as commit.lua writes them; `packed`, they are a player's in `replies`."""
    return [
        [reply.request_id, reply.digest, str(reply.stale_from), reply.seq, str(reply.epoch)]
        for reply in replies
    ]


def replies_from(kept: Mapping[bytes, bytes], retired: bytes | None) -> dict[PlayerId, list[Reply]]:
    """Each player's last replies, oldest first: those that were retired too, while they are there."""
    known = {PlayerId(player.decode()): _unlisted(msgpack.unpackb(packed)) for player, packed in kept.items()}
    for player, old in msgpack.unpackb(retired).items() if retired else ():
        replies = {reply.seq: reply for reply in (*_unlisted(old), *known.get(player, ()))}
        known[player] = [replies[seq] for seq in sorted(replies)][-REPLIES_KEPT:]
    return known


def _unlisted(listed: Sequence[Sequence[Any]]) -> list[Reply]:
    """Replies as they were written in this version or an earlier one, which wrote "ok" for the hand."""
    return [
        Reply(
            request_id,
            digest,
            Seq(seq),
            Epoch(int(epoch)),
            _UNKNOWN_HAND if hand == "ok" else HandNumber(int(hand)),
        )
        for request_id, digest, hand, seq, epoch in listed
    ]


def known_until(replies: Mapping[PlayerId, Sequence[Reply]], seq: Seq) -> dict[PlayerId, list[Reply]]:
    """The replies of commits up to `seq`."""
    known = {player: [reply for reply in each if reply.seq <= seq] for player, each in replies.items()}
    return {player: each for player, each in known.items() if each}
