"""All-in equities: how each of the 169 classes does against each, over all deals, exactly.

`equities.bin` holds whole numbers, little endian uint32: for each pair of classes `one` <= `other`, row by row, what
one combo of `one` collects from all combos of `other` that it can meet on all 1,712,304 boards, two for a pot won
and one for a pot shared. `python -m bots.push_fold.equities` counts them again, in a quarter of an hour.
"""

import sys
from array import array
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bots.equity.paths import chosen, kernel
from bots.hand_classes import CLASSES, combos_of, meetings_of, patterns

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]

_FILE: Final = Path(__file__).with_name("equities.bin")
BOARDS: Final = comb(48, 5)
PAIRS: Final = tuple(combinations_with_replacement(range(CLASSES), 2))


def counted(one: int, other: int) -> int:
    """What one combo of `one` collects from all of `other`, counted over all boards: some tenths of a second."""
    met = patterns(one, other)
    if not met:
        return 0
    hero = bytes(next(iter(met))[:2])
    villains = bytes(card for cards in met for card in cards[2:])
    weights = array("d", (float(count) for count in met.values())).tobytes()
    won, shared, *_ = kernel(chosen()).holdem_exact([(hero, None), (villains, weights)], b"", b"")
    return round(2 * won + shared)


@cache
def stored() -> tuple[int, ...]:
    """The numbers of the file, one for each of `PAIRS`."""
    numbers = array("I", _FILE.read_bytes())
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(numbers)


@cache
def meetings() -> "Matrix":
    """169 x 169: in how many ways the combos of two classes can be dealt together, of 1,624,350 in all."""
    import numpy as np  # noqa: PLC0415 - most bots never need it

    met = [meetings_of(one, other) * len(combos_of(one)) for one, other in PAIRS]
    return _square(np.array(met, dtype=np.float64))


@cache
def equities() -> "Matrix":
    """169 x 169: the share of the pot that a hand of the row's class gets from one of the column's, all-in."""
    import numpy as np  # noqa: PLC0415 - as above

    sizes = np.array([len(combos_of(one)) for one, _ in PAIRS], dtype=np.float64)
    shares = _square(np.array(stored(), dtype=np.float64) * sizes) / (2 * BOARDS * np.maximum(meetings(), 1))
    below = np.tril_indices(CLASSES, -1)
    shares[below] = 1 - shares.T[below]
    found: Matrix = shares
    return found


def _square(numbers: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> "Matrix":
    """The symmetric matrix of one number for each of `PAIRS`."""
    import numpy as np  # noqa: PLC0415 - as above

    square = np.zeros((CLASSES, CLASSES))
    above = np.triu_indices(CLASSES)
    square[above] = numbers
    square.T[above] = numbers
    return square


def _write() -> None:
    numbers = array("I", (counted(one, other) for one, other in PAIRS))
    if sys.byteorder == "big":
        numbers.byteswap()
    _FILE.write_bytes(numbers.tobytes())


if __name__ == "__main__":
    _write()
