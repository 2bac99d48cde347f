"""`croupier bench lobby`: salons of all kinds, each in the lobby once and as it was created, or it is no measurement."""

import json
from collections import Counter
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from cluster.bench.lobby import Found, Kept, Step, Wanted, report
from cluster.bench.lobby_pages import Created, Paged, Wrong, fits, walked
from cluster.bench.lobby_salons import bots_at_rest, is_as_created, settings_of
from cluster.cli import app
from cluster.client import Client
from cluster.gateway.lobby_service import settings_asked_for
from croupier.v1.lobby_pb2 import ListSalonsRequest, ListSalonsResponse, SalonRow
from croupier.v1.settings_pb2 import (
    GAME_DRAW,
    GAME_HOLDEM,
    GAME_UNSPECIFIED,
    VISIBILITY_INVITATION,
    VISIBILITY_PUBLIC,
)


def row_of(salon: str, number: int, *, plays: bool = False) -> SalonRow:
    """What the lobby says of a salon that sleeps."""
    settings = settings_of(number, plays=plays)
    return SalonRow(
        salon_id=salon,
        game=settings.game,
        visibility=settings.visibility,
        seats=settings.seats,
        bots=bots_at_rest(settings),
        small_blind=settings.small_blind,
        big_blind=settings.big_blind,
        small_bet=settings.small_bet,
        big_bet=settings.big_bet,
    )


class Pages:
    """A gateway that answers one page after the other as it is told."""

    def __init__(self, *pages: list[SalonRow]) -> None:
        self._pages = list(pages)
        self.lobby = self
        self.ListSalons = None

    async def call(self, _: Any, request: ListSalonsRequest) -> ListSalonsResponse:
        assert request.page_size == 100
        rows = self._pages.pop(0)
        return ListSalonsResponse(salons=rows, next_page_token="more" if self._pages else "")


async def walk(*pages: list[SalonRow], created: Created) -> int:
    """The rows of all pages without a filter."""
    rows: list[int] = []
    await walked(cast(Client, Pages(*pages)), created, (GAME_UNSPECIFIED, 0), paged=rows.append)
    return sum(rows)


def test_salons_are_of_all_kinds_and_may_be_created() -> None:
    made = [settings_of(number, plays=plays) for number in range(4_000) for plays in (False, True)]
    assert all(settings_asked_for(settings).seats == settings.seats for settings in made)
    assert {(settings.game, settings.seats) for settings in made} == {
        *((GAME_HOLDEM, seats) for seats in range(2, 10)),
        *((GAME_DRAW, seats) for seats in range(2, 7)),
    }
    free = {(settings.game, settings.seats - bots_at_rest(settings)) for settings in made}
    assert free == {
        *((GAME_HOLDEM, free) for free in range(10)),
        *((GAME_DRAW, free) for free in range(7)),
    }
    stakes = {(settings.big_blind or settings.big_bet, settings.game) for settings in made}
    assert len(stakes) == 10
    doors = Counter(settings.visibility for settings in made)
    assert doors == {VISIBILITY_INVITATION: 800, VISIBILITY_PUBLIC: 7_200}


def test_salons_that_play_have_two_bots_who_begin_by_themselves() -> None:
    for number in range(200):
        settings = settings_of(number, plays=True)
        assert (len(settings.bots), settings.plays_unwatched) == (2, True)
        assert not settings_of(number, plays=False).plays_unwatched


@pytest.mark.parametrize(
    "change", [{"bots": 5}, {"people": 1}, {"seats": 8}, {"big_blind": 3}, {"over": True}, {"closing": True}]
)
def test_row_that_says_something_else_is_not_as_created(change: dict[str, Any]) -> None:
    row, settings = row_of("a", 0), settings_of(0, plays=False)
    assert is_as_created(row, settings)
    row.MergeFrom(SalonRow(**change))
    assert not is_as_created(row, settings)


