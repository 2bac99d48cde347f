"""Whether a log is whole: how far head, snapshot, entries and vault agree, and what is missing behind that.

A store may forget the end of a log in a failover, or bring an old part of it back. What agrees is gone on with; what
does not is a loss, never taken for the truth.
"""

from collections.abc import Mapping, Sequence

from cluster.envelope import Seq
from cluster.journal.chain import LINK, VAULT, link, vault_hash
from cluster.journal.log import Head, LogCorrupt, Snapshot
from engine.value import value

Fields = Mapping[bytes, bytes]
"""An entry as it is stored."""


@value
class Verified:
    """The entries that follow the snapshot and can be relied on, and what is wrong with the rest."""

    entries: tuple[tuple[bytes, Fields], ...]
    seq: Seq
    """Of the last of them, or the snapshot's."""
    chain: bytes
    last: Seq
    """The last commit that anything tells of."""
    why: str
    """Empty where nothing is missing."""
    torn: bool
    """Entries before the snapshot are missing."""
    vault: Fields
    """What nobody may see, as far as it is what the entries say."""


def verified(
    head: Head,
    snapshot: Snapshot | None,
    stored: Sequence[tuple[bytes, Fields]],
    vault: Fields,
    *,
    base: int | None,
) -> Verified:
    """What can be relied on of a log.

    `base` is the commit behind which the log begins, where that is known. Raises LogCorrupt where nothing can.
    """
    seq, chain = (snapshot.seq, snapshot.chain) if snapshot else (Seq(0), b"")
    good: list[tuple[bytes, Fields]] = []
    why = ""
    for place, fields in stored:
        at = seq_of(place)
        if at <= seq:
            continue
        why = _wrong(at, fields, Seq(seq + 1), chain)
        if why:
            break
        good.append((place, fields))
        seq, chain = Seq(at), fields.get(LINK, b"")
    if not seq and why:
        raise LogCorrupt(why)
    if not seq:
        raise LogCorrupt("commit 1 is missing: there is neither a snapshot nor an entry")
    last = max(head.seq, head.lost, seq, *(seq_of(place) for place, _ in stored))
    if not why and last > seq:
        why = f"the log ends at commit {seq}, and commits up to {last} were made"
    elif not why and chain != head.chain:
        why = f"commit {seq} is another than its head says"
    elif not why and head.lost:
        why = f"a holder of the salon knew another commit {head.lost}"
    bad = _deck_lost(good, vault)
    if not why and bad:
        why = f"the vault does not hold what commit {int(bad[0])} put there"
    sound = {seq: part for seq, part in vault.items() if seq not in bad}
    torn = base is not None and len(stored) != max(head.seq - base, 0)
    return Verified(tuple(good), seq, chain, Seq(last), why, torn, sound)


def seq_of(place: bytes) -> int:
    """The seq of an entry's place in the log."""
    return int(place.partition(b"-")[2])


def _wrong(at: int, fields: Fields, expected: Seq, chain: bytes) -> str:
    """Why an entry does not follow `chain`; entries of versions that had none need not, before it begins."""
    if at != expected:
        return f"commit {expected} is missing: the next one found is {at}"
    if LINK not in fields and not chain:
        return ""
    if fields.get(LINK) != link(chain, at, fields):
        return f"commit {at} is another than the chain says"
    return ""


def _deck_lost(entries: Sequence[tuple[bytes, Fields]], vault: Fields) -> list[bytes]:
    """The commits of which what nobody may see is not what it was."""
    return [
        seq
        for place, fields in entries
        if VAULT in fields and vault_hash(vault.get(seq := b"%d" % seq_of(place), b"")) != fields[VAULT]
    ]
