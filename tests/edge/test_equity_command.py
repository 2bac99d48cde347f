"""`croupier equity` in its own process: what people and programs are shown, and what they are told of a mistake."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from bots.equity.paths import VARIABLE, available
from bots.equity.paths import Path as EquityPath
from cluster.cli import app
from cluster.commands import doctor, equity_text
from cluster.commands.equity_question import Arguments, Wanted
from cluster.commands.equity_text import estimate_json, share_done
from cluster.commands.terminal import Exit
from croupier.v1 import equity_pb2
from croupier.v1.equity_pb2 import DiscardEquity, EquityBudget, EquityEstimate, PlayerEquity
from tests.gateway.equity_questions import ACES, draw, holdem

HAND = "AsAd7c8d2h"
GOLDEN = Path(__file__).parents[1] / "golden"


def croupier(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["equity", *arguments])


def answer(*arguments: str) -> dict[str, Any]:
    result = croupier(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    (line,) = result.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def test_arguments_are_a_question_of_the_protocol() -> None:
    wanted = Wanted(["AhKh", "QQ+,AKs"], board="Qs7d2s", dead="2c 10d", samples=5, seed=7)
    assert Arguments(wanted).question == holdem(
        "AhKh", "QQ+,AKs", board="Qs 7d 2s", dead="2c 10d", samples=5, seed=7
    )
    wanted = Wanted(
        [HAND, "3", "drew 1", "pat", "random"], "draw", discard="7c8d 2h", stderr=0.01, deadline=50
    )
    assert Arguments(wanted).question == draw(
        ACES, (3, 1, 0, None), discard="7c 8d 2h", seed=None, standard_error=0.01, deadline_ms=50
    )
    for text in ("pat", "none", ""):
        assert Arguments(Wanted([HAND], "draw", discard=text)).question == draw(ACES, discard="", seed=None)
    assert Arguments(Wanted([HAND], "draw")).question == draw(ACES, seed=None)


def test_exact_hands_on_a_flop() -> None:
    found = answer("AhKh", "QcQd", "--board", "Qs7d2s")
    assert list(found) == ["exact", "samples", "stderr", "players"]
    assert (found["exact"], found["samples"], found["stderr"]) == (True, 990, 0.0)
    assert [list(player) for player in found["players"]] == [["hand", "win", "tie", "equity"]] * 2
    assert [player["hand"] for player in found["players"]] == ["AhKh", "QcQd"]
    assert math.isclose(sum(player["equity"] for player in found["players"]), 1.0)
    assert all(0 <= player[part] <= 1 for player in found["players"] for part in ("win", "tie", "equity"))


def test_samples_of_a_seed_are_the_same_each_time() -> None:
    ask = ("AhKh", "QQ+, AKs", "random", "--samples", "40000", "--seed", "7")
    found = answer(*ask)
    assert (found["exact"], found["samples"]) == (False, 40_000)
    assert 0 < found["stderr"] < 0.01
    assert answer(*ask) == found
    assert answer(*ask[:-1], "8") != found


def test_it_stops_at_the_standard_error_and_at_the_deadline() -> None:
    assert answer("AhKh", "QQ", "random", "--stderr", "0.002")["stderr"] <= 0.002
    assert not answer("AhKh", "QQ", "random", "--stderr", "0.000001", "--deadline", "100")["exact"]


def test_exact_is_exact_or_an_error() -> None:
    assert answer("AhKh", "QcQd", "--exact")["samples"] == math.comb(48, 5)
    result = croupier("random", "random", "--exact")
    assert result.exit_code == 1
    assert "sample instead" in result.stderr


def test_one_sample_has_no_standard_error() -> None:
    assert answer("AhKh", "QQ", "--samples", "1")["stderr"] is None


@pytest.mark.parametrize("extra", [(), ("3", "1", "--samples", "2000")])
def test_at_draw_all_discards_are_told(extra: tuple[str, ...]) -> None:
    found = answer("--game", "draw", HAND, *extra)
    assert list(found) == ["exact", "samples", "stderr", "players", "discards"]
    assert len(found["discards"]) == 26
    pat, *_, three = found["discards"]
    assert (pat["discard"], three["discard"]) == ([], ["7c", "8d", "2h"])
    assert pat["chances"]["pair"] == 1.0
    assert three["chances"]["pair"] == 11_559 / 16_215
    assert ("win" in three) == bool(extra)
    assert [player["hand"] for player in found["players"]] == ([HAND, "drew 3", "drew 1"] if extra else [])


def test_at_draw_one_discard_is_told() -> None:
    found = answer("--game", "draw", HAND, "3", "--discard", "7c8d2h", "--samples", "2000")
    (row,) = found["discards"]
    assert row["equity"] == found["players"][0]["equity"]


def test_json_is_as_it_was() -> None:
    """What programs read changes by addition alone."""
    asked = {
        "holdem": ("AhKh", "QcQd", "--board", "Qs7d2s"),
        "draw": ("--game", "draw", HAND, "--discard", "7c8d2h"),
        "draw_exact": ("--game", "draw", "AsKsQsJs2d", "1", "--discard", "2d", "--exact"),
    }
    kept = json.loads((GOLDEN / "equity.json").read_text())
    assert {name: answer(*arguments) for name, arguments in asked.items()} == kept


def test_people_read_a_table() -> None:
    result = croupier("AhKh", "QcQd", "--board", "Qs7d2s")
    head, *players, how = [line.split() for line in result.stdout.splitlines()]
    assert head == ["hand", "win", "%", "tie", "%", "equity", "%"]
    assert [line[0] for line in players] == ["AhKh", "QcQd"]
    assert " ".join(how).startswith("exact: 990 deals counted; path ")
    sampled = croupier("AhKh", "QQ", "random", "--samples", "1000", "--seed", "7").stdout
    assert "sampled: 1,000 deals, standard error " in sampled
    assert "seed 7; stopped at the number of samples" in sampled
    assert "+-" in sampled


def test_discards_are_listed_the_best_first() -> None:
    lines = croupier("--game", "draw", HAND, "3", "--samples", "20000", "--seed", "7").stdout.splitlines()
    assert lines[1].startswith("7c 8d 2h ")
    assert any(line.startswith("stand pat ") for line in lines)
    assert "best: discard 7c 8d 2h" in lines
    assert max(map(len, lines[:-1])) <= 80
    chances = croupier("--game", "draw", HAND).stdout.splitlines()
    assert chances[1].startswith("stand pat")
    assert len(chances) == 27
    alone = croupier("--game", "draw", HAND, "3", "--discard", "pat").stdout
    assert "after: stand pat" in alone


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("AhKh",), "1 player: 2 to 9"),
        (("random",) * 10, "10 players: 2 to 9"),
        (("AhKh", "AhQh"), "Ah"),
        (("AhKh", "random", "--board", "Qs7d"), "--board: a board of 2 cards"),
        (("AhKh", "random", "--board", "Qs7dQs"), "Qs is on the board twice"),
        (("AhKh", "random", "--board", "Qs7d2s", "--dead", "Qs"), "among the dead cards"),
        (("AhKh", ""), "hand 2: an empty range"),
        (("AhKh", "AA:nan"), 'hand 2: "nan" (place 4)'),
        (("AhKh", "random", "--deadline", "0"), "--deadline: deadline_ms is 0"),
        (("AhKh", "random", "--deadline", "-5"), "deadline_ms is -5"),
        (("AhKh", "random", "--samples", "0"), "--samples: samples is 0"),
        (("AhKh", "random", "--samples", "9" * 30), "too large by far"),
        (("AhKh", "random", "--seed", "9" * 30), "too large by far"),
        (("AhKh", "random", "--stderr", "nan"), "--stderr: error is nan"),
        (("AhKh", "random", "--stderr", "0"), "--stderr: error is 0.0"),
        (("AhKh", "random", "--exact", "--samples", "5"), "--exact counts all deals"),
        (("AhKh", "random", "--exact", "--stderr", "0.1"), "--exact counts all deals"),
        (("AhKh", "random", "--local", "--address", "h:1"), "leave one out"),
        (("AhKh", "random", "--discard", "2c"), "--game draw"),
        (("AhKh", "random", "--game", "stud"), "stud is no game"),
        (("--game", "draw", HAND, "--board", "Qs7d2s"), "at draw there is none"),
        (("--game", "draw", "AsAd7c8d"), "the hand: a hand of 4 cards"),
        (("--game", "draw", "AsAs7c8d2h"), "As is in the own hand twice"),
        (("--game", "draw", HAND, "4"), "opponent 1: nobody draws 4"),
        (("--game", "draw", HAND, "1", "often"), 'opponent 2: "often" says nothing'),
        (("--game", "draw", HAND, *"111111"), "6 opponents"),
        (("--game", "draw", HAND, "1", "--discard", "Kc"), "Kc is discarded and not in the hand"),
        (("--game", "draw", HAND, "1", "--discard", "7c7c"), "7c"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_nonsense_is_told_and_exits_with_2(
    arguments: tuple[str, ...], said: str, form: tuple[str, ...]
) -> None:
    result = croupier(*arguments, *form)
    assert result.exit_code == 2, result.stdout + result.stderr
    assert said in result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) <= 3


@pytest.mark.parametrize(
    "arguments, text, mark",
    [
        (("AhKh", "QQ+, AXs"), "  QQ+, AXs", "       ^^^"),
        (("AhKh", "random", "--board", "Qs 7d 1s"), "  Qs 7d 1s", "        ^^"),
        (("AhKh", "random", "--dead", "10d2"), "  10d2", "     ^"),
        (("AhKh", "AA\t:nan"), "  AA?:nan", "      ^^^"),
        (("AhKh", "KK," * 40 + "AXs" + ",22" * 40), None, None),
    ],
)
def test_a_caret_stands_under_what_is_wrong(
    arguments: tuple[str, ...], text: str | None, mark: str | None
) -> None:
    _, shown, marks = croupier(*arguments).stderr.rstrip("\n").split("\n")
    if text is None:
        assert len(shown) < 100
        assert shown[marks.index("^") : marks.rindex("^") + 1] == "AXs"
    else:
        assert (shown, marks) == (text, mark)


def test_a_path_that_is_not_there_is_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "cuda")
    result = croupier("AhKh", "random")
    assert result.exit_code == 3
    assert "this machine has" in result.stderr


def test_a_gateway_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    result = croupier("AhKh", "random", "--address", "127.0.0.1:1")
    assert result.exit_code == 4
    monkeypatch.setenv("CROUPIER_ADDRESS", "127.0.0.1:1")
    assert croupier("AhKh", "QcQd", "--board", "Qs7d2s").exit_code == 0


def _partial(samples: int, error: float, rows: int = 0, known: int = 0) -> EquityEstimate:
    estimate = EquityEstimate(samples=samples, standard_error=error)
    estimate.discards.extend(
        DiscardEquity(own=PlayerEquity() if row < known else None) for row in range(rows)
    )
    return estimate


@pytest.mark.parametrize(
    "estimate, budget, seconds, share",
    [
        (_partial(250_000, 0.1), EquityBudget(), 1, 0.25),
        (_partial(50, 0.1), EquityBudget(samples=200), 1, 0.25),
        (_partial(50, 0.002), EquityBudget(standard_error=0.001), 1, 0.25),
        (_partial(50, 0.002), EquityBudget(deadline_ms=2_000), 1, 0.5),
        (_partial(50, 0.002), EquityBudget(standard_error=0.001, deadline_ms=2_000), 1, 0.5),
        (_partial(50, 0.002), EquityBudget(deadline_ms=2_000), 9, 1.0),
        (_partial(50, 0.002, 26, 13), EquityBudget(standard_error=0.001), 1, 0.5),
    ],
)
def test_the_bar_tells_how_much_is_done(
    estimate: EquityEstimate, budget: EquityBudget, seconds: float, share: float
) -> None:
    assert math.isclose(share_done(estimate, budget, seconds), share)


async def test_the_table_lives_while_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Console(force_terminal=True, width=80, record=True, color_system=None)
    monkeypatch.setattr(equity_text, "out", lambda: terminal)
    final = EquityEstimate(
        samples=400, stop=equity_pb2.EQUITY_STOP_SAMPLES, players=[PlayerEquity(hand="AhKh", equity=0.5)]
    )

    async def estimates() -> Any:
        yield EquityEstimate(samples=100, players=[PlayerEquity(hand="AhKh", equity=0.4)])
        yield final

    await equity_text.show_live(estimates(), EquityBudget(samples=400), lambda: 0.0)
    shown = terminal.export_text().splitlines()
    assert any("50.00" in line for line in shown)
    assert "stopped at the number of samples" in shown[-1]


def test_json_of_a_result_from_far_is_the_same() -> None:
    estimate = EquityEstimate(samples=1, standard_error=math.inf, players=[PlayerEquity(hand="x", win=1.0)])
    assert estimate_json(estimate)["stderr"] is None


class TestDoctor:
    """What the doctor says of equity."""

    def test_the_fastest_path_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(VARIABLE, raising=False)
        monkeypatch.setattr(doctor, "kernel", lambda path: None)
        monkeypatch.setattr(doctor, "chosen", lambda: EquityPath.AVX512)
        assert doctor.equity_finding() == doctor.Finding("equity", "C with AVX-512")
        monkeypatch.setattr(doctor, "chosen", lambda: EquityPath.C)
        assert "no AVX-512" in doctor.equity_finding().found

    @pytest.mark.parametrize(
        "compiler, cure", [(None, "install a C compiler"), ("/usr/bin/cc", "make setup")]
    )
    def test_numpy_is_slower_and_has_a_cure_and_is_not_wrong(
        self, monkeypatch: pytest.MonkeyPatch, compiler: str | None, cure: str
    ) -> None:
        monkeypatch.delenv(VARIABLE, raising=False)
        monkeypatch.setattr(doctor, "chosen", lambda: EquityPath.NUMPY)
        monkeypatch.setattr(doctor, "KERNEL", "bots.equity._not_there")
        monkeypatch.setattr("shutil.which", lambda name: compiler)
        finding = doctor.equity_finding()
        assert "slower" in finding.found
        assert "was not compiled" in finding.found
        assert cure in finding.cure
        assert (finding.slow, finding.wrong) == (True, False)

    def test_a_path_that_was_asked_for_is_right(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(VARIABLE, "numpy")
        finding = doctor.equity_finding()
        assert f"as {VARIABLE} says" in finding.found
        assert (finding.cure, finding.slow) == ("", False)

    @pytest.mark.skipif(EquityPath.C not in available(), reason="there is no compiled kernel")
    @pytest.mark.parametrize(
        "arguments, code", [(["doctor"], Exit.REFUSED), (["equity", "AA", "KK"], Exit.SETUP)]
    )
    def test_tables_of_another_version_are_wrong(
        self, tmp_path: Path, arguments: list[str], code: Exit
    ) -> None:
        """In a process of its own: a kernel takes its tables once."""
        other = tmp_path / "tables.bin"
        other.write_bytes(b"CRPQ0000")
        program = (
            "import sys; from pathlib import Path; from bots.equity import paths, tables; "
            "from cluster.cli import app; paths._TABLES = tables.FILE = Path(sys.argv.pop(1)); app()"
        )
        command = [sys.executable, "-c", program, str(other), *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
        assert done.returncode == code
        assert "equity tables are not this version's" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr

    def test_a_path_that_is_not_there_is_wrong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(VARIABLE, "cuda")
        finding = doctor.equity_finding()
        assert finding.wrong
        assert "'cuda'" in finding.found
        assert all(path in finding.cure for path in available())
