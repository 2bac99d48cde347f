"""The lobby: newest first, page by page, and never an older row over a newer one."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from redis.asyncio import Redis

from cluster.envelope import Epoch, SalonId, Seq
from cluster.lobby import BadCursor, Filter, Lobby, LobbyDesk, Row, row_of
from engine.game import Game
from engine.settings import Visibility
from engine.units import Millis
from tests.cluster.bench import Bench
from tests.cluster.salons import SALON

pytestmark = pytest.mark.integration


async def a_row(salon: str = "s1", *, epoch: int = 1, seq: int = 1, opened_at: int = 5, **given: Any) -> Row:
    """The row of a hold'em salon of six seats, nobody seated."""
    bench = await Bench().opened()
    row = row_of(bench.table, SalonId(salon), Epoch(epoch), Seq(seq), Millis(opened_at))
    bench.salon.close()
    return replaced(row, **given)


def replaced(row: Row, **given: Any) -> Row:
    return Row(**{name: given.get(name, getattr(row, name)) for name in Row.__dataclass_fields__})


async def salons(lobby: Lobby, asked: Filter, size: int = 50) -> list[str]:
    """All pages of an answer."""
    found: list[str] = []
    cursor = ""
    while True:
        page = await lobby.page(asked, cursor, size)
        assert len(page.rows) <= size
        found += [row.salon for row in page.rows]
        cursor = page.cursor
        if not cursor:
            return found


async def test_a_row_comes_back_as_it_was_written(store: Redis) -> None:
    lobby = Lobby(store)
    row = await a_row()
    assert await lobby.write(row)
    assert await lobby.find(SALON) == row
    assert (await lobby.page(Filter())).rows == (row,)


async def test_an_older_row_overwrites_nothing(store: Redis) -> None:
    lobby = Lobby(store)
    newest = await a_row(epoch=2, seq=5)
    assert await lobby.write(newest)
    for epoch, seq in ((2, 4), (1, 9)):
        assert not await lobby.write(replaced(newest, epoch=epoch, seq=seq, people=3))
    assert await lobby.find(SALON) == newest
    assert await lobby.write(replaced(newest, epoch=3, seq=5, people=1))


async def test_salons_are_found_by_game_and_free_seats(store: Redis) -> None:
    lobby = Lobby(store, shards=3)
    row = await a_row()
    await lobby.write(replaced(row, salon="empty", opened_at=1))
    await lobby.write(replaced(row, salon="two", people=3, bots=1, opened_at=2))
    await lobby.write(replaced(row, salon="full", people=6, opened_at=3))
    await lobby.write(replaced(row, salon="draw", game=Game.DRAW, opened_at=4))
    assert await salons(lobby, Filter()) == ["draw", "full", "two", "empty"]
    assert await salons(lobby, Filter(Game.HOLDEM, 1)) == ["two", "empty"]
    assert await salons(lobby, Filter(least_free=3)) == ["draw", "empty"]


async def test_a_salon_moves_between_indexes(store: Redis) -> None:
    lobby = Lobby(store)
    row = await a_row()
    await lobby.write(row)
    await lobby.write(replaced(row, seq=2, people=6))
    assert await salons(lobby, Filter(least_free=1)) == []
    assert await salons(lobby, Filter()) == ["s1"]


async def test_a_closing_salon_has_no_free_seat_and_one_that_is_over_goes(store: Redis) -> None:
    lobby = Lobby(store)
    row = await a_row()
    await lobby.write(replaced(row, closing=True))
    assert await salons(lobby, Filter(least_free=1)) == []
    await lobby.write(replaced(row, seq=2, closing=True, over=True))
    assert await salons(lobby, Filter()) == []
    assert await lobby.find(SALON) is None


async def test_a_row_that_went_does_not_come_back(store: Redis) -> None:
    """A host that thaws has a last row to write; for a day, nothing is kept of the salon but that it is over."""
    lobby = Lobby(store)
    row = await a_row(epoch=2, seq=5)
    assert await lobby.write(row)
    assert await lobby.write(replaced(row, seq=6, closing=True, over=True))
    desk = LobbyDesk(lobby)
    desk.changed(SALON, says(row))
    await desk.flush()
    assert await salons(lobby, Filter()) == []
    assert await lobby.find(SALON) is None
    (kept,) = await store.keys("{lobby:*")
    assert 0 < await store.pttl(kept) <= 24 * 3_600 * 1_000


