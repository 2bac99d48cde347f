"""The paths that equity is computed on: the same functions in C with AVX-512, in portable C, and in numpy."""

import os
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path as File
from typing import Final, Protocol, cast

VARIABLE: Final = "CROUPIER_EQUITY_PATH"
"""The environment variable that names the path to take."""
_TABLES: Final = File(__file__).with_name("tables.bin")

HoldemPlayer = tuple[bytes, bytes | None] | None
"""Combos (two card numbers each) and their weights (float64; None: 1 each); None: any two cards."""
DrawOpponent = tuple[bytes, bytes | None, bytes | None] | None
"""Kept cards (five bytes each, 255 for a card drawn), weights, and how often each category goes on; None: any five."""


class Path(StrEnum):
    """A way to compute equity, the fastest first."""

    AVX512 = "avx512"
    C = "c"
    NUMPY = "numpy"


class PathMissing(RuntimeError):
    """A path was asked for that is not there; the message says which are."""


class Kernel(Protocol):
    """What each path can do. Cards are bytes, a card number (0 to 51) each.

    The lists have n * n entries for n players, row by row: entry p * n + k - 1 says in how many deals (or in deals of
    what weight) player p, from 0, was among exactly k winners. Impossible arguments raise ValueError.
    """

    def rank(self, cards: bytes, /) -> int:
        """The strength of five to seven cards: 1 to 7462, more is better, on one scale."""
        ...

    def ranks(self, hands: bytes, size: int, /) -> bytes:
        """The strengths, as uint16, of many hands of `size` 5 to 7 cards each."""
        ...

    def histogram(self, size: int, /) -> bytes:
        """How many of all hands of 5 or 7 cards have each strength: 7463 numbers as uint64."""
        ...

    def holdem_sample(
        self,
        players: Sequence[HoldemPlayer],
        board: bytes,
        dead: bytes,
        seed: int,
        samples: int,
        wide: bool,  # noqa: FBT001 - the C function takes no keywords
        /,
    ) -> list[int]:
        """Outcomes of `samples` independent deals; `wide` takes AVX-512 where the question's shape has it.

        Raises:
            RuntimeError: none of tens of millions of tries was a possible deal.
        """
        ...

    def holdem_exact(self, players: Sequence[HoldemPlayer], board: bytes, dead: bytes, /) -> list[float]:
        """Outcomes of all deals, each of the weight of its combos multiplied."""
        ...

    def holdem_duels(
        self,
        first: HoldemPlayer,
        second: HoldemPlayer,
        board: bytes,
        dead: bytes,
        seed: int,
        boards: int,
        /,
    ) -> bytes:
        """What each combo of the first player does against all that the second may have.

        Three float64 a combo, in the order given (all 1,326 by index for any two cards): the weights of the deals
        that it wins, ties and meets, on `boards` random boards, on all where that is 0. One that the board or the
        dead cards rule out meets none.
        """
        ...

    def draw_sample(
        self, kept: bytes, opponents: Sequence[DrawOpponent], dead: bytes, seed: int, samples: int, /
    ) -> list[int]:
        """Outcomes of `samples` independent deals; player 0 draws to the 2 to 5 cards that he kept."""
        ...

    def draw_exact(self, kept: bytes, opponent: DrawOpponent, dead: bytes, /) -> list[float]:
        """Outcomes of all deals against one opponent."""
        ...

    def draw_outcomes(self, kept: bytes, dead: bytes, /) -> list[int]:
        """How many of all draws to the cards kept make each of the nine categories."""
        ...


@cache
def available() -> tuple[Path, ...]:
    """The paths of this machine, the fastest first; numpy is always there."""
    try:
        from bots.equity import _kernel  # noqa: PLC0415 - there is none where there was no compiler
    except ImportError:
        return (Path.NUMPY,)
    return (Path.AVX512, Path.C, Path.NUMPY) if _kernel.has_avx512() else (Path.C, Path.NUMPY)


def chosen() -> Path:
    """The path to take: what the environment names, else the fastest.

    Raises:
        PathMissing: the environment names one that is not there.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return available()[0]
    if named not in available():
        there = ", ".join(available())
        raise PathMissing(f"{VARIABLE} is {named!r}, and this machine has: {there}")
    return Path(named)


@cache
def kernel(path: Path) -> Kernel:
    """The functions of a path.

    Raises:
        PathMissing: it is not there.
    """
    if path not in available():
        raise PathMissing(f"there is no path {path} on this machine, only {', '.join(available())}")
    if path is Path.NUMPY:
        from bots.equity import numpy_kernel  # noqa: PLC0415 - numpy costs 0.2 s and 17 MB where C does the work

        return cast("Kernel", numpy_kernel)
    from bots.equity import _kernel  # noqa: PLC0415 - there is none where there was no compiler

    _kernel.load_tables(_TABLES.read_bytes())
    return cast("Kernel", _kernel)
