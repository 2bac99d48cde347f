"""`croupier gateway`: one gateway beside a Redis and a Ray that others run."""

import asyncio
import logging
import signal
import sys
from typing import Annotated

import structlog
import typer

from bots.equity.paths import PathMissing, chosen
from cluster.actors.equity_workers import EquityWorkers
from cluster.actors.joining import join, leave, looked_for_at
from cluster.actors.ray_hosts import RayHosts
from cluster.actors.salon_actor import HostSettings
from cluster.commands.terminal import run
from cluster.garbage import settle
from cluster.gateway.server import CannotListen, serve
from cluster.local.places import PlaceFault, check_ray, check_redis, free_port
from cluster.settings import ClusterSettings, SetupFault, load_settings, variable_of
from engine.units import Millis

NEEDS = "{variable} is not set: a gateway needs {what}; to have everything started on this machine, run `croupier up`"
SERVES = "serving on {address}"


def gateway(
    *,
    listen: Annotated[
        str | None,
        typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; default CROUPIER_LISTEN."),
    ] = None,
) -> None:
    """Run one gateway beside a Redis and a Ray: CROUPIER_REDIS_URL and CROUPIER_RAY_ADDRESS name them.

    Example: CROUPIER_REDIS_URL=redis://redis:6379 CROUPIER_RAY_ADDRESS=head:6379 croupier gateway
    """
    run(_gateway(listen))


def configure_logging(level: str) -> None:
    """One JSON object a line on standard error, for people too where that is a terminal."""
    number = logging.getLevelNamesMapping()[level.upper()]
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.basicConfig(level=max(number, logging.WARNING), stream=sys.stderr)


async def _gateway(listen: str | None) -> None:
    """Serve until SIGTERM or SIGINT.

    Raises:
        SetupFault: a setting, Redis, Ray or the port is not as it should be.
    """
    settings = load_settings(listen=listen)
    for field, what in (("redis_url", "a Redis"), ("ray_address", "a Ray")):
        if not getattr(settings, field):
            raise SetupFault(NEEDS.format(variable=variable_of(field), what=what))
    try:
        chosen()
    except PathMissing as error:
        raise SetupFault(str(error)) from None
    configure_logging(settings.log_level)
    await check_redis(settings.redis_url)
    await _check_ray(settings.ray_address)
    free_port(settings.listen)
    try:
        join(settings.ray_address)
    except (ConnectionError, RuntimeError) as error:
        place = f"{variable_of('ray_address')}={settings.ray_address}"
        raise SetupFault(f"Ray at {place} cannot be joined: {str(error).splitlines()[0]}") from None
    try:
        await _serve(settings)
    except CannotListen as error:
        raise SetupFault(str(error)) from None
    finally:
        leave()


async def _check_ray(address: str) -> None:
    """Ray itself waits for a head that it does not find, and says nothing. Raises SetupFault."""
    await check_ray(address)
    there = looked_for_at(address)
    try:
        await check_ray(there)
    except PlaceFault:
        raise SetupFault(
            f"the Ray at {variable_of('ray_address')}={address} listens on this machine's loopback alone, as that of `croupier up` "
            f"does, and Ray looks for it at {there}: for several gateways start the head with `deploy/croupier-role head`"
        ) from None


async def _serve(settings: ClusterSettings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):  # after join: Ray has handlers of its own
        loop.add_signal_handler(number, stop.set)
    settle()
    hosts = RayHosts(
        HostSettings(
            settings.redis_url,
            Millis(settings.host_lease_ms),
            tables=str((settings.data_dir / "tables").absolute()),
            idle=Millis(settings.salon_idle_ms),
        )
    )
    await serve(settings, hosts=hosts, stop=stop, ready=_announce, equity=EquityWorkers())


def _announce(address: str) -> None:
    sys.stdout.write(SERVES.format(address=address) + "\n")
    sys.stdout.flush()
