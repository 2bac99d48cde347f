"""Ranges: what a player may hold at hold'em, as weighted combos.

A range is parsed from and printed in the notation of `bots.equity.notation`; for every range
`parse_range(str(range)) == range`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import isfinite
from typing import Final, Self

from bots.equity.combos import COMBOS, combo_text, combos_with
from bots.equity.folding import folded
from bots.equity.mistakes import RangeError
from bots.equity.notation import weights_in

__all__ = ["Range", "RangeError", "parse_range"]

_ALL: Final = len(COMBOS)


@dataclass(frozen=True, slots=True)
class Range:
    """At least one combo, each with its weight: how often it is held beside the others.

    Weights are above 0 and at most 1, and only their proportions count. For weights of any size there is
    `Range.weighted`.

    Raises:
        ValueError: no combos, numbers out of order or twice, or a weight that is none.
    """

    combos: tuple[int, ...]
    """Numbers of `bots.equity.combos`, ascending."""
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.combos:
            raise ValueError("a range without combos: it needs at least one")
        if len(self.combos) != len(self.weights):
            raise ValueError(f"{len(self.combos)} combos with {len(self.weights)} weights: one each is right")
        if any(a >= b for a, b in zip(self.combos, self.combos[1:], strict=False)):
            raise ValueError("the combos are not ascending, each once")
        if self.combos[0] < 0 or self.combos[-1] >= _ALL:
            raise ValueError(f"a combo's number is from 0 to {_ALL - 1}")
        for weight in self.weights:
            if not 0 < weight <= 1:
                raise ValueError(f"a weight of {weight!r}: above 0 and at most 1 is right")

    @classmethod
    def any(cls) -> "Range":
        """Any two cards: all combos of weight 1."""
        return _any_two()

    @classmethod
    def weighted(cls, weights: Iterable[tuple[int, float]]) -> Self:
        """A range of combos with weights that a program worked out, in any order.

        The weights are finite and not negative; zeros drop out. If one is above 1, all are divided by the
        largest, which changes no proportion.

        Raises:
            ValueError: a weight is none, a combo stands there twice, or nothing is left.
        """
        pairs = sorted(weights)
        for number, weight in pairs:
            if not (isfinite(weight) and weight >= 0):
                raise ValueError(f"{_named(number)} weighs {weight!r}: finite and not negative is right")
        for (number, _), (after, _) in pairwise(pairs):
            if number == after:
                raise ValueError(f"{_named(number)} is there twice: once, with one weight, is right")
        scale = max(1.0, max((weight for _, weight in pairs), default=1.0))
        left = [(number, float(weight / scale)) for number, weight in pairs if weight / scale > 0]
        return cls(tuple(number for number, _ in left), tuple(weight for _, weight in left))

    @property
    def is_random(self) -> bool:
        """Whether every combo is as likely as any other."""
        return len(self.combos) == _ALL and len(set(self.weights)) == 1

    @property
    def hole_cards(self) -> tuple[int, int] | None:
        """The two cards where the range is a single combo, the higher first."""
        if len(self.combos) > 1:
            return None
        low, high = COMBOS[self.combos[0]]
        return high, low

    def without(self, cards: Iterable[int]) -> "Range":
        """The range once these cards are known to be elsewhere.

        Raises:
            ValueError: every combo holds one of them.
        """
        gone = combos_with(cards)
        left = [pair for pair in zip(self.combos, self.weights, strict=True) if pair[0] not in gone]
        if not left:
            raise ValueError("every combo of the range holds one of these cards")
        return Range(tuple(number for number, _ in left), tuple(weight for _, weight in left))

    def __str__(self) -> str:
        return folded(self.combos, self.weights)


def parse_range(text: str) -> Range:
    """The range that `text` names in the notation of `bots.equity.notation`.

    Raises:
        RangeError: a part of it is wrong; the error says which, where, and what would be right.
    """
    weights = weights_in(text)
    return Range(tuple(sorted(weights)), tuple(weights[number] for number in sorted(weights)))


@cache
def _any_two() -> Range:
    return Range(tuple(range(_ALL)), (1.0,) * _ALL)


def _named(number: int) -> str:
    return combo_text(number) if 0 <= number < _ALL else f"combo {number}"
