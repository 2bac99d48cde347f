"""Exact results of every path: against each deal judged by the engine, and against published numbers."""

from array import array
from contextlib import suppress
from itertools import combinations
from typing import Final

import pytest

from bots.equity.kernels import DrawOpponent, Kernel
from bots.equity.paths import Path, available, kernel
from bots.equity.tables import CATEGORY_SIZES
from engine.cards import FULL_DECK, Card
from engine.ranking import category, rank
from tests.bots.equity import slow_equity
from tests.bots.equity.asking import cards, seat

PATHS: Final = [path for path in available() if path is not Path.AVX512]
"""AVX-512 is for sampling: exact results are those of portable C."""


@pytest.fixture(params=PATHS)
def path(request: pytest.FixtureRequest) -> Kernel:
    return kernel(request.param)


SMALL: Final[list[tuple[tuple[str, ...], str, str]]] = [
    (("AsKs", "random"), "Qs7d2s4c9h", ""),
    (("random", "AsKs"), "Qs7d2s4c9h", "2c3d"),
    (("AsKs", "random"), "Qs7d2s4s9h", ""),
    (("AsKs", "random"), "QsJsTs4d4h", ""),
    (("2c2d", "random"), "AsKsQsJsTs", ""),
    (("AsKs", "QQ+, 77, 22, AQs"), "Qs7d2s4c9h", ""),
    (("AsKs", "QQ+, AK, 87s"), "Qs7d2s4c", ""),
    (("AsKs", "QcQd"), "Qs7d2s", ""),
    (("AsKs", "QcJd"), "QsJs2s", "TsAh"),
    (("9h8h", "Ts9s"), "7h6s5c", ""),
    (("AA:0.25, KK, QJs:0.5", "TT-88, AKs:0.125, QJo"), "Js9d2c3c", ""),
    (("AA, KK, QQ", "AA, KK, QQ:0.5"), "Ah7d2c3c", "As"),
    (("22+, A2s+, K9s+", "AT+, KJ+, T9s, 22-66"), "Qs7d2s4c9h", "Kh"),
    (("AdKd", "QcQs", "Jh9h"), "Ts9s2h", "3c3d"),
    (("AdKd", "QcQs", "Jh9h", "8c8d"), "Ts9s2h4d", ""),
    (("AsKs", "AhKh", "AdKd"), "Qc7d2s4c", ""),
    (("AA, KK:0.5", "AK, QQ:0.25", "KQs, AQ"), "Ah7d2cQc", ""),
    (("AA", "KK, AK", "AA, QQ:0.5", "JJ, TT"), "9h7d2cQcJc", ""),
    (("2s3s", "2h3h", "2d3d", "2c3c", "QJs"), "AhAdAcAsKh", ""),
    (("AsAh", "KK", "random"), "9h7d2cQcJc", "8c8d"),
    (("AhAd, KhKd", "AhAc, KhKc", "AsAd, KsKd"), "9h7d2cQcJc", ""),
]


@pytest.mark.parametrize("seats, board, dead", SMALL)
def test_every_deal_of_holdem_is_judged_as_the_engine_judges_it(
    path: Kernel, seats: tuple[str, ...], board: str, dead: str
) -> None:
    question = ([seat(text) for text in seats], cards(board), cards(dead))
    expected = slow_equity.holdem(*question)
    assert sum(expected) > 0
    assert slow_equity.close(path.holdem_exact(*question), expected)


HEAVY: Final = "As9s,As9h,As9d,As9c,As8s,As8h,As8d,As8c,As7h"
"""Combos that every hand of `OWN` rules out."""
OWN: Final = "AsKs,AsKh,AsKd,AsKc,AsQh,AsQd,AsQc,AsJs,AsTs,AsJh"


@pytest.mark.parametrize("light", ["0.001", "1e-6", "1e-10", "1e-14", "1e-17", "1e-200"])
def test_light_weights_count_beside_heavy_ones_that_are_ruled_out(path: Kernel, light: str) -> None:
    """Only the light combos can be met, so that their weights say how much each counts, and nothing else does."""
    uneven = f"{HEAVY},2c2d:{light},9c9d:{float(light) / 10}"
    counts = path.holdem_exact([seat(OWN), seat(uneven)], cards("Qs7d2s"), b"")
    expected = path.holdem_exact([seat(OWN), seat("2c2d,9c9d:0.1")], cards("Qs7d2s"), b"")
    shares = [(row[0] + row[1] / 2) / (sum(row) - row[3]) for row in (counts, expected)]
    assert shares[0] == pytest.approx(shares[1], rel=1e-12)


