"""How this product talks to Redis: the connection's settings, and the Lua scripts that travel with the package.

Law of this file: a command of unknown outcome is never repeated behind the caller's back. Whoever sent it
knows whether it may be sent twice.
"""

from functools import cache
from importlib.resources import files
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    ConnectionPool,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.commands.core import AsyncScript
from redis.exceptions import ReadOnlyError, ResponseError

ANSWER_TIMEOUT: Final = 5.0
"""Seconds without an answer after which a command's outcome is unknown."""


class _LeavesReplicas(AbstractConnection):
    """Is made anew once a server has refused to write, whose name may lead to another by now.

    A failover may demote a master without closing its connections, which go on answering reads. This one first
    reads the answers that are on their way.
    """

    async def read_response(self, *args: Any, **options: Any) -> Any:
        try:
            return await super().read_response(*args, **options)
        except ResponseError as error:
            # Redis 6.2 says it within the error of the script that wanted to write.
            if isinstance(error, ReadOnlyError) or "READONLY" in str(error):
                self.mark_for_reconnect()  # type: ignore[no-untyped-call]  # it has none
            raise


class _Tcp(_LeavesReplicas, Connection):
    pass


class _Tls(_LeavesReplicas, SSLConnection):
    pass


class _Unix(_LeavesReplicas, UnixDomainSocketConnection):
    pass


_KINDS: Final = {Connection: _Tcp, SSLConnection: _Tls, UnixDomainSocketConnection: _Unix}


def connect(url: str) -> Redis:
    """A pool of connections to `url` (redis, rediss or unix), which answers in bytes and never repeats a command."""
    settings: dict[str, Any] = {
        "connection_class": Connection,
        "decode_responses": False,
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": ANSWER_TIMEOUT,
        "socket_connect_timeout": ANSWER_TIMEOUT,
        "health_check_interval": 0,
        **parse_url(url),
    }
    settings["connection_class"] = _KINDS[settings["connection_class"]]
    return Redis.from_pool(ConnectionPool(**settings))


@cache
def lua(name: str) -> str:
    """The source of the script `name`, in the subset of Lua that Redis 6.2 to 8 and Valkey share."""
    return files("cluster").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")


def script(redis: Redis, name: str) -> AsyncScript:
    """The script `name`, to be called as one command; loaded again where a server has forgotten it."""
    return AsyncScript(redis, lua(name))
