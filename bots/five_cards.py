"""Reading five cards of draw: what to keep, what it may become, and what it is worth.

The chances to improve are exact (enumerated over all draws from the 47 other cards).
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from bots.straights import STRAIGHTS, rank_mask
from bots.strength import category_of
from engine.ranking import Category


class Kind(StrEnum):
    """What five cards are before the draw."""

    PAT = "pat"
    """A straight or better."""
    TRIPS = "trips"
    TWO_PAIR = "two_pair"
    PAIR = "pair"
    FOUR_FLUSH = "four_flush"
    OPEN_STRAIGHT = "open_straight"
    HIGH = "high"


CHANCE: Final[dict[Kind, float]] = {
    Kind.PAT: 0.0,
    Kind.TRIPS: 0.104,
    Kind.TWO_PAIR: 0.085,
    Kind.PAIR: 0.287,
    Kind.FOUR_FLUSH: 0.191,
    Kind.OPEN_STRAIGHT: 0.170,
    Kind.HIGH: 0.15,
}
"""How often the standard draw improves the hand; of a draw, to a flush or straight; of high cards, to more than a small pair."""


class Reading(NamedTuple):
    """Five cards before the draw."""

    kind: Kind
    pair: int
    """Rank of the highest pair, trips or single card; 12 the ace."""
    keep: tuple[int, ...]
    """What the standard draw keeps; the rest is discarded, at most three."""


def read(cards: Sequence[int]) -> Reading:
    """What the cards are and what the standard draw keeps."""
    made = category_of(cards)
    counts = Counter(card >> 2 for card in cards)
    many = {r for r, count in counts.items() if count > 1}
    kept = tuple(card for card in cards if card >> 2 in many)
    best = max(many, default=max(counts), key=lambda r: (counts[r], r))
    if made >= Category.STRAIGHT:
        return Reading(Kind.PAT, best, tuple(cards))
    if made is Category.THREE_OF_A_KIND:
        return Reading(Kind.TRIPS, best, kept)
    if made is Category.TWO_PAIR:
        return Reading(Kind.TWO_PAIR, max(many), kept)
    if made is Category.PAIR:
        return Reading(Kind.PAIR, best, kept)
    return _unpaired(cards, best)


def _unpaired(cards: Sequence[int], best: int) -> Reading:
    for suit in range(4):
        four = tuple(card for card in cards if card & 3 == suit)
        if len(four) == 4:
            return Reading(Kind.FOUR_FLUSH, best, four)
    if four := _open_straight(cards):
        return Reading(Kind.OPEN_STRAIGHT, best, four)
    return Reading(Kind.HIGH, best, tuple(sorted(cards, reverse=True)[:2]))


def _open_straight(cards: Sequence[int]) -> tuple[int, ...]:
    """Four cards that two ranks make a straight; without a pair among the five."""
    for without in cards:
        four = tuple(card for card in cards if card != without)
        mask = rank_mask(four)
        if sum((mask & run) == mask for run in STRAIGHTS) == 2:
            return four
    return ()


def discards(cards: Sequence[int], keep: Sequence[int]) -> tuple[int, ...]:
    """What is given up when `keep` is kept."""
    return tuple(card for card in cards if card not in keep)


def best_draws(cards: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The discards worth comparing, the standard one first: beside a pair or trips a kicker kept, or four to a flush."""
    reading = read(cards)
    standard = discards(cards, reading.keep)
    choices = [standard]
    if reading.kind in (Kind.PAIR, Kind.TRIPS):
        kicker = max(standard)
        choices.append(tuple(card for card in standard if card != kicker))
    four = _four_to_a_flush(cards)
    if reading.kind is Kind.PAIR and four:
        choices.append(discards(cards, four))
    return tuple(choices)


def _four_to_a_flush(cards: Sequence[int]) -> tuple[int, ...]:
    suits = Counter(card & 3 for card in cards)
    suit, count = suits.most_common(1)[0]
    return tuple(card for card in cards if card & 3 == suit) if count == 4 else ()
