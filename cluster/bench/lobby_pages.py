"""Pages of the lobby as a client gets them: how long one takes, and whether all of them say all salons, each once."""

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from cluster.bench.lobby_salons import bots_at_rest, is_as_created, settings_of
from cluster.client import Client
from croupier.v1.lobby_pb2 import ListSalonsRequest
from croupier.v1.settings_pb2 import (
    GAME_DRAW,
    GAME_HOLDEM,
    GAME_UNSPECIFIED,
    VISIBILITY_PUBLIC,
    Game,
    SalonSettings,
)
from engine.value import value

GAMES: Final = (GAME_UNSPECIFIED, GAME_HOLDEM, GAME_DRAW)
LEAST_FREE: Final = tuple(range(11))
"""From any to more than the largest table has."""
SIZES: Final = (50, 100)
_MOST: Final = 100
WALKED: Final = ((GAME_UNSPECIFIED, 0), (GAME_HOLDEM, 8), (GAME_DRAW, 5))
"""The filters of which all pages are read: game and free seats."""


class Wrong(Exception):
    """The lobby does not say what was created."""


@value
class Created:
    """The number of each salon by its id, of which the first `played` have played."""

    numbers: Mapping[str, int]
    played: int

    def settings(self, number: int) -> SalonSettings:
        """What the salon was created with."""
        return settings_of(number, plays=number < self.played)


@value
class Paged:
    """One page: where it was asked for, what for, seconds until it was there, and the salons that it lists."""

    deep: bool
    game: int
    least_free: int
    size: int
    seconds: float
    rows: int


async def walked(
    client: Client,
    created: Created,
    asked: tuple[Game.ValueType, int],
    *,
    paged: Callable[[int], None],
) -> list[str]:
    """Read all pages of a filter, and see that they have each public salon that fits once, as it was created.

    `paged` hears of the rows of each; answers the pages' cursors. Raises Wrong.
    """
    game, least_free = asked
    seen: set[str] = set()
    cursors = [""]
    rows = 0
    while True:
        request = ListSalonsRequest(
            page_size=_MOST, page_token=cursors[-1], game=game, min_free_seats=least_free
        )
        page = await client.call(client.lobby.ListSalons, request)
        for row in page.salons:
            number = created.numbers.get(row.salon_id)
            if number is None or not is_as_created(row, created.settings(number)):
                raise Wrong(f"a row is of no salon that was created so: {row}")
            seen.add(row.salon_id)
        rows += len(page.salons)
        paged(len(page.salons))
        if not page.next_page_token:
            break
        cursors.append(page.next_page_token)
    meant = {
        salon for salon, number in created.numbers.items() if fits(created.settings(number), game, least_free)
    }
    if seen != meant or rows != len(meant):
        raise Wrong(f"{rows} rows of {len(seen)} salons where {len(meant)} were created")
    return cursors


def fits(settings: SalonSettings, game: int, least_free: int) -> bool:
    """Whether the lobby lists the salon, asleep, under the filter."""
    free = settings.seats - bots_at_rest(settings)
    return (
        settings.visibility == VISIBILITY_PUBLIC
        and game in (GAME_UNSPECIFIED, settings.game)
        and free >= least_free
    )


async def pages(client: Client, cursors: list[str], *, rounds: int, chance: random.Random) -> list[Paged]:
    """Every filter's first page and one behind a cursor, `rounds` times in an order by chance.

    A cursor is a place in the lobby: one that another filter's page gave is as good.
    """
    kinds = [
        (deep, game, free, size)
        for deep in (False, True)
        for game in GAMES
        for free in LEAST_FREE
        for size in SIZES
    ]
    found: list[Paged] = []
    for _ in range(rounds):
        chance.shuffle(kinds)
        for deep, game, free, size in kinds:
            token = chance.choice(cursors) if deep else ""
            request = ListSalonsRequest(page_size=size, page_token=token, game=game, min_free_seats=free)
            began = time.perf_counter()
            page: Any = await client.call(client.lobby.ListSalons, request)
            took = time.perf_counter() - began
            found.append(Paged(deep, game, free, size, took, len(page.salons)))
    return found
