"""The proof of the ranking: every hand there is, counted, and the whole order against a naive twin.

A hand is taken as four sets of card ranks, one a suit. Hands that differ by an exchange of suits alone are one
class; the classes are gone through one by one, each with the number of hands in it, and the numbers add up to
all hands there are.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb, factorial, prod
from random import Random

import pytest

from engine.cards import Card
from engine.ranking import Category, category, rank
from tests.properties import naive

SEVEN_CARD_HANDS = 133_784_560
SEVEN_CARD_CLASSES = 6_009_159
FIVE_CARD_STRENGTHS = 7_462
EVERY = 2_003
"""Of the classes, one in so many is ranked in all its suits."""
Group = list[tuple[tuple[Card, ...], int]]


def partitions(size: int) -> Iterator[tuple[int, ...]]:
    """How many cards of each suit a hand of `size` may have, the most first."""
    for suits in combinations_with_replacement(range(min(size, 13), -1, -1), 4):
        if sum(suits) == size:
            yield suits


def group(size: int, suits: range) -> Group:
    """All ways, but for their order, to give each of `suits` `size` cards; with what exchanging equal ones spares."""
    choices = list(combinations(range(13), size))
    made: Group = []
    for chosen in combinations_with_replacement(range(len(choices)), len(suits)):
        cards = tuple(
            Card(rank * 4 + suit) for suit, at in zip(suits, chosen, strict=True) for rank in choices[at]
        )
        made.append((cards, prod(factorial(count) for count in Counter(chosen).values())))
    return made


def classes(size: int) -> Iterator[tuple[tuple[Card, ...], int]]:
    """One hand of every class of hands that are equal but for their suits, and how many hands are in it."""
    for suits in partitions(size):
        groups, first = [], 0
        for cards, count in Counter(suits).items():
            groups.append(group(cards, range(first, first + count)))
            first += count
        for parts in product(*groups):
            hand: tuple[Card, ...] = ()
            ways = 24
            for cards_of_part, spared in parts:
                hand += cards_of_part
                ways //= spared
            yield hand, ways


def in_other_suits(hand: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    for suits in permutations(range(4)):
        yield tuple(Card(card // 4 * 4 + suits[card % 4]) for card in hand)


def test_the_classes_are_all_hands() -> None:
    """What the proof stands on: for five cards the hands of the classes are each of the 2,598,960 once."""
    assert sum(ways for _, ways in classes(5)) == comb(52, 5)
    hands = {tuple(sorted(twin)) for hand, _ in classes(3) for twin in in_other_suits(hand)}
    assert len(hands) == comb(52, 3) == sum(ways for _, ways in classes(3))


def test_five_card_hands_are_in_the_order_of_the_naive_twin() -> None:
    """Ranking, low to high: all 7,462 strengths, each class of the five-card hands among them."""
    hands = [hand for hand, _ in classes(5)]
    pairs = {(rank(hand), naive.five_card_strength(hand)) for hand in hands}
    assert len(pairs) == FIVE_CARD_STRENGTHS
    by_ours, by_twin = sorted(pairs), sorted(pairs, key=lambda pair: pair[1])
    assert by_ours == by_twin
    assert len({ours for ours, _ in pairs}) == len({twin for _, twin in pairs}) == FIVE_CARD_STRENGTHS


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_seven_card_hand_falls_into_its_category() -> None:
    """Ranking, low to high: the counts of all 133,784,560 hands are the known ones."""
    counts: Counter[Category] = Counter()
    strengths: Counter[int] = Counter()
    seen = 0
    for hand, ways in classes(7):
        strength = rank(hand)
        strengths[strength] += ways
        seen += 1
        if not seen % EVERY:
            assert {rank(twin) for twin in in_other_suits(hand)} == {strength}, "suits never rank"
    for strength, ways in strengths.items():
        counts[category(strength)] += ways
    assert seen == SEVEN_CARD_CLASSES
    assert counts.total() == SEVEN_CARD_HANDS == comb(52, 7)
    assert [counts[kind] for kind in Category] == [
        *(23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020),
        *(4_047_644, 3_473_184, 224_848, 41_584),
    ]


@pytest.mark.parametrize("size", [6, pytest.param(7, marks=pytest.mark.slow)])
def test_more_cards_are_worth_their_best_five(size: int) -> None:
    """Ranking: exactly five of seven cards, on one class in many of all there are."""
    for place, (hand, _) in enumerate(classes(size)):
        if place % 251 == 0:
            assert rank(hand) == max(rank(five) for five in combinations(hand, 5))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_order_of_many_random_hands_is_that_of_the_naive_twin() -> None:
    """S6: 200,000 seven-card hands, and equal ones are equal."""
    rng = Random(7)
    hands = [[Card(number) for number in rng.sample(range(52), 7)] for _ in range(200_000)]
    pairs = {(rank(hand), naive.strength(hand)) for hand in hands}
    assert sorted(pairs) == sorted(pairs, key=lambda pair: pair[1])
    assert len(pairs) == len({ours for ours, _ in pairs}) == len({twin for _, twin in pairs})
