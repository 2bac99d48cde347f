"""Typed lines, from a terminal or a pipe, for an event loop."""

import asyncio
import os
import threading


class Lines:
    """Lines of standard input as they come; None after the last one.

    A thread of its own reads the file descriptor, since neither a terminal nor a file can be relied on to
    be watched; it holds no lock of the interpreter's streams, so that it may be left alone at the end.
    """

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True).start()

    async def next(self) -> str | None:
        """The next line without its end; None when there are no more."""
        return await self._queue.get()

    def _read(self) -> None:
        rest = b""
        while chunk := self._chunk():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._put(line.decode(errors="replace"))
        if rest:
            self._put(rest.decode(errors="replace"))
        self._put(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, 4096)
        except OSError:
            return b""

    def _put(self, line: str | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
