"""`croupier bench bots`: real hands of all levels, timed by decision, and one JSON object of figures."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from typer.testing import CliRunner

from bots.brain import Fallback
from bots.explanation import Path
from bots.in_process import InProcess
from bots.protocol import is_legal, observe, to_command
from bots.roster import bot
from cluster.bench.bots import BUDGET_MS, Decided, decisions
from cluster.bench.bots_figures import levels, on_workers, quantile
from cluster.bench.equity_workers import Workers
from cluster.bench.mixed_play import MOST, turns
from cluster.cli import app
from cluster.local.datadir import MARK_VARIABLE
from cluster.local.processes import marked
from engine.game import Game
from engine.settings import BotLevel

TIMES = {"mean_ms", "p50_ms", "p99_ms", "cpu_ms", "observing_ms"}


def bench(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["bench", "bots", "--no-ray", "--decisions", "10", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_report_holds_the_figures_of_each_level_and_game() -> None:
    found = json.loads(bench("--json", "--seed", "4"))
    assert found["seed"] == 4
    assert found["budget_ms"] == BUDGET_MS
    assert found["games"].keys() == {"holdem", "draw"}
    assert "ray" not in found
    for of_game in found["games"].values():
        assert of_game.keys() == {"easy", "normal", "hard"}
        for level, figures in of_game.items():
            assert figures.keys() == TIMES | {"decisions"} | ({"made_by"} if level == "hard" else set())
            assert figures["decisions"] == 10
            assert all(figures[time] > 0 for time in TIMES)
            assert figures["p50_ms"] <= figures["p99_ms"]
        made_by = of_game["hard"]["made_by"]
        assert made_by.keys() == {"table", "rules", "in_process", "workers"}
        assert sum(made_by.values()) == pytest.approx(1, abs=1e-3)
        assert made_by["workers"] == 0


def test_table_shows_each_level_and_who_made_the_hard_decisions() -> None:
    shown = bench()
    assert all(word in shown for word in ("holdem", "draw", "easy", "normal", "hard", "p99", "in process"))


async def test_each_level_has_as_many_decisions_as_were_asked_for() -> None:
    taken = [one async for one in decisions(Game.DRAW, InProcess(), count=7, seed=2)]
    assert {level: len(found.taken) for level, found in levels(taken).items()} == dict.fromkeys(BotLevel, 7)


@pytest.mark.parametrize("game", Game)
def test_turns_are_those_of_real_play_and_the_same_from_a_seed(game: Game) -> None:
    """All numbers of players, all streets, all levels."""
    seen = played(game)
    assert seen == played(game)
    players, streets, asked = (Counter(column) for column in zip(*seen, strict=True))
    assert players.keys() == set(range(2, MOST[game] + 1))
    assert len(streets) == (4 if game is Game.HOLDEM else 3)
    assert asked.keys() == set(BotLevel)


def played(game: Game, count: int = 1_500) -> list[tuple[int, str, BotLevel]]:
    """The players, the street and the level of turns that easy bots in all seats take."""
    chance = random.Random(1)
    play = turns(game, random.Random(5))
    turn, found = next(play), []
    for _ in range(count):
        observation = observe(turn.view)
        found.append((len(observation.seats), observation.street, turn.level))
        action = bot(game, BotLevel.EASY, turn.style).decide(observation, chance)
        assert is_legal(action, observation)
        turn = play.send(to_command(action, turn.view, turn.player.player))
    return found


def decided(path: Path, wall: int = 1_000_000, level: BotLevel = BotLevel.HARD) -> Decided:
    return Decided(level, wall, wall, 1, path, Fallback.NONE if path is not Path.RULES else Fallback.NORMAL)


def test_share_of_workers_is_of_hard_decisions_outside_the_tables() -> None:
    taken = [
        *[decided(Path.WORKERS, wall=1_000_000 * at) for at in range(1, 10)],
        decided(Path.RULES, wall=50_000_000),
        *[decided(Path.TABLE)] * 20,
        *[decided(Path.RULES, level=BotLevel.NORMAL)] * 20,
    ]
    found = on_workers(taken)
    assert found["outside_tables"] == 10
    assert found["by_workers"] == 0.9
    assert found["made_by"] == {"rules": 0.1, "table": 0.0, "in_process": 0.0, "workers": 0.9}
    assert found["fallbacks"] == {"none": 9, "partial": 0, "normal": 1, "passive": 0}
    assert (found["p50_ms"], found["p99_ms"]) == (5.0, 9.0)


def test_no_decision_outside_the_tables_has_no_share() -> None:
    found = on_workers([decided(Path.TABLE)])
    assert (found["outside_tables"], found["by_workers"], found["p50_ms"]) == (0, None, None)


@pytest.mark.parametrize("share,milliseconds", [(0.5, 2.0), (0.51, 3.0), (0.99, 4.0), (0.0, 1.0)])
def test_quantile_is_a_time_that_was_taken(share: float, milliseconds: float) -> None:
    assert quantile([3_000_000, 1_000_000, 4_000_000, 2_000_000], share) == milliseconds


@pytest.mark.integration
@pytest.mark.slow
async def test_workers_make_decisions_and_leave_nothing() -> None:
    found: dict[str, Any] = {}
    async with Workers(2, "cluster.bench.bots_driver") as workers:
        run_dir = workers.run_dir
        for game in Game:
            found[game.value] = await workers.job(game=game.value, decisions=20, seed=1)
    for figures in found.values():
        assert figures["outside_tables"] > 0
        assert figures["made_by"]["in_process"] == 0
        assert figures["by_workers"] > 0
    assert not run_dir.exists()
    assert not marked(MARK_VARIABLE, str(run_dir))
