"""Tables: what both kernels look strengths up in, made here and packaged as tables.bin.

A strength is 1 (seven high) to 7462 (royal flush), the order of `engine.ranking` without its gaps. Each card rank has
a random weight of 32 bits; the key of a hand is the sum of its cards' weights modulo 2^32, a different one for every
multiset of seven ranks and for every one of five. Hash and displace (Tarjan and Yao 1979) finds the strength:

    seven cards   strength7[(key + displace7[key >> 19]) & 65535]
    five cards    strength5[(key + displace5[key >> 22]) & 8191]

where five cards of a suit make it wrong; then it is flush[mask], by the set of the suit's ranks (bit 0 is the deuce).

The file, little endian: 8 bytes of magic, 13 weights of 32 bits, 4 bytes of padding; then, of 16 bits an entry,
displace7 (8192), strength7 (65536), flush (8192), displace5 (1024) and strength5 (8192). 182,336 bytes.

`python -m bots.equity.tables` writes it anew, always the same bytes.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from random import Random
from typing import Final

from engine.cards import Card
from engine.ranking import rank

FILE: Final = Path(__file__).with_name("tables.bin")
MAGIC: Final = b"CRPQ0001"

CATEGORY_SIZES: Final = (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)
"""How many strengths each category has, the lowest category first."""

_SEED: Final = 20
_HEADER: Final = struct.Struct("<8s13I4x")
_SIZES: Final = {"displace7": 8192, "strength7": 65536, "flush": 8192, "displace5": 1024, "strength5": 8192}
_SIZE: Final = _HEADER.size + 2 * sum(_SIZES.values())

Ranks = tuple[int, ...]
"""A multiset of card ranks, 0 (deuce) to 12 (ace), ascending."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables as they stand in the file: all but `weights` are 16-bit numbers, little endian."""

    weights: tuple[int, ...]
    displace7: memoryview
    strength7: memoryview
    flush: memoryview
    displace5: memoryview
    strength5: memoryview


def load() -> Tables:
    """The packaged tables.

    Raises:
        ValueError: the file is not what this version needs.
    """
    return parse(FILE.read_bytes())


def parse(content: bytes) -> Tables:
    """The tables in the bytes of a file.

    Raises:
        ValueError: they are no such tables; the message says what is wrong.
    """
    if content[: len(MAGIC)] != MAGIC:
        raise ValueError(f"equity tables begin with {MAGIC!r}, not with {content[: len(MAGIC)]!r}")
    if len(content) != _SIZE:
        raise ValueError(f"equity tables have {_SIZE} bytes, not {len(content)}: make them anew")
    _, *weights = _HEADER.unpack_from(content)
    parts: list[memoryview] = []
    at = _HEADER.size
    for size in _SIZES.values():
        parts.append(memoryview(content)[at : at + 2 * size])
        at += 2 * size
    return Tables(tuple(weights), *parts)


def build() -> bytes:
    """The content of the file; takes a second or two."""
    dense = _dense_strengths()
    random = Random(_SEED)
    while True:
        weights = [random.getrandbits(32) for _ in range(13)]
        five = _placed(_keys(weights, 5), rows=_SIZES["displace5"], slots=_SIZES["strength5"])
        seven = five and _placed(_keys(weights, 7), rows=_SIZES["displace7"], slots=_SIZES["strength7"])
        if five and seven:
            break
    columns = {
        "displace7": seven[0],
        "strength7": _strengths(seven[1], dense),
        "flush": _flush_strengths(dense),
        "displace5": five[0],
        "strength5": _strengths(five[1], dense),
    }
    body = b"".join(struct.pack(f"<{size}H", *columns[name]) for name, size in _SIZES.items())
    return _HEADER.pack(MAGIC, *weights) + body


def _multisets(size: int) -> Iterator[Ranks]:
    """Each multiset of ranks that `size` cards can have: no rank five times."""
    for ranks in combinations_with_replacement(range(13), size):
        if all(ranks[i] != ranks[i + 4] for i in range(size - 4)):
            yield ranks


def _suited(ranks: Ranks) -> tuple[Card, ...]:
    """Cards of one suit, of different ranks."""
    return tuple(Card(4 * each) for each in ranks)


def _offsuit(ranks: Ranks) -> tuple[Card, ...]:
    """Different cards of these ranks, at most two of a suit."""
    return tuple(Card(4 * each + i % 4) for i, each in enumerate(ranks))


def _dense_strengths() -> dict[int, int]:
    """1 to 7462 by what the engine calls each strength."""
    found = {rank(_offsuit(ranks)) for ranks in _multisets(5)}
    found |= {rank(_suited(ranks)) for ranks in combinations(range(13), 5)}
    return {strength: i for i, strength in enumerate(sorted(found), start=1)}


def _keys(weights: Sequence[int], size: int) -> dict[int, Ranks] | None:
    """Each multiset by its key; None if two have the same."""
    keys = {sum(weights[each] for each in ranks) & 0xFFFFFFFF: ranks for ranks in _multisets(size)}
    return keys if len(keys) == sum(1 for _ in _multisets(size)) else None


def _placed(
    keys: dict[int, Ranks] | None, *, rows: int, slots: int
) -> tuple[list[int], list[Ranks | None]] | None:
    """A displacement for each row and a multiset or none for each slot; None if they cannot be placed.

    The fullest rows come first, each to the first displacement that fits: bit d of `taken`, turned by a key, says
    whether the slot at key + d is taken.
    """
    if keys is None:
        return None
    members: list[list[int]] = [[] for _ in range(rows)]
    for key in keys:
        members[key * rows >> 32].append(key)
    displacements = [0] * rows
    placed: list[Ranks | None] = [None] * slots
    every, taken = (1 << slots) - 1, 0
    for row in sorted(range(rows), key=lambda row: -len(members[row])):
        homes = {key % slots for key in members[row]}
        if len(homes) < len(members[row]):
            return None
        blocked = 0
        for home in homes:
            blocked |= taken >> home | taken << (slots - home)
        free = ~blocked & every
        if not free:
            return None
        displacements[row] = (free & -free).bit_length() - 1
        for key in members[row]:
            slot = (key + displacements[row]) % slots
            placed[slot] = keys[key]
            taken |= 1 << slot
    return displacements, placed


def _strengths(placed: Sequence[Ranks | None], dense: dict[int, int]) -> list[int]:
    """The strength of each slot's multiset without a flush; 0 where there is none."""
    return [dense[rank(_offsuit(ranks))] if ranks else 0 for ranks in placed]


def _flush_strengths(dense: dict[int, int]) -> list[int]:
    """The strength of the best five of each set of ranks in one suit; 0 if there are no five."""
    strengths: list[int] = []
    for mask in range(1 << 13):
        ranks = tuple(each for each in range(13) if mask >> each & 1)
        if len(ranks) > 5:
            strengths.append(max(strengths[mask ^ 1 << each] for each in ranks))
        else:
            strengths.append(dense[rank(_suited(ranks))] if len(ranks) == 5 else 0)
    return strengths


def main() -> None:
    """Write the file."""
    FILE.write_bytes(build())


if __name__ == "__main__":
    main()
