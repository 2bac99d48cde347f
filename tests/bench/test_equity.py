"""`croupier bench equity`: all sides answer the same question, and what it prints is one JSON object."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from typer.testing import CliRunner

from bots.equity.estimate import question_of
from bots.equity.paths import Path, available
from bots.equity.questions import HoldemQuestion
from bots.equity.spots import make_holdem_spot
from cluster.bench.answers import Answer, Library
from cluster.bench.equity import FLOP, HAND, RANGE, Contest, Disagreement, Lap, check, contests, rounds
from cluster.bench.equity_on_ray import Deadline, Job, jobs, report, two_workers
from cluster.bench.equity_workers import Memory
from cluster.bench.kernel_equity import Samples
from cluster.bench.pokerfast_equity import Pokerfast
from cluster.cli import app
from tests.extras import extra

VARIANCE = 0.2167
"""Of AsKs against a random hand."""
BESIDE_POKERFAST = {f"{spot}_vs_pokerfast" for spot in ("hu_preflop", "six_way", "flop_range", "exact_flop")}
BESIDE_EVAL7 = {"hu_preflop_vs_eval7", "flop_range_vs_eval7"}
DRAWS = {"draw_one", "draw_five", "draw_exact", "draw_discards"}
BRIEF = ("--no-ray", "--rounds", "1", "--seconds", "0.002")


def bench(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["bench", "equity", *BRIEF, *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def libraries() -> list[Library]:
    eval7_equity = extra("cluster.bench.eval7_equity")
    return [Pokerfast(), eval7_equity.Eval7()]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What a brief run prints."""
    extra("cluster.bench.eval7_equity")
    printed: dict[str, Any] = json.loads(bench("--json"))
    return printed


def test_report_holds_a_ratio_for_all_that_a_library_can_do(found: dict[str, Any]) -> None:
    assert found["path"] == available()[0]
    assert found["ratios"].keys() == BESIDE_POKERFAST | BESIDE_EVAL7
    assert all(ratio > 0 for ratio in found["ratios"].values())
    assert found["versions"].keys() == {"pokerfast", "eval7"}


def test_report_holds_the_ratios_of_each_path_that_has_its_own_way(found: dict[str, Any]) -> None:
    by_path = found["ratios_by_path"]
    assert by_path.keys() == set(available())
    assert by_path["numpy"].keys() == found["ratios"].keys()
    if Path.AVX512 in available():
        assert by_path["avx512"].keys() == found["ratios"].keys() - {"exact_flop_vs_pokerfast"}
    for key, ratio in found["ratios"].items():
        fastest = next(path for path in available() if key in by_path[path])
        assert ratio == by_path[fastest][key]


def test_report_holds_rates_and_equities_of_every_side(found: dict[str, Any]) -> None:
    assert found["spots"].keys() >= DRAWS
    for name, spot in found["spots"].items():
        assert spot["rates"].keys() == spot["equities"].keys() >= {"numpy"}
        assert all(rate > 0 for rate in spot["rates"].values())
        assert spot["path"] in spot["rates"]
        assert all(len(ratios) == 1 for ratios in spot["round_ratios"].values())
        assert bool(spot["worth"]) == (name in ("hu_preflop", "six_way", "flop_range"))
    assert found["spots"]["exact_flop"]["equities"]["pokerfast"] == 0.726439


def test_table_shows_what_is_compared() -> None:
    shown = bench()
    assert "AsKs against five random" in shown
    assert "samples/s" in shown
    assert "pokerfast 0.2" in shown


def test_path_that_is_not_there_is_an_error_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CROUPIER_EQUITY_PATH", "abacus")
    result = CliRunner().invoke(app, ["bench", "equity", *BRIEF])
    assert result.exit_code == 3
    assert "abacus" in result.stderr


def test_path_in_use_is_the_one_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_EQUITY_PATH", "numpy")
    assert all(contest.in_use is Path.NUMPY for contest in contests([]))


def test_absent_pokerfast_is_an_error_with_its_cure() -> None:
    """The extra `bench` is no part of a plain installation."""
    result = without("pokerfast")
    assert result.returncode == 3
    assert "pip install 'croupier[bench]'" in result.stderr
    assert not result.stdout


def test_absent_eval7_leaves_its_figures_out() -> None:
    """The extra does not have it on all machines."""
    result = without("eval7")
    assert result.returncode == 0, result.stderr
    assert "eval7 is not installed" in result.stderr
    assert json.loads(result.stdout)["ratios"].keys() == BESIDE_POKERFAST


def without(module: str) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.modules['{module}'] = None; from cluster.cli import main; main()"
    command = [sys.executable, "-c", program, "bench", "equity", "--json", *BRIEF]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "variance,equities",
    [
        (0.25, (0.5, 0.54)),
        (0.0, (0.5, 0.500001)),
        (0.25, (0.5, float("nan"))),
        (0.25, (0.501, 0.5, 0.54)),
    ],
)
def test_sides_that_find_different_equities_end_the_run(variance: float, equities: Sequence[float]) -> None:
    with pytest.raises(Disagreement, match="did not do the same work"):
        check(*contest_of(variance, equities))


@pytest.mark.parametrize("variance,equities", [(0.25, (0.5, 0.51)), (0.0, (0.5, 0.5 + 1e-12))])
def test_sides_may_differ_by_chance(variance: float, equities: Sequence[float]) -> None:
    check(*contest_of(variance, equities))


