"""Push or fold heads-up: exact equities, and charts that hardly anything can be won against."""

import random
from array import array

import numpy as np
import pytest

from bots.equity.combos import COMBOS
from bots.hand_classes import CLASSES, class_of, combos_of, meetings_of, name_of, patterns
from bots.holdem.order import ORDER, places
from bots.push_fold.charts import STACKS, call_frequency, chart, jam_frequency, solve
from bots.push_fold.equities import BOARDS, PAIRS, counted, equities, meetings, stored
from bots.push_fold.game import PushFold
from bots.starting_hands import percentile
from engine.cards import parse_cards

NUMBERS = {name_of(number): number for number in range(CLASSES)}
MOST = 0.010
"""Big blinds a hand: 10 thousandths."""


def frequencies(stack: int) -> tuple["np.ndarray", "np.ndarray"]:
    whole = np.array(chart(stack))
    return whole[:CLASSES], whole[CLASSES:]


def test_classes_are_169_and_cover_all_combos() -> None:
    assert len(set(NUMBERS)) == CLASSES
    assert sorted(combo for number in range(CLASSES) for combo in combos_of(number)) == list(range(1326))
    assert all(class_of(*COMBOS[combo]) == number for number in range(CLASSES) for combo in combos_of(number))


def test_the_ways_to_deal_two_hands_are_counted() -> None:
    """52! / (2! 2! 48!) = 1,624,350."""
    assert meetings().sum() == 1_624_350
    for one, other in random.Random(1).sample(PAIRS, 40):
        assert sum(patterns(one, other).values()) == meetings_of(one, other)


@pytest.mark.parametrize(
    "one, other, equity",
    [("AA", "KK", 0.81946), ("AKs", "QQ", 0.46049), ("AKo", "22", 0.47352), ("72o", "AA", 0.11862)],
)
def test_equities_are_those_of_the_books(one: str, other: str, equity: float) -> None:
    """Published to a tenth of a percent; here to all digits that are computed."""
    assert equities()[NUMBERS[one], NUMBERS[other]] == pytest.approx(equity, abs=0.002)


def test_the_packaged_equities_are_what_the_kernel_counts() -> None:
    """A part of them again, exactly; and a class against itself is even."""
    sample = random.Random(7).sample(range(len(PAIRS)), 5)
    for at in sample:
        assert counted(*PAIRS[at]) == stored()[at]
    for at, (one, other) in enumerate(PAIRS):
        if one == other:
            assert stored()[at] == BOARDS * meetings_of(one, other)


@pytest.mark.parametrize("stack", STACKS)
def test_nobody_wins_ten_thousandths_of_a_big_blind_against_the_charts(stack: int) -> None:
    """Exactly, over all deals, as packaged: to one 255th."""
    found = PushFold(stack).exploitability(*frequencies(stack))
    assert found.small_blind + 1e-12 >= 0
    assert found.big_blind + 1e-12 >= 0
    assert max(found) < MOST / 10


def test_a_wrong_chart_is_exploitable() -> None:
    """The control: calling with one hand in ten more costs."""
    jams, calls = frequencies(10)
    assert PushFold(10).exploitability(jams, np.clip(calls + 0.1, 0, 1)).small_blind > 0.001
    assert PushFold(10).exploitability(np.full(CLASSES, 0.5), calls).big_blind >= 0
    assert PushFold(10).exploitability(np.full(CLASSES, 0.5), calls).mean > MOST


@pytest.mark.parametrize(
    "stack, jam, call, value", [(3, 78.4, 92.4, 0.052), (8, 61.7, 45.1, -0.004), (10, 58.5, 37.5, -0.045)]
)
def test_the_charts_are_the_published_equilibrium(stack: int, jam: float, call: float, value: float) -> None:
    """Shares in percent and the small blind's value, as tables of the heads-up equilibrium without antes have them."""
    sizes = np.array([len(combos_of(number)) for number in range(CLASSES)]) / 13.26
    jams, calls = frequencies(stack)
    assert sizes @ jams == pytest.approx(jam, abs=0.8)
    assert sizes @ calls == pytest.approx(call, abs=0.8)
    assert PushFold(stack).value(jams, calls) == pytest.approx(value, abs=0.002)


def test_the_packaged_charts_are_what_the_solver_finds() -> None:
    """Another length of the same run: mixed hands apart, the same."""
    jams, calls = solve(6, iterations=1500)
    packed_jams, packed_calls = frequencies(6)
    assert np.mean(np.abs(jams - packed_jams)) < 0.01
    assert np.mean(np.abs(calls - packed_calls)) < 0.01


def test_frequencies_lie_between_those_of_two_stacks() -> None:
    hand = parse_cards("Js 4s")
    low, middle, high = (jam_frequency(hand, stack) for stack in (8, 8.5, 9))
    assert middle == pytest.approx((low + high) / 2)
    assert jam_frequency(hand, 0.2) == jam_frequency(hand, 1)
    assert call_frequency(parse_cards("As Ad"), 40) == 1.0


def test_the_order_of_starting_hands_is_what_it_says() -> None:
    """65 parts of the all-in order, 35 of Chen's; each hand where the formula puts it, to a few hundredths."""
    shares, ways = equities(), meetings()
    sizes = np.array([len(combos_of(number)) for number in range(CLASSES)])
    against_all = (shares * ways).sum(axis=1) / ways.sum(axis=1)
    score = against_all
    for _ in range(5):
        order = np.argsort(-score)
        top = np.zeros(CLASSES)
        top[order[np.cumsum(sizes[order]) / 1326 < 0.30]] = 1
        score = (against_all + (shares * ways * top).sum(axis=1) / (ways * top).sum(axis=1)) / 2
    order = np.argsort(-score, kind="stable")
    all_in = np.zeros(CLASSES)
    all_in[order] = (np.cumsum(sizes[order]) - sizes[order] / 2) / 1326
    chen = np.array([percentile(COMBOS[combos_of(number)[0]]) for number in range(CLASSES)])
    names = [name_of(int(number)) for number in np.argsort(0.65 * all_in + 0.35 * chen, kind="stable")]
    assert names == ORDER
    assert min(places()) > 0
    assert max(places()) < 1
    assert array("d", sorted(places())).tolist() == sorted(places())
