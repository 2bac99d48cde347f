"""Frozen processes: a whole family stands still, and it is known who of it was there to be woken."""

import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from tests.chaos.frozen import Frozen, has_ended

PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; print('there', flush=True); time.sleep(600)"])
child.wait()
"""
PATIENCE = 30.0


@pytest.fixture
def parent() -> Iterator[psutil.Process]:
    """A process that has a child."""
    began = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
    assert began.stdout is not None
    began.stdout.readline()
    process = psutil.Process(began.pid)
    family = [process, *process.children(recursive=True)]
    yield process
    for each in family:
        if each.is_running():
            each.kill()
    began.wait()
    began.stdout.close()


def comes_to(process: psutil.Process, statuses: set[str]) -> bool:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if process.status() in statuses:
            return True
        time.sleep(0.01)
    return False


def test_a_family_stands_still_and_goes_on(parent: psutil.Process) -> None:
    (child,) = parent.children()
    frozen = Frozen.family(parent)
    assert frozen.pids == {parent.pid, child.pid}
    assert all(comes_to(each, {psutil.STATUS_STOPPED}) for each in (parent, child))
    assert frozen.thaw() == {parent.pid, child.pid}
    assert all(comes_to(each, {psutil.STATUS_SLEEPING, psutil.STATUS_RUNNING}) for each in (parent, child))


def test_who_was_ended_meanwhile_was_not_woken(parent: psutil.Process) -> None:
    (child,) = parent.children()
    frozen = Frozen.family(parent)
    child.kill()
    assert comes_to(child, {psutil.STATUS_ZOMBIE})
    assert frozen.thaw() == {parent.pid}
    assert has_ended(child)
    assert not has_ended(parent)


def test_nobody_is_frozen_who_is_not_there(parent: psutil.Process) -> None:
    parent.kill()
    psutil.wait_procs([parent], PATIENCE)
    assert has_ended(parent)
    with pytest.raises(psutil.NoSuchProcess):
        Frozen.family(psutil.Process(parent.pid))
