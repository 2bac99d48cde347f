"""Chance in numpy: cards dealt alike, choices made by weight, and no deal favoured where cards are in each other's way."""

from array import array
from collections import Counter
from itertools import combinations, permutations, product
from math import sqrt

import numpy as np
import pytest

from bots.equity.numpy_cards import SET, set_of
from bots.equity.numpy_chance import Choices, Decks, choose, generator

DEALS = 120_000


def alike(counts: Counter[tuple[int, ...]], kinds: int) -> bool:
    """Whether each of so many kinds of deal came up as often as the others: chi-squared, 4.5 deviations."""
    expected = counts.total() / kinds
    squares = sum((count - expected) ** 2 for count in counts.values()) / expected
    squares += (kinds - len(counts)) * expected
    return abs(squares - (kinds - 1)) < 4.5 * sqrt(2 * (kinds - 1))


def test_every_order_of_cards_is_dealt_alike() -> None:
    deck = np.array([3, 17, 20, 33, 51], np.uint8)
    decks = Decks(deck, DEALS, generator(1))
    dealt = np.stack([decks.draw() for _ in range(5)])
    assert alike(Counter(map(tuple, dealt.T.tolist())), 120)


def test_no_card_is_dealt_twice() -> None:
    decks = Decks(np.arange(52, dtype=np.uint8), 2000, generator(2))
    dealt = np.stack([decks.draw() for _ in range(52)])
    assert (np.sort(dealt, axis=0) == np.arange(52)[:, None]).all()


@pytest.mark.parametrize("taken", [(0, 5), (5, 0), (4, 3), (5, 4), (2, 5)])
def test_cards_that_were_taken_are_not_dealt_and_the_others_alike(taken: tuple[int, int]) -> None:
    left = [card for card in range(6) if card not in taken]
    decks = Decks(np.arange(6, dtype=np.uint8), DEALS, generator(3))
    first = decks.draw()
    for card, instead in zip(taken, left, strict=False):
        decks.take(np.where(first == card, np.uint8(instead), np.uint8(card)))
    rest = np.stack([first, decks.draw(), decks.draw()])
    counts = Counter(map(tuple, rest[:, ~np.isin(first, taken)].T.tolist()))
    assert set(counts) == set(permutations(left, 3))
    assert alike(counts, len(counts))


def test_decks_of_which_some_lose_a_card_deal_the_rest_alike() -> None:
    """Of half of the decks a card is taken, from a third of them an extra card is dealt; all lose the last one."""
    decks = Decks(np.arange(7, dtype=np.uint8), DEALS, generator(4))
    places = np.arange(DEALS)
    lose, extra = places % 2 == 0, places % 3 == 0
    decks.take(np.full(DEALS, 255, np.uint8), np.zeros(DEALS, np.bool_))
    decks.take(np.full(DEALS, 2, np.uint8), lose)
    decks.take(np.full(DEALS, 6, np.uint8))
    third = decks.draw(extra)
    pairs = np.stack([third, decks.draw(), decks.draw()])
    for loses, draws in product((False, True), repeat=2):
        left = [card for card in range(6) if not (loses and card == 2)]
        some = pairs[:, (lose == loses) & (extra == draws)]
        some = some if draws else some[1:]
        counts = Counter(map(tuple, some.T.tolist()))
        assert set(counts) == set(permutations(left, len(some)))
        assert alike(counts, len(counts))


def test_choices_come_up_by_weight() -> None:
    weights = [1e-12, 0.5, 3, 1, 1e-300, 0.25]
    choices = Choices(SET[:6], array("d", weights).tobytes())
    counts = np.bincount(choices.drawn(generator(5), DEALS), minlength=6)
    for weight, count in zip(weights, counts.tolist(), strict=True):
        share = weight / sum(weights)
        assert abs(count - DEALS * share) <= 4.5 * sqrt(DEALS * share * (1 - share)) + 1e-6


def test_a_deal_is_as_likely_as_the_weights_of_its_choices_multiplied() -> None:
    """Three players choose of the same pairs: whoever chooses last must not be the one who gives way."""
    pairs = list(combinations(range(6), 2))
    sets = set_of(np.array(pairs, np.uint8).T)
    weights = [[1.0 + (7 * i + p) % 5 for i in range(len(pairs))] for p in range(3)]
    players = [Choices(sets, array("d", each).tobytes()) for each in weights]
    places = choose(players, DEALS, generator(6))
    counts = Counter(zip(*(at.tolist() for at in places), strict=True))
    deals = {
        chosen: weights[0][chosen[0]] * weights[1][chosen[1]] * weights[2][chosen[2]]
        for chosen in product(range(len(pairs)), repeat=3)
        if len({card for at in chosen for card in pairs[at]}) == 6
    }
    assert set(counts) == set(deals)
    assert counts.total() == DEALS
    for chosen, weight in deals.items():
        share = weight / sum(deals.values())
        assert abs(counts[chosen] - DEALS * share) < 4.5 * sqrt(DEALS * share)
