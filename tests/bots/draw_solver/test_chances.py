"""The chance moves of the solver's game, counted over all cards."""

from math import comb

import numpy as np
import pytest

from bots.draw_solver.card_sets import card_sets, containing
from bots.draw_solver.catalogue import catalogue, finals, outcomes
from bots.draw_solver.chances import _disjoint_pairs, chances
from bots.draw_solver.holding import HOLDINGS, KINDS, read
from bots.equity.numpy_cards import CATEGORY
from engine.cards import parse_cards
from engine.ranking import Category
from tests.bots.draw_solver.deals import deals, hands


@pytest.mark.parametrize("size,classes", list(enumerate((1, 13, 169, 1755, 16_432, 134_459))))
def test_sets_of_cards_are_classed_by_suits_changing_places(size: int, classes: int) -> None:
    sets = card_sets(size)
    assert len(sets.keys) == classes
    assert sets.count.sum() == comb(52, size)


@pytest.mark.parametrize(
    "cards,draws,improved",
    [
        # Published by enumeration: 2+2 thread 308573; in percent.
        (
            "9s 9d Ks 6h 2c",
            3,
            {"TWO_PAIR": 15.985, "THREE_OF_A_KIND": 11.434, "FULL_HOUSE": 1.018, "FOUR_OF_A_KIND": 0.278},
        ),
        (
            "9s 9d Ks 6h 2c",
            2,
            {"TWO_PAIR": 17.206, "THREE_OF_A_KIND": 7.771, "FULL_HOUSE": 0.833, "FOUR_OF_A_KIND": 0.093},
        ),
        ("9s 9d 9h 6h 2c", 2, {"FULL_HOUSE": 6.105, "FOUR_OF_A_KIND": 4.255}),
        ("9s 9d 9h 6h 2c", 1, {"FULL_HOUSE": 6.383, "FOUR_OF_A_KIND": 2.128}),
        ("9s 9d 6s 6h 2c", 1, {"FULL_HOUSE": 8.511}),
        ("As Ts 6s 3s 2c", 1, {"FLUSH": 19.149, "PAIR": 25.532}),
        ("9s 8d 7h 6h 2c", 1, {"STRAIGHT": 17.021, "PAIR": 25.532}),
    ],
)
def test_draws_improve_as_published(cards: str, draws: int, improved: dict[str, float]) -> None:
    categories = CATEGORY[catalogue().strength].astype(np.int64)
    ended = outcomes(draws, categories, len(Category))[read(parse_cards(cards)).place]
    assert ended.sum() == pytest.approx(1)
    assert {name: round(100 * float(ended[Category[name]]), 3) for name in improved} == improved


def test_all_draws_of_all_holdings_are_the_finals() -> None:
    """Two ways of counting: from every holding on, and from every final hand back."""
    categories = CATEGORY[catalogue().strength].astype(np.int64)
    for draws in range(4):
        shares = np.linspace(0, 1, HOLDINGS)
        weights = shares * catalogue().dealt * catalogue().sensible[draws]
        onward = weights @ outcomes(draws, categories, len(Category))
        back = np.bincount(categories, finals(draws, shares), len(Category))
        assert back == pytest.approx(onward, abs=1e-6)


def test_shares_are_shares() -> None:
    found = chances()
    assert found.dealt.sum() == pytest.approx(1)
    assert found.dealt @ found.before @ found.dealt == pytest.approx(1, abs=1e-5)
    ends = found.drawn.sum(axis=2)
    assert ends == pytest.approx(np.where(found.dealt > 0, found.sensible, 0), abs=1e-9)
    assert list(found.thresholds) == sorted(set(found.thresholds))


def place(cards: str) -> int:
    return read(parse_cards(cards)).place


def test_two_players_cannot_hold_the_same_cards() -> None:
    before = chances().before
    aces, kings = place("As Ad 9s 6h 2c"), place("Ks Kd 9s 6h 2c")
    assert before[place("As Ad Ac Ah 2c"), aces] == 0
    assert before[aces, aces] < 0.3 < 0.9 < before[aces, kings] < 1.5
    assert before[aces, place("Ks Kd As 6h 2c")] < 0.8
    quads = place("As Ad Ac Ah 2c")
    assert before[quads, quads] == 0


def test_pairs_of_disjoint_hands_are_counted_right() -> None:
    """Against going through all pairs of quads and of straight flushes."""
    every = card_sets(5)
    categories = CATEGORY[catalogue().strength].astype(np.int64)
    kinds = np.select([categories == Category.FOUR_OF_A_KIND, categories == Category.STRAIGHT_FLUSH], [1, 2])
    found = _disjoint_pairs(*[containing(kinds, 3)] * 2)
    quads = [
        {*range(4 * rank, 4 * rank + 4), card}
        for rank in range(13)
        for card in range(52)
        if card >> 2 != rank
    ]
    flushes = [
        {4 * (r % 13) + suit for r in range(low, low + 5)} for low in range(-1, 9) for suit in range(4)
    ]
    assert every.count[kinds == 1].sum() == len(quads)
    assert every.count[kinds == 2].sum() == len(flushes)
    assert found[1, 2] == sum(one.isdisjoint(other) for one in quads for other in flushes)
    # Each hand and itself is counted too, since the lists end before all five cards.
    assert found[1, 1] - len(quads) == sum(one.isdisjoint(other) for one in quads for other in quads)


def test_final_hands_meet_as_often_as_in_deals_of_real_cards() -> None:
    """Two who draw three and end with a pair: how often it is the same, by `after` and by dealing."""
    found = chances()
    sample = next(deals(200_000, 5))
    three = 3
    readings = [read(cards) for cards in hands().cards.tolist()]
    pairs = KINDS["pair"]
    alike, apart = 0, 0
    for at, cards in enumerate(sample.own.tolist()):
        mine, his = read(cards), readings[sample.theirs[at]]
        if pairs.start <= min(mine.place, his.place) and max(mine.place, his.place) < pairs.stop:
            ranks = [
                only_pair((*(keep or ()), *new))
                for keep, new in (
                    (mine.keeps[three], sample.own_new[at]),
                    (his.keeps[three], sample.their_new[at]),
                )
            ]
            if None not in ranks:
                alike, apart = alike + (ranks[0] == ranks[1]), apart + (ranks[0] != ranks[1])
    ended = found.dealt[pairs] @ found.drawn[three][pairs]
    ended[np.array(found.thresholds) > 1277 + 2860 - 100] = 0
    middle = (np.array([*found.thresholds[1:], 7463]) + np.array(found.thresholds)) // 2
    rank = np.where((middle > 1277) & (middle <= 1277 + 2860), (middle - 1278) // 220, -1)
    together = ended[:, None] * ended * found.after[three, three]
    same = (rank[:, None] == rank) & (rank >= 0)
    other = (rank[:, None] != rank) & (rank[:, None] >= 0) & (rank >= 0)
    expected = float(together[same].sum() / together[other].sum())
    assert expected < 0.5 / 12
    assert alike / apart == pytest.approx(expected, rel=4 / alike**0.5)


def only_pair(cards: tuple[int, ...]) -> int | None:
    """The rank of the pair of a hand that has just one."""
    ranks = sorted(int(card) >> 2 for card in cards)
    twice = {rank for rank in ranks if ranks.count(rank) == 2}
    return min(twice) if len(set(ranks)) == 4 else None
