"""The table: a strategy for both players of heads-up draw, as bytes, and the file that holds it.

A share is a byte, in 255ths; those of a decision add up to 255. Decisions are looked up by public history (words as
in `betting_round`), cards drawn, and the class of the hand. The file, little endian:

    magic (8 bytes), version of the classes (16 bits), ante, small bet, big bet (32 bits each), cap (8), iterations (32),
    number of final classes (16), for each the least strength (16 each), length of the shares (32), CRC-32 of all before
    that length and of the shares (32), the shares, deflated

The shares in order: before the draw by node, holding, action; the first player's draws by way, holding, number drawn;
the second's by what the first drew, way, holding, number drawn; after the draw by node, first's draw, second's, way,
final class, action.
"""

import os
import struct
import zlib
from bisect import bisect_right
from pathlib import Path
from typing import Final

from bots.draw_solver.betting_round import betting_round
from bots.draw_solver.holding import DRAWS, HOLDINGS, VERSION
from bots.draw_solver.stakes import Stakes

MAGIC: Final = b"CRPDRAW1"
WHOLE: Final = 255
"""What the shares of a decision add up to."""
PACKAGED: Final = Path(__file__).with_name("default.table")
_HEADER: Final = struct.Struct("<8sH3IBIH")
_SHARES: Final = struct.Struct("<II")


class NoTable(ValueError):
    """A file holds no table that this version can use; the message says why."""


class Table:
    """A strategy for both players.

    Raises:
        NoTable: the shares are of another size than the stakes and classes need.
    """

    def __init__(self, stakes: Stakes, iterations: int, thresholds: tuple[int, ...], shares: bytes) -> None:
        self.stakes = stakes.lowest
        self.iterations = iterations
        self.thresholds = thresholds
        """The least strength (1 to 7462) of each final class."""
        self.shares = shares
        betting = betting_round(stakes.raise_cap)
        self._ways = {way.history: at for at, way in enumerate(betting.called)}
        self._width = {node.history: len(node.actions) for node in betting.nodes}
        self._before: dict[str, int] = {}
        self._after: dict[str, int] = {}
        at = 0
        for history, width in self._width.items():
            self._before[history], at = at, at + HOLDINGS * width
        self._first, at = at, at + len(self._ways) * HOLDINGS * DRAWS
        self._second, at = at, at + DRAWS * len(self._ways) * HOLDINGS * DRAWS
        for history, width in self._width.items():
            self._after[history], at = at, at + DRAWS * DRAWS * len(self._ways) * len(thresholds) * width
        if len(shares) != at:
            raise NoTable(f"a table for {stakes} has {at} bytes of shares, not {len(shares)}")

    def before(self, history: str, holding: int) -> bytes:
        """The shares of the actions at a node before the draw."""
        width = self._width[history]
        at = self._before[history] + holding * width
        return self.shares[at : at + width]

    def draws(self, way: str, holding: int, seen: int = -1) -> bytes:
        """The shares of drawing none to three, by the betting before; `seen` is what the first player drew, for the second."""
        row = self._ways[way] * HOLDINGS + holding
        at = (
            self._first + row * DRAWS
            if seen < 0
            else self._second + (seen * len(self._ways) * HOLDINGS + row) * DRAWS
        )
        return self.shares[at : at + DRAWS]

    def after(self, way: str, drawn: tuple[int, int], history: str, strength: int) -> bytes:
        """The shares of the actions at a node after the draw, by what both drew and the hand's strength."""
        width, finals = self._width[history], len(self.thresholds)
        row = (drawn[0] * DRAWS + drawn[1]) * len(self._ways) + self._ways[way]
        at = self._after[history] + (row * finals + bisect_right(self.thresholds, strength) - 1) * width
        return self.shares[at : at + width]


def dump(table: Table) -> bytes:
    """The content of a table's file."""
    stakes, finals = table.stakes, len(table.thresholds)
    chips = (stakes.ante, stakes.small_bet, stakes.big_bet, stakes.raise_cap)
    head = _HEADER.pack(MAGIC, VERSION, *chips, table.iterations, finals)
    head += struct.pack(f"<{finals}H", *table.thresholds)
    check = zlib.crc32(table.shares, zlib.crc32(head))
    return head + _SHARES.pack(len(table.shares), check) + zlib.compress(table.shares, 9)


def parse(content: bytes) -> Table:
    """The table in the content of a file.

    Raises:
        NoTable: it is none, or another version's, or damaged.
    """
    if content[: len(MAGIC)] != MAGIC:
        raise NoTable(f"a table begins with {MAGIC!r}, not with {content[: len(MAGIC)]!r}")
    try:
        _, version, *chips, iterations, finals = _HEADER.unpack_from(content)
        if version != VERSION:
            raise NoTable(f"the table is of version {version}, and this is version {VERSION}: train it anew")
        thresholds = struct.unpack_from(f"<{finals}H", content, _HEADER.size)
        at = _HEADER.size + 2 * finals
        size, check = _SHARES.unpack_from(content, at)
        unpacker = zlib.decompressobj()
        shares = unpacker.decompress(content[at + _SHARES.size :], size + 1)
        stakes = Stakes(*chips)
    except (struct.error, zlib.error) as damage:
        raise NoTable(f"the table is damaged ({damage}): train it anew") from None
    except ValueError as wrong:
        raise NoTable(str(wrong)) from None
    if len(shares) != size or zlib.crc32(shares, zlib.crc32(content[:at])) != check:
        raise NoTable("the table is damaged (its sum is wrong): train it anew")
    return Table(stakes, iterations, thresholds, shares)


def save(table: Table, path: Path) -> None:
    """Write a table's file at once: whoever reads finds the old one or the new one whole.

    Raises:
        OSError: it cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(dump(table))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def file_name(stakes: Stakes) -> str:
    """What a table's file is called among others: stakes in the same ratio share it."""
    low = stakes.lowest
    return f"draw-{low.ante}-{low.small_bet}-{low.big_bet}-{low.raise_cap}.table"


def load(path: Path = PACKAGED) -> Table:
    """The table in a file; by default the packaged one, for the stakes of a salon that names none.

    Raises:
        NoTable: see `parse`.
        OSError: it cannot be read.
    """
    try:
        return parse(path.read_bytes())
    except NoTable as wrong:
        raise NoTable(f"{path}: {wrong}") from None
