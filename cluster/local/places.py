"""The places that a server needs, looked at from outside: is there a Redis, a Ray, a gateway; is the port free."""

import asyncio
import contextlib
import socket
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from cluster.client import Client, RefusedCall, Unreachable
from cluster.settings import SetupFault, shown, split_address, variable_of
from croupier.v1.session_pb2 import WhoAmIRequest

PATIENCE: Final = 5.0
OLDEST_REDIS: Final = (6, 2)


class PlaceFault(SetupFault):
    """Nothing is at a place where something should be, or something where nothing should."""


def free_port(listen: str) -> str:
    """`listen`, with a free port in the place of port 0.

    Raises:
        PlaceFault: the port is taken, or the host is no address of this machine.
    """
    host, port = split_address(listen)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            raise PlaceFault(
                f"{variable_of('listen')}={listen} cannot be listened on ({error.strerror}): end what uses the "
                "port, or choose another with --listen 127.0.0.1:PORT (port 0: any free one)"
            ) from None
        bound: int = probe.getsockname()[1]
    return f"[{host}]:{bound}" if ":" in host else f"{host}:{bound}"


async def check_redis(url: str) -> str:
    """What answers at `url`, such as "valkey 9.1.2".

    Raises:
        PlaceFault: nothing does, or it is too old, or it may lose what it was told.
    """
    place = f"{variable_of('redis_url')}={shown('redis_url', url)}"
    redis = Redis.from_url(
        url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, decode_responses=True
    )
    try:
        server = await redis.info("server")
        memory = await redis.info("memory")
    except (RedisError, OSError) as error:
        raise PlaceFault(f"no Redis at {place} ({error}): start one there, or name another") from None
    finally:
        await redis.aclose()
    version = str(server["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_REDIS:
        raise PlaceFault(f"{place} is Redis {version}: 6.2 or newer is needed")
    if memory.get("maxmemory") and memory.get("maxmemory_policy") != "noeviction":
        raise PlaceFault(
            f"{place} evicts data when it is full (maxmemory-policy {memory['maxmemory_policy']}): "
            "set maxmemory-policy noeviction there"
        )
    if "valkey_version" in server:
        return f"valkey {server['valkey_version']}"
    return f"redis {version}"


async def check_ray(address: str) -> None:
    """Make sure that something answers at the address of a Ray head that others run.

    Raises:
        PlaceFault: nothing does.
    """
    host, port = split_address(address)
    try:
        async with asyncio.timeout(PATIENCE):
            _, writer = await asyncio.open_connection(host, port)
    except OSError as error:
        why = error.strerror or "no answer"
        raise PlaceFault(
            f"no Ray at {variable_of('ray_address')}={address} ({why}): start one there with "
            "`ray start --head`, or unset the variable to let `croupier up` start its own"
        ) from None
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def answers(client: Client) -> bool:
    """Whether a gateway answers, if only to say that it wants a token."""
    try:
        await client.call(client.session.WhoAmI, WhoAmIRequest())
    except RefusedCall as refused:
        return refused.reason == "SIGN_IN_REQUIRED"
    except Unreachable:
        return False
    return True
