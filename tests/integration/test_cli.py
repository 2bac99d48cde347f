"""The command line against a running cluster: the lobby, a seat in both games through pipes, histories."""

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.local.datadir import DataDir
from tests.edge.running import Up, croupier, eventually

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

FAST = ("-s", "bot_speed=instant", "-s", "between_hands_ms=1000", "-s", "plays_unwatched=on")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cluster with a salon of each game, three easy bots in each."""
    home = tmp_path_factory.mktemp("cli")
    house = Up(home, "--no-demo")
    try:
        house.start()
        yield home
        assert house.stop() == 0
    finally:
        house.tidy()


def create(home: Path, game: str, *more: str) -> str:
    answer = croupier(
        home, "create", game, "--bots", "easy,easy,normal", *FAST, *more, "--json", "--name", "Owner"
    )
    assert answer.returncode == 0, answer.stderr
    return str(json.loads(answer.stdout)["salon_id"])


@pytest.fixture(scope="module")
def holdem(home: Path) -> str:
    return create(home, "holdem")


@pytest.fixture(scope="module")
def draw(home: Path) -> str:
    return create(home, "draw")


def test_created_salons_are_listed_by_game(home: Path, holdem: str, draw: str) -> None:
    def found() -> dict[str, dict[str, int]]:
        answer = croupier(home, "salons", "--game", "draw", "--free", "3", "--json")
        return {row["salon_id"]: row for row in json.loads(answer.stdout)["salons"]}

    eventually("the lobby, which may be a second late, has it", lambda: draw in found())
    rows = found()
    assert holdem not in rows
    assert rows[draw]["bots"] == 3
    table = croupier(home, "salons").stdout
    assert holdem in table
    assert draw in table


@pytest.mark.parametrize(
    "game,script",
    [("holdem", "call\ncheck\nfold\nout\nleave\n"), ("draw", "call\nd 1 2\nfold\nout\nleave\n")],
)
def test_seat_is_taken_played_and_left_through_a_pipe(
    home: Path, holdem: str, draw: str, game: str, script: str
) -> None:
    """Each turn's line waits for a turn; what is illegal then is refused in words and the turn stays open."""
    salon = holdem if game == "holdem" else draw
    answer = croupier(home, "play", salon, "--name", "Piper", "--plain", stdin=f"h\nt\n{script}")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "your turn" in answer.stdout
    assert "you may: fold (f)" in answer.stdout
    assert "your cards" in answer.stdout
    # By its beginning, or by the table where that was shown in the middle of a hand.
    assert re.search(r"^(--- hand \d+, |salon .* hand [1-9]\d*, )", answer.stdout, re.MULTILINE)
    assert f"you have left salon {salon}" in answer.stdout
    assert "Traceback" not in answer.stderr


def test_free_seat_with_bots_is_found_and_end_of_input_leaves_it(home: Path, holdem: str) -> None:
    answer = croupier(home, "play", "--game", "holdem", "--name", "Wanderer")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert f"you sit in salon {holdem}" in answer.stdout
    assert f"you have left salon {holdem}" in answer.stdout


def test_quit_keeps_the_seat_for_the_same_name(home: Path, holdem: str) -> None:
    """The session is kept: who comes back under a name is the same player."""
    assert "your seat stays" in croupier(home, "play", holdem, "--name", "Keeper", stdin="quit\n").stdout

    def people() -> int:
        rows = json.loads(croupier(home, "salons", "--json").stdout)["salons"]
        found: int = next(row for row in rows if row["salon_id"] == holdem)["people"]
        return found

    eventually("the lobby counts a person", lambda: people() >= 1)
    again = croupier(home, "play", holdem, "--name", "Keeper", stdin="leave\n")
    assert f"you have left salon {holdem}" in again.stdout
    sessions = list((home / "state" / "croupier" / "sessions").iterdir())
    assert sessions
    assert {stat.S_IMODE(path.stat().st_mode) for path in sessions} == {0o600}


def test_history_shows_finished_hands(home: Path, holdem: str) -> None:
    def listed() -> list[dict[str, str]]:
        answer = croupier(home, "history", holdem, "--json")
        assert answer.returncode == 0, answer.stderr
        found: list[dict[str, str]] = json.loads(answer.stdout)["hands"]
        return found

    eventually("a hand is finished", lambda: bool(listed()))
    number = listed()[0]["hand"]
    answer = croupier(home, "history", holdem, "--hand", number)
    assert answer.returncode == 0, answer.stderr
    assert f"hand {number} of salon {holdem}, begun 20" in answer.stdout
    assert " wins " in answer.stdout
    record = json.loads(croupier(home, "history", holdem, "--hand", number, "--json").stdout)
    assert record["hand"] == number
    assert any("hand_ended" in event for event in record["events"])


