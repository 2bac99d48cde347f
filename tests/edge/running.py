"""The command `croupier` as a process of a test's own: started with a clean environment, ended with the test."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from cluster.local.datadir import MARK_VARIABLE, DataDir
from cluster.local.processes import end, marked

START_DEADLINE = 180.0
STOP_DEADLINE = 60.0
COMMAND_DEADLINE = 180.0
POLL = 0.05


def environment(home: Path, **more: str) -> dict[str, str]:
    """That of the test without the settings of any other cluster, and with state of its own in `home`."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("CROUPIER_", "RAY_"))}
    own = {"CROUPIER_DATA_DIR": str(home / "data"), "XDG_STATE_HOME": str(home / "state"), "NO_COLOR": "1"}
    return {**kept, **own, **more}


def croupier(home: Path, *arguments: str, stdin: str = "", **more: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "cluster.cli", *arguments],
        env=environment(home, **more),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=COMMAND_DEADLINE,
        check=False,
    )


def eventually(what: str, look: Callable[[], bool], deadline: float = START_DEADLINE) -> None:
    """Wait until it is so."""
    until = time.monotonic() + deadline
    while not look():
        if time.monotonic() > until:
            raise AssertionError(f"not in {deadline:.0f} s: {what}")
        time.sleep(POLL)


class Up:
    """A `croupier up` over the data in `home`."""

    def __init__(self, home: Path, *arguments: str, **more: str) -> None:
        self.home = home
        self.data = DataDir(home / "data")
        self._log = home / "up.log"
        self._arguments = arguments
        self._more = more
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def said(self) -> str:
        """What it has printed."""
        return self._log.read_text()

    @property
    def pid(self) -> int:
        """Its own process."""
        assert self._process is not None
        return self._process.pid

    def begin(self, *, output: int | None = None) -> "subprocess.Popen[bytes]":
        """Start it without waiting for it; `output` is a file descriptor in the place of its log."""
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "cluster.cli",
                    "up",
                    "--plain",
                    "--listen",
                    "127.0.0.1:0",
                    *self._arguments,
                ],
                env=environment(self.home, **self._more),
                stdin=subprocess.DEVNULL,
                stdout=log if output is None else output,
                stderr=log,
            )
        return self._process

    def start(self) -> None:
        """Start it and wait until it says that it is up."""
        process = self.begin()

        def ready() -> bool:
            assert process.poll() is None, self.said
            return "croupier is up" in self.said

        eventually("croupier is up", ready)

    def children(self) -> list[psutil.Process]:
        """What it has started and what those have started."""
        recorded = self.data.recorded()
        return marked(MARK_VARIABLE, str(recorded[0])) if recorded else []

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end, wait, and answer its exit code."""
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(STOP_DEADLINE)

    def kill(self) -> None:
        """End it as a power cut would, and nothing else."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def tidy(self) -> None:
        """Leave nothing, however the test went."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_DEADLINE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        end(self.children(), grace=5)
        recorded = self.data.recorded()
        if recorded:
            self.data.forget(recorded[0])
