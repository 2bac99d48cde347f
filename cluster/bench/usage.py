"""What the processes of a cluster use of a machine, by what they are for: CPU time, and memory of their own."""

import contextlib
import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Final

import psutil

from cluster.local.datadir import MARK_VARIABLE
from cluster.local.processes import marked

_US: Final = 1_000_000


class Role(StrEnum):
    """What a process is for."""

    CLIENTS = "clients"
    """This one, which makes the load."""
    GATEWAY = "gateway"
    HOSTS = "hosts"
    REDIS = "redis"
    WORKERS = "workers"
    """Ray's workers that are no hosts: those of hard bots, and those that wait."""
    RAY = "ray"
    """What Ray runs for itself."""


class Watch:
    """The processes of the cluster with the mark `run_dir`, and this one. Those that it starts later are found anew."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        self.processes: dict[Role, list[psutil.Process]] = {}
        self.look()

    def look(self) -> None:
        """See which processes there are now."""
        found: dict[Role, list[psutil.Process]] = {role: [] for role in Role}
        found[Role.CLIENTS].append(psutil.Process(os.getpid()))
        for process in marked(MARK_VARIABLE, str(self._run_dir)):
            with contextlib.suppress(psutil.Error):
                found[role_of(process.cmdline())].append(process)
        self.processes = found

    def cpu(self) -> dict[Role, int]:
        """Microseconds of CPU time, user's and system's, that each role has used so far."""
        return {role: cpu_of(processes) for role, processes in self.processes.items()}

    def own_memory(self, role: Role) -> int:
        """Bytes that the role's processes share with no other (USS)."""
        own = 0
        for process in self.processes[role]:
            with contextlib.suppress(psutil.Error):
                own += process.memory_full_info().uss
        return own


def cpu_of(processes: Iterable[psutil.Process]) -> int:
    """Microseconds of CPU time that the processes have used; one that has ended counts as nothing."""
    used = 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            used += round((times.user + times.system) * _US)
    return used


def role_of(command: list[str]) -> Role:
    """What a process of the cluster is for, by its command line."""
    name = command[0] if command else ""
    if name.startswith("ray::SalonActor"):
        return Role.HOSTS
    if name.startswith("ray::"):
        return Role.WORKERS
    if "cluster.cli" in command:
        return Role.GATEWAY
    if Path(name).name.startswith(("valkey", "redis")):
        return Role.REDIS
    return Role.RAY