def test_only_its_creator_closes_a_salon_and_watching_ends_with_it(home: Path) -> None:
    salon = create(home, "holdem", "-s", "hand_limit=1000")
    stranger = croupier(home, "close", salon, "--name", "Stranger")
    assert stranger.returncode == 1
    assert len(stranger.stderr.strip().splitlines()) == 1
    assert croupier(home, "close", salon, "--name", "Owner").returncode == 0

    def is_closed() -> bool:
        rows = json.loads(croupier(home, "salons", "--json").stdout)["salons"]
        return all(row["closing"] or row["over"] for row in rows if row["salon_id"] == salon)

    eventually("the lobby, which may be a second late, tells of the end", is_closed)
    for form in ((), ("--json",)):
        watched = croupier(home, "watch", salon, *form)
        assert watched.returncode == 0, watched.stderr
        assert "over" in watched.stdout.splitlines()[-1]


def test_salon_is_named_by_the_beginning_of_its_id(home: Path, holdem: str, draw: str) -> None:
    def both_are_listed() -> bool:
        table = croupier(home, "salons").stdout
        return holdem in table and draw in table

    eventually("the lobby, which may be a second late, has them", both_are_listed)
    for salon in (holdem, draw):
        left = croupier(home, "play", salon[:12], "--name", "Brief", stdin="leave\n")
        assert f"you have left salon {salon}" in left.stdout
    assert croupier(home, "history", holdem[:12], "--limit", "1").returncode == 0
    assert croupier(home, "history", holdem[:12], "--limit", "1", "--format", "text").returncode == 0
    every = croupier(home, "history", "")
    assert every.returncode == 2
    assert "write more of it" in every.stderr


def test_leaving_a_salon_without_spectators_is_no_error(home: Path) -> None:
    salon = create(home, "holdem", "-s", "spectators=off")
    answer = croupier(home, "play", salon, "--name", "Shy", stdin="leave\n")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert answer.stdout.splitlines()[-1] == f"you have left salon {salon}"


@pytest.mark.parametrize(
    "arguments,code,complaint",
    [
        (("create", "bridge"), 2, "write holdem or draw"),
        (("create", "holdem", "-s", "big_blnd=4"), 2, "big_blind"),
        (("create", "holdem", "-s", "big_blind=four"), 2, "write a whole number"),
        (("create", "holdem", "-s", "seats=12"), 1, "seats"),
        (("create", "holdem", "--bots", "genius"), 2, "easy, normal or hard"),
        (("watch", "nosuchsalon"), 1, "there is no such salon"),
        (("history", "nosuchsalon"), 1, "there is no such salon"),
        (("play", "nosuchsalon"), 1, "there is no such salon"),
        (("salons", "--address", "127.0.0.1:1"), 4, "(Connection refused): start one with `croupier up`"),
        (("salons", "--address", "nowhere"), 2, "HOST:PORT"),
    ],
)
def test_what_is_wrong_is_one_line_and_an_exit_code(
    home: Path, arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    answer = croupier(home, *arguments)
    assert answer.returncode == code, answer.stdout + answer.stderr
    assert complaint in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


def test_second_up_on_the_same_data_is_refused(home: Path) -> None:
    answer = croupier(home, "up", "--plain", "--listen", "127.0.0.1:0")
    assert answer.returncode == 3
    assert "another `croupier up` (process" in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
    assert croupier(home, "salons").returncode == 0


def test_equity_of_the_cluster_is_that_of_this_machine(home: Path) -> None:
    """A number of samples gives the same answer bit by bit, whatever counted them."""
    asked = ("equity", "AhKh", "QQ+, AKs", "--samples", "3000000", "--seed", "7", "--json")
    address = DataDir(home / "data").listening()
    here = croupier(home, *asked, CROUPIER_ADDRESS=address)
    there = croupier(home, *asked, "--address", address)
    assert (here.returncode, there.returncode) == (0, 0), here.stderr + there.stderr
    assert json.loads(here.stdout) == json.loads(there.stdout)
    table = croupier(home, "equity", "AhKh", "QcQd", "--board", "Qs7d2s", "--address", address)
    assert "exact: 990 deals counted" in table.stdout
    refused = croupier(home, "equity", "AhKh", "random", "--deadline", "60000", "--address", address)
    assert refused.returncode == 2
    assert "--deadline: deadline_ms is 60000: at most 10000" in refused.stderr


def test_doctor_finds_all_well_and_then_a_misspelt_variable(home: Path) -> None:
    well = croupier(home, "doctor", "--json")
    findings = {finding["what"]: finding for finding in json.loads(well.stdout)["findings"]}
    assert "in use by a `croupier up`" in findings["data"]["found"]
    assert "answers at" in findings["gateway"]["found"]
    assert findings["equity"]["found"]
    assert well.returncode == 0, well.stdout
    ill = croupier(home, "doctor", CROUPIER_REDIS_URI="redis://localhost")
    assert ill.returncode == 1
    assert "rename it to CROUPIER_REDIS_URL" in ill.stdout
