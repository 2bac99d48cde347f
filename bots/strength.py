"""The engine's ranking for cards as bots hold them: plain numbers."""

from collections.abc import Callable, Sequence
from typing import Final, cast

from engine.ranking import Category, category, rank

strength_of: Final = cast("Callable[[Sequence[int]], int]", rank)
"""`engine.ranking.rank`: a card is a number, and leaving its type away costs nothing."""


def category_of(cards: Sequence[int]) -> Category:
    """The category of the best five of 5 to 7 cards."""
    return category(strength_of(cards))
