"""Yardsticks: published bots are shown what happens at our table, in their own units, and their answers are legal."""

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from bots.duplicate import Match, play_block, total_work
from bots.protocol import Bot, Observation, SeenAction, SeenSeat
from engine.cards import parse_cards
from engine.game import Game
from engine.settings import BotStyle
from tests.extras import absent, extra
from tests.yardsticks import Donksolver, FairpokerHard, FairpokerMedium, PokerCliBalanced, PokerCliTight
from tests.yardsticks.answers import (
    FREE_FOLD,
    NOT_OFFERED,
    TO_LEAST,
    TO_MOST,
    YardstickMissing,
    fold,
    lift,
    stay,
)
from tests.yardsticks.donksolver_bot import acted, asked, cache_place, train
from tests.yardsticks.pokercli_bots import estimate_equity

INSTALLED: Final[tuple[Callable[[], Bot], ...]] = (
    FairpokerHard,
    FairpokerMedium,
    PokerCliBalanced,
    PokerCliTight,
)
HANDS: Final = 200


def made(bot: Callable[[], Any]) -> Any:
    try:
        return bot()
    except YardstickMissing as missing:
        absent(str(missing))


def seat(number: int, stack: int, bet: int, contribution: int, state: str = "live") -> SeenSeat:
    return SeenSeat(number, state, stack, bet, contribution, -1, ())


def spot(**changes: Any) -> Observation:
    """The button's first turn heads-up: blinds of 10 and 20 chips, stacks of 2,000."""
    first = Observation(
        game="holdem",
        hand=1,
        turn=1,
        street="preflop",
        seat=1,
        cards=tuple(parse_cards("AsKs")),
        board=(),
        seats=(seat(1, 1990, 10, 10), seat(2, 1980, 20, 20)),
        history=(),
        button=1,
        small_blind=1,
        big_blind=2,
        unit=20,
        ante=0,
        pot=30,
        bet=20,
        fold=True,
        check=False,
        call=10,
        call_to=20,
        bet_min=0,
        bet_max=0,
        raise_min=40,
        raise_max=2000,
        all_in=2000,
        draw=False,
        draw_max=0,
        turn_time=20_000,
    )
    return replace(first, **changes)


def facing_a_flop_bet(**changes: Any) -> Observation:
    """The button faces 60 into 120 on the flop, and must raise to 120 if he does."""
    story = (
        ("preflop", 1, "raise", 60),
        ("preflop", 2, "call", 60),
        ("flop", 2, "bet", 60),
    )
    flop = spot(
        street="flop",
        turn=4,
        board=tuple(parse_cards("Qh7s2s")),
        seats=(seat(1, 1940, 0, 60), seat(2, 1880, 60, 120)),
        history=tuple(SeenAction(*action) for action in story),
        pot=180,
        bet=60,
        call=60,
        call_to=60,
        raise_min=120,
        raise_max=1940,
        all_in=1940,
    )
    return replace(flop, **changes)


def free_on_the_flop(**changes: Any) -> Observation:
    """The big blind is first to act on the flop of a pot of 120."""
    flop = facing_a_flop_bet(
        seat=2,
        seats=(seat(1, 1940, 0, 60), seat(2, 1940, 0, 60)),
        pot=120,
        bet=0,
        check=True,
        call=0,
        call_to=0,
        bet_min=20,
        bet_max=1940,
        raise_min=0,
        raise_max=0,
    )
    return replace(flop, history=flop.history[:2], **changes)


def in_chips_of(unit: int, observation: Observation) -> Observation:
    """The same spot where the big blind is `unit` chips."""

    def scaled(chips: int) -> int:
        return chips * unit // 20

    names = ("pot", "bet", "call", "call_to", "bet_min", "bet_max", "raise_min", "raise_max", "all_in")
    amounts: dict[str, Any] = {name: scaled(getattr(observation, name)) for name in names}
    return replace(
        observation,
        unit=unit,
        seats=tuple(
            s._replace(stack=scaled(s.stack), bet=scaled(s.bet), contribution=scaled(s.contribution))
            for s in observation.seats
        ),
        history=tuple(a._replace(amount=scaled(a.amount)) for a in observation.history),
        **amounts,
    )


