"""Equities beside those of OMPEval, a calculator that others wrote, as pokerfast packages it (the extra `bench`)."""

import random
from typing import Final

import pytest

from bots.equity.paths import Path, available, kernel
from tests.bots.equity.asking import cards, seat
from tests.extras import extra

ompeval: Final = extra("pokerfast.equity")

BROADWAY: Final = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
SPOTS: Final[list[tuple[tuple[str, ...], str, str]]] = [
    (("AsAh", "KsKh"), "", ""),
    (("AsAh", "KdKc"), "", ""),
    (("AsKs", "QhQd"), "", ""),
    (("AsKs", "QsQd"), "", ""),
    (("AhKd", "2s2c"), "", ""),
    (("Th9h", "AsAd"), "", ""),
    (("7s2d", "AhKh"), "", ""),
    (("JsTs", "2h2d"), "", ""),
    (("AsQd", "AhQc"), "", ""),
    (("AsQs", "AhQc"), "", ""),
    (("5s4s", "AsAd"), "", ""),
    (("AsKs", "QhQd"), "", "QsQc"),
    (("AsKs", "JhTh"), "", "2c3d4h5s6c7d"),
    (("KsKd", "QsQd", "JsJd"), "", ""),
    (("AsKs", "QhQd", "JcTc"), "", "2c2d"),
    (("AsKs", "random"), "Qs7d2s", ""),
    (("7h7c", "random"), "Qs7d2s", "AhAd"),
    (("2h3c", "random"), "AsKsQs", ""),
    (("AsKs", "random"), "QsJsTs", ""),
    (("AsKs", "random"), "Qs7d2s4c", ""),
    (("AsKs", "random"), "Qs7s2s4c", "9d9h"),
    (("AsKs", "random"), "Qs7d2s4c9h", ""),
    (("2c2d", "random"), "AsKsQsJsTs", ""),
    (("AsKs", BROADWAY), "Qs7d2s", ""),
    (("AsKs", BROADWAY), "Qs7d2s4c", "AhKh"),
    (("9h8h", "JJ+,AKs"), "Th7c2h", ""),
    (("QQ+,AKs,AKo", "TT-77,AQs,KQs"), "Qs7d2s", ""),
    (("QQ+,AKs,AKo", "random"), "Jh8h3c", ""),
    ((BROADWAY, BROADWAY), "Qs7d2s4c", ""),
    (("random", "random"), "Kd8c3s2h", ""),
    (("AA", "KK", "QQ"), "Js8d4c", ""),
    (("AsKs", "AhKh", "AdKd"), "Qs7d2h", ""),
    (("AsKs", "QQ,JJ", "TT,99"), "Ts7d2h", "Ah"),
    (("AsAd", "KsKd", "QsQd", "JsJd"), "Th9h2c", ""),
    (("AsAd", "KsQs", "7h7d", "6s5s", "QhJh"), "Ts8s2c", "2d"),
    (("AsAd", "KsQs", "7h7d", "6s5s", "QhJh", "9c9d"), "Ts8s2c4h", ""),
]
EXACT: Final = [path for path in available() if path is not Path.AVX512]


def shares(counts: list[int] | list[float], players: int) -> list[float]:
    """Each player's equity."""
    sums = [sum(counts[p * players + k] / (k + 1) for k in range(players)) for p in range(players)]
    return [equity / sum(sums) for equity in sums]


def spread(text: str) -> str:
    """The range with its spans written out: OMPEval reads "TT-77" as "TT"."""
    return text.replace("TT-77", "TT,99,88,77")


@pytest.mark.parametrize("seats, board, dead", SPOTS)
def test_exact_equities_agree_to_the_last_digit(seats: tuple[str, ...], board: str, dead: str) -> None:
    """Numpy takes a second for a spot before the flop, and is held to C there elsewhere."""
    expected = ompeval.equity([spread(text) for text in seats], board, dead)
    for path in EXACT if board else EXACT[:1]:
        counts = kernel(path).holdem_exact([seat(text) for text in seats], cards(board), cards(dead))
        assert shares(counts, len(seats)) == pytest.approx(expected, rel=0, abs=1e-12)


def random_spot(chance: random.Random) -> tuple[list[str], str, str]:
    """Two to four players with hands and ranges on any street, any two cards where that is exact at once."""
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    chance.shuffle(deck)
    board = "".join(deck[: chance.choice((0, 3, 4, 5))])
    dead = "".join(deck[5 : 5 + chance.choice((0, 0, 2, 4))])
    players = chance.choice((2, 2, 2, 3, 4)) if board else 2
    seats = [deck[10 + 2 * player] + deck[11 + 2 * player] for player in range(players)]
    others = ["QQ+,AKs", "22,33,44,55", "T9s,98s,87s,A5s", *(("random", BROADWAY) if players == 2 else ())]
    for player in range(1, players):
        if board and chance.random() < 0.6:
            seats[player] = chance.choice(others)
    return seats, board, dead


@pytest.mark.parametrize("path", available())
def test_sampled_equities_of_300_random_spots_are_within_four_standard_errors(path: Path) -> None:
    """Of 300 spots with one free equity or more each, a right sampler fails one in 20 sets of seeds; these are fixed."""
    chance, samples = random.Random(2026), 20_000
    for _ in range(300):
        seats, board, dead = random_spot(chance)
        players = len(seats)
        question = [seat(text) for text in seats], cards(board), cards(dead)
        expected = shares(kernel(EXACT[0]).holdem_exact(*question), players)
        counts = kernel(path).holdem_sample(*question, chance.getrandbits(64), samples, path is Path.AVX512)
        for player, equity in enumerate(expected):
            row = counts[player * players : (player + 1) * players]
            sampled = sum(count / (k + 1) for k, count in enumerate(row)) / samples
            squares = sum(count / (k + 1) ** 2 for k, count in enumerate(row)) / samples
            error = max((squares - sampled**2) / samples, 0.0) ** 0.5
            assert abs(sampled - equity) <= 4 * error + 3 / samples, (seats, board, dead, player)
