"""`croupier up`: everything on this machine, until Ctrl-C."""

import asyncio
import contextlib
import signal
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from cluster.client import Client, RefusedCall, Unreachable
from cluster.commands.board import Board, LiveBoard, PlainBoard
from cluster.commands.demo import open_salons
from cluster.commands.guest import SessionFile, sign_in
from cluster.commands.salons import rows
from cluster.commands.terminal import command, run
from cluster.local.datadir import DataDir
from cluster.local.local_cluster import LocalCluster
from cluster.settings import ClusterSettings, load_settings, shown
from croupier.v1.lobby_pb2 import ListSalonsRequest

STARTING = "starting Redis, Ray and a gateway; the data are in {data}"
UP = """\
croupier is up
  gateway   {listen} (gRPC)
  Redis     {redis}
  Ray       {ray}
  logs      {logs}
sit down:   {croupier} play
look on:    {croupier} salons; {croupier} watch SALON
stop:       Ctrl-C"""
STOPPING = "stopping"
STOPPED = "stopped; the salons go on at the next `croupier up`"
LOST = "the gateway does not answer: {why}"
OWNER: Final = "House"
SHOW_EVERY: Final = 1.0


def up(
    *,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen", metavar="HOST:PORT", help="Where the gateway listens; port 0: any free one."
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option("--data-dir", metavar="DIR", help="Where the data are. Default: the user's."),
    ] = None,
    demo: Annotated[bool, typer.Option(help="Open salons with bots at the first start.")] = True,
    plain: Annotated[bool, typer.Option("--plain", help="Lines instead of a live table.")] = False,
) -> None:
    """Start Redis (a bundled Valkey), Ray and a gateway on this machine, with salons where bots play.

    Everything ends with Ctrl-C, and goes on with the same data at the next start. CROUPIER_REDIS_URL and
    CROUPIER_RAY_ADDRESS name a Redis and a Ray to use instead of its own.

    Examples: croupier up; croupier up --listen 127.0.0.1:0 --plain; CROUPIER_DATA_DIR=/srv/croupier croupier up
    """
    settings = run(_settings(listen, data_dir))
    board: Board = LiveBoard() if sys.stdout.isatty() and not plain else PlainBoard()
    run(_up(settings, board, demo=demo))


async def _settings(listen: str | None, data_dir: Path | None) -> ClusterSettings:
    return load_settings(listen=listen, data_dir=data_dir)


async def _up(settings: ClusterSettings, board: Board, *, demo: bool) -> None:
    data = DataDir(settings.data_dir)
    data.take()
    cluster = LocalCluster(settings, data, say=board.note)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    work = asyncio.create_task(_work(cluster, data, board, demo=demo))
    asked = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({work, asked}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        try:
            board.note(STOPPING)
        finally:  # also where nobody reads any more: a closed pipe, a terminal that is gone
            failure = await _cancelled(work)
            asked.cancel()
            await cluster.stop()
            data.release()
    if failure is not None:
        raise failure
    board.note(STOPPED)


async def _work(cluster: LocalCluster, data: DataDir, board: Board, *, demo: bool) -> None:
    board.note(STARTING.format(data=data.path))
    await cluster.start()
    places = {"listen": cluster.listen, "ray": cluster.ray_address, "logs": data.logs, "croupier": command()}
    board.note(UP.format(redis=shown("redis_url", cluster.redis_url), **places))
    keeping = asyncio.create_task(cluster.run())
    showing = asyncio.create_task(_show(cluster, data, board, demo=demo))
    try:
        await asyncio.wait({keeping, showing}, return_when=asyncio.FIRST_COMPLETED)
        for task in (keeping, showing):
            if task.done():
                task.result()
    finally:
        for task in (keeping, showing):
            task.cancel()
        await asyncio.gather(keeping, showing, return_exceptions=True)


async def _show(cluster: LocalCluster, data: DataDir, board: Board, *, demo: bool) -> None:
    """Open the demo salons and show all salons again and again, as a client like any other."""
    async with Client(cluster.reachable, plaintext=True) as client:
        with board:
            while True:
                try:
                    await sign_in(client, OWNER, SessionFile(data.path / "house_session.json"))
                    if demo:
                        await open_salons(client, data.path / "demo_salons.json")
                    while True:
                        board.show([row async for row in rows(client, ListSalonsRequest())])
                        await asyncio.sleep(SHOW_EVERY)
                except (RefusedCall, Unreachable) as error:
                    board.note(LOST.format(why=error))
                    await asyncio.sleep(SHOW_EVERY)


async def _cancelled(task: asyncio.Task[None]) -> BaseException | None:
    """End a task; what it failed with by itself, if it did."""
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.wait({task})
    return None if task.cancelled() else task.exception()
