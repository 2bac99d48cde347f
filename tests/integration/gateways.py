"""Gateways for tests: served in this process over real gRPC, and clients who talk to them."""

import asyncio
import contextlib
import uuid
from typing import Any, Self

import grpc
from google.rpc import error_details_pb2  # type: ignore[import-untyped]  # it ships no types
from grpc_status import rpc_status

from cluster.actors.equity_workers import EquityWorkers
from cluster.actors.ray_hosts import RayHosts
from cluster.actors.salon_actor import HostSettings
from cluster.gateway import server
from cluster.redis_door import connect
from cluster.routing.leases import Leases
from cluster.settings import ClusterSettings
from croupier.v1 import (
    equity_pb2_grpc,
    history_pb2_grpc,
    lobby_pb2,
    lobby_pb2_grpc,
    refusal_pb2,
    salon_pb2,
    salon_pb2_grpc,
    session_pb2,
    session_pb2_grpc,
    settings_pb2,
    turn_pb2,
    view_pb2,
    watch_pb2,
)
from engine.units import Millis

DEADLINE = 20.0


class Running:
    """A gateway that is served; `address` is where."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.url = url
        self._settings = settings
        self.address = ""
        self._stop = asyncio.Event()
        self._ready = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        settings = ClusterSettings(redis_url=self.url, listen="127.0.0.1:0", **self._settings)
        hosts = RayHosts(HostSettings(self.url, Millis(3_000)))
        serving = server.serve(
            settings, hosts=hosts, stop=self._stop, ready=self._served, equity=EquityWorkers()
        )
        self._task = asyncio.create_task(serving)
        ready = asyncio.create_task(self._ready.wait())
        await asyncio.wait([self._task, ready], return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._task.done():
            self._task.result()

    def _served(self, address: str) -> None:
        self.address = address
        self._ready.set()

    async def stop(self) -> None:
        """Shut down as a signal would."""
        self._stop.set()
        assert self._task is not None
        await self._task

    async def kill_hosts(self) -> None:
        redis = connect(self.url)
        leases = Leases(redis)
        hosts = RayHosts(HostSettings(self.url, Millis(3_000)))
        for host in await leases.living():
            hosts.kill(host)
        await redis.aclose()


class Guest:
    """A client of one player. Use it as an async context."""

    def __init__(self, address: str, name: str, **options: int) -> None:
        arguments = [(f"grpc.{option.replace('__', '.')}", number) for option, number in options.items()]
        self.channel = grpc.aio.insecure_channel(address, options=arguments)
        self.name = name
        self.player = ""
        self.metadata: tuple[tuple[str, str], ...] = ()
        self.sessions: Any = session_pb2_grpc.SessionServiceStub(self.channel)
        self.lobby: Any = lobby_pb2_grpc.LobbyServiceStub(self.channel)
        self.salons: Any = salon_pb2_grpc.SalonServiceStub(self.channel)
        self.history: Any = history_pb2_grpc.HistoryServiceStub(self.channel)
        self.equity: Any = equity_pb2_grpc.EquityServiceStub(self.channel)
        self._streams: list[Any] = []

    async def __aenter__(self) -> Self:
        request = session_pb2.SignInGuestRequest(request_id=new_id(), name=self.name)
        session = await self.sessions.SignInGuest(request, timeout=DEADLINE)
        self.player = session.player_id
        self.metadata = (("authorization", f"Bearer {session.token}"),)
        return self

    async def __aexit__(self, *exception: object) -> None:
        for stream in self._streams:
            if isinstance(stream, Playing):
                stream.stop()
            else:
                stream.cancel()
        await self.channel.close()

    async def call(self, method: Any, request: Any) -> Any:
        """A unary call; a mutating request gets a request_id if it has none."""
        if hasattr(request, "request_id") and not request.request_id:
            request.request_id = new_id()
        return await method(request, metadata=self.metadata, timeout=DEADLINE)

    async def open(self, game: str = "HOLDEM", **settings: Any) -> str:
        """A new salon's id."""
        message = settings_pb2.SalonSettings(game=settings_pb2.Game.Value(f"GAME_{game}"), **settings)
        created = await self.call(self.lobby.CreateSalon, lobby_pb2.CreateSalonRequest(settings=message))
        salon: str = created.salon_id
        return salon

    async def join(self, salon: str, seat: int = 0, code: str = "") -> view_pb2.SalonView:
        request = salon_pb2.JoinRequest(salon_id=salon, seat=seat, invitation_code=code)
        view: view_pb2.SalonView = (await self.call(self.salons.Join, request)).accepted.view
        return view

    def watch(self, salon: str, resume: tuple[int, int] | None = None, code: str = "") -> Any:
        """The call; `read` gives its next message."""
        request = salon_pb2.WatchRequest(salon_id=salon, invitation_code=code)
        if resume:
            request.resume.CopyFrom(watch_pb2.Resume(epoch=resume[0], after_seq=resume[1]))
        stream: Any = self.salons.Watch(request, metadata=self.metadata)
        self._streams.append(stream)
        return stream

    def play(self) -> "Playing":
        stream: Any = self.salons.Play(metadata=self.metadata)
        playing = Playing(stream)
        self._streams.append(playing)
        return playing


