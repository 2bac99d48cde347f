"""What mend.lua writes: a salon's log, put together from what its holder knows."""

from typing import Any

import msgpack

from cluster.envelope import Seq
from cluster.journal.chain import LINK, linked
from cluster.journal.hand_record import record_to_plain
from cluster.journal.log import Mend
from cluster.journal.stored import entry_of, listed, packed, snapshot_of
from engine.record import SCHEMA_VERSION


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
