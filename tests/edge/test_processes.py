"""Processes: which ones are `up`'s own, and how they end."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from cluster.local.processes import Process, end, end_marked, marked

Spawn = Callable[..., "subprocess.Popen[bytes]"]
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Starts a process that sleeps (or runs `code`) with some environment; it is ended with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(
        code: str = "import time; print('ready', flush=True); time.sleep(600)", **environment: str
    ) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", code], env={**os.environ, **environment}, stdout=subprocess.PIPE
        )
        started.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_process_is_known_by_pid_and_start_time(spawn: Spawn) -> None:
    child = spawn()
    known = Process.of("child", child.pid)
    assert known.running() is not None
    assert Process.from_plain(known.to_plain()) == known
    assert Process("another", child.pid, known.started - 100).running() is None


def test_ended_process_that_nobody_waited_for_is_not_running(spawn: Spawn) -> None:
    child = spawn()
    known = Process.of("child", child.pid)
    psutil.Process(child.pid).kill()
    deadline = time.monotonic() + 30
    while known.running() is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert known.running() is None


def test_only_processes_with_the_mark_are_found(spawn: Spawn) -> None:
    ours = spawn(CROUPIER_TEST_MARK="one")
    spawn(CROUPIER_TEST_MARK="two")
    spawn()
    assert [process.pid for process in marked("CROUPIER_TEST_MARK", "one")] == [ours.pid]


def test_end_asks_first_and_kills_who_does_not_listen(spawn: Spawn) -> None:
    polite, stubborn, other = spawn(), spawn(STUBBORN), spawn()
    killed = end([psutil.Process(polite.pid), psutil.Process(stubborn.pid)], grace=0.3)
    assert [process.pid for process in killed] == [stubborn.pid]
    assert (polite.wait(), stubborn.wait()) == (-15, -9)
    assert other.poll() is None


BREEDER = """
import os, signal, subprocess, sys, time
def breed(*_):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    sys.exit()
signal.signal(signal.SIGTERM, breed)
print("ready", flush=True)
time.sleep(600)
"""


def test_what_an_ending_process_starts_is_ended_too(spawn: Spawn) -> None:
    """A raylet may start a worker while it is being ended."""
    spawn(BREEDER, CROUPIER_TEST_MARK="breeder")
    spared = spawn(CROUPIER_TEST_MARK="breeder")
    assert end_marked("CROUPIER_TEST_MARK", "breeder", grace=5.0, spare=spared.pid) >= 2
    assert [process.pid for process in marked("CROUPIER_TEST_MARK", "breeder")] == [spared.pid]
