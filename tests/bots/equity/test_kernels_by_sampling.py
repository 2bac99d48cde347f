"""Sampled results of every path: within their own error of exact ones. Seeds are fixed, so luck plays no part."""

from array import array
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final

import pytest

from bots.equity.kernels import DrawOpponent, HoldemPlayer
from bots.equity.paths import Path, available, kernel
from tests.bots.equity import slow_equity
from tests.bots.equity.asking import cards, seat
from tests.bots.equity.test_kernels_exactly import AGAINST_ANY_TWO, DRAWS, PICKY, opponent

SAMPLES: Final = 200_000
ERRORS: Final = 4.5
"""Standard errors that a sampled equity may be off: one in 150,000 would be by chance."""


@pytest.fixture(params=available())
def path(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def holdem(
    path: Path,
    players: Sequence[HoldemPlayer],
    board: str,
    dead: str,
    *,
    seed: int = 1,
    samples: int = SAMPLES,
) -> list[int]:
    wide = path is Path.AVX512
    return kernel(path).holdem_sample(players, cards(board), cards(dead), seed, samples, wide)


def within_error(sampled: Sequence[int], exact: Sequence[float]) -> bool:
    """Whether each player's equity, and how often he wins alone, is within its error of the exact one."""
    n = round(sqrt(len(exact)))
    deals = sum(count / (i % n + 1) for i, count in enumerate(exact))
    samples = round(sum(count / (i % n + 1) for i, count in enumerate(sampled)))
    assert samples == SAMPLES
    for p in range(n):
        row, true = sampled[p * n : p * n + n], exact[p * n : p * n + n]
        for values in ([1 / k for k in range(1, n + 1)], [1.0] + [0.0] * (n - 1)):
            mean = sum(v * count for v, count in zip(values, true, strict=True)) / deals
            square = sum(v * v * count for v, count in zip(values, true, strict=True)) / deals
            found = sum(v * count for v, count in zip(values, row, strict=True)) / samples
            if abs(found - mean) > ERRORS * sqrt(max(square - mean * mean, 0) / samples) + 1e-9:
                return False
    return True


SPOTS: Final[list[tuple[tuple[str, ...], str, str]]] = [
    (("AsKs", "QcQd"), "", ""),
    (("QcQd", "AsKs"), "", "AhQh"),
    (("AsKs", "22, AKo:0.5"), "", ""),
    (("AsKs", "random"), "Qs7d2s", ""),
    (("random", "AsKs"), "Qs7d2s", "7c7h"),
    (("AsKs", "random"), "Qs7d2s4c", ""),
    (("AsKs", "random"), "Qs7d2s4c9h", ""),
    (("AsKs", "22+, A2s+, K9s+"), "Qs7d2s", ""),
    (("AsKs", "AA:0.1, 33"), "Qs7d2s", ""),
    (("AsKs", "AA:0.1, 33, QJs:0.5"), "Qs7d2s4h", "Ac"),
    (("AA:0.25, KK, QJs:0.5", "TT-88, AKs:0.125, QJo"), "Js9d2c", ""),
    # Two hands that take combos from a range.
    (("AsAh", "KsKh", "AsAd, KsKd, QsQd, JcJd"), "9h7d2c", ""),
    # Two of the same range, so that a deal in three must be thrown away as a whole.
    (("AA, KK:0.5", "AA:0.5, KK"), "Js9d2c", ""),
    (("AhAd, KhKd", "AhAc, KhKc", "AsAd:0.25, KsKd"), "9h7d2cQc", ""),
    (("AA, KK:0.5", "AK, QQ:0.25", "KQs, AQ"), "Ah7d2cQc", ""),
    (("AsKs", "QcQd", "8h7h"), "", ""),
    (("AdKd", "QcQs", "Jh9h", "8c8d"), "Ts9s2h", ""),
    (("2s3s", "2h3h", "2d3d", "2c3c"), "AhAdAc", ""),
    (("AsAh", "KK:0.5, QQ", "random"), "9h7d2cQcJc", "8c8d"),
    (("AsAh", "random", "random"), "9h7d2cQcJc", ""),
    (("random", "random"), "9h7d2cQcJc", "As"),
    (("2c2d", "random"), "AsKsQsJsTs", ""),
]


@pytest.mark.parametrize("seats, board, dead", SPOTS)
def test_sampled_holdem_is_within_its_error(
    path: Path, seats: tuple[str, ...], board: str, dead: str
) -> None:
    players = [seat(text) for text in seats]
    exact = kernel(available()[0]).holdem_exact(players, cards(board), cards(dead))
    assert within_error(holdem(path, players, board, dead), exact)


@pytest.mark.parametrize("text", AGAINST_ANY_TWO)
def test_a_sampled_hand_against_any_two_cards_is_as_published(path: Path, text: str) -> None:
    combos, _ = seat(text) or (b"", None)
    win, tie, lose, _ = holdem(path, [(combos[:2], None), None], "", "", samples=SAMPLES)
    assert win + tie + lose == SAMPLES
    error = 5e-5 + ERRORS * sqrt(0.25 / SAMPLES)
    assert (win + tie / 2) / SAMPLES == pytest.approx(AGAINST_ANY_TWO[text], abs=error)


@pytest.mark.parametrize("players", range(2, 10))
def test_players_with_any_two_cards_have_the_same_chances(path: Path, players: int) -> None:
    counts = holdem(path, [None] * players, "", "")
    for p in range(players):
        equity = sum(counts[p * players + k] / (k + 1) for k in range(players)) / SAMPLES
        assert equity == pytest.approx(
            1 / players, abs=ERRORS * sqrt(1 / players * (1 - 1 / players) / SAMPLES)
        )


@pytest.mark.parametrize(
    "seats", [("AsKs", "random"), ("AsKs", "QQ+, AK:0.5"), ("random", "random", "KK, AA:0.5")]
)
def test_a_seed_gives_the_same_samples_again(path: Path, seats: tuple[str, ...]) -> None:
    players = [seat(text) for text in seats]
    first = holdem(path, players, "Qs7d2s", "", seed=5, samples=40_000)
    assert first == holdem(path, players, "Qs7d2s", "", seed=5, samples=40_000)
    assert first != holdem(path, players, "Qs7d2s", "", seed=6, samples=40_000)
    assert first != holdem(path, players, "Qs7d2s", "", seed=(1 << 64) - 5, samples=40_000)


@pytest.mark.parametrize("samples", [0, 1, 7, 16_384, 16_385, 50_001])
def test_as_many_samples_are_dealt_as_were_asked_for(path: Path, samples: int) -> None:
    for players in ([seat("AsKs"), None], [seat("AA, KK:0.5"), seat("KK, AA"), None]):
        counts = holdem(path, players, "", "", samples=samples)
        n = len(players)
        assert sum(count / (i % n + 1) for i, count in enumerate(counts)) == pytest.approx(samples)
    counts = kernel(path).draw_sample(cards("AhAd"), [None], b"", 1, samples)
    assert counts[0] + counts[1] + counts[2] == samples


@pytest.mark.parametrize("kept, against, dead", DRAWS)
def test_a_sampled_draw_is_within_its_error(path: Path, kept: str, against: DrawOpponent, dead: str) -> None:
    exact = kernel(available()[0]).draw_exact(cards(kept), against, cards(dead))
    sampled = kernel(path).draw_sample(cards(kept), [against], cards(dead), 1, SAMPLES)
    assert within_error(sampled, exact)


@pytest.mark.parametrize("kept, dead", [("AhAdAcKsQh", ""), ("AhAd5c5s", "2c"), ("AhAd", "2c3d4h")])
def test_a_sampled_draw_against_any_five_is_within_its_error(path: Path, kept: str, dead: str) -> None:
    exact = kernel(available()[0]).draw_exact(cards(kept), None, cards(dead))
    assert within_error(kernel(path).draw_sample(cards(kept), [None], cards(dead), 2, SAMPLES), exact)


TWO_DRAWS: Final[list[tuple[str, list[DrawOpponent], str]]] = [
    ("AhAdAcKsQh", [opponent("9s8s7s6s", "KhKd7c7s"), opponent("9s8s7s6s5d", "QdQcQs2h3h")], ""),
    # The opponents want the same cards: of two times two choices, some cannot be dealt.
    (
        "JhJd5c5s",
        [opponent("9s9d9cKc2d", "QsQd4c4h"), opponent("9s9dAcAd2h", "QsQc3c3h", weights=[1, 3])],
        "2s",
    ),
    (
        "JhJd5c5s",
        [opponent("9s8s7s6s", goes_on=PICKY), opponent("AsAd3c3h", "KsKd8c4h2c", goes_on=PICKY)],
        "2s",
    ),
]


@pytest.mark.parametrize("kept, opponents, dead", TWO_DRAWS)
def test_a_sampled_draw_against_two_is_within_its_error(
    path: Path, kept: str, opponents: list[DrawOpponent], dead: str
) -> None:
    exact = slow_equity.draw(cards(kept), opponents, cards(dead))
    assert within_error(kernel(path).draw_sample(cards(kept), opponents, cards(dead), 3, SAMPLES), exact)


@pytest.mark.parametrize("opponents", range(1, 6))
def test_players_at_draw_with_any_five_cards_have_the_same_chances(path: Path, opponents: int) -> None:
    """The own hand is a card that decides little and a card of each suit less: the others share what it leaves."""
    n = 1 + opponents
    counts = kernel(path).draw_sample(cards("8h6d"), [None] * opponents, b"", 4, SAMPLES)
    equities = [sum(counts[p * n + k] / (k + 1) for k in range(n)) / SAMPLES for p in range(n)]
    assert sum(equities) == pytest.approx(1)
    share = (1 - equities[0]) / opponents
    for equity in equities[1:]:
        assert equity == pytest.approx(share, abs=ERRORS * sqrt(share * (1 - share) / SAMPLES) + 1e-9)


def test_a_deal_that_cannot_be_is_given_up(path: Path) -> None:
    """Two players of whom each holds two of the same three aces."""
    aces = (cards("AhAd") + cards("AhAc") + cards("AdAc"), None)
    with pytest.raises(RuntimeError, match="fewer than one try in 4,096"):
        holdem(path, [aces, aces], "", "", samples=10)
    no = opponent("AhAd", "AhAc", "AdAc")
    with pytest.raises(RuntimeError, match="fewer than one try in 4,096"):
        kernel(path).draw_sample(cards("8h6d"), [no, no], b"", 1, 10)


RARELY: Final = 1e-5
OFTEN: Final = 1e-3


@pytest.mark.parametrize("weight", [RARELY, OFTEN])
def test_deals_that_hardly_any_try_gives_are_given_up_however_many_were_met(
    path: Path, weight: float
) -> None:
    """Two of whom each has the same aces, but for now and then: a try in 50,000 is a deal, and 5 in 10,000 are not few."""
    hand = (cards("AhAd") + cards("KsKh"), array("d", [1.0, weight]).tobytes())
    kept = opponent("AhAd", "KsKh", weights=[1.0, weight])
    samples: tuple[tuple[int, Callable[[], list[int]]], ...] = (
        (2, lambda: holdem(path, [hand, hand], "", "", samples=2000)),
        (3, lambda: kernel(path).draw_sample(cards("8h6d"), [kept, kept], b"", 1, 2000)),
    )
    for players, sample in samples:
        if weight == RARELY:
            with pytest.raises(RuntimeError, match="fewer than one try in 4,096"):
                sample()
        else:
            counts = sample()
            assert sum(count / (at % players + 1) for at, count in enumerate(counts)) == pytest.approx(2000)


def test_an_opponent_who_never_goes_on_with_what_he_has_is_given_up(path: Path) -> None:
    only = [1.0] + [0.0] * 8
    with pytest.raises(RuntimeError, match="fewer than one try in 4,096"):
        kernel(path).draw_sample(cards("8h6d"), [opponent("AhAd", goes_on=only)], b"", 1, 10)


def test_how_often_each_category_goes_on_is_heeded(path: Path) -> None:
    """Of pairs and flushes that a four-flush draws, flushes alone stay in: all of them beat trips."""
    flushes = [0.0] * 5 + [1.0] + [0.0] * 3
    for goes_on, loses in ((flushes, True), ([1.0] * 5 + [0.0] * 4, False)):
        four = array("d", goes_on).tobytes()
        counts = kernel(path).draw_sample(
            cards("9h9d9cAs2d"), [(cards("KsQs8s4s") + b"\xff", None, four)], b"", 1, 5000
        )
        assert counts == ([0, 0, 5000, 0] if loses else [5000, 0, 0, 0])
