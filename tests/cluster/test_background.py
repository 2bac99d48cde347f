"""The background: its thread gives way to the others of its process, which keep what they had."""

import os
import sys
import threading

import pytest

from cluster.actors.background import in_background


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no scheduling policy of its own")
def test_work_runs_in_a_thread_that_gives_way() -> None:
    def policy() -> int:
        return os.sched_getscheduler(threading.get_native_id())

    before = policy()
    assert before != os.SCHED_IDLE
    assert in_background(policy) == os.SCHED_IDLE
    assert policy() == before


def test_what_work_raises_comes_back() -> None:
    def broken() -> None:
        raise ValueError("a job's bug")

    with pytest.raises(ValueError, match="a job's bug"):
        in_background(broken)