def test_a_hand_against_a_hand_is_as_published(path: Kernel) -> None:
    """What PokerStove prints for two pairs of the same suits."""
    wins, ties, losses = 1_410_336, 9_308, 292_660
    assert path.holdem_exact([seat("AcAd"), seat("KcKd")], b"", b"") == [wins, ties, losses, ties]


@pytest.mark.slow
@pytest.mark.parametrize(
    "seats, deals, wins",
    [
        (("A2o", "88", "QJs"), 394_777_152, [96_338_988, 145_235_448, 151_892_424]),
        (("AA", "QQ", "93o"), 592_165_728, [418_219_956, 107_718_120, 64_207_836]),
    ],
)
def test_three_ranges_are_as_published(
    path: Kernel, seats: tuple[str, ...], deals: int, wins: list[int]
) -> None:
    """As CandyPoker's reg_script.sh has them from another calculator."""
    counts = path.holdem_exact([seat(text) for text in seats], b"", b"")
    assert counts[::3] == wins
    assert sum(count / (i % 3 + 1) for i, count in enumerate(counts)) == deals


AGAINST_ANY_TWO: Final = {
    "AA": 0.8520, "KK": 0.8240, "QQ": 0.7993, "JJ": 0.7747, "TT": 0.7501, "99": 0.7206, "88": 0.6916,
    "77": 0.6624, "66": 0.6328, "55": 0.6032, "44": 0.5702, "33": 0.5369, "22": 0.5033, "AKs": 0.6704,
    "AKo": 0.6532, "72o": 0.3458, "32o": 0.3230,
}  # fmt: skip
"""Equities pre-flop against a random hand: the published table, to its four digits."""


@pytest.mark.skipif(Path.C not in PATHS, reason="23 s a hand on numpy")
@pytest.mark.parametrize("text", AGAINST_ANY_TWO)
def test_a_hand_against_any_two_cards_is_as_published(text: str) -> None:
    combos, _ = seat(text) or (b"", None)
    win, tie, lose, _ = kernel(Path.C).holdem_exact([(combos[:2], None), None], b"", b"")
    assert win + tie + lose == 1225 * 1_712_304
    assert (win + tie / 2) / (win + tie + lose) == pytest.approx(AGAINST_ANY_TWO[text], abs=5.1e-5)


@pytest.mark.parametrize(
    "seats, board",
    [
        (("AsKs", "random"), "Qs7d2s"),
        (("random", "QQ+, AK"), "Qs7d2s4h"),
        (("22+, A2s+:0.5, KT+", "random"), "Qs7d2s4h9h"),
        (("22+, A2s+:0.5, KT+", "55+, ATs+, QJs:0.25"), "Qs7d2s"),
        (("AsKs", "QcQd"), ""),
        (("AsKs", "TT, AKo:0.5"), ""),
        (("AsKs", "TT, AKo:0.5", "QJs"), "Qs7d2s"),
        (("AsKs", "QcQd", "8h7h"), ""),
    ],
)
def test_all_paths_count_the_same_deals(seats: tuple[str, ...], board: str) -> None:
    question = ([seat(text) for text in seats], cards(board), b"\x01")
    first, *others = [kernel(path).holdem_exact(*question) for path in PATHS]
    assert all(slow_equity.close(first, other) for other in others)


