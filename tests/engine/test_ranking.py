"""Ranking: which hand is better, proven against a naive twin and the numbers of every book."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from engine.cards import Card, parse_cards, texts_of
from engine.ranking import Category, best_five, category, describe, rank


def naive(cards: Sequence[Card]) -> tuple[int, ...]:
    """The strength of exactly five cards, written as a rule book says it."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    order = sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)
    shape = sorted(Counter(ranks).values(), reverse=True)
    flush = len({card % 4 for card in cards}) == 1
    if ranks == [12, 3, 2, 1, 0]:
        order = [3, 2, 1, 0, -1]
    straight = len(set(ranks)) == 5 and order[0] - order[4] == 4
    kind = (
        8 * (straight and flush)
        or 7 * (shape[0] == 4)
        or 6 * (shape == [3, 2])
        or 5 * flush
        or 4 * straight
        or 3 * (shape[0] == 3)
        or 2 * (shape[:2] == [2, 2])
        or int(shape[0] == 2)
    )
    return (kind, *order)


def best_naive(cards: Sequence[Card]) -> tuple[int, ...]:
    return max(naive(five) for five in combinations(cards, 5))


def test_every_five_card_hand_falls_into_its_category() -> None:
    """Ranking, low to high: the counts of all 2,598,960 hands are those of every book."""
    counts: Counter[int] = Counter()
    for five in combinations([Card(number) for number in range(52)], 5):
        counts[rank(five) >> 20] += 1
    assert [counts[kind] for kind in Category] == [
        *(1_302_540, 1_098_240, 123_552, 54_912, 10_200),
        *(5_108, 3_744, 624, 40),
    ]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_order_is_that_of_the_naive_twin(size: int) -> None:
    """S6: the best five of 5 to 7 cards decide, and equal hands are equal."""
    rng = Random(size)
    few = [Card(rank * 4 + suit) for rank in (0, 1, 2, 3, 4, 12) for suit in range(3)]
    deck = [Card(number) for number in range(52)]
    hands = [rng.sample(deck if place % 2 else few, size) for place in range(3_000)]
    ours = [rank(hand) for hand in hands]
    twins = [best_naive(hand) for hand in hands]
    in_our_order = [twin for _, twin in sorted(zip(ours, twins, strict=True))]
    assert in_our_order == sorted(twins)
    assert len(set(zip(ours, twins, strict=True))) == len(set(ours)) == len(set(twins))


@pytest.mark.parametrize(
    "cards, words, five",
    [
        ("As Kd 9c 7h 5s 3c 2d", "high card, ace", "As Kd 9c 7h 5s"),
        ("As Ad 9c 7h 5s 3c 2d", "pair, aces", "As Ad 9c 7h 5s"),
        ("6s 6d 9c 7h Ks 3c 2d", "pair, sixes", "6s 6d Ks 9c 7h"),
        ("Ts Ad Ac Th 5s 3c 3d", "two pair, aces and tens", "Ad Ac Ts Th 5s"),
        ("Ts Ad 9c 9h 9s 3c 2d", "three of a kind, nines", "9s 9h 9c Ad Ts"),
        ("As 2d 3c 4h 5s Ac Ad", "straight, five high", "5s 4h 3c 2d As"),
        ("As Kd Qc Jh Ts 9c 8d", "straight, ace high", "As Kd Qc Jh Ts"),
        ("Js 9s 7s 5s 3s 2s Ad", "flush, jack high", "Js 9s 7s 5s 3s"),
        ("Ks Kd Kc Qh Qs Qc 2d", "full house, kings over queens", "Ks Kd Kc Qs Qh"),
        ("7s 7d 7c 7h Qs Qc Ad", "four of a kind, sevens", "7s 7h 7d 7c Ad"),
        ("Ac 2c 3c 4c 5c 6d 7d", "straight flush, five high", "5c 4c 3c 2c Ac"),
        ("9c Tc Jc Qc Kc Ac 2d", "straight flush, ace high", "Ac Kc Qc Jc Tc"),
    ],
)
def test_a_hand_in_words_and_its_five_cards(cards: str, words: str, five: str) -> None:
    """Ranking: the category, what makes it, and the five that count, the heaviest first."""
    hand = parse_cards(cards)
    assert describe(hand) == words
    assert texts_of(best_five(hand)) == five
    assert rank(best_five(hand)) == rank(hand)


@pytest.mark.parametrize(
    "better, worse",
    [
        ("6c 5d 4h 3s 2c", "5d 4h 3s 2c Ac"),
        ("5d 4h 3s 2c Ac", "As Ad Ac Kh Qs"),
        ("Kd Qh Js Tc 9c", "Ac 2d Kd Qh Js"),
        ("As Ks Qs Js 9s", "Ac Kd Qh Js Tc"),
        ("As Ad Kc Kh 3s", "As Ad Kc Kh 2s"),
        ("2s 2d 2c 3h 3s", "As Ks Qs Js 9s"),
        ("2s 2d 2c 2h 3s", "As Ad Ac Kh Ks"),
    ],
)
def test_the_better_hand_ranks_higher(better: str, worse: str) -> None:
    """S7: A-2-3-4-5 is the lowest straight, the ace is high in T-A, no wrap; then kickers decide."""
    assert rank(parse_cards(better)) > rank(parse_cards(worse))


def test_suits_never_rank() -> None:
    """Ranking: ties are ties whatever the suits."""
    assert rank(parse_cards("As Ks Qs Js 9s")) == rank(parse_cards("Ah Kh Qh Jh 9h"))
    assert rank(parse_cards("Ac Ad 9c 7h 5s")) == rank(parse_cards("As Ah 9d 7c 5h"))


def test_the_wrap_is_no_straight() -> None:
    """S7: Q-K-A-2-3 is ace high."""
    assert category(rank(parse_cards("Qc Kd Ah 2s 3c"))) is Category.HIGH_CARD
