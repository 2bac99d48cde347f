"""The river solver: toy games with known answers, and an exploitability that falls."""

import random
from dataclasses import replace

import numpy as np
import pytest

from bots.deadlines import never
from bots.equity import paths
from bots.equity.combos import COMBOS, combo
from bots.holdem.combo_arrays import COUNT, Floats, duels, live, meetings, player_of
from bots.holdem.river_advice import betting_of, solved
from bots.holdem.river_game import Choice, Node, RiverBetting, Showdown, tree
from bots.holdem.river_solver import RiverSolver
from bots.holdem.river_sweep import RiverSweep
from bots.protocol import BotAction, is_legal
from engine.cards import parse_cards
from tests.bots.positions import facing, river

BOARD = tuple(parse_cards("Ks 9d 7h 4c 2s"))


def of(*hands: str) -> Floats:
    weights = np.zeros(COUNT)
    for hand in hands:
        weights[combo(*parse_cards(hand))] = 1.0
    return weights


def test_a_polarised_range_bluffs_once_for_two_values_and_is_called_half_the_time() -> None:
    """A bet of the pot with the nuts or nothing, against hands in between: alpha = 1/2, minimum defence 1/2."""
    nuts = of("Kh Kd", "Kh Kc", "Kd Kc")
    air = of("5h 3h", "5d 3d", "5c 3c", "5h 3d", "5d 3c", "5c 3h")
    catchers = of("Ah 9h", "Ac 9c", "Qh 9h", "Qc 9c", "Jh 9h", "Jc 9c")
    betting = RiverBetting(pot=20, to_call=0, stack=20, wagers=0, checked=False, least_raise=20)
    solver = RiverSolver(BOARD, (nuts + air, catchers), betting)
    solver.run(400)
    bet = [name for name, _ in solver.root.names].index("bet")
    chances = solver.mix(solver.root)[bet]
    assert chances[nuts > 0].min() > 0.95
    assert chances @ air == pytest.approx(0.5 * (chances @ nuts), rel=0.12)
    answer = solver.root.branches[bet]
    assert isinstance(answer, Choice)
    call = [name for name, _ in answer.names].index("call")
    assert solver.mix(answer)[call][catchers > 0].mean() == pytest.approx(0.5, abs=0.06)


def test_exploitability_falls_with_the_iterations() -> None:
    rng = np.random.default_rng(1)
    weights = (rng.random(COUNT) ** 3, rng.random(COUNT) ** 3)
    betting = RiverBetting(pot=20, to_call=0, stack=90, wagers=0, checked=False, least_raise=2)
    solver = RiverSolver(BOARD, weights, betting)
    found = []
    for iterations in (4, 12, 32):
        solver.run(iterations)
        found.append(solver.exploitability())
    assert found == sorted(found, reverse=True)
    assert 0 < found[-1] < 0.03


def test_a_late_solver_stops() -> None:
    solver = RiverSolver(BOARD, (live(BOARD), live(BOARD)), RiverBetting(20, 0, 90, 0, False, 2))
    assert not solver.run(10, late=lambda: solver.iterations >= 3)
    assert solver.iterations == 3
    assert solved(river("Kd Jc", "Ks 9d 7h 4c 2s"), late=lambda: True) is None


def test_meetings_are_counted_by_inclusion_and_exclusion() -> None:
    rng = np.random.default_rng(2)
    weights = rng.random(COUNT)
    met = meetings(weights)
    for at in rng.integers(0, COUNT, 20):
        direct = sum(weights[i] for i, pair in enumerate(COMBOS) if not {*pair} & {*COMBOS[at]})
        assert met[at] == pytest.approx(direct)


def ends(node: Node) -> list[Node]:
    if isinstance(node, Choice):
        return [end for branch in node.branches for end in ends(branch)]
    return [node]


@pytest.mark.parametrize("to_call, wagers", [(0.0, 0), (15.0, 1), (60.0, 2)])
@pytest.mark.parametrize("checked", [False, True])
def test_a_tree_ends_with_the_bets_matched_and_never_above_the_stacks(
    to_call: float, wagers: int, checked: bool
) -> None:
    betting = RiverBetting(40 + to_call, to_call, 100, wagers, checked, max(2, to_call))
    found = ends(tree(betting))
    assert 2 <= len(found) < 40
    for end in found:
        assert not isinstance(end, Choice)
        assert 0 <= end.added[0] <= 100
        assert 0 <= end.added[1] <= 100 - to_call
        if isinstance(end, Showdown):
            assert end.added[0] == pytest.approx(end.added[1] + to_call)


def test_the_solution_plays_by_the_rules_of_the_turn() -> None:
    rng = random.Random(4)
    for spot in (
        river("Kd Jc", "Ks 9d 7h 4c 2s"),
        facing("Kd Jc", "Ks 9d 7h 4c 2s", 15),
        facing("Kd Jc", "Ks 9d 7h 4c 2s", 190),
    ):
        for _ in range(3):
            deck = [card for card in range(52) if card not in spot.board]
            observation = replace(spot, cards=tuple(rng.sample(deck, 2)))
            advice = solved(observation, 12, late=never)
            assert advice is not None
            assert sum(option.chance for option in advice.options) == pytest.approx(1)
            for option in advice.options:
                assert is_legal(BotAction(option.kind, to=option.to), observation), option
            assert betting_of(observation).stack <= 190


@pytest.mark.parametrize("board", ["Ks 9d 7h 4c 2s", "As Ks Qs Js Ts", "7c 7d 7h 2s 2d"])
def test_the_sweep_finds_what_the_kernel_finds(board: str) -> None:
    """Dry, all alike, and paired boards; a combo is never held against one that shares a card."""
    shared = parse_cards(board)
    weights = np.random.default_rng(5).random(COUNT) * live(tuple(shared))
    swept, found = RiverSweep(shared).duels(weights), duels(player_of(weights), shared)
    assert np.allclose(swept.won, found.won)
    assert np.allclose(swept.tied, found.tied)
    assert np.allclose(swept.met, found.met)


def test_the_solution_is_as_good_on_every_path(monkeypatch: pytest.MonkeyPatch) -> None:
    betting = RiverBetting(pot=20, to_call=0, stack=40, wagers=0, checked=True, least_raise=2)
    found = []
    for path in paths.available():
        monkeypatch.setenv(paths.VARIABLE, path)
        solver = RiverSolver(BOARD, (live(BOARD), live(BOARD)), betting)
        solver.run(6)
        found.append(solver.exploitability())
    assert found == pytest.approx([found[0]] * len(found), rel=0.1)
