"""Draw: what every discard makes of a hand, against an enumeration of its own, and what it wins."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import combinations

import pytest

from bots.equity.budget import Budget, Exactness
from bots.equity.chunks import CHUNK
from bots.equity.discards import discards, ways_to_draw, weigh
from bots.equity.executor import InProcess
from bots.equity.paths import VARIABLE, Path, available
from bots.equity.spots import SpotError, make_draw_spot
from bots.equity.tally import Estimate, Stop
from engine.cards import FULL_DECK, parse_card, parse_cards
from engine.ranking import Category, category, rank


@pytest.fixture(params=available())
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each path of this machine in turn, as the one that is taken."""
    taken = Path(request.param)
    monkeypatch.setenv(VARIABLE, taken)
    return taken


def test_there_are_26_discards_of_up_to_three_cards() -> None:
    ways = ways_to_draw(parse_cards("As Kd 9c 5h 2s"))
    assert Counter(map(len, ways)) == {0: 1, 1: 5, 2: 10, 3: 10}
    assert len(set(ways)) == 26


@pytest.mark.parametrize(
    "hand, dead", [("As Ad 7c 8d 2h", ""), ("9s Ts Js Qs 2d", "8s 3c"), ("5c 5d 5h Ks 2s", "5s")]
)
def test_outcomes_are_those_of_going_through_all_draws(path: Path, hand: str, dead: str) -> None:
    """Up to two cards each, by the engine's own ranking."""
    cards, known = parse_cards(hand), {*parse_cards(hand), *parse_cards(dead)}
    live = [card for card in FULL_DECK if card not in known]
    for discard in discards(hand, dead=dead):
        if len(discard.cards) > 2:
            continue
        kept = [card for card in cards if card not in discard.cards]
        by_hand = Counter(category(rank([*kept, *drawn])) for drawn in combinations(live, len(discard.cards)))
        assert discard.outcomes == tuple(by_hand[kind] for kind in Category)


def test_a_pair_draws_three_as_the_books_say(path: Path) -> None:
    """Of 16,215 draws 11,559 do not help; two pair 2,592, trips 1,854, a full house 165, four of a kind 45."""
    (found,) = [one for one in discards("As Ad 7c 8d 2h") if one.cards == parse_cards("7c 8d 2h")]
    assert found.draws == 16215
    assert found.outcomes == (0, 11559, 2592, 1854, 0, 0, 165, 45, 0)
    assert sum(found.chances) == pytest.approx(1)
    assert found.chances[Category.THREE_OF_A_KIND] == pytest.approx(0.11434, abs=1e-5)


@pytest.mark.parametrize(
    "hand, dead, words",
    [
        ("As Ad 7c 8d", "", "5"),
        ("As As 7c 8d 2h", "", "As"),
        ("As Ad 7c 8d 2h", "7c", "7c"),
    ],
)
def test_what_is_no_hand_is_refused(hand: str, dead: str, words: str) -> None:
    with pytest.raises(SpotError, match=words):
        discards(hand, dead=dead)


async def all_of(weighing: AsyncGenerator[Estimate, None]) -> list[Estimate]:
    async with aclosing(weighing):
        return [each async for each in weighing]


async def test_the_best_discard_of_a_pair_keeps_the_pair(path: Path) -> None:
    spot = make_draw_spot("As Ad 7c 8d 2h", opponents=("drew 3", "drew 1"))
    weighed = await all_of(weigh(spot, Budget(samples=CHUNK), InProcess(1), seed=7))
    assert len(weighed) == 26
    best = max(zip(weighed, ways_to_draw(spot.cards), strict=True), key=lambda one: one[0].players[0].equity)
    assert set(best[1]) == set(parse_cards("7c 8d 2h"))
    assert {one.samples for one in weighed} == {CHUNK}


async def test_a_discard_alone_is_worth_what_it_is_among_others() -> None:
    spot = make_draw_spot("As Ad 7c 8d 2h", opponents=("drew 3", "drew 1"))
    (chosen, other) = parse_cards("7c 8d 2h"), parse_cards("2h")
    budget = Budget(samples=CHUNK + 5)
    both = await all_of(weigh(spot, budget, InProcess(1), seed=7, choices=[other, chosen]))
    alone = await all_of(weigh(spot, budget, InProcess(2), seed=7, choices=[chosen]))
    assert both[1] == alone[0]
    assert both[0] != alone[0]
    assert alone[0].samples == CHUNK + 5


async def test_heads_up_it_is_exact() -> None:
    spot = make_draw_spot("As Ks Qs Js 2d", opponents=("drew 1",))
    (weighed,) = await all_of(weigh(spot, Budget(), InProcess(1), seed=7, choices=[parse_cards("2d")]))
    assert weighed.stop is Stop.EXACT


@pytest.mark.parametrize(
    "choice, words",
    [
        ("Kc", "Kc is discarded and not in the hand"),
        ("7c 7c", "7c is"),
        ("As Ad 7c 8d", "4 discards: at most 3"),
    ],
)
async def test_what_is_no_discard_is_refused_before_anything_is_estimated(choice: str, words: str) -> None:
    spot = make_draw_spot("As Ad 7c 8d 2h", opponents=("drew 1",))
    weighing = weigh(
        spot, Budget(), InProcess(1), seed=7, choices=[(), tuple(map(parse_card, choice.split()))]
    )
    with pytest.raises(SpotError, match=words):
        await anext(weighing)


async def test_a_discard_for_which_there_are_too_few_cards_is_refused() -> None:
    """Six hands take 30 cards, and 20 are dead: two may be discarded, and not three."""
    dead = [card for card in FULL_DECK if card not in parse_cards("As Ad 7c 8d 2h")][:20]
    spot = make_draw_spot("As Ad 7c 8d 2h", opponents=["random"] * 5, dead=dead)
    assert spot.discarding(parse_cards("8d 2h")).kept == parse_cards("As Ad 7c")
    with pytest.raises(SpotError, match="6 hands take 30 cards and 23 are out of the deck"):
        spot.discarding(parse_cards("7c 8d 2h"))


async def test_a_deadline_is_for_all_choices_together() -> None:
    """No exact time is asserted, but that each got its part of it."""
    spot = make_draw_spot("As Ad 7c 8d 2h", opponents=("drew 3", "drew 1"))
    loop = asyncio.get_running_loop()
    began = loop.time()
    budget = Budget(deadline_ms=600, exact=Exactness.NEVER)
    weighed = await all_of(weigh(spot, budget, InProcess(1), seed=7, choices=ways_to_draw(spot.cards)[:3]))
    assert [one.stop for one in weighed] == [Stop.DEADLINE] * 3
    assert min(one.samples for one in weighed) >= CHUNK
    assert loop.time() - began < 10
