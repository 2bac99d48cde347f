"""Strengths on every path: all hands counted, and the order of the engine's own ranking."""

from array import array
from itertools import accumulate, pairwise
from random import Random
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from bots.equity.kernels import Kernel
from bots.equity.paths import Path, available, kernel
from bots.equity.tables import CATEGORY_SIZES
from engine.cards import FULL_DECK, parse_cards
from engine.ranking import Category, category, rank

PATHS: Final = [path for path in available() if path is not Path.AVX512]
"""Strengths are looked up one by one on the path with AVX-512 too: they are those of portable C."""
COUNTS: Final = {
    5: (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40),
    7: (23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584),
}
"""Of all hands of five and of seven cards, by category: the published numbers."""


@pytest.fixture(params=PATHS)
def path(request: pytest.FixtureRequest) -> Kernel:
    return kernel(request.param)


@pytest.mark.parametrize("size, hands", [(5, 2_598_960), (7, 133_784_560)])
def test_all_hands_have_the_published_categories(path: Kernel, size: int, hands: int) -> None:
    counts = array("Q", path.histogram(size))
    ends = [0, *accumulate(CATEGORY_SIZES)]
    assert len(counts) == 7463
    assert (counts[0], sum(counts)) == (0, hands)
    assert tuple(sum(counts[low + 1 : high + 1]) for low, high in pairwise(ends)) == COUNTS[size]
    # Four of 13 straight flushes each; of seven cards, 4,824 strengths occur: published too.
    assert sum(count > 0 for count in counts) == (7462 if size == 5 else 4824)


def same_order(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether two numbers a hand rank and tie the hands alike."""
    order = np.lexsort((other, one))
    steps, others = np.diff(one[order]), np.diff(other[order])
    return bool(((steps > 0) == (others > 0)).all() and (others >= 0).all())


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_are_ordered_as_the_engine_orders_them(path: Kernel, size: int) -> None:
    random = Random(f"strengths of {size}")
    hands = [random.sample(FULL_DECK, size) for _ in range(20_000)]
    ours = array("H", path.ranks(bytes(card for hand in hands for card in hand), size))
    assert same_order(np.array([rank(hand) for hand in hands]), np.array(ours, np.int64))
    assert [path.rank(bytes(hand)) for hand in hands[:300]] == ours[:300].tolist()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_million_random_hands_are_ordered_as_the_engine_orders_them() -> None:
    chance = np.random.default_rng(7)
    engines: list[NDArray[np.int64]] = []
    ours: dict[Path, list[NDArray[np.int64]]] = {path: [] for path in PATHS}
    for _ in range(100):
        hands = chance.random((100_000, 52), np.float32).argpartition(7, axis=1)[:, :7].astype(np.uint8)
        engines.append(np.array([rank(hand) for hand in hands.tolist()]))
        for path in PATHS:
            ours[path].append(
                np.frombuffer(kernel(path).ranks(hands.tobytes(), 7), np.uint16).astype(np.int64)
            )
    for path in PATHS:
        assert same_order(np.concatenate(engines), np.concatenate(ours[path])), path


@pytest.mark.parametrize(
    "text, strength",
    [
        ("7c 5d 4h 3s 2c", 1),
        ("2c 2d 5h 4s 3c", 1278),
        ("5c 4d 3h 2s Ac", 5854),
        ("5c 4c 3c 2c Ac", 7453),
        ("As Ks Qs Js Ts", 7462),
        ("As Ks Qs Js Ts 9s", 7462),
        ("As Ks Qs Js Ts 2c 2d", 7462),
        ("9s 8d 7h 5s 4c 3c 2h", 49),
    ],
)
def test_strengths_stand_on_one_scale(path: Kernel, text: str, strength: int) -> None:
    assert path.rank(bytes(parse_cards(text))) == strength


def test_each_category_begins_where_the_one_before_ends(path: Kernel) -> None:
    random = Random(5)
    ends = list(accumulate(CATEGORY_SIZES))
    for _ in range(1000):
        hand = random.sample(FULL_DECK, 7)
        kind = category(rank(hand))
        assert ends[kind] - CATEGORY_SIZES[kind] < path.rank(bytes(hand)) <= ends[kind]
    assert len(CATEGORY_SIZES) == len(Category)


@pytest.mark.parametrize(
    "cards", [b"", bytes(range(4)), bytes(range(8)), bytes([1, 2, 3, 4, 52]), bytes([1] * 5)]
)
def test_what_is_no_hand_is_refused(path: Kernel, cards: bytes) -> None:
    with pytest.raises(ValueError, match=r"five to seven cards|from 0 to 51|there twice"):
        path.rank(cards)
    with pytest.raises(ValueError, match=r"five to seven cards|from 0 to 51|there twice"):
        path.ranks(cards or bytes(3), 5)
    with pytest.raises(ValueError, match="five or seven cards"):
        path.histogram(len(cards) + 10)


def test_no_hands_have_no_strengths(path: Kernel) -> None:
    assert path.ranks(b"", 5) == path.ranks(b"", 7) == b""
