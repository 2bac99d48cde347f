"""What mend.lua writes: a salon's log, put together from what its holder knows."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgpack

from cluster.envelope import Seq
from cluster.journal.chain import LINK, linked
from cluster.journal.commit_pipe import entry_of, packed, snapshot_of
from cluster.journal.hand_record import record_to_plain
from cluster.journal.log import Mend, Reply
from engine.record import SCHEMA_VERSION
from engine.units import PlayerId


def mend_plan(mend: Mend, schema: int = SCHEMA_VERSION) -> tuple[bytes, bytes]:
    """The plan as mend.lua takes it, and the chain at its end. The chain is begun anew from the base's."""
    base = mend.base
    seq, chain = (base.seq, base.chain) if base else (Seq(0), b"")
    begins = str(seq)
    entries: list[list[Any]] = []
    vault: list[Any] = []
    for commit in mend.commits:
        fields, hidden = entry_of(commit)
        seq, chain = commit.seq, linked(chain, commit.seq, fields)
        parts = [part for named in (*fields, (LINK, chain)) for part in named]
        entries.append([f"{commit.epoch}-{seq}", *parts])
        if hidden:
            vault += [str(seq), hidden]
    snapshot = b""
    if base:
        snapshot = f"{base.epoch}-{base.seq}:".encode() + snapshot_of(base.table, base.chain)
    replies = [part for player, each in mend.replies.items() for part in (player, packed(listed(each)))]
    record = [str(mend.record.hand), packed(record_to_plain(mend.record))] if mend.record else []
    plan = [str(seq), chain, begins, snapshot, entries, vault, replies, record, str(schema)]
    # The servers' Lua reads no other kind of bytes than texts.
    return msgpack.packb(plan, use_bin_type=False), chain


def known_until(replies: Mapping[PlayerId, Sequence[Reply]], seq: Seq) -> dict[PlayerId, list[Reply]]:
    """The replies of commits up to `seq`."""
    known = {player: [reply for reply in each if reply.seq <= seq] for player, each in replies.items()}
    return {player: each for player, each in known.items() if each}


def listed(replies: Sequence[Reply]) -> list[list[Any]]:
    """Replies as commit.lua writes them."""
    return [
        [reply.request_id, reply.digest, str(reply.stale_from), reply.seq, str(reply.epoch)]
        for reply in replies
    ]
