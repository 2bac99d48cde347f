"""Outcomes in numpy: who is among how many winners, in the kernel's order.

n players have n * n outcomes, row by player: entry [p, k - 1] is for player p being among exactly k winners.
"""

import numpy as np
from numpy.typing import NDArray

from bots.equity.numpy_cards import Strengths


def outcomes(strengths: Strengths) -> NDArray[np.int64]:
    """In how many deals, a column of strengths each, each outcome comes about."""
    n = len(strengths)
    counts = np.zeros((n, n), np.int64)
    winners = strengths == strengths.max(axis=0)
    among = winners.sum(axis=0, dtype=np.uint8)
    tied = np.flatnonzero(among > 1)
    for p in range(n):
        won = winners[p].take(tied)
        counts[p] = np.bincount(among.take(tied)[won], minlength=n + 1)[1:]
        counts[p, 0] = np.count_nonzero(winners[p]) - np.count_nonzero(won)
    return counts