async def test_a_salon_by_invitation_is_found_by_its_id_alone(store: Redis) -> None:
    lobby = Lobby(store)
    await lobby.write(await a_row(visibility=Visibility.INVITATION))
    assert await salons(lobby, Filter()) == []
    assert await lobby.find(SALON) is not None


@pytest.mark.parametrize("size", [1, 7, 100])
async def test_pages_neither_skip_nor_repeat(store: Redis, size: int) -> None:
    """Many salons opened in the same millisecond, too."""
    lobby = Lobby(store, shards=2)
    row = await a_row()
    names = [f"s{number:02}" for number in range(40)]
    for number, name in enumerate(names):
        await lobby.write(replaced(row, salon=name, opened_at=number // 15, people=number % 5))
    found = await salons(lobby, Filter(), size)
    assert sorted(found) == names
    assert found == sorted(found, key=lambda name: (int(name[1:]) // 15, name), reverse=True)


@pytest.mark.parametrize("size", [1, 20, 100])
async def test_pages_are_in_order_where_one_kind_has_most_of_the_salons(store: Redis, size: int) -> None:
    """A page is put together from all kinds: those that are rare stand where they belong, first, between and last."""
    lobby = Lobby(store)
    row = await a_row()
    rare = (0, 1, 45, 88, 119)
    for number in range(120):
        game, people = (Game.DRAW, number % 6) if number in rare else (Game.HOLDEM, 2)
        named = replaced(row, salon=f"s{number:03}", opened_at=number, game=game, people=people)
        await lobby.write(named)
    assert await salons(lobby, Filter(), size) == [f"s{number:03}" for number in reversed(range(120))]
    assert await salons(lobby, Filter(Game.HOLDEM), size) == [
        f"s{number:03}" for number in reversed(range(120)) if number not in rare
    ]


async def test_a_page_reads_little_more_than_it_shows(store: Redis) -> None:
    """Of 20 indexes, each of which could fill it."""
    lobby = Lobby(store)
    row = await a_row(seats=9)
    for number in range(1_000):
        game = (Game.HOLDEM, Game.DRAW)[number % 2]
        await lobby.write(
            replaced(row, salon=f"s{number:03}", opened_at=number, game=game, people=number // 2 % 10)
        )
    read = 0
    execute = store.execute_command

    async def counted(*args: Any, **options: Any) -> Any:
        nonlocal read
        answer: Any = await execute(*args, **options)  # type: ignore[no-untyped-call]
        read += len(answer) if args[0] == "ZREVRANGEBYSCORE" else 0
        return answer

    store.execute_command = counted  # type: ignore[method-assign]  # to see what is asked
    assert len((await lobby.page(Filter(), size=50)).rows) == 50
    assert 50 < read < 250


async def test_a_cursor_of_no_page_is_refused(store: Redis) -> None:
    with pytest.raises(BadCursor, match="leave it out"):
        await Lobby(store).page(Filter(), "nonsense")


async def test_the_desk_writes_the_last_state_only(store: Redis) -> None:
    lobby = Lobby(store)
    desk = LobbyDesk(lobby)
    row = await a_row()
    for people in range(4):
        desk.changed(SALON, says(replaced(row, seq=people + 1, people=people)))
    await desk.flush()
    found = await lobby.find(SALON)
    assert found is not None
    assert (found.people, found.seq) == (3, 4)


async def test_the_desk_writes_nothing_that_says_nothing_new(store: Redis) -> None:
    """A bet changes a salon's seq and not its row; under a new epoch the row is written whatever it says."""
    lobby = Lobby(store)
    desk = LobbyDesk(lobby)
    row = await a_row()
    shown = []
    for epoch, seq, people in ((1, 1, 2), (1, 2, 2), (1, 3, 3), (2, 4, 3)):
        desk.changed(SALON, says(replaced(row, epoch=epoch, seq=seq, people=people)))
        await desk.flush()
        found = await lobby.find(SALON)
        assert found is not None
        shown.append(found.seq)
    assert shown == [1, 1, 3, 4]


async def test_the_desk_writes_thousands_and_lets_others_go_on(store: Redis) -> None:
    lobby = Lobby(store)
    desk = LobbyDesk(lobby)
    row = await a_row()
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    for number in range(1_000):
        desk.changed(SalonId(f"s{number}"), says(replaced(row, salon=f"s{number}")))
    counting = asyncio.create_task(count())
    await desk.flush()
    counting.cancel()
    assert turns > 1_000 // 64
    assert len((await lobby.page(Filter(), size=100)).rows) == 100


async def test_the_desk_makes_good_what_failed(store: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    lobby = Lobby(store)
    desk = LobbyDesk(lobby)
    desk.changed(SALON, says(await a_row()))
    with monkeypatch.context() as down:
        down.setattr(lobby, "write", failing)
        await desk.flush()
    assert await lobby.find(SALON) is None
    await desk.flush()
    assert await lobby.find(SALON) is not None
    await asyncio.sleep(0)


async def test_a_row_that_cannot_be_made_holds_up_no_other(
    store: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is one salon's bug: the desk goes on with the others, and with that one when it has changed."""
    monkeypatch.setattr("cluster.lobby._EVERY", 0.001)
    lobby = Lobby(store)
    desk = LobbyDesk(lobby)
    row = await a_row()
    desk.changed(SalonId("s2"), bug)
    running = asyncio.create_task(desk.run())
    await asyncio.sleep(0.01)
    desk.changed(SALON, says(row))
    async with asyncio.timeout(5):
        while await lobby.find(SALON) is None:  # noqa: ASYNC110 - it happens in Redis
            await asyncio.sleep(0.001)
    desk.changed(SalonId("s2"), says(replaced(row, salon="s2")))
    await desk.flush()
    assert await salons(lobby, Filter()) == ["s2", "s1"]
    running.cancel()


async def test_what_the_store_forgot_is_written_again_after_it_was_away(
    store: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failover: the rows of salons in which nothing happens too, and not of those that went from here."""
    lobby = Lobby(store)
    desk = LobbyDesk(lobby)
    row = await a_row()
    for name in ("s1", "s2", "s3"):
        desk.changed(SalonId(name), says(replaced(row, salon=name)))
    await desk.flush()
    await desk.settle(SalonId("s3"))
    await store.flushall()
    desk.changed(SALON, says(replaced(row, seq=2)))
    await desk.flush()
    assert await salons(lobby, Filter()) == [], "nothing new is said, and nobody knows"
    with monkeypatch.context() as down:
        down.setattr(lobby, "write", failing)
        desk.changed(SALON, says(replaced(row, seq=3, people=1)))
        await desk.flush()
    await desk.flush()
    assert await salons(lobby, Filter()) == ["s2", "s1"]


async def test_a_salon_that_leaves_has_its_row_written_whatever_was_written_before(store: Redis) -> None:
    """Nobody may run it for months, and the store may have forgotten the row."""
    lobby = Lobby(store)
    desk = LobbyDesk(lobby)
    row = await a_row()
    desk.changed(SALON, says(row))
    await desk.flush()
    await store.flushall()
    await desk.settle(SALON)
    assert await lobby.find(SALON) == row


@pytest.mark.parametrize("pending", ["nothing", "news", "a bug"])
async def test_a_salon_that_is_shut_offers_no_seat(store: Redis, pending: str) -> None:
    """Its row may be another host's; what was to be written of it says no more than that."""
    lobby = Lobby(store)
    desk = LobbyDesk(lobby)
    row = await a_row()
    await lobby.write(row)
    if pending == "news":
        desk.changed(SALON, says(replaced(row, seq=2, people=1)))
    elif pending == "a bug":
        desk.changed(SALON, bug)
    await desk.shut(SALON)
    await desk.flush()
    people, seq = (1, 2) if pending == "news" else (row.people, row.seq)
    assert await lobby.find(SALON) == replaced(row, seq=seq, people=people, closing=True)
    assert await salons(lobby, Filter(least_free=1)) == []
    assert await salons(lobby, Filter()) == ["s1"]


async def test_a_salon_is_shut_though_the_lobby_is_away(
    store: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it has no row, or nobody says which, that is all."""
    desk = LobbyDesk(lobby := Lobby(store))
    await desk.shut(SALON)
    monkeypatch.setattr(lobby, "find", failing)
    await desk.shut(SALON)
    await desk.flush()
    assert await store.keys("*") == []


def bug() -> Row:
    raise LookupError("no such seat")


def says(row: Row) -> Callable[[], Row]:
    return lambda: row


async def failing(_: object) -> bool:
    raise ConnectionError("down")
