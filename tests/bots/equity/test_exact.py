"""Exact results: how many deals they count, when they are cheap, and when they are refused."""

from math import inf

import pytest

from bots.equity import exact
from bots.equity.chunks import NoDeal
from bots.equity.exact import TooManyDeals
from bots.equity.holdings import drew
from bots.equity.paths import Path, available
from bots.equity.questions import Question
from bots.equity.tally import Stop
from tests.bots.equity.asking import draw, holdem

WIDE = "22+, A2s+, K9s+, QTs+, JTs, ATo+, KJo+"

DEALS: list[tuple[Question, int]] = [
    (holdem("AsKs", "QdQc"), 1_712_304),
    (holdem("AsKs", "random"), 2_097_572_400),
    (holdem("AsKs", "random", board="2c 7d Jh"), 1_070_190),
    (holdem("AsKs", "random", board="2c 7d Jh 9s"), 45_540),
    (holdem("AsKs", "random", board="2c 7d Jh 9s 3c"), 990),
    (holdem("random", "random", board="2c 7d Jh 9s"), 1128 * 1035 * 44),
    (holdem("random", "random", board="2c 7d Jh 9s", dead="Ah Ad"), 1035 * 946 * 42),
    (holdem("AA", "AA", board="2c 7d Jh 9s"), 6 * 44),
    (holdem("AA:0.5, KK", "AA, KK:0.25", board="2c 7d Jh 9s"), (6 + 36 + 36 + 6) * 44),
    (holdem("AA:0.5, KK", "QQ", board="2c 7d Qh 9s"), 12 * 3 * 44),
    (draw("As Ad Kh Kc 2d", dead=""), 1_533_939),
    (draw("As Ad", dead="7c 8d 2h"), 16215 * 1_086_008),
    (draw("As Ad", drew(2).kernel_bytes(), dead="7c 8d 2h"), 39 * 13244 * 820),
]


@pytest.mark.parametrize("question, deals", DEALS)
def test_the_number_of_deals_is_known_beforehand(question: Question, deals: int) -> None:
    assert exact.deals(question) == deals


@pytest.mark.parametrize(
    "path, question, deals",
    # Numpy would take seconds for more.
    [
        (path, *row)
        for path in available()
        for row in DEALS
        if row[1] < (10**8 if path is Path.NUMPY else 10**11)
    ],
)
def test_every_deal_is_counted(path: Path, question: Question, deals: int) -> None:
    estimate = exact.exactly(question, path)
    assert (estimate.exact, estimate.stop, estimate.path) == (True, Stop.EXACT, path)
    assert estimate.samples == deals
    assert estimate.stderr == 0
    assert sum(player.equity for player in estimate.players) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("weight", ["", ":0.5"])
def test_deals_of_three_are_those_in_which_no_card_is_there_twice(weight: str) -> None:
    question = holdem("AA", f"AA{weight}, KK", "KK, QQ", board="2c 7d Jh 9s 3c")
    pairs = 6 * (1 * (6 + 6) + 6 * (1 + 6))
    assert exact.deals(question) == 6 * 12 * 12
    assert exact.exactly(question, available()[0]).samples == pairs


@pytest.mark.parametrize(
    "question, compiled, numpy",
    [
        (holdem("AsKs", "random", board="2c 7d Jh"), True, True),
        (holdem("random", "random", board="2c 7d Jh"), True, True),
        (holdem(WIDE, WIDE, board="2c 7d Jh"), True, True),
        (holdem("AsKs", "QdQc"), True, True),
        (holdem("AsKs", "QdQc", "7h6h"), True, True),
        (holdem("AsKs", "random"), True, False),
        (holdem("AsKs", WIDE), False, False),
        (holdem("random", "random"), False, False),
        (holdem("AsKs", "random", "random", board="2c 7d Jh"), False, False),
        (holdem("AsKs", "random", "random", board="2c 7d Jh 9s 3c"), True, True),
        (draw("As Ad Kh Kc", dead="2h"), True, True),
        (draw("As Ad", dead="7c 8d 2h"), True, False),
        (draw("As Ad", drew(1).kernel_bytes(), dead="7c 8d 2h"), True, True),
        (draw("As Ad", None, None, dead="7c 8d 2h"), False, False),
    ],
)
def test_what_is_cheap_depends_on_the_question_and_the_path(
    question: Question, compiled: bool, numpy: bool
) -> None:
    assert exact.is_cheap(question, Path.C, left=inf) is compiled
    assert exact.is_cheap(question, Path.AVX512, left=inf) is compiled
    assert exact.is_cheap(question, Path.NUMPY, left=inf) is numpy


def test_what_might_not_be_done_in_time_is_not_cheap() -> None:
    question = holdem("random", "random", board="2c 7d Jh")
    assert exact.is_cheap(question, Path.C, left=0.5)
    assert not exact.is_cheap(question, Path.C, left=0.05)


def test_more_deals_than_can_be_counted_are_refused_with_their_number() -> None:
    with pytest.raises(
        TooManyDeals, match=r"would be 2,781,381,002,400 deals, about .* s on the path c.*: sample instead"
    ):
        exact.check(holdem("random", "random"), Path.C, left=inf)
    with pytest.raises(TooManyDeals, match=r"1,712,304 deals.* and the deadline leaves 0.001 s"):
        exact.check(holdem("AsKs", "QdQc"), Path.C, left=0.001)
    with pytest.raises(TooManyDeals, match="one opponent at draw, and here are 2: sample instead"):
        exact.check(draw("As Ad", None, None, dead="7c 8d 2h"), Path.C, left=inf)
    exact.check(holdem("AsKs", WIDE), Path.C, left=inf)


def test_no_deal_is_an_error() -> None:
    with pytest.raises(NoDeal, match="no deal is possible"):
        exact.exactly(holdem("AA", "AA", "AA", board="2c 7d Jh"), available()[0])
