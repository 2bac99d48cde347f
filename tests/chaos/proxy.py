"""A TCP proxy between clients and a server, which goes silent, lags and resets when it is told to."""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Final

_CHUNK: Final = 64 * 1024
_IN_USE: Final = 1.0
"""Seconds after its last byte for which a connection is in use."""
_AT_ONCE_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER of no time: what is unsent is thrown away, and the other side gets RST instead of FIN."""


class Proxy:
    """Forwards each connection to `target`, a host and a port; `address` is where, once it is started."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._links: set[_Link] = set()
        self._lag: Callable[[], float] = lambda: 0.0
        self._whole = asyncio.Event()
        self._whole.set()
        self.address = ""

    @property
    def used(self) -> int:
        """Connections that have carried something within the last second."""
        since = asyncio.get_running_loop().time() - _IN_USE
        return sum(link.carried > since for link in self._links)

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()[:2]
        self.address = f"{host}:{port}"

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        self.reset()
        # Each link ends by itself now; what it still runs must not outlive the loop.
        await asyncio.gather(*(link.ended() for link in list(self._links)))

    def cut(self) -> None:
        """Let no byte through, in either direction, and let nobody know: as a broken line does."""
        self._whole.clear()

    def mend(self) -> None:
        """Undo a cut: the connections of before are found dead, with all that was on its way in them."""
        self.reset()
        self._whole.set()

    def lead_to(self, target: tuple[str, int]) -> None:
        """Forward the connections that come from now on to `target`, as a name does that moves."""
        self._target = target

    def lag(self, seconds: Callable[[], float]) -> None:
        """Hold each piece back for as long as `seconds` says, in order."""
        self._lag = seconds

    def reset(self) -> None:
        """End every connection at once, by RST, with all that is on its way in it."""
        for link in list(self._links):
            link.abort()

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = _Link(self, writer)
        self._links.add(link)
        try:
            await link.run(reader, self._target)
        finally:
            self._links.discard(link)

    async def let_through(self) -> float:
        """Wait while the line is cut; for how many seconds the next piece is held back."""
        await self._whole.wait()
        return self._lag()


class _Link:
    """A client's connection and its other half."""

    def __init__(self, proxy: Proxy, client: asyncio.StreamWriter) -> None:
        self._proxy = proxy
        self._writers = [client]
        self._work: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self.carried = float("-inf")
        """When a byte last went through, by the loop's clock."""

    async def run(self, reader: asyncio.StreamReader, target: tuple[str, int]) -> None:
        """Forward until either side has had enough."""
        self._work = asyncio.create_task(self._forward(reader, target))
        try:
            await asyncio.wait({self._work})
        finally:
            self._work.cancel()
            for writer in self._writers:
                writer.transport.abort()
            self._ended.set()

    def abort(self) -> None:
        """End both halves by RST."""
        for writer in self._writers:
            connection: socket.socket = writer.get_extra_info("socket")
            if connection.fileno() >= 0:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE_RESET)
            writer.transport.abort()
        if self._work is not None:
            self._work.cancel()

    async def ended(self) -> None:
        await self._ended.wait()

    async def _forward(self, reader: asyncio.StreamReader, target: tuple[str, int]) -> None:
        await self._proxy.let_through()
        try:
            there, thither = await asyncio.open_connection(*target)
        except OSError:
            self.abort()
            return
        self._writers.append(thither)
        pumps = [
            asyncio.create_task(self._pump(reader, thither)),
            asyncio.create_task(self._pump(there, self._writers[0])),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        held: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def pour() -> None:
            while True:
                due, piece = await held.get()
                await asyncio.sleep(max(0.0, due - loop.time()))
                await self._proxy.let_through()
                sink.write(piece)
                self.carried = loop.time()
                await sink.drain()

        pouring = asyncio.create_task(pour())
        try:
            due = 0.0
            while piece := await source.read(_CHUNK):
                due = max(due, loop.time() + await self._proxy.let_through())
                held.put_nowait((due, piece))
                if pouring.done():
                    return
        except OSError:
            return
        finally:
            pouring.cancel()
            await asyncio.gather(pouring, return_exceptions=True)
