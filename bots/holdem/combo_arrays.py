"""The 1,326 combos as numpy arrays, and the kernel's answers about all of them at once."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from bots.equity.combos import COMBOS, combos_with
from bots.equity.kernels import HoldemPlayer
from bots.equity.paths import chosen, kernel
from bots.hand_classes import class_of

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
"""One number a combo."""
COUNT: Final = len(COMBOS)
CARDS: Final = np.array(COMBOS, dtype=np.uint8)
FIRST: Final = CARDS[:, 0].astype(np.intp)
SECOND: Final = CARDS[:, 1].astype(np.intp)
CLASS_OF: Final = np.array([class_of(*pair) for pair in COMBOS], dtype=np.intp)
_SEED: Final = 1
"""Boards are sampled alike for everybody, so that chance hits all combos and all ranges in the same way."""


class Duels:
    """What each combo wins, ties and meets against a weighted range; zeros where none is met."""

    __slots__ = ("met", "tied", "won")

    def __init__(self, won: Floats, tied: Floats, met: Floats) -> None:
        self.won = won
        self.tied = tied
        self.met = met

    @property
    def equity(self) -> Floats:
        """The share of the pot that each combo gets at a showdown; a half where it meets nothing."""
        met = self.met
        return np.where(met > 0, (self.won + self.tied / 2) / np.where(met > 0, met, 1.0), 0.5)


@lru_cache(maxsize=512)
def live(dead: tuple[int, ...]) -> Floats:
    """1 for each combo that holds none of the dead cards, 0 for the others."""
    mask = np.ones(COUNT)
    mask[list(combos_with(dead))] = 0.0
    mask.setflags(write=False)
    return mask


def player_of(weights: Floats) -> HoldemPlayer:
    """A range as the kernel takes it: the combos of a positive weight."""
    there = np.flatnonzero(weights > 0)
    return CARDS[there].tobytes(), np.ascontiguousarray(weights[there], dtype=np.float64).tobytes()


def hand_of(cards: Sequence[int]) -> HoldemPlayer:
    """Two known cards as the kernel takes them."""
    return bytes(cards), None


def duels(player: HoldemPlayer, board: Sequence[int], boards: int = 0) -> Duels:
    """All combos against a range on a board, on all ways to complete it or on so many sampled ones."""
    answer = kernel(chosen()).holdem_duels(None, player, bytes(board), b"", _SEED, boards)
    table = np.frombuffer(answer).reshape(COUNT, 3)
    return Duels(table[:, 0], table[:, 1], table[:, 2])


def meetings(weights: Floats) -> Floats:
    """How much weight of a range each combo can meet, by inclusion and exclusion of its two cards."""
    by_card = np.bincount(FIRST, weights, 52) + np.bincount(SECOND, weights, 52)
    met: Floats = weights.sum() - by_card[FIRST] - by_card[SECOND] + weights
    return met


def places(strength: Floats, weights: Floats) -> Floats:
    """Where each combo stands in a weighted range by its strength: 0 the worst of it, 1 the best."""
    order = np.argsort(strength, kind="stable")
    ordered = weights[order]
    total = ordered.sum()
    below = np.cumsum(ordered) - ordered / 2
    found = np.empty(COUNT)
    found[order] = below / total if total > 0 else 0.5
    return found


def normal(weights: Floats) -> Floats:
    """The weights, so that they add up to 1."""
    total = weights.sum()
    return weights / total if total > 0 else weights


def shares(weights: Floats, of: Iterable[Floats]) -> list[float]:
    """The means of some numbers a combo over a range."""
    total = float(weights.sum()) or 1.0
    return [float(weights @ numbers) / total for numbers in of]
