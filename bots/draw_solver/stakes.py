"""Stakes: what a game of fixed-limit draw is played for, which is all that its strategy depends on."""

from dataclasses import dataclass
from math import gcd
from typing import Final

MOST_RAISES: Final = 10
_MOST_CHIPS: Final = 2**32 - 1
"""A table's file has as many."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """Ante and bets in chips, and the raises a round after the bet. Only the ratios of the chips matter.

    Raises:
        ValueError: nobody plays for these; the message says what would be right.
    """

    ante: int
    small_bet: int
    big_bet: int
    raise_cap: int

    def __post_init__(self) -> None:
        if self.small_bet < 1:
            raise ValueError(f"a small bet of {self.small_bet} refused: it is 1 or more")
        if not 1 <= self.ante <= self.small_bet:
            raise ValueError(f"an ante of {self.ante} refused: it is 1 to the small bet of {self.small_bet}")
        if not self.small_bet <= self.big_bet <= 4 * self.small_bet:
            raise ValueError(
                f"a big bet of {self.big_bet} refused: it is one to four small bets of {self.small_bet}"
            )
        if self.big_bet // gcd(self.ante, self.small_bet, self.big_bet) > _MOST_CHIPS:
            raise ValueError(
                f"a big bet of {self.big_bet} refused: in the smallest whole chips it is at most {_MOST_CHIPS}"
            )
        if not 1 <= self.raise_cap <= MOST_RAISES:
            raise ValueError(f"a cap of {self.raise_cap} raises refused: it is 1 to {MOST_RAISES}")

    @property
    def lowest(self) -> "Stakes":
        """The same game in the smallest whole chips: 5, 10, 20 is 1, 2, 4."""
        unit = gcd(self.ante, self.small_bet, self.big_bet)
        return Stakes(self.ante // unit, self.small_bet // unit, self.big_bet // unit, self.raise_cap)

    @property
    def most(self) -> float:
        """The most that a hand can cost a player, in small bets."""
        bets = 1 + self.raise_cap
        return (self.ante + bets * (self.small_bet + self.big_bet)) / self.small_bet


DEFAULT: Final = Stakes(ante=1, small_bet=2, big_bet=4, raise_cap=3)
"""The stakes of a draw salon that names none."""
