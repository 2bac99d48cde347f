"""Deciding by odds and by tables: what a win probability and a place in the order are worth."""

import random
from dataclasses import replace

import pytest

from bots import odds, preflop
from bots.actions import give_up, shove, wager_share, wager_to
from bots.odds import BLUFF_SHARE_OF_POT, bluff_frequency
from bots.preflop import at_stack
from bots.protocol import BotAction, Observation, SeenAction, SeenSeat, is_legal
from bots.styles import TEMPERS, Temper
from engine.cards import parse_cards
from engine.settings import BotStyle

BALANCED = TEMPERS[BotStyle.BALANCED]


def seat(number: int, *, stack: int = 190, bet: int = 0, state: str = "live") -> SeenSeat:
    return SeenSeat(number, state, stack, bet, 10, -1, ())


def river(**changes: object) -> Observation:
    """Heads-up on the river, 20 in the pot, nothing bet, the bot on the button."""
    observation = Observation(
        game="holdem", hand=1, turn=9, street="river", seat=1, cards=(0, 5), board=(10, 15, 20, 30, 40),
        seats=(seat(1), seat(2)), history=(), button=1, small_blind=1, big_blind=2, unit=2, ante=0, pot=20,
        bet=0, fold=True, check=True, call=0, call_to=0, bet_min=2, bet_max=190, raise_min=0, raise_max=0,
        all_in=190, draw=False, draw_max=0, turn_time=20_000,
    )  # fmt: skip
    return replace(observation, **changes)  # type: ignore[arg-type]  # the names are fields


def facing(bet: int) -> Observation:
    return river(
        history=(SeenAction("river", 2, "bet", bet),),
        seats=(seat(1), seat(2, stack=190 - bet, bet=bet)),
        pot=20 + bet, bet=bet, check=False, call=bet, call_to=bet, bet_min=0, bet_max=0,
        raise_min=2 * bet, raise_max=190,
    )  # fmt: skip


def kinds(observation: Observation, win: float, tries: int = 2000) -> dict[str, float]:
    """How often each kind of action is chosen."""
    rng = random.Random(1)
    chosen = [odds.decide(observation, win, BALANCED, rng) for _ in range(tries)]
    assert all(is_legal(action, observation) for action in chosen)
    return {kind: sum(a.kind == kind for a in chosen) / tries for kind in {a.kind for a in chosen}}


@pytest.mark.parametrize(
    "bet, win, kind",
    [(10, 0.20, "fold"), (10, 0.30, "call"), (20, 0.30, "fold"), (20, 0.36, "call"), (10, 0.97, "raise")],
)
def test_a_call_is_made_by_the_pot_odds(bet: int, win: float, kind: str) -> None:
    """A call of 10 into 30 breaks even at a quarter, of 20 into 40 at a third."""
    assert kinds(facing(bet), win)[kind] > 0.85


def test_strong_hands_bet_and_middling_ones_check() -> None:
    assert kinds(river(), 0.9)["bet"] > 0.9
    assert kinds(river(), 0.5) == {"check": 1.0}


def test_bluffs_have_the_frequency_that_the_size_allows() -> None:
    """On the river 0.7 of s / (1 + 2s) for a bet of s times the pot; far less against two, against more never."""
    expected = 0.7 * BLUFF_SHARE_OF_POT / (1 + 2 * BLUFF_SHARE_OF_POT)
    assert bluff_frequency(river(), BLUFF_SHARE_OF_POT) == pytest.approx(expected)
    assert kinds(river(), 0.1)["bet"] == pytest.approx(expected, abs=0.03)
    three = river(seats=(seat(1), seat(2), seat(3)))
    four = river(seats=(seat(1), seat(2), seat(3), seat(4)))
    assert 0 < kinds(three, 0.05)["bet"] < expected / 2
    assert kinds(four, 0.05) == {"check": 1.0}


def test_a_style_changes_how_often_a_bot_bluffs() -> None:
    tight, loose = (TEMPERS[style] for style in (BotStyle.TIGHT, BotStyle.LOOSE))
    rng = random.Random(3)

    def bluffs(temper: Temper) -> int:
        return sum(odds.decide(river(), 0.1, temper, rng).kind == "bet" for _ in range(2000))

    assert bluffs(loose) > 1.8 * bluffs(tight)


def test_intents_become_what_the_turn_allows() -> None:
    assert wager_to(river(), 1) == BotAction("bet", to=2)
    assert wager_to(river(), 1000) == BotAction("bet", to=190)
    assert wager_to(facing(10), 5) == BotAction("raise", to=20)
    assert wager_share(facing(10), 0.5) == BotAction("raise", to=30)
    assert shove(facing(10)) == BotAction("raise", to=190)
    assert wager_to(replace(facing(10), raise_min=0, raise_max=0), 60) == BotAction("call")
    assert give_up(river()) == BotAction("check")
    assert give_up(facing(10)) == BotAction("fold")
    assert give_up(river(draw=True)) == BotAction("draw")


def test_no_bet_leaves_crumbs_behind() -> None:
    """More than four fifths of the stack is all of it."""
    assert wager_to(river(), 160) == BotAction("bet", to=190)


@pytest.mark.parametrize(
    "blinds, share", [(1, 0.784), (3, 0.784), (5.5, 0.7005), (10, 0.585), (20, 0.398), (50, 0.398)]
)
def test_the_push_table_is_read_between_its_columns(blinds: float, share: float) -> None:
    assert at_stack((0.784, 0.715, 0.686, 0.617, 0.585, 0.529, 0.457, 0.398), blinds) == pytest.approx(share)


def preflop_seat(stack: int, own: str, players: int = 6) -> Observation:
    """First to speak before the flop, with `stack` big blinds."""
    chips = 2 * stack
    seats = [seat(number, stack=chips) for number in range(1, players + 1)]
    seats[1], seats[2] = seat(2, stack=chips - 1, bet=1), seat(3, stack=chips - 2, bet=2)
    return river(
        street="preflop", board=(), seat=4, cards=tuple(parse_cards(own)), seats=tuple(seats), button=1,
        small_blind=2, big_blind=3, pot=3, bet=2, check=False, call=2, call_to=2, bet_min=0, bet_max=0,
        raise_min=4, raise_max=chips, all_in=chips,
    )  # fmt: skip


@pytest.mark.parametrize(
    "stack, own, kind, to",
    [
        (100, "As Ad", "raise", 6),
        (100, "9s 2d", "fold", 0),
        (100, "Ks 9d", "fold", 0),
        (8, "As Ad", "raise", 16),
        (8, "Js 4d", "fold", 0),
    ],
)
def test_before_the_flop_position_and_stack_decide(stack: int, own: str, kind: str, to: int) -> None:
    action = preflop.decide(preflop_seat(stack, own), BALANCED, random.Random(2))
    assert (action.kind, action.to) == (kind, to)