@pytest.mark.parametrize("seats", [2, 6])
@pytest.mark.parametrize("bot", INSTALLED, ids=lambda bot: bot.__name__)
def test_hands_are_played_without_an_illegal_answer(bot: Callable[[], Bot], seats: int) -> None:
    """And few have to be changed. fairpoker's hard bot alone means to fold big blinds for free: it asks not what it costs."""
    made(bot)
    name = f"tests.yardsticks:{bot.__name__}"
    match = Match(Game.HOLDEM, ("easy", *[name] * (seats - 1)), BotStyle.BALANCED, 100, HANDS // seats, 3)
    work = total_work(match, [play_block(match, number) for number in range(match.blocks)])
    for at in range(1, seats):
        assert not work[at].faults, work[at].first_fault
    changed = sum((work[at].notes for at in range(1, seats)), Counter[str]())
    taken = sum(work[at].decisions for at in range(1, seats))
    assert taken > HANDS / 2
    if bot is FairpokerHard:
        del changed[FREE_FOLD]
    assert changed[FREE_FOLD] == 0
    assert changed.total() < 0.05 * taken


@pytest.mark.parametrize("bot", INSTALLED, ids=lambda bot: bot.__name__)
@pytest.mark.parametrize(
    "cards,observation",
    [
        ("7d2c", free_on_the_flop()),
        ("AsAh", spot()),
        ("QsQd", facing_a_flop_bet(board=tuple(parse_cards("Qh7s7d")))),
    ],
    ids=["free", "aces", "full house"],
)
def test_nobody_folds_what_costs_nothing_or_is_the_best(
    bot: Callable[[], Bot], cards: str, observation: Observation
) -> None:
    published = made(bot)
    held = replace(observation, cards=tuple(parse_cards(cards)))
    kinds = {published.decide(held, random.Random(number)).kind for number in range(60)}
    assert "fold" not in kinds


@pytest.mark.parametrize("bot", INSTALLED, ids=lambda bot: bot.__name__)
def test_chance_is_the_bots_own(bot: Callable[[], Bot]) -> None:
    """The same stream brings the same answers, whatever else draws lots; another stream may bring others."""
    published = made(bot)
    spots = [spot(), facing_a_flop_bet(), free_on_the_flop(), free_on_the_flop(seat=1)]

    def answers(seed: int) -> list[list[Any]]:
        random.seed(seed)
        return [[published.decide(turn, random.Random(number)) for number in range(40)] for turn in spots]

    assert answers(1) == answers(2)
    assert any(len(set(of_spot)) > 1 for of_spot in answers(1))


@pytest.mark.parametrize("unit", [20, 200])
@pytest.mark.parametrize(
    "observation,expected",
    [
        (spot(), {"pot": 30, "current_bet": 20, "min_raise": 20, "position": "OOP", "opponent_stack": 1980}),
        (
            facing_a_flop_bet(),
            {"pot": 180, "current_bet": 60, "min_raise": 60, "position": "IP", "opponent_bets": [60]},
        ),
        (
            free_on_the_flop(),
            {"pot": 120, "current_bet": 0, "min_raise": 20, "position": "OOP", "stack_to_pot": 1940 / 120},
        ),
    ],
    ids=["first", "facing a bet", "free"],
)
def test_fairpoker_sees_the_table_in_its_chips(
    observation: Observation, expected: dict[str, Any], unit: int
) -> None:
    """Its raises are what comes on top of the call, and its big blind is 20, whatever ours is."""
    published = made(FairpokerHard)
    seen = published.sees(in_chips_of(unit, observation))
    assert {name: seen[name] for name in expected} == expected
    assert seen["phase"].name == ("PRE_FLOP" if observation.street == "preflop" else "FLOP")
    bot = published._bot
    assert [(card.rank, card.suit) for card in bot.hole_cards] == [(14, "spades"), (13, "spades")]
    assert [str(card) for card in seen["community_cards"]] == (
        ["Q♥", "7♠", "2♠"] if observation.board else []
    )
    assert bot.amount_to_call(seen["current_bet"]) == observation.call


def test_fairpokers_raise_is_on_top_of_the_call() -> None:
    """Aces open by 2.5 times the pot of 30: 75 on top of the call of 10 to 20."""
    published = made(FairpokerMedium)
    action = published.decide(replace(spot(), cards=tuple(parse_cards("AsAh"))), random.Random(1))
    assert (action.kind, action.to) == ("raise", 20 + 90)
    scaled = in_chips_of(200, replace(spot(), cards=tuple(parse_cards("AsAh"))))
    assert published.decide(scaled, random.Random(1)).to == 10 * (20 + 90)


@pytest.mark.parametrize(
    "observation,expected",
    [
        (
            spot(),
            {"pot": 30, "own_street_bet": 10, "stack": 1990, "opponent_street_bet": 20, "button": "seat 1"},
        ),
        (facing_a_flop_bet(), {"pot": 180, "own_street_bet": 0, "stack": 1940, "opponent_street_bet": 60}),
        (free_on_the_flop(), {"pot": 120, "own_street_bet": 0, "active_opponents": 1, "actor": "seat 2"}),
    ],
    ids=["first", "facing a bet", "free"],
)
def test_pokercli_sees_the_table(observation: Observation, expected: dict[str, Any]) -> None:
    published = made(PokerCliBalanced)
    seen = published.sees(observation)
    assert {name: getattr(seen, name) for name in expected} == expected
    assert seen.street.value == observation.street
    assert seen.hole_cards == ("As", "Ks")
    assert seen.community_cards == (("Qh", "7s", "2s") if observation.board else ())
    legal = seen.legal_actions
    assert (legal.can_check, legal.call_amount) == (observation.check, observation.call)
    assert legal.min_raise_to == (observation.raise_min or observation.bet_min)
    assert legal.max_raise_to == (observation.raise_max or observation.bet_max)


@pytest.mark.parametrize(
    "hole,board,opponents",
    [("AsKs", "", 1), ("7h7d", "Qh7s2s", 2), ("Td9d", "8c7d2s3d", 1), ("2c3d", "AsKsQsJsTs", 3)],
)
def test_our_estimator_has_the_definition_of_pokerclis(hole: str, board: str, opponents: int) -> None:
    """As many samples of the same equity: within four standard errors of its own, ties divided; on the river alike."""
    made(PokerCliBalanced)
    from poker_cli.cards import Card  # noqa: PLC0415 - it may be missing
    from poker_cli.strategy import estimate_equity as original  # noqa: PLC0415 - as above

    def cards(text: str) -> list[Any]:
        return [Card.parse(text[at : at + 2]) for at in range(0, len(text), 2)]

    samples = 1500
    theirs = original(cards(hole), cards(board), opponents=opponents, samples=samples, rng=random.Random(1))
    ours = estimate_equity(
        cards(hole), cards(board), opponents=opponents, samples=samples, rng=random.Random(1)
    )
    assert ours == pytest.approx(theirs, abs=4 * (2 * 0.25 / samples) ** 0.5)
    if len(board) == 10:
        assert ours == theirs == 1 / (1 + opponents)


def test_donksolver_is_told_added_chips_from_the_small_blind_on() -> None:
    """Three players: the button opens to 50, the small blind folds, the big blind calls, then checks to a bet of 60."""
    story = (
        ("preflop", 4, "raise", 50),
        ("preflop", 6, "fold", 10),
        ("preflop", 2, "call", 50),
        ("flop", 2, "check", 0),
        ("flop", 4, "bet", 60),
        ("flop", 2, "raise", 180),
    )
    seen = facing_a_flop_bet(
        seat=4,
        button=4,
        small_blind=6,
        big_blind=2,
        seats=(seat(2, 1770, 180, 230), seat(4, 1890, 60, 110), seat(6, 1990, 0, 10, "folded")),
        history=tuple(SeenAction(*action) for action in story),
    )
    assert list(acted(seen)) == [(2, 0, 500), (0, 1, 0), (1, 0, 300), (1, 0, 0), (2, 0, 600), (1, 0, 1800)]
    row = asked(seen)
    assert row["stacks"] == [[20000, 20000, 20000]]
    assert row["blinds"] == [(100, 200)]
    assert row["hole"] == [tuple(parse_cards("AsKs"))]
    assert row["board"] == [list(parse_cards("Qh7s2s"))]


def test_donksolver_without_a_blueprint_says_how_it_gets_one(tmp_path: Path) -> None:
    extra("donksolver")
    with pytest.raises(YardstickMissing, match=re.escape("python -m tests.yardsticks --players 3")):
        Donksolver(tmp_path)


def donksolver_hands(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_DONKSOLVER", str(place))
    name = "tests.yardsticks:Donksolver"
    match = Match(Game.HOLDEM, ("easy", name, name), BotStyle.BALANCED, 100, HANDS // 3, 3)
    work = total_work(match, [play_block(match, number) for number in range(match.blocks)])
    for at in (1, 2):
        assert not work[at].faults, work[at].first_fault
        assert work[at].notes.total() < 0.02 * work[at].decisions, work[at].notes


@pytest.mark.slow
def test_donksolver_plays_hands_by_its_blueprint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly no turn is one that its tree does not have: our hands are told as it wants them."""
    made(Donksolver)
    donksolver_hands(cache_place(), monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_donksolver_can_be_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extra("donksolver")
    train(tmp_path, players=3, iterations=20_000, threads=2)
    donksolver_hands(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "to,expected,note", [(100, 120, TO_LEAST), (120, 120, ""), (500, 500, ""), (5000, 1940, TO_MOST)]
)
def test_raise_is_brought_to_what_is_legal_and_that_is_counted(to: int, expected: int, note: str) -> None:
    notes: Counter[str] = Counter()
    action = lift(facing_a_flop_bet(), to, notes)
    assert (action.kind, action.to) == ("raise", expected)
    assert list(notes) == [note] * bool(note)


def test_other_answers_are_brought_to_what_is_legal() -> None:
    notes: Counter[str] = Counter()
    closed = facing_a_flop_bet(raise_min=0, raise_max=0)
    assert lift(closed, 500, notes).kind == "call"
    assert lift(free_on_the_flop(), 60, notes).kind == "bet"
    assert fold(free_on_the_flop(), notes).kind == "check"
    assert fold(closed, notes).kind == "fold"
    assert stay(free_on_the_flop()).kind == "check"
    assert notes == Counter({NOT_OFFERED: 1, FREE_FOLD: 1})
