"""The data directory of `croupier up`: who holds it, and what stands in it.

    lock         flock'd by the `up` that runs, for as long as it runs
    up.json   what that `up` started, so that the next one can sweep what a kill -9 left
    valkey/      the database
    logs/        what Valkey, Ray and the gateway had to say
    tables/      strategies of heads-up draw for stakes that are not the usual ones; made anew where they are missing

Sockets and Ray's files lie in a run directory of its own, because the path of a socket ends at 107 bytes; its
name, which nobody else uses, also marks the processes (see processes.py).
"""

import fcntl
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from cluster.local.processes import Process
from cluster.settings import SetupFault

MARK_VARIABLE = "CROUPIER_UP"
LONGEST_RUN_DIR = 40
"""Bytes: Ray puts "/session_<date>_<pid>/sockets/plasma_store" of up to 66 after it."""


class DataDirFault(SetupFault):
    """The data directory cannot be used; the text says why and what would be right."""


class DataDir:
    """One data directory, held for this process alone from `take` to `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    @property
    def valkey(self) -> Path:
        """Where the database is."""
        return self.path / "valkey"

    @property
    def logs(self) -> Path:
        """Where the logs are."""
        return self.path / "logs"

    def take(self) -> None:
        """Make the directory if there is none, and hold it.

        Raises:
            DataDirFault: another `up` holds it, or it cannot be written.
        """
        try:
            for directory in (self.path, self.valkey, self.logs):
                directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise DataDirFault(
                f"the data directory {self.path} cannot be written ({error.strerror}): "
                "set CROUPIER_DATA_DIR to one that can"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._lock, 32, 0).decode().strip()
            self.release()
            raise DataDirFault(
                f"another `croupier up` (process {holder or 'unknown'}) uses the data directory {self.path}: "
                "stop it, or set CROUPIER_DATA_DIR to another directory"
            ) from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, str(os.getpid()).encode(), 0)

    def held(self) -> bool:
        """Whether some `up` holds it now."""
        try:
            probe = os.open(self.path / "lock", os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(probe)
        return False

    def release(self) -> None:
        """Hold it no longer."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def record(self, run_dir: Path, processes: list[Process], *, listen: str) -> None:
        """Write down what this `up` has started and where its gateway listens; whole or not at all."""
        up = {
            "run_dir": str(run_dir),
            "listen": listen,
            "processes": [process.to_plain() for process in processes],
        }
        draft = self.path / "up.json.new"
        with draft.open("w") as file:
            json.dump(up, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path / "up.json")

    def recorded(self) -> tuple[Path, list[Process]] | None:
        """What the last `up` wrote down, if it runs or did not tidy up after itself."""
        try:
            up: dict[str, Any] = json.loads((self.path / "up.json").read_text())
            return Path(up["run_dir"]), [Process.from_plain(plain) for plain in up["processes"]]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def listening(self) -> str:
        """Where the gateway of the last `up` listens; empty if it has tidied up."""
        try:
            return str(json.loads((self.path / "up.json").read_text())["listen"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def forget(self, run_dir: Path) -> None:
        """Remove the run directory, and the record of an `up` that has ended."""
        shutil.rmtree(run_dir, ignore_errors=True)
        (self.path / "up.json").unlink(missing_ok=True)


def make_run_dir() -> Path:
    """A new directory, short and for this user alone, for sockets and for Ray.

    Raises:
        DataDirFault: no place is short enough.
    """
    for place in dict.fromkeys((tempfile.gettempdir(), "/tmp")):
        if len(os.fsencode(place)) + len("/croupier-12345678") <= LONGEST_RUN_DIR and os.access(
            place, os.W_OK
        ):
            return Path(tempfile.mkdtemp(prefix="croupier-", dir=place))
    raise DataDirFault(
        f"no directory for sockets: TMPDIR={tempfile.gettempdir()} is too long or cannot be written; "
        "set TMPDIR to one of at most 20 characters"
    )
