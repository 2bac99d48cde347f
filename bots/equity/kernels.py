"""Kernels: what each path can do, and the bytes in which it is asked.

Cards are card numbers (0 to 51), a byte each; weights, chances and duels are float64, strengths uint16, in the byte
order of the machine.
"""

from collections.abc import Sequence
from typing import Final, Protocol

TO_DRAW: Final = 255
"""In place of a kept card: one is drawn here."""

HoldemPlayer = tuple[bytes, bytes | None] | None
"""Combos (two card numbers each) and their weights (float64; None: 1 each); None: any two cards."""
DrawOpponent = tuple[bytes, bytes | None, bytes | None] | None
"""Kept cards (five bytes each, TO_DRAW last), their weights (None: 1 each), and how often each of the nine categories
goes on (0 to 1; None: always); None: any five."""


class Kernel(Protocol):
    """What each path can do. Impossible arguments raise ValueError.

    The lists have n * n entries for n players, row by row: entry p * n + k - 1 says in how many deals (or in deals of
    what weight) player p, from 0, was among exactly k winners.
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
            RuntimeError: fewer than one in 4,096 of millions of tries was a possible deal.
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
        dead cards rule out meets none. Good to about 1e-13 of all the weight that the second player has: a combo that
        meets only far lighter ones has fewer digits. `holdem_exact` has them all.
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
