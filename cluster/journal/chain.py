"""The chain over a log's entries: each is bound to all before it, so that one that is missing or another is noticed.

Law of this file: the chain guards against stores that forget, not against forgers. It covers what an entry says and
the hash of what stands in the vault for it, not the epoch, which the store gives out.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

import msgpack

LENGTH: Final = 8
FIELDS: Final = (b"e", b"t", b"r", b"p", b"w", b"v")
"""What of an entry is covered: events, time, request, player, note, hash of the vault."""
LINK: Final = b"h"
VAULT: Final = b"v"


def link(before: bytes, seq: int, fields: Mapping[bytes, bytes]) -> bytes:
    """The chain after the entry `seq`, whose fields these are; `before` is empty where the chain begins."""
    return linked(before, seq, ((name, fields[name]) for name in FIELDS if name in fields))


def linked(before: bytes, seq: int, fields: Iterable[tuple[bytes, bytes]]) -> bytes:
    """As `link`, of fields that are there, in the order of FIELDS."""
    content: bytes = msgpack.packb((before, seq, tuple(fields)))
    return hashlib.blake2b(content, digest_size=LENGTH).digest()


def vault_hash(vault: bytes) -> bytes:
    """What an entry says of its part in the vault."""
    return hashlib.blake2b(vault, digest_size=LENGTH).digest()
