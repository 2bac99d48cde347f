"""The proxy: it forwards in both directions, goes silent, lags in order, and resets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.chaos.proxy import Proxy

Lines = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Dial = Callable[[], Awaitable[Lines]]
SOON = 10.0


@pytest.fixture
async def echo() -> AsyncIterator[Proxy]:
    """A proxy before a server that sends everything back."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(1_024):
                writer.write(piece)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    proxy = Proxy(server.sockets[0].getsockname()[:2])
    await proxy.start()
    yield proxy
    await proxy.stop()
    server.close()


@pytest.fixture
async def dial(echo: Proxy) -> AsyncIterator[Dial]:
    """Connects through the proxy."""
    host, _, port = echo.address.rpartition(":")
    made: list[Lines] = []

    async def connect() -> Lines:
        made.append(await asyncio.open_connection(host, int(port)))
        return made[-1]

    yield connect
    for _, writer in made:
        writer.close()


async def says(lines: Lines, text: bytes) -> bytes:
    reader, writer = lines
    writer.write(text)
    async with asyncio.timeout(SOON):
        return await reader.readexactly(len(text))


async def test_pieces_go_both_ways_and_keep_their_order_when_held_back(echo: Proxy, dial: Dial) -> None:
    lines = await dial()
    assert await says(lines, b"hello") == b"hello"
    spans = iter([0.05, 0.0] * 100)
    echo.lag(lambda: next(spans))
    for text in (b"one", b"two", b"three"):
        lines[1].write(text)
        await lines[1].drain()
        await asyncio.sleep(0.01)
    async with asyncio.timeout(SOON):
        assert await lines[0].readexactly(11) == b"onetwothree"


async def test_a_cut_line_is_silent_and_is_found_dead_when_it_is_mended(echo: Proxy, dial: Dial) -> None:
    lines = await dial()
    assert await says(lines, b"hello") == b"hello"
    echo.cut()
    lines[1].write(b"lost")
    new = await dial()
    new[1].write(b"lost too")
    for reader, _ in (lines, new):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await reader.read(1)
    echo.mend()
    for reader, _ in (lines, new):
        with pytest.raises(ConnectionResetError):
            await reader.read(1)
    assert await says(await dial(), b"hello") == b"hello"


async def test_a_reset_ends_connections_by_rst_and_takes_new_ones(echo: Proxy, dial: Dial) -> None:
    lines = await dial()
    assert await says(lines, b"hello") == b"hello"
    echo.reset()
    with pytest.raises(ConnectionResetError):
        await lines[0].read(1)
    assert await says(await dial(), b"hello") == b"hello"


async def test_connections_are_in_use_that_carry_something(echo: Proxy, dial: Dial) -> None:
    lines = await dial()
    assert echo.used == 0
    assert await says(lines, b"hello") == b"hello"
    await dial()
    assert echo.used == 1
