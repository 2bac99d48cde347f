"""Ranges at draw: from public actions to weighted sets of cards."""

import random
from collections import Counter
from itertools import product

import pytest

from bots.draw_lines import After, Before, Line, called, line_of
from bots.draw_ranges import range_of
from bots.equity.holdings import Holdings
from bots.protocol import Observation, SeenAction
from bots.strength import category_of
from engine.ranking import Category
from tests.bots.positions import at_draw

LINES = [Line(drawn, before, After.NOTHING) for drawn, before in product((-1, 0, 1, 2, 3), Before)]
NONE = After.NOTHING


def shares(held: Holdings) -> dict[str, float]:
    """How often the sets kept are of a kind, by what they are alone."""
    total = sum(held.weights)
    found: Counter[str] = Counter()
    for cards, weight in zip(held.entries, held.weights, strict=True):
        found[kind(cards)] += weight / total  # type: ignore[assignment]  # a counter of shares
    return dict(found)


def kind(cards: tuple[int, ...]) -> str:
    counts = sorted(Counter(card >> 2 for card in cards).values(), reverse=True)
    if len(cards) == 5 and category_of(cards) >= Category.STRAIGHT:
        return "pat"
    if counts[:1] == [3]:
        return "trips"
    if counts[:2] == [2, 2]:
        return "two pair"
    if counts[:1] == [2]:
        return "pair"
    return "draw" if len(cards) == 4 else "none"


@pytest.mark.parametrize(
    "line, expected",
    [
        (Line(0, Before.BET, NONE), {"pat": 0.79, "two pair": 0.12}),
        (Line(1, Before.BET, NONE), {"two pair": 0.72, "draw": 0.13, "trips": 0.14}),
        (Line(1, Before.CALLED, NONE), {"two pair": 0.39, "draw": 0.55}),
        (Line(2, Before.BET, NONE), {"trips": 0.52, "pair": 0.40}),
        (Line(3, Before.BET, NONE), {"pair": 0.90}),
        (Line(-1, Before.NOTHING, NONE), {"pair": 0.423, "two pair": 0.0475, "trips": 0.021, "pat": 0.0076}),
    ],
)
def test_what_a_line_says(line: Line, expected: dict[str, float]) -> None:
    """Equilibrium play in pots with a bet: of who draws one, two pair 43 % and draws 41 %, callers among them; of
    three, a pair 83 %; of none, a straight or better 63 %. Who was not asked yet holds what the deck gives.
    """
    found = shares(range_of(line).holdings)
    for name, share in expected.items():
        assert found[name] == pytest.approx(share, abs=0.06), found


@pytest.mark.parametrize("line", LINES)
def test_every_line_leaves_something_that_fits_its_draw(line: Line) -> None:
    held = range_of(line).holdings
    assert held is range_of(line).holdings, "made once"
    assert max(map(len, held.entries)) <= (5 if line.drawn < 0 else 5 - line.drawn)
    assert set().union(*held.entries) == set(range(52))


def test_a_bet_says_high_pairs() -> None:
    def kings(before: Before) -> float:
        held = range_of(Line(3, before, NONE)).holdings
        pairs = {c: w for c, w in zip(held.entries, held.weights, strict=True) if kind(c) == "pair"}
        return sum(w for c, w in pairs.items() if c[0] >> 2 >= 11) / sum(pairs.values())

    shares_of_kings = [kings(before) for before in (Before.NOTHING, Before.CALLED, Before.BET, Before.RAISED)]
    assert shares_of_kings[0] == pytest.approx(2 / 13)
    assert shares_of_kings == sorted(shares_of_kings)


@pytest.mark.parametrize("after", [After.CALLED, After.BET, After.RAISED, After.CALLED_A_RAISE])
def test_what_was_bet_after_the_draw_says_better_hands(after: After) -> None:
    goes_on = range_of(Line(3, Before.BET, after)).holdings.goes_on
    assert goes_on is not None
    assert max(goes_on) == 1
    assert goes_on[0] < goes_on[1] < goes_on[2]
    few = range_of(Line(1, Before.BET, after)).holdings.goes_on
    assert few is not None
    assert few[0] > goes_on[0], "bluffs come from who drew few"


