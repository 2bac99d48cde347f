"""`croupier bench engine`: both sides play the same game, and what it prints is one JSON object."""

import json
import random
import subprocess
import sys
from collections.abc import Callable

import pytest
from typer.testing import CliRunner

from cluster.bench.engine import rounds
from cluster.bench.pokerkit_hands import PokerKitHands
from cluster.bench.policy import Engine, Kind, a_kind
from cluster.bench.salon_hands import SalonHands
from cluster.cli import app
from engine.game import Game

HANDS = 60
Side = Callable[[Game], Engine]


def bench(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["bench", "engine", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_report_holds_both_ratios_and_the_figures_of_both_sides() -> None:
    found = json.loads(bench("--json", "--hands", "3", "--rounds", "2"))
    assert found["ratios"].keys() == {"holdem_vs_pokerkit", "draw_vs_pokerkit"}
    assert all(ratio > 0 for ratio in found["ratios"].values())
    assert found["games"].keys() == {"holdem", "draw"}
    for of_game in found["games"].values():
        assert of_game["against"].startswith("PokerKit's ")
        assert len(of_game["round_ratios"]) == 2
        for side in (of_game["croupier"], of_game["pokerkit"]):
            assert side["hands"] == 6
            assert side["actions_per_hand"] >= 1
            assert side["hands_per_second"] > 0
            assert side["actions_per_second"] > 0


def test_table_shows_what_is_compared() -> None:
    shown = bench("--hands", "1", "--rounds", "1")
    assert "NoLimitTexasHoldem" in shown
    assert "five-card draw" in shown
    assert "hands/s" in shown
    assert " x" in shown


def test_absent_pokerkit_is_an_error_with_its_cure() -> None:
    """The extra `bench` is no part of a plain installation."""
    program = "import sys; sys.modules['pokerkit'] = None; from cluster.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, "bench", "engine"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 3
    assert "pip install 'croupier[bench]'" in result.stderr
    assert not result.stdout


@pytest.mark.parametrize("game", Game)
def test_both_sides_play_the_same_game(game: Game) -> None:
    """The same chance makes the same choices, as far as no card is looked at: nearly as many actions a hand."""
    (played,) = rounds(SalonHands(game), PokerKitHands(game), hands=HANDS, count=1)
    assert played.own.hands == played.other.hands == HANDS
    assert played.own.actions == pytest.approx(played.other.actions, rel=0.25)


@pytest.mark.parametrize("side", [SalonHands, PokerKitHands])
def test_hand_is_played_from_the_same_start_each_time(side: Side) -> None:
    """A hand has at least one action, and the next one has its full stacks again."""
    engine, rng = side(Game.HOLDEM), random.Random(7)
    assert all(engine.play(rng) >= 1 for _ in range(20))


@pytest.mark.parametrize(
    "call,most,kinds",
    [
        (0, 0, {Kind.PASS}),
        (5, 0, {Kind.PASS, Kind.FOLD}),
        (0, 9, {Kind.PASS, Kind.RAISE}),
        (5, 9, set(Kind)),
    ],
)
def test_every_legal_kind_is_equally_likely(call: int, most: int, kinds: set[Kind]) -> None:
    rng = random.Random(3)
    chosen = [a_kind(rng, call, most) for _ in range(3000)]
    assert set(chosen) == kinds
    assert all(chosen.count(kind) == pytest.approx(3000 / len(kinds), rel=0.15) for kind in kinds)
