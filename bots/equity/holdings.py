"""Holdings: what an opponent at draw kept, as weighted sets of cards, by how many cards he drew.

`drew` follows the standard draw, the one definition of which is `bots.five_cards.read`: a straight or
better stands pat, three of a kind draws two, two pair one, a pair three; without a pair, four to a flush
or to a straight open at both ends draw one, and anything else three to its two highest cards. Nobody
bluffs or keeps a kicker: without one a pair or three of a kind improves more often. Each kept set weighs
as many of the 2,598,960 deals as lead to it; the counts are worked out here class by class, and a test
counts them over all deals.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations, product
from math import comb
from typing import Final

from bots.equity.conflicts import mask_of
from bots.equity.kernels import TO_DRAW, DrawOpponent
from bots.straights import STRAIGHTS

CATEGORIES: Final = 9
Kept = tuple[tuple[int, ...], int]
"""Cards that are kept, ascending, and the number of deals that lead to it."""


@dataclass(frozen=True)
class Holdings:
    """What an opponent may have kept; he draws as many cards as are missing of five.

    It has no slots, since it remembers its bytes and masks: pat hands are nearly 20,000 entries.

    Raises:
        ValueError: there are no entries, cards or weights are none, or `goes_on` is no nine probabilities.
    """

    entries: tuple[tuple[int, ...], ...]
    """Sets of 0 to 5 cards; none of them twice is up to the maker."""
    weights: tuple[float, ...]
    """Finite and above 0; only proportions count."""
    goes_on: tuple[float, ...] | None = None
    """By category of the final hand, how often (0 to 1) he did after the draw what he has done."""

    def __post_init__(self) -> None:
        if not self.entries:
            raise ValueError("holdings without an entry: at least one is right")
        if len(self.entries) != len(self.weights):
            raise ValueError(
                f"{len(self.entries)} entries with {len(self.weights)} weights: one each is right"
            )
        for entry in self.entries:
            if len(entry) > 5 or len(set(entry)) != len(entry) or not all(0 <= card < 52 for card in entry):
                raise ValueError(f"{entry} is not kept: up to five different cards of 0 to 51 are right")
        for weight in self.weights:
            if not 0 < weight < float("inf"):
                raise ValueError(f"a weight of {weight!r}: finite and above 0 is right")
        if self.goes_on is not None:
            _check_probabilities(self.goes_on)

    @property
    def is_random(self) -> bool:
        """Whether these are five random cards, and nothing is said of them after the draw."""
        return self.entries == ((),) and self.goes_on is None

    def without(self, cards: Iterable[int]) -> "Holdings":
        """The holdings once these cards are known to be elsewhere.

        Raises:
            ValueError: every entry holds one of them.
        """
        gone = frozenset(cards)
        left = [pair for pair in zip(self.entries, self.weights, strict=True) if gone.isdisjoint(pair[0])]
        if not left:
            raise ValueError("every entry of the holdings has one of these cards")
        return Holdings(tuple(entry for entry, _ in left), tuple(weight for _, weight in left), self.goes_on)

    def going_on(self, goes_on: Iterable[float]) -> "Holdings":
        """The same cards of an opponent who, after the draw, did what he does with such probabilities.

        Raises:
            ValueError: `goes_on` is not nine probabilities, one a category, or all of them are 0.
        """
        return Holdings(self.entries, self.weights, tuple(goes_on))

    def kernel_bytes(self) -> DrawOpponent:
        """The opponent as the kernel takes him: None for five random cards."""
        return None if self.is_random else self._bytes

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The entries as `bots.equity.conflicts` takes them."""
        return tuple(map(mask_of, self.entries))

    @cached_property
    def _bytes(self) -> DrawOpponent:
        entries = bytes(chain.from_iterable((*entry, *_MISSING[len(entry) :]) for entry in self.entries))
        even = len(set(self.weights)) == 1
        weights = None if even else array("d", self.weights).tobytes()
        return entries, weights, None if self.goes_on is None else array("d", self.goes_on).tobytes()


_MISSING: Final = (TO_DRAW,) * 5
ANY: Final = Holdings(((),), (1.0,))
"""Five random cards: of an opponent who has not drawn yet, or of whom nothing is known."""


@cache
def drew(cards: int) -> Holdings:
    """What an opponent kept who drew so many cards, 0 to 3, by the standard draw.

    Raises:
        ValueError: `cards` is no such number.
    """
    if cards not in _KEPT_BY:
        raise ValueError(f"nobody draws {cards} cards: 0 to 3 are right")
    kept = sorted(chain.from_iterable(deals() for deals in _KEPT_BY[cards]))
    return Holdings(tuple(entry for entry, _ in kept), tuple(float(count) for _, count in kept))