def contest_of(variance: float, equities: Sequence[float]) -> tuple[Contest, list[dict[str, Lap]]]:
    """A contest where each side found an equity over 10,000 samples, so that two differ by 0.7 % one time in three."""
    names = [f"side {at}" for at in range(len(equities))]
    contest = Contest("test", "a test", {}, dict.fromkeys(names, _Silent()), variance)
    laps = {name: Lap(Answer(10_000, equity), 1.0) for name, equity in zip(names, equities, strict=True)}
    return contest, [laps]


class _Silent:
    def answer(self, amount: int) -> Answer:
        raise AssertionError("laps are given: no side is asked")


def test_wrong_side_is_found_out_in_a_run() -> None:
    class Wrong:
        def answer(self, amount: int) -> Answer:
            sum(range(100_000))
            return Answer(100_000, 0.7)

    (contest, *_) = contests([])
    spoilt = Contest(contest.name, contest.what, contest.paths, {"wrong": Wrong()}, contest.variance)
    with pytest.raises(Disagreement, match=r"wrong 0\.7"):
        list(rounds(spoilt, count=1, seconds=0.001))


@pytest.mark.parametrize(
    "players,board,shares", [([HAND, "random"], "", 2), ([HAND, *["random"] * 5], "", 60)]
)
def test_pokerfast_deals_as_many_hands_as_it_says(players: list[str], board: str, shares: int) -> None:
    """It divides by that number what it counted: wins, and parts of pots, which are whole 2nds or 60ths."""
    answer = Pokerfast().sampled(players, board, variance=VARIANCE).answer(100_000)
    assert answer.done % 4096 == 0
    counted = answer.equity * answer.done * shares
    assert counted == pytest.approx(round(counted), abs=1e-4)


def test_pokerfast_deals_as_many_hands_as_its_error_asks_for() -> None:
    """The same number by another way: a standard error and a variance make it, whatever the library says."""
    samples = 40_000_000
    answer = Pokerfast().sampled([HAND, "random"], "", variance=VARIANCE).answer(samples)
    assert 0.8 * samples < answer.done < 2 * samples


def test_all_sides_have_the_same_combos() -> None:
    question = question_of(make_holdem_spot([HAND, RANGE], board=FLOP))
    assert isinstance(question, HoldemQuestion)
    hero, seat = question.seats
    assert hero
    assert seat
    _, eval7 = libraries()
    side = eval7.sampled([HAND, RANGE], FLOP, variance=0.2)
    assert side is not None
    own = {seat[0][at : at + 2] for at in range(0, len(seat[0]), 2)}
    left = [combo for combo in own if not set(combo) & set(hero[0])]
    assert side.answer(1).done == len(left) == 165


def test_eval7_takes_each_combo_as_often() -> None:
    _, eval7 = libraries()
    side = eval7.sampled([HAND, "random"], "", variance=VARIANCE)
    assert side is not None
    assert side.answer(10_000).done == 8 * 1225


def test_nothing_is_asked_of_eval7_that_it_does_not_do() -> None:
    """Its exact function deals no cards: on a flop it finds 0.5962 for 0.7264."""
    _, eval7 = libraries()
    assert eval7.counted([HAND, "random"], FLOP) is None
    assert eval7.sampled([HAND, "random", "random"], "", variance=VARIANCE) is None


def test_each_lap_of_ours_has_samples_of_its_own() -> None:
    side = Samples(question_of(make_holdem_spot([HAND, "random"])), Path.NUMPY)
    assert side.answer(1) != side.answer(1)


class Scripted:
    """Workers that take so long for a sample, and find the same equity each time."""

    def __init__(self, pace: float, equity: float = 0.5) -> None:
        self._pace, self._equity = pace, equity

    async def job(self, **fields: int) -> dict[str, Any]:
        return {
            "seconds": fields["samples"] * self._pace,
            "samples": fields["samples"],
            "equity": self._equity,
        }


async def test_jobs_that_would_take_too_long_are_left_out() -> None:
    done = [job async for job in jobs(Scripted(2e-8), Scripted(1e-8), count=2, longest=5)]
    assert [job.samples for job in done] == [10**5] * 2 + [10**6] * 2 + [10**7] * 2 + [10**8] * 2
    assert two_workers(done) == 2.0


async def test_two_workers_find_what_one_finds() -> None:
    with pytest.raises(Disagreement):
        [job async for job in jobs(Scripted(1e-9), Scripted(1e-9, 0.51), count=1, longest=1)]


def test_two_workers_are_judged_by_the_worst_of_the_long_jobs() -> None:
    done = [Job(10**5, 0.1, 0.1), Job(10**8, 0.5, 0.3), Job(10**9, 5.0, 2.5)]
    assert two_workers(done) == 1.67
    assert two_workers(done[:1]) is None


def test_report_of_ray_counts_the_deadlines_that_were_kept() -> None:
    kept = [Deadline(0.05, 9), Deadline(0.069, 9), Deadline(0.071, 9), Deadline(0.05, 0)]
    shown = report([Job(10**5, 0.1, 0.05)], kept, Memory(2**20, 2**19))
    assert shown["deadline"]["kept"] == 0.5
    assert shown["deadline"]["runs"] == 4
    assert shown["growth_mib"] == {"rss": 1.0, "uss": 0.5}
    assert shown["jobs"] == [
        {"samples": 10**5, "one_seconds": 0.1, "two_seconds": 0.05, "ratio": 2.0, "round_ratios": [2.0]}
    ]
