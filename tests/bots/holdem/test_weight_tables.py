"""Weight tables: each public action moves them the right way, nothing is excluded, and nobody holds a known card."""

from dataclasses import replace

import numpy as np
import pytest

from bots.equity.combos import combo
from bots.holdem.combo_arrays import COUNT, Floats, live
from bots.holdem.street_model import FLOOR, answers, bets
from bots.holdem.weight_tables import Tables, follow
from bots.protocol import Observation, SeenAction
from engine.cards import parse_cards
from tests.bots.positions import facing, preflop, river

DRY = "Ks 9d 7h 4c 2s"
OWN = "Jc Jd"


def weight(table: Floats, text: str) -> float:
    return float(table[combo(*parse_cards(text))])


def before_the_flop(*line: tuple[int, str, int], players: int = 2) -> Tables:
    return follow(preflop(OWN, players=players, line=[("preflop", *action) for action in line]))


def on_the_river(*actions: tuple[str, int, str, int]) -> Tables:
    """After a called opening and so many actions; the streets' checks are up to the caller."""
    base = river(OWN, DRY, pot=60)
    line = (*base.history[:2], *(SeenAction(*action) for action in actions))
    return follow(replace(base, history=line))


CALM = [(street, seat, "check", 0) for street in ("flop", "turn") for seat in (2, 1)]

MOVES = [
    ("a raise holds aces rather than a poor hand", [(2, "raise", 12)], "Ah As", "9h 4c", 5.0),
    ("raising again holds aces rather than a middling hand", [(1, "raise", 6), (2, "raise", 20)], "Ah As", "Kh 9c", 4.0),
    ("a call holds a middling hand rather than aces", [(1, "raise", 6), (2, "call", 6)], "Qh Tc", "Ah As", 2.0),
    ("a call holds a middling hand rather than trash", [(1, "raise", 6), (2, "call", 6)], "Qh Tc", "7h 2c", 4.0),
    ("a bigger opening is tighter", [(2, "raise", 60)], "Ah As", "Jh 8h", 3.0),
]  # fmt: skip


@pytest.mark.parametrize("name, line, likely, unlikely, times", MOVES, ids=[move[0] for move in MOVES])
def test_before_the_flop(
    name: str, line: list[tuple[int, str, int]], likely: str, unlikely: str, times: float
) -> None:
    """By position- and action-dependent frequencies."""
    table = before_the_flop(*line).weights[2]
    assert weight(table, likely) > times * weight(table, unlikely), name


STREETS = [
    ("a bet holds a set rather than ace high", [("river", 2, "bet", 40)], "9h 9c", "Ah 6c", 2.5),
    ("a bet holds nothing rather than ace high", [("river", 2, "bet", 40)], "6c 5d", "Ah 6c", 1.2),
    ("a check holds ace high rather than a set", [("river", 2, "check", 0)], "Ah 6c", "9h 9c", 2.0),
    ("a raise holds a set rather than a small pair", [("river", 2, "check", 0), ("river", 1, "bet", 30), ("river", 2, "raise", 100)], "9h 9c", "6h 6c", 4.0),
]  # fmt: skip


@pytest.mark.parametrize("name, line, likely, unlikely, times", STREETS, ids=[move[0] for move in STREETS])
def test_on_a_later_street(
    name: str, line: list[tuple[str, int, str, int]], likely: str, unlikely: str, times: float
) -> None:
    """By where each combo stands in its range, and by the size of the bet. Ratios are to the table before the line."""
    before, after = (on_the_river(*CALM, *more).weights[2] for more in ([], line))
    moved = (weight(after, likely) / weight(before, likely)) / (
        weight(after, unlikely) / weight(before, unlikely)
    )
    assert moved > times, name


def test_who_folded_has_no_table() -> None:
    line = [("preflop", 4, "raise", 6), ("preflop", 5, "fold", 0), ("preflop", 6, "call", 6)]
    observation = preflop(OWN, players=6, line=line)
    assert set(follow(observation).weights) == {1, 2, 3, 4, 6}


def test_position_tells_before_the_flop() -> None:
    """An opening under the gun is tighter than one on the button."""
    early = before_the_flop((4, "raise", 6), players=6).weights[4]
    line = [(number, "fold", 0) for number in (4, 5, 6)]
    late = before_the_flop(*line, (1, "raise", 6), players=6).weights[1]
    assert weight(early, "Kh 8h") / weight(early, "Ah As") < 0.5 * weight(late, "Kh 8h") / weight(
        late, "Ah As"
    )


@pytest.mark.parametrize(
    "observation", [facing(OWN, DRY, 15), facing(OWN, "Ks 9d 7h", 20), river(OWN, "Ks 9d 7h 4c")]
)
def test_tables_add_up_and_exclude_nothing_but_known_cards(observation: Observation) -> None:
    tables = follow(observation)
    open_cards = observation.board
    for seat, table in tables.weights.items():
        assert table.sum() == pytest.approx(1)
        known = open_cards if seat == observation.seat else (*open_cards, *observation.cards)
        assert np.array_equal(table > 0, live(known) > 0)


def test_the_own_table_does_not_know_the_own_cards() -> None:
    """It is the bot as others see it."""
    one, other = (follow(facing(own, DRY, 15)).weights[1] for own in ("Jc Jd", "As 3h"))
    assert np.allclose(one, other, rtol=0.35)
    assert weight(one, "Jc Jd") > 0


@pytest.mark.parametrize("size", [0.3, 0.75, 1.5, 5.0])
@pytest.mark.parametrize("opponents", [1, 2, 5])
def test_answers_are_chances_and_keep_a_floor(size: float, opponents: int) -> None:
    place = np.linspace(0, 1, COUNT)
    answer = answers(place, size, opponents)
    assert np.allclose(sum(answer), 1)
    assert min(each.min() for each in answer) >= 0
    assert answer.fold.min() >= FLOOR - 1e-9
    betting = bets(place, size, opponents)
    assert betting.min() >= FLOOR
    assert betting.max() <= 1 - FLOOR


def test_bigger_bets_and_more_players_are_answered_by_fewer() -> None:
    place = np.linspace(0, 1, COUNT)
    folds = [answers(place, size, opponents).fold.mean() for size, opponents in ((0.3, 1), (1, 1), (1, 3))]
    assert folds == sorted(folds)
    assert folds[0] < folds[2]
