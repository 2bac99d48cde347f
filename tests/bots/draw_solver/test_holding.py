"""Classes of five cards before the draw, and what they keep."""

import random
from itertools import permutations

import pytest

from bots.draw_solver.holding import HOLDINGS, KINDS, read
from engine.cards import parse_cards


def kind_of(place: int) -> str:
    return next(kind for kind, places in KINDS.items() if places.start <= place < places.stop)


@pytest.mark.parametrize(
    "cards,kind,keeps",
    [
        ("As Kd 9c 6h 2s", "nothing", {3: "As Kd", 2: "As Kd 9c", 1: "As Kd 9c 6h", 0: "As Kd 9c 6h 2s"}),
        ("Ks 9c 8d 6h 5s", "gutshot", {1: "9c 8d 6h 5s"}),
        ("As 4c 3d 2h 9s", "gutshot", {1: "As 4c 3d 2h"}),
        ("Ks 9c 8d 7h 6s", "open_straight", {1: "9c 8d 7h 6s"}),
        ("Ks 5c 4d 3h 2s", "open_straight", {1: "5c 4d 3h 2s"}),
        ("As Qs 9s 3s Kd", "four_flush", {1: "As Qs 9s 3s", 3: "As Kd"}),
        ("9s 8s 7s 6s Kd", "straight_flush_draw", {1: "9s 8s 7s 6s"}),
        ("9s 9d As 6h 2c", "pair", {3: "9s 9d", 2: "9s 9d As", 1: "9s 9d As 6h"}),
        ("9s 9d 8s 7h 6c", "pair_and_open_straight", {3: "9s 9d", 2: "9s 9d 8s"}),
        ("9s 9d 7s 3s 2s", "pair_and_four_flush", {3: "9s 9d", 1: "9s 7s 3s 2s"}),
        ("9s 9d 3s 3d Kc", "two_pair", {1: "9s 9d 3s 3d", 3: "9s 9d"}),
        ("9s 9d 9h 3d Kc", "trips", {2: "9s 9d 9h", 1: "9s 9d 9h Kc"}),
        ("5s 4d 3h 2d Ac", "straight", {0: "5s 4d 3h 2d Ac"}),
        ("As 9s 7s 3s 2s", "flush", {0: "As 9s 7s 3s 2s"}),
        ("9s 9d 9h Kd Kc", "full_house", {0: "9s 9d 9h Kd Kc"}),
        ("9s 9d 9h 9c Kc", "quads", {1: "9s 9d 9h 9c"}),
        ("9s 8s 7s 6s 5s", "straight_flush", {0: "9s 8s 7s 6s 5s"}),
    ],
)
def test_a_holding_is_told_by_what_it_may_become(cards: str, kind: str, keeps: dict[int, str]) -> None:
    holding = read(parse_cards(cards))
    assert kind_of(holding.place) == kind
    for draws, kept in keeps.items():
        keep = holding.keeps[draws]
        assert keep is not None
        assert set(keep) == set(parse_cards(kept))


@pytest.mark.parametrize(
    "cards,draws",
    [
        ("5s 4d 3h 2d Ac", (1, 2, 3)),
        ("9s 9d 9h 3d Kc", (3,)),
        ("9s 9d 3s 3d Kc", (2,)),
        ("9s 9d 9h Kd Kc", (1, 2, 3)),
    ],
)
def test_what_is_never_sensible_is_not_kept(cards: str, draws: tuple[int, ...]) -> None:
    keeps = read(parse_cards(cards)).keeps
    assert tuple(at for at, keep in enumerate(keeps) if keep is None) == draws


def test_suits_may_change_places() -> None:
    rng = random.Random(1)
    for _ in range(500):
        cards = rng.sample(range(52), 5)
        holding = read(cards)
        assert 0 <= holding.place < HOLDINGS
        for suits in permutations(range(4)):
            other = read([card & ~3 | suits[card & 3] for card in cards])
            assert other.place == holding.place
            ranks = [
                [sorted(c >> 2 for c in keep) if keep else None for keep in each.keeps]
                for each in (holding, other)
            ]
            assert ranks[0] == ranks[1]


def test_the_order_of_the_cards_means_nothing() -> None:
    rng = random.Random(2)
    for _ in range(500):
        cards = rng.sample(range(52), 5)
        assert read(cards) == read(sorted(cards))


def test_who_draws_so_many_keeps_the_rest() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        cards = rng.sample(range(52), 5)
        for draws, keep in enumerate(read(cards).keeps):
            if keep is not None:
                assert len(keep) == 5 - draws
                assert set(keep) <= set(cards)
