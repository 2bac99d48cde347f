"""The gateway's composition: Redis, directory, feed, caretaker and servicers, started and stopped together.

Crash contract: nothing here is kept. A gateway that dies loses its streams, which clients open again with a
resume, and its answers, which they ask for again with the same request_id.
"""

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

import grpc
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME
from grpc_health.v1.health import aio as health
from grpc_reflection.v1alpha import reflection
from redis.asyncio import Redis
from redis.exceptions import RedisError

from bots.equity.executor import Executor, InProcess
from cluster.clock import RedisClock
from cluster.coalesced import Coalesced
from cluster.envelope import Answer, Envelope, SalonId
from cluster.gateway.admin_service import AdminService
from cluster.gateway.desk import PATIENCE, Desk
from cluster.gateway.door import Door
from cluster.gateway.doorman import Doorman, Visitor
from cluster.gateway.equity_service import EquityService
from cluster.gateway.errors import sign_in_required
from cluster.gateway.history_service import HistoryService
from cluster.gateway.limits import Limits
from cluster.gateway.lobby_service import LobbyService
from cluster.gateway.operators import Operators
from cluster.gateway.outbox import Outbox, Streams
from cluster.gateway.salon_service import SalonService
from cluster.gateway.seats import RedisNotes, Seats, Usher
from cluster.gateway.session_service import SessionService
from cluster.journal.redis_journal import Journal
from cluster.lobby import Lobby
from cluster.redis_door import connect
from cluster.routing.caretaker import Caretaker
from cluster.routing.directory import Directory
from cluster.routing.hosts import Hosts
from cluster.routing.leases import Leases
from cluster.routing.placement import Placement, PlacementRules
from cluster.routing.sleepers import Sleepers, Waker
from cluster.salons.opening import Opening
from cluster.secret import Secret
from cluster.sessions import REVOKED_CHANNEL, Sessions
from cluster.settings import ClusterSettings, is_loopback, split_address
from cluster.watching.doors import Doors
from cluster.watching.feed import Feed
from cluster.watching.presence import Presence
from cluster.watching.wakeups import Wakeups
from croupier.v1 import (
    admin_pb2,
    admin_pb2_grpc,
    equity_pb2,
    equity_pb2_grpc,
    history_pb2,
    history_pb2_grpc,
    lobby_pb2,
    lobby_pb2_grpc,
    salon_pb2,
    salon_pb2_grpc,
    session_pb2,
    session_pb2_grpc,
)
from engine.units import Millis, PlayerId

SERVICES: Final = (
    session_pb2.DESCRIPTOR.services_by_name["SessionService"].full_name,
    lobby_pb2.DESCRIPTOR.services_by_name["LobbyService"].full_name,
    salon_pb2.DESCRIPTOR.services_by_name["SalonService"].full_name,
    history_pb2.DESCRIPTOR.services_by_name["HistoryService"].full_name,
    equity_pb2.DESCRIPTOR.services_by_name["EquityService"].full_name,
    admin_pb2.DESCRIPTOR.services_by_name["AdminService"].full_name,
)
OPTIONS: Final = (
    ("grpc.max_receive_message_length", 64 << 10),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    # All clients come at once to the gateway that takes another's place: of more than 1,000 calls that it has not taken
    # yet gRPC would cancel some, which tells a client that it asked for that itself.
    ("grpc.server.max_pending_requests", 50_000),
    ("grpc.server.max_pending_requests_hard_limit", 100_000),
    # Two gateways on one port would share it in silence.
    ("grpc.so_reuseport", 0),
)
_BEAT_EVERY: Final = 4.0
_SESSIONS_EVERY: Final = 15.0
_AT_ONCE: Final = 32
"""Sessions that are asked for at a time."""
_CLOCK_EVERY: Final = 20.0
_READINESS_EVERY: Final = 1.0
_GRACE: Final = 2.0
_AFTER_THE_LEASE: Final = 0.5
"""Seconds for which a host is still waited for whose lease has lapsed."""
_log = structlog.get_logger()