class Playing:
    """A Play stream of a guest: what came is kept until it is asked for, whoever stops waiting for it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._came: asyncio.Queue[salon_pb2.PlayResponse] = asyncio.Queue()
        self._reader = asyncio.create_task(self._read())
        self.answers: dict[str, salon_pb2.Answer] = {}
        self.updates: list[watch_pb2.SalonUpdate] = []

    async def _read(self) -> None:
        while True:
            response = await self._stream.read()
            if response is grpc.aio.EOF:
                return
            self._came.put_nowait(response)

    async def send(self, request: salon_pb2.PlayRequest) -> None:
        await self._stream.write(request)

    async def next(self) -> salon_pb2.PlayResponse:
        """The next message; fails at a deadline."""
        async with asyncio.timeout(DEADLINE):
            response = await self._came.get()
        self.answers |= {answer.request_id: answer for answer in response.answers}
        self.updates += response.updates
        return response

    def stop(self) -> None:
        self._reader.cancel()
        self._stream.cancel()

    async def answer(self, request_id: str) -> salon_pb2.Answer:
        while request_id not in self.answers:
            await self.next()
        return self.answers[request_id]

    async def update(self) -> watch_pb2.SalonUpdate:
        while not self.updates:
            await self.next()
        return self.updates.pop(0)

    async def ended(self) -> grpc.StatusCode:
        with contextlib.suppress(grpc.aio.AioRpcError):
            await self._reader
        code: grpc.StatusCode = await self._stream.code()
        return code


def new_id() -> str:
    return str(uuid.uuid4())


def act(salon: str, turn: turn_pb2.YourTurn, **action: Any) -> salon_pb2.ActRequest:
    """The request for an action, such as `fold=turn_pb2.Fold()`; without one the quietest that is legal."""
    legal = turn.legal
    if not action:
        if legal.draw:
            action = {"draw": turn_pb2.Draw()}
        elif legal.check:
            action = {"check": turn_pb2.Check()}
        else:
            action = {"call": turn_pb2.Call()}
    return salon_pb2.ActRequest(request_id=new_id(), salon_id=salon, turn_id=turn.turn_id, **action)


class Wrong:
    """What a failed call says."""

    def __init__(self, error: grpc.aio.AioRpcError) -> None:
        self.code = error.code()
        call: Any = error
        status = rpc_status.from_call(call)
        assert status is not None, "an error without details"
        details: dict[str, Any] = {}
        for kind in (
            error_details_pb2.ErrorInfo,
            error_details_pb2.BadRequest,
            error_details_pb2.RetryInfo,
            error_details_pb2.LocalizedMessage,
            refusal_pb2.Refusal,
        ):
            for packed in status.details:
                if packed.Is(kind.DESCRIPTOR):
                    details[kind.DESCRIPTOR.name] = kind()
                    packed.Unpack(details[kind.DESCRIPTOR.name])
        self.info = details["ErrorInfo"]
        self.refusal = details["Refusal"]
        self.text = details["LocalizedMessage"].message
        self.fields = (
            [each.field for each in details["BadRequest"].field_violations] if "BadRequest" in details else []
        )
        self.retries = "RetryInfo" in details


async def wrong(call: Any) -> Wrong:
    """How the call fails."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return Wrong(error)
    raise AssertionError("the call was answered")


async def watched(guest: Guest, salon: str) -> Playing:
    """A Play stream of the guest's that watches the salon."""
    playing = guest.play()
    await playing.send(salon_pb2.PlayRequest(watch=[salon_pb2.WatchRequest(salon_id=salon)]))
    return playing