async def test_pages_must_have_each_salon_once() -> None:
    created = Created({"a": 0, "b": 1, "c": 2, "hidden": 18}, played=0)
    assert settings_of(18, plays=False).visibility == VISIBILITY_INVITATION
    a, b, c = (row_of(salon, number) for number, salon in enumerate("abc"))
    assert await walk([a, b], [c], created=created) == 3
    for pages in ([[a, b]], [[a, b], [b, c]], [[a, b], [c, row_of("d", 3)]], [[a, b], [row_of("c", 3)]]):
        with pytest.raises(Wrong):
            await walk(*pages, created=created)


def test_filter_goes_by_game_and_free_seats() -> None:
    settings = settings_of(0, plays=False)
    free = settings.seats - bots_at_rest(settings)
    assert fits(settings, GAME_UNSPECIFIED, free)
    assert fits(settings, settings.game, 0)
    assert not fits(settings, GAME_DRAW, 0)
    assert not fits(settings, GAME_HOLDEM, free + 1)


def test_ratios_are_the_worst_that_was_found_by_what_is_asked_for() -> None:
    """A page that lists nothing is no page, and memory is what the system gives, at its greatest."""
    paged = [
        Paged(deep, GAME_HOLDEM * deep, 0, size, ms / 1000, 150)
        for deep, size, slower in ((False, 50, 0), (True, 100, 5))
        for ms in (10 + slower, 20 + slower, 30 + slower)
    ] + [Paged(False, 0, 10, 50, 0.045, 0)]
    made = report(
        Found(
            wanted=Wanted(1_000, 100, 500, 3),
            steps={"played": Step(100, 4.0)},
            walked={"game_0_free_0": 900},
            paged=tuple(paged),
            page_cpu_us={"gateway": 1_234.5},
            found_by_id=200,
            first_answers=(0.010, 0.030),
            kept=Kept(1_250_000_000, 1_500_000_000, 1_750_000_000, 250_000_000, {"head": 200.0}),
        )
    )
    assert made["ratios"] == {"page_median_by_50_ms": 0.5, "redis_by_2_5_gb": 0.7}
    assert made["opened"]["played"] == {"salons": 100, "seconds": 4.0, "per_second": 25.0}
    assert (made["slowest"]["deep"], made["slowest"]["size"], made["slowest"]["p50_ms"]) == (True, 100, 25.0)
    assert (made["pages"]["every"]["count"], made["pages"]["every"]["most_ms"]) == (7, 45.0)
    assert made["pages"]["with_rows"] == {"count": 6, "p50_ms": 22.5, "p99_ms": 34.75, "most_ms": 35.0}
    assert [made["pages"][kind]["count"] for kind in ("first", "deep", "no_filter")] == [4, 3, 3]
    assert made["rows"] == 900
    assert made["redis"]["bytes_a_salon"] == 1_000_000
    assert made["first_commands"]["p50_ms"] == 20.0


@pytest.mark.integration
@pytest.mark.slow
def test_every_salon_is_in_the_lobby_of_a_cluster_of_its_own() -> None:
    brief = ["--salons", "120", "--played", "8", "--through-gateway", "20", "--rounds", "1"]
    result = CliRunner().invoke(app, ["bench", "lobby", "--json", *brief])
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    opened = {way: step["salons"] for way, step in made["opened"].items()}
    assert opened == {"played": 8, "through_gateway": 20, "by_its_function": 92}
    public = sum(settings_of(n, plays=n < 8).visibility == VISIBILITY_PUBLIC for n in range(120))
    assert made["all_pages"]["game_0_free_0"] == public
    assert made["pages"]["every"]["count"] == 132
    assert made["redis"]["by_part"]["hands"] > 0
    assert made["redis"]["most_bytes"] >= max(made["redis"]["used_bytes"], made["redis"]["resident_bytes"])
    assert 0 < made["pages"]["with_rows"]["count"] < 132
    assert (made["found_by_id"], made["first_commands"]["count"]) == (120, 50)
    assert all(ratio > 0 for ratio in made["ratios"].values())
