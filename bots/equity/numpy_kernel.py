"""The numpy path: the kernel's functions where there is no compiler, and what the C kernel is tested against.

They are `kernels.Kernel` and say nothing here that is said there. The samples of a seed are others than the C kernel's.
"""

import numpy as np

from bots.equity import numpy_cards
from bots.equity.numpy_cards import DECK, set_of, strengths_of
from bots.equity.numpy_draw import draw_exact, draw_outcomes, draw_sample
from bots.equity.numpy_holdem import holdem_duels, holdem_exact, holdem_sample
from bots.equity.numpy_spots import cards_in

__all__ = [
    "draw_exact",
    "draw_outcomes",
    "draw_sample",
    "histogram",
    "holdem_duels",
    "holdem_exact",
    "holdem_sample",
    "rank",
    "ranks",
]


def rank(cards: bytes, /) -> int:
    """See `kernels.Kernel`."""
    if not 5 <= len(cards) <= 7:
        raise ValueError("five to seven cards have a strength")
    return int(strengths_of(cards_in(cards)[0][:, None])[0])


def ranks(hands: bytes, size: int, /) -> bytes:
    """See `kernels.Kernel`."""
    if not 5 <= size <= 7 or len(hands) % size:
        raise ValueError("hands have five to seven cards each")
    columns = np.frombuffer(hands, np.uint8).reshape(-1, size).T
    if (columns >= DECK).any():
        raise ValueError("a card is a number from 0 to 51")
    if (np.bitwise_count(set_of(columns)) != size).any():
        raise ValueError("a card is there twice")
    return strengths_of(columns).tobytes()


def histogram(size: int, /) -> bytes:
    """See `kernels.Kernel`."""
    if size not in (5, 7):
        raise ValueError("hands have five or seven cards")
    return numpy_cards.histogram(size).tobytes()
