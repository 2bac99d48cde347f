"""A program that this process runs and answers for: begun with its output in a file, ended by SIGTERM."""

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path


class Child:
    """One process at a time of one program. It has a session of its own, so that no Ctrl-C reaches it."""

    def __init__(self, *, log: Path, environment: Mapping[str, str]) -> None:
        self.log = log
        self._environment = dict(environment)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """The process's; it must have been begun."""
        assert self._process is not None, "not begun"
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it runs no longer, or was never begun."""
        return self._process is None or self._process.returncode is not None

    async def begin(
        self,
        *command: str | os.PathLike[str],
        extra: Mapping[str, str] | None = None,
        keep: Sequence[int] = (),
    ) -> None:
        """Run `command`, with `extra` in its environment and the file descriptors `keep` left open. Raises OSError."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**self._environment, **(extra or {})},
                pass_fds=keep,
                start_new_session=True,
            )

    async def wait(self) -> int:
        """Wait until it has ended; its exit code, negative for a signal."""
        assert self._process is not None, "not begun"
        return await self._process.wait()

    async def stop(self, patience: float) -> None:
        """Ask it to end, and kill it if it has not after `patience` seconds."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(patience):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        self._process = None

    def last_words(self, lines: int = 1) -> str:
        """The last lines of its log that are not empty, for the text of an error."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
                text = file.read().decode(errors="replace")
        except OSError:
            return "it left no log"
        words = [line.strip() for line in text.splitlines() if line.strip()]
        return f"{' / '.join(words[-lines:]) or 'it said nothing'} (see {self.log})"