@pytest.mark.parametrize("seats", [("QQ+, AK", "JJ, AQs:0.5"), ("random", "KQs"), ("AsAh", "random")])
@pytest.mark.parametrize("board, dead", [("Qs7d2s4h", ""), ("Qs7d2s4h9h", "AcKc")])
def test_duels_are_exact_results_combo_by_combo(
    path: Kernel, seats: tuple[str, str], board: str, dead: str
) -> None:
    first, second = seat(seats[0]), seat(seats[1])
    duels = array("d", path.holdem_duels(first, second, cards(board), cards(dead), 0, 0))
    combos = first[0] if first else bytes(card for b in range(52) for a in range(b) for card in (a, b))
    assert 3 * len(combos) == 2 * len(duels)
    for i in range(0, len(combos) // 2, 1 if first else 40):
        combo = (combos[2 * i : 2 * i + 2], None)
        expected = [0.0] * 3
        with suppress(ValueError):  # where there is no deal
            won, tied, lost, _ = path.holdem_exact([combo, second], cards(board), cards(dead))
            expected = [won, tied, won + tied + lost]
        assert list(duels[3 * i : 3 * i + 3]) == pytest.approx(expected)
    assert any(duels)


def test_duels_on_random_boards_are_near_those_on_all(path: Kernel) -> None:
    question = (seat("AsKs, 22, 7c2d"), seat("TT+, AQ"), cards("Qs7d5s"), b"")
    exact = array("d", path.holdem_duels(*question, 0, 0))
    some = array("d", path.holdem_duels(*question, 11, 20_000))
    assert some == array("d", path.holdem_duels(*question, 11, 20_000))
    assert some != array("d", path.holdem_duels(*question, 12, 20_000))
    for i in range(0, len(exact), 3):
        if exact[i + 2]:
            assert some[i] / some[i + 2] == pytest.approx(exact[i] / exact[i + 2], abs=0.02)


def opponent(
    *entries: str, weights: list[float] | None = None, goes_on: list[float] | None = None
) -> DrawOpponent:
    kept = b"".join(cards(entry).ljust(5, b"\xff") for entry in entries)
    return (
        kept,
        array("d", weights).tobytes() if weights else None,
        array("d", goes_on).tobytes() if goes_on else None,
    )


PAT: Final = opponent("9s8s7s6s5s", "KhKdKc2h2d", "AsKsQs9s3s", "AhKhQdJd9c", weights=[1, 2, 3, 4])
PICKY: Final = [0, 0.25, 0.5, 1, 1, 1, 1, 1, 1.0]
DRAWS: Final[list[tuple[str, DrawOpponent, str]]] = [
    ("AhAdAcKsQh", PAT, ""),
    ("AhAdAcKs", PAT, "2c"),
    ("AhAdKc", PAT, "2c3d4h"),
    ("AhAd", PAT, "2c3d4h"),
    ("AhAd5c5s", opponent("KhKd7c7s"), "2c"),
    ("AhKhQhJh", opponent("KdKc8c8d", "QdQc9h9c", "AhAs2s2d"), "2c8h"),
    ("AhKhQhJh", opponent("KdKcKs", weights=[0.5]), "2c"),
    ("AhAd5c", opponent("KhKd7c7s", "9c8c7c6c", weights=[1, 5]), "2c3c"),
    ("AhAdAc", opponent("KhKd7c7s", goes_on=PICKY), "2c3c"),
    ("AhAdAcKs", opponent("KhKd7c", "9c8c7c6c", "TsJsQs8h2d", weights=[1, 5, 2]), "2c"),
    ("JhJdAc4s", opponent("TsTd7c", "9c8c7c6c", "TsJcQs8h2d", goes_on=PICKY), "2c"),
    ("JhJdAc4s9c", opponent("QsQd", "TsTd8c8h"), ""),
    ("AsKsQsJs9h", opponent("7s"), ""),
]


@pytest.mark.parametrize("kept, against, dead", DRAWS)
def test_every_deal_at_draw_is_judged_as_the_engine_judges_it(
    path: Kernel, kept: str, against: DrawOpponent, dead: str
) -> None:
    counts = path.draw_exact(cards(kept), against, cards(dead))
    shares = [count / (sum(counts) - counts[3]) for count in counts]
    assert slow_equity.close(shares, slow_equity.draw(cards(kept), [against], cards(dead)))


@pytest.mark.parametrize(
    "kept, dead", [("AhAdAcKsQh", ""), ("AhAd5c5s", "2c"), ("AhAdKc", "2c3d4h"), ("AhAd", "2c3d4h")]
)
def test_all_paths_count_the_same_deals_against_any_five(kept: str, dead: str) -> None:
    results = [kernel(path).draw_exact(cards(kept), None, cards(dead)) for path in PATHS]
    assert all(result == results[0] for result in results)
    assert all(count == int(count) for count in results[0])


def test_a_pat_hand_against_any_five_has_the_published_rank(path: Kernel) -> None:
    """A hand loses to as many hands as are stronger: with four aces held, to straight flushes without an ace."""
    wins, ties, losses, _ = path.draw_exact(cards("AhAdAcAs2c"), None, b"")
    assert (wins + ties + losses, ties) == (1_533_939, 0)
    # 32 straight flushes have no ace; of them 2-6 in clubs holds the own deuce.
    assert losses == 32 - 1


@pytest.mark.parametrize(
    "kept, dead", [("AhAdAcKsQh", ""), ("AhKhQhJh", "2c"), ("AhAdKc", "2c3d"), ("9s8s", "7s2c3d4h")]
)
def test_the_outcomes_of_a_discard_are_those_of_all_draws(path: Kernel, kept: str, dead: str) -> None:
    own = [Card(card) for card in cards(kept)]
    gone = {*own, *cards(dead)}
    counts = [0] * len(CATEGORY_SIZES)
    for drawn in combinations([card for card in FULL_DECK if card not in gone], 5 - len(own)):
        counts[category(rank([*own, *drawn]))] += 1
    assert path.draw_outcomes(cards(kept), cards(dead)) == counts
