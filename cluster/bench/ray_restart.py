"""A program that measures how long Ray takes to restart an actor by itself, for the recovery benchmark that began it.

It is what recovery is measured against, so it asks Ray and no part of the product. Each line of its input is a restart:
the actor's process is killed, and a line comes back with SAYS and the seconds until the actor answers again (Ray too
writes lines of its own there). It ends with its input.
"""

import contextlib
import os
import signal
import sys
import time
from typing import Any, Final

import ray
from ray.exceptions import RayError

from cluster.actors.joining import join, leave
from cluster.bench.recovery import SAYS

_PAUSE: Final = 0.005


class Bystander:
    """An actor that has nothing to read back when it is restarted."""

    def pid(self) -> int:
        """Its process."""
        return os.getpid()


def restart(actor: Any) -> float:
    """Seconds from the death of the actor's process to the next one's first answer."""
    before: int = ray.get(actor.pid.remote())
    began = time.perf_counter()
    os.kill(before, signal.SIGKILL)
    while True:
        with contextlib.suppress(RayError):
            if ray.get(actor.pid.remote()) != before:
                return time.perf_counter() - began
        time.sleep(_PAUSE)


def _serve() -> None:
    actor: Any = ray.remote(Bystander).options(num_cpus=0, max_restarts=-1, max_task_retries=0).remote()
    ray.get(actor.pid.remote())
    _say(0.0)
    for _ in sys.stdin:
        _say(restart(actor))


def _say(seconds: float) -> None:
    sys.stdout.write(f"{SAYS}{seconds}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    join(sys.argv[1])
    try:
        _serve()
    finally:
        leave()