def _check_probabilities(goes_on: tuple[float, ...]) -> None:
    if len(goes_on) != CATEGORIES:
        raise ValueError(f"{len(goes_on)} probabilities of going on: {CATEGORIES}, one a category, are right")
    for chance in goes_on:
        if not 0 <= chance <= 1:
            raise ValueError(f"a probability of going on of {chance!r}: 0 to 1 is right")
    if not any(goes_on):
        raise ValueError("an opponent who never goes on cannot be here: one probability must be above 0")


def _of_rank(rank: int, count: int) -> Iterator[tuple[int, ...]]:
    return combinations(range(4 * rank, 4 * rank + 4), count)


def _mask(ranks: Iterable[int]) -> int:
    return sum(1 << rank for rank in ranks)


def straights() -> Iterator[Kept]:
    """Straight flushes too."""
    for straight in STRAIGHTS:
        ranks = [rank for rank in range(13) if straight >> rank & 1]
        for suits in product(range(4), repeat=5):
            yield tuple(4 * rank + suit for rank, suit in zip(ranks, suits, strict=True)), 1


def flushes() -> Iterator[Kept]:
    """With their suits alone: straight flushes are straights here."""
    for ranks in combinations(range(13), 5):
        if _mask(ranks) not in STRAIGHTS:
            for suit in range(4):
                yield tuple(4 * rank + suit for rank in ranks), 1


def full_houses() -> Iterator[Kept]:
    """All 3,744."""
    for three, two in product(range(13), repeat=2):
        if three != two:
            for cards in product(_of_rank(three, 3), _of_rank(two, 2)):
                yield tuple(sorted(chain(*cards))), 1


def four_of_a_kind() -> Iterator[Kept]:
    """With any other card."""
    for rank in range(13):
        four = range(4 * rank, 4 * rank + 4)
        for card in range(52):
            if card not in four:
                yield tuple(sorted((*four, card))), 1


def three_of_a_kind() -> Iterator[Kept]:
    """With any two other ranks."""
    for rank in range(13):
        for three in _of_rank(rank, 3):
            yield three, comb(12, 2) * 4**2


def two_pair() -> Iterator[Kept]:
    """With any card of the eleven other ranks."""
    for low, high in combinations(range(13), 2):
        for cards in product(_of_rank(low, 2), _of_rank(high, 2)):
            yield tuple(chain(*cards)), 44


def pairs() -> Iterator[Kept]:
    """With any three other ranks."""
    for rank in range(13):
        for two in _of_rank(rank, 2):
            yield two, comb(12, 3) * 4**3


def four_flushes() -> Iterator[Kept]:
    """With a card of another suit that makes neither a pair nor a straight."""
    for ranks in combinations(range(13), 4):
        fillers = sum(_mask(ranks) | 1 << rank in STRAIGHTS for rank in range(13) if rank not in ranks)
        for suit in range(4):
            yield tuple(4 * rank + suit for rank in ranks), 3 * (9 - fillers)


def open_straights() -> Iterator[Kept]:
    """With a card of the seven ranks that make neither a pair nor a straight, and no four to a flush."""
    for low in range(9):
        for suits in product(range(4), repeat=4):
            most = max(map(suits.count, suits))
            if most < 4:
                cards = tuple(4 * (low + step) + suit for step, suit in enumerate(suits))
                yield cards, 7 * (3 if most == 3 else 4)


def high_cards() -> Iterator[Kept]:
    """The two highest of five ranks that hold no pair, straight or open straight, nor four to a flush."""
    for low, high in combinations(range(13), 2):
        rest = sum(is_nothing((*below, low, high)) for below in combinations(range(low), 3))
        if not rest:
            continue
        for one, other in product(range(4), repeat=2):
            # Of 64 suits of the three below: two or three of the suit of both, or all three of the suit of one.
            suits = 64 - 10 if one == other else 64 - 2
            yield (4 * low + one, 4 * high + other), rest * suits


def is_nothing(ranks: tuple[int, ...]) -> bool:
    """Whether five different ranks hold neither a straight nor four of one that two ranks complete."""
    mask = _mask(ranks)
    return mask not in STRAIGHTS and not any(mask >> low & 0b1111 == 0b1111 for low in range(9))


_KEPT_BY: Final = {
    0: (straights, flushes, full_houses, four_of_a_kind),
    1: (two_pair, four_flushes, open_straights),
    2: (three_of_a_kind,),
    3: (pairs, high_cards),
}
"""By the number of cards drawn."""