def test_a_check_after_the_draw_says_worse_hands() -> None:
    goes_on = range_of(Line(1, Before.CALLED, After.CHECKED)).holdings.goes_on
    assert goes_on is not None
    assert goes_on[0] == 1 > goes_on[2] > goes_on[4]


def seen(*history: tuple[str, int, str]) -> Observation:
    return at_draw(
        "As Ad 9c 5h 3d", street="postdraw", history=tuple(SeenAction(*action, 0) for action in history)
    )


@pytest.mark.parametrize(
    "history, line",
    [
        ([], Line(-1, Before.NOTHING, NONE)),
        ([("predraw", 2, "check")], Line(-1, Before.CHECKED, NONE)),
        ([("predraw", 2, "check"), ("predraw", 1, "bet"), ("predraw", 2, "call")], Line(-1, Before.CALLED, NONE)),
        ([("predraw", 2, "bet"), ("predraw", 1, "raise"), ("predraw", 2, "call")], Line(-1, Before.BET, NONE)),
        ([("predraw", 2, "call"), ("postdraw", 2, "raise")], Line(-1, Before.CALLED, After.RAISED)),
        ([("predraw", 1, "raise"), ("postdraw", 2, "check")], Line(-1, Before.NOTHING, After.CHECKED)),
    ],
)  # fmt: skip
def test_a_line_is_the_most_that_a_seat_did(history: list[tuple[str, int, str]], line: Line) -> None:
    assert line_of(seen(*history), 2) == line


@pytest.mark.parametrize(
    "before, after, drawn, then",
    [
        (Before.CHECKED, NONE, False, (Before.CALLED, NONE)),
        (Before.BET, NONE, False, (Before.BET, NONE)),
        (Before.BET, After.CHECKED, True, (Before.BET, After.CALLED)),
        (Before.BET, After.BET, True, (Before.BET, After.CALLED_A_RAISE)),
        (Before.BET, After.RAISED, True, (Before.BET, After.RAISED)),
    ],
)
def test_who_goes_on_has_done_at_least_that(
    before: Before, after: After, drawn: bool, then: tuple[Before, After]
) -> None:
    assert called(Line(2, before, after), drawn=drawn) == Line(2, *then)


def test_the_text_tells_what_was_done_and_the_heaviest_classes() -> None:
    assert range_of(Line(3, Before.CALLED, After.BET)).text.startswith("called, drew 3, then bet: a pair ")
    assert range_of(Line(0, Before.RAISED, NONE)).text.startswith("raised, stood pat: pat ")
    assert range_of(Line(-1, Before.NOTHING, NONE)).text.startswith("yet to speak: nothing ")


def test_a_thinned_range_still_has_every_rank_about_as_often() -> None:
    held = range_of(Line(0, Before.BET, NONE)).holdings
    pat = sum(len(cards) == 5 and category_of(cards) >= Category.STRAIGHT for cards in held.entries)
    assert pat == pytest.approx(19_716 / 23, abs=3)
    rng = random.Random(1)
    some = rng.choices(held.entries, held.weights, k=4000)
    ranks = Counter(card >> 2 for cards in some for card in cards)
    assert min(ranks.values()) > 0.5 * max(ranks.values())


@pytest.mark.parametrize(
    "line", [*LINES, Line(1, Before.CALLED, After.BET), Line(3, Before.BET, After.RAISED)]
)
def test_how_often_a_range_goes_on_is_known_about(line: Line) -> None:
    """By which the number of samples goes; here hands are drawn to some of its sets."""
    one = range_of(line)
    rng = random.Random(2)
    stays = 0.0
    for kept in rng.choices(one.holdings.entries, one.holdings.weights, k=3000):
        rest = [card for card in range(52) if card not in kept]
        made = category_of((*kept, *rng.sample(rest, 5 - len(kept))))
        stays += one.holdings.goes_on[made] if one.holdings.goes_on else 1.0
    assert one.goes_on == pytest.approx(stays / 3000, abs=0.03)
    assert one.size == pytest.approx(
        sum(len(kept) for kept in rng.choices(one.holdings.entries, one.holdings.weights, k=3000)) / 3000,
        abs=0.1,
    )