class CannotListen(Exception):
    """The address cannot be listened on; the text says why and what would be right."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """One gateway. Made by `assemble`; `start` it, keep its `upkeep` running, and `stop` it."""

    name: str
    redis: Redis
    clock: RedisClock
    wakeups: Wakeups
    directory: Directory
    feed: Feed
    caretaker: Caretaker
    waker: Waker
    doorman: Doorman
    streams: Streams
    server: grpc.aio.Server
    health: health.HealthServicer

    def upkeep(self) -> list[Coroutine[Any, Any, None]]:
        """What must run as long as the gateway does."""
        return [
            self.wakeups.run(),
            self.feed.run(),
            self.caretaker.run(),
            self.waker.run(),
            _every(_CLOCK_EVERY, self.clock.synchronise),
            _every(_BEAT_EVERY, self.beat),
            _every(_SESSIONS_EVERY, self.check_sessions),
            _every(_READINESS_EVERY, self.show_readiness),
        ]

    async def beat(self) -> None:
        """Heartbeats on quiet streams. Waits for nothing: clients count on them."""
        self.streams.beat(self.clock.now())

    async def check_sessions(self) -> None:
        """End the streams whose session has ended unheard. Raises RedisError."""
        streams = self.streams.open()
        for at in range(0, len(streams), _AT_ONCE):
            await asyncio.gather(*(self._check(*stream) for stream in streams[at : at + _AT_ONCE]))

    async def _check(self, outbox: Outbox, visitor: Visitor) -> None:
        if await self.doorman.visitor(visitor.token) is None:
            outbox.close(sign_in_required())

    async def show_readiness(self) -> None:
        """Say by the health service whether Redis answers."""
        states = health_pb2.HealthCheckResponse
        try:
            await self.redis.ping()
            serves = True
        except (RedisError, OSError):
            serves = False
        for service in SERVICES:
            await self.health.set(service, states.SERVING if serves else states.NOT_SERVING)

    async def stop(self) -> None:
        """End all streams with Draining, let unary calls finish for two seconds, and end what is under way."""
        await self.health.enter_graceful_shutdown()
        self.streams.drain()
        await self.server.stop(_GRACE)
        await self.directory.close()


async def serve(
    settings: ClusterSettings,
    *,
    hosts: Hosts,
    stop: asyncio.Event,
    ready: Callable[[str], None] = lambda _: None,
    equity: Executor | None = None,
) -> None:
    """Run a gateway on `settings.listen` until `stop` is set; this process has joined Ray, which `hosts` speaks to.

    `equity` is where the calculator's work is done; without it, by one thread of this process.

    `ready` is called with the address, once it is served. Logging is configured before this is called.

    Raises:
        CannotListen: the address is taken, is not this machine's, or would be reached without TLS.
        RedisError: Redis does not answer at the start.
    """
    redis = connect(settings.redis_url)
    try:
        gateway = await assemble(settings, redis=redis, hosts=hosts, equity=equity)
        await gateway.show_readiness()
        address = await listen(gateway.server, settings)
        async with asyncio.TaskGroup() as tasks:
            upkeep = [tasks.create_task(work) for work in gateway.upkeep()]
            try:
                _log.info("gateway_serves", address=address, gateway=gateway.name)
                ready(address)
                await stop.wait()
            finally:
                await gateway.stop()
                for task in upkeep:
                    task.cancel()
    finally:
        await redis.aclose()


async def assemble(
    settings: ClusterSettings,
    *,
    redis: Redis,
    hosts: Hosts,
    equity: Executor | None = None,
    limits: Limits | None = None,
) -> Gateway:
    """A gateway that does not listen yet. Raises RedisError."""
    limits = limits or Limits()
    redis = Coalesced(redis)
    secret = await Secret.read(redis)
    clock = RedisClock(redis)
    await clock.synchronise()
    name = f"gateway:{uuid.uuid4().hex}"
    journal, leases, sessions = Journal(redis), Leases(redis), Sessions(redis, secret)
    lease = Millis(settings.host_lease_ms)
    directory = Directory(
        hosts,
        journal,
        leases,
        salons_per_host=settings.salons_per_actor,
        call_timeout=min(PATIENCE, lease / 1000 + _AFTER_THE_LEASE),
    )
    rules = PlacementRules(settings.salons_per_actor, settings.warm_spares, settings.rebalance_moves)
    placement = Placement(hosts, leases, directory, clock=clock, rules=rules)
    wakeups = Wakeups(redis)

    async def wake(salon: SalonId) -> Answer:
        (answer,) = await directory.call(salon, [Envelope(salon, PlayerId(""), "", None)])
        return answer

    doors = Doors(Presence(redis, clock), name, wake)
    feed = Feed(journal, wakeups, clock, doors, heard=directory.heard)
    doorman = Doorman(sessions, asyncio.get_running_loop().time)
    operators = Operators(settings.operator_token.get_secret_value())
    wakeups.listen(REVOKED_CHANNEL, doorman.revoked)
    streams = Streams()
    notes = RedisNotes(redis, clock)
    desk = Desk(Usher(directory, notes), feed, secret, clock)
    server = grpc.aio.server(interceptors=(Door(doorman, limits, operators),), options=OPTIONS)
    session_pb2_grpc.add_SessionServiceServicer_to_server(SessionService(sessions, doorman), server)
    lobby, sleepers = Lobby(redis), Sleepers(redis)
    opening = Opening(journal, clock, secret, lobby=lobby, sleepers=sleepers)
    finding = LobbyService(desk, lobby, opening, secret)
    lobby_pb2_grpc.add_LobbyServiceServicer_to_server(finding, server)
    salons = SalonService(desk, feed, streams, log=journal, doorman=doorman, limits=limits)
    salon_pb2_grpc.add_SalonServiceServicer_to_server(salons, server)
    history_pb2_grpc.add_HistoryServiceServicer_to_server(HistoryService(desk, feed, journal), server)
    calculator = EquityService(Seats(notes, feed, clock), equity or InProcess(1), limits)
    equity_pb2_grpc.add_EquityServiceServicer_to_server(calculator, server)
    admin_pb2_grpc.add_AdminServiceServicer_to_server(AdminService(hosts, leases, clock), server)
    vitals = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(vitals, server)
    reflection.enable_server_reflection((*SERVICES, SERVICE_NAME, reflection.SERVICE_NAME), server)
    return Gateway(
        name=name,
        redis=redis,
        clock=clock,
        wakeups=wakeups,
        directory=directory,
        feed=feed,
        caretaker=Caretaker(leases, directory, name, lease=lease, placement=placement),
        waker=Waker(sleepers, leases, name, now=clock.now, wake=wake),
        doorman=doorman,
        streams=streams,
        server=server,
        health=vitals,
    )


async def listen(server: grpc.aio.Server, settings: ClusterSettings) -> str:
    """Start the server; answers the address with the port that it got. Raises CannotListen."""
    host, _ = split_address(settings.listen)
    try:
        if settings.tls_cert is not None and settings.tls_key is not None:
            pair = (settings.tls_key.read_bytes(), settings.tls_cert.read_bytes())
            port = server.add_secure_port(settings.listen, grpc.ssl_server_credentials([pair]))
        elif is_loopback(host) or settings.allow_plaintext:
            port = server.add_insecure_port(settings.listen)
        else:
            raise CannotListen(f"{settings.listen} refused: without TLS listen on 127.0.0.1")
    except (RuntimeError, OSError) as error:
        text = f"{settings.listen} cannot be listened on ({error}): set CROUPIER_LISTEN to a free address"
        raise CannotListen(text) from error
    await server.start()
    bracketed = f"[{host}]" if ":" in host else host
    return f"{bracketed}:{port}"


async def _every(seconds: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do `work` again and again; Redis not answering is no reason to stop."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await work()
        except (RedisError, OSError) as error:
            _log.warning("upkeep_late", work=getattr(work, "__name__", "work"), error=repr(error))
