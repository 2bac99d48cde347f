"""Ranking: which of two hands of cards is better, as one whole number a hand.

Five to seven cards count as the best five of them. The number holds the category and then the card ranks
that decide, the heaviest first, four bits each; so comparing two numbers is comparing two hands, and
suits never rank. Its order is that of every book: high card, pair, two pair, three of a kind, straight,
flush, full house, four of a kind, straight flush; A-2-3-4-5 is the lowest straight and nothing wraps.
"""

from collections.abc import Sequence
from enum import IntEnum
from itertools import combinations
from typing import Final

from engine.cards import Card

_LANE: Final = 3
"""Bits of one card rank's counter in a key: up to four cards of a rank."""
_RANK_LANES: Final = (1 << 13 * _LANE) - 1
_LOWEST: Final = _RANK_LANES // 0b111
"""The lowest bit of each lane."""
_SUIT_SHIFT: Final = 13 * _LANE
_KEYS: Final = tuple((1 << _LANE * (card >> 2)) + (1 << _SUIT_SHIFT + 4 * (card & 3)) for card in range(52))
_START: Final = 0x3333 << _SUIT_SHIFT
"""Each suit's counter starts at three, so that five cards of a suit set its highest bit."""
_FLUSH: Final = 0x8888 << _SUIT_SHIFT
_CATEGORY_SHIFT: Final = 20
_WHEEL: Final = 0o1_000_000_001_111
_ONE: Final = (
    *("deuce", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "jack", "queen", "king", "ace"),
)
_MANY: Final = tuple(name + ("es" if name == "six" else "s") for name in _ONE)


class Category(IntEnum):
    """What a hand of five cards is called, the better the higher."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8


def rank(cards: Sequence[Card]) -> int:
    """The strength of the best five of 5 to 7 different cards; more is better, equal is a tie."""
    key = _START
    for card in cards:
        key += _KEYS[card]
    if key & _FLUSH:
        return _flush(cards, key)
    return _STRENGTHS[key & _RANK_LANES]


def category(strength: int) -> Category:
    """The category of a number that `rank` gave."""
    return Category(strength >> _CATEGORY_SHIFT)


def best_five(cards: Sequence[Card]) -> tuple[Card, ...]:
    """The best five of 5 to 7 cards, those that decide first: the pair before its kickers, a wheel's five first."""
    five = max(combinations(cards, 5), key=rank)
    ranks = [card >> 2 for card in five]
    low_ace = category(rank(five)) in (Category.STRAIGHT, Category.STRAIGHT_FLUSH) and 0 in ranks
    return tuple(sorted(five, key=lambda card: (-ranks.count(card >> 2), low_ace and card >> 2 == 12, -card)))


def describe(cards: Sequence[Card]) -> str:
    """The best five of the cards in words, such as "two pair, aces and tens"."""
    strength = rank(cards)
    kind = category(strength)
    first, second = strength >> 16 & 15, strength >> 12 & 15
    name = kind.name.lower().replace("_", " ")
    match kind:
        case Category.HIGH_CARD:
            return f"{name}, {_ONE[first]}"
        case Category.PAIR | Category.THREE_OF_A_KIND | Category.FOUR_OF_A_KIND:
            return f"{name}, {_MANY[first]}"
        case Category.TWO_PAIR:
            return f"{name}, {_MANY[first]} and {_MANY[second]}"
        case Category.FULL_HOUSE:
            return f"{name}, {_MANY[first]} over {_MANY[second]}"
        case Category.STRAIGHT | Category.FLUSH | Category.STRAIGHT_FLUSH:  # pragma: no branch - no other
            return f"{name}, {_ONE[first]} high"


def _pack(kind: Category, ranks: Sequence[int]) -> int:
    """One number of a category and up to five card ranks, the heaviest first."""
    strength = int(kind)
    for rank in ranks:
        strength = strength << 4 | rank
    return strength << 4 * (5 - len(ranks))


def _lane(rank: int) -> int:
    """The set of one card rank; a set holds the lowest bit of each of its lanes."""
    return 1 << _LANE * rank


def _highest(ranks: int, count: int) -> list[int]:
    """The `count` highest card ranks of a set, or all of them, the highest first."""
    found: list[int] = []
    while ranks and len(found) < count:
        highest = ranks.bit_length() // _LANE
        found.append(highest)
        ranks ^= 1 << _LANE * highest
    return found


def _straight(ranks: int) -> int:
    """The highest card of the best straight in a set of card ranks; 0 if there is none."""
    run = ranks & ranks << _LANE & ranks << 2 * _LANE & ranks << 3 * _LANE & ranks << 4 * _LANE
    if run:
        return run.bit_length() // _LANE
    return 3 if ranks & _WHEEL == _WHEEL else 0


def _flush(cards: Sequence[Card], key: int) -> int:
    """The strength of cards with five or more of a suit, where nothing below a straight flush is better."""
    suit = ((key & _FLUSH) >> _SUIT_SHIFT).bit_length() // 4 - 1
    ranks = sum(_lane(card >> 2) for card in cards if card & 3 == suit)
    high = _straight(ranks)
    return _pack(Category.STRAIGHT_FLUSH, (high,)) if high else _pack(Category.FLUSH, _highest(ranks, 5))


def _suitless(key: int) -> int:
    """The strength of cards without a flush, by how many there are of each card rank."""
    odd, twice, fours = key & _LOWEST, key >> 1 & _LOWEST, key >> 2 & _LOWEST
    ranks, pairs, threes = odd | twice | fours, twice & ~odd, twice & odd
    if fours:
        return _pack(Category.FOUR_OF_A_KIND, _highest(fours, 1) + _highest(ranks ^ fours, 1))
    three = _highest(threes, 1)
    if three and (others := (pairs | threes) ^ _lane(three[0])):
        return _pack(Category.FULL_HOUSE, three + _highest(others, 1))
    if high := _straight(ranks):
        return _pack(Category.STRAIGHT, (high,))
    if three:
        return _pack(Category.THREE_OF_A_KIND, three + _highest(ranks ^ threes, 2))
    two = _highest(pairs, 2)
    if len(two) == 2:
        return _pack(Category.TWO_PAIR, two + _highest(ranks ^ _lane(two[0]) ^ _lane(two[1]), 1))
    return _pack(
        Category.PAIR if two else Category.HIGH_CARD, two + _highest(ranks ^ pairs, 5 - 2 * len(two))
    )


class _Strengths(dict[int, int]):
    """Strength by rank counters, worked out when first met: at most 73,775 of 5 to 7 cards, 10 MB in all."""

    __slots__ = ()

    def __missing__(self, key: int) -> int:
        strength = self[key] = _suitless(key)
        return strength


_STRENGTHS: Final = _Strengths()
