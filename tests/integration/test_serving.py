"""How the gateway serves: health, ports, streams that are abandoned or never read, and TLS."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc
from redis.asyncio import Redis

from cluster.actors.ray_hosts import RayHosts
from cluster.actors.salon_actor import HostSettings
from cluster.envelope import SalonId
from cluster.gateway import outbox, salon_service, server
from cluster.journal.salon_keys import key
from cluster.settings import ClusterSettings
from croupier.v1 import salon_pb2, settings_pb2
from engine.units import Millis
from tests.integration.gateways import DEADLINE, Guest, Running, watched
from tests.integration.site import until

pytestmark = pytest.mark.integration
CODE = grpc.StatusCode


async def test_health_says_that_every_service_serves(gateway: Running) -> None:
    async with grpc.aio.insecure_channel(gateway.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        for service in ("", "croupier.v1.SalonService", "croupier.v1.LobbyService"):
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=DEADLINE)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_second_gateway_on_the_same_port_is_told_that_it_is_taken(
    gateway: Running, redis_url: str
) -> None:
    settings = ClusterSettings(redis_url=redis_url, listen=gateway.address)
    with pytest.raises(server.CannotListen, match="CROUPIER_LISTEN"):
        await server.serve(
            settings, hosts=RayHosts(HostSettings(redis_url, Millis(3_000))), stop=asyncio.Event()
        )


async def test_who_goes_without_a_word_is_soon_watching_no_longer(gateway: Running, store: Redis) -> None:
    """An abandoned stream ends its handler, which takes its presence back."""
    async with Guest(gateway.address, "Ann") as ann:
        salon = await ann.open()
        watch = ann.watch(salon)
        await watch.read()
        playing = await watched(ann, salon)
        await playing.update()

        async def there() -> bool:
            return bool(await store.exists(key(SalonId(salon), "presence")))

        await until(there)
        watch.cancel()
        playing.stop()

        async def gone() -> bool:
            return not await there()

        await until(gone)


async def _end(stream: Any) -> grpc.StatusCode:
    """How a stream ends that is read on only now."""
    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
        while await stream.read() is not grpc.aio.EOF:
            pass
    code: grpc.StatusCode = await stream.code()
    return code


async def test_a_client_that_never_reads_is_cut_off_and_costs_nobody(
    gateway: Running, store: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_MOST_PARTS", 20)
    monkeypatch.setattr(salon_service, "UNREAD", 0.1)
    narrow = Guest(gateway.address, "Eve", http2__bdp_probe=0, http2__lookahead_bytes=1_024)
    async with Guest(gateway.address, "Ann") as ann, narrow as eve:
        salon = await ann.open()
        slow = eve.watch(salon)
        await slow.read()

        async def gone() -> bool:
            bot = salon_pb2.AddBotRequest(salon_id=salon, level=settings_pb2.BOT_LEVEL_EASY, seat=3)
            for _ in range(50):
                await ann.call(ann.salons.AddBot, bot)
                bot.request_id = ""
                await ann.call(ann.salons.RemoveBot, salon_pb2.RemoveBotRequest(salon_id=salon, seat=3))
            return not await store.exists(key(SalonId(salon), "presence"))

        await until(gone)
        assert await _end(slow) in (CODE.RESOURCE_EXHAUSTED, CODE.CANCELLED, CODE.UNKNOWN)


async def test_with_a_certificate_calls_are_encrypted(
    ray_cluster: None, redis_url: str, store: Redis, tmp_path: Path
) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    issued.private_key_pem.write_to_path(tmp_path / "key")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert")
    running = Running(redis_url, tls_cert=tmp_path / "cert", tls_key=tmp_path / "key")
    await running.start()
    try:
        trust = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
        address = running.address.replace("127.0.0.1", "localhost")
        async with grpc.aio.secure_channel(address, trust) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=""), timeout=DEADLINE)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
    finally:
        await running.stop()
