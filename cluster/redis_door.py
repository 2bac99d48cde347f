"""How this product talks to Redis: the connection's settings, and the Lua scripts that travel with the package.

Law of this file: a command of unknown outcome is never repeated behind the caller's back. Whoever sent it
knows whether it may be sent twice.
"""

from functools import cache
from importlib.resources import files
from typing import Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.commands.core import AsyncScript

ANSWER_TIMEOUT: Final = 5.0
"""Seconds without an answer after which a command's outcome is unknown."""


def connect(url: str) -> Redis:
    """A pool of connections to `url` (redis, rediss or unix), which answers in bytes and never repeats a command."""
    return Redis.from_url(
        url,
        decode_responses=False,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=ANSWER_TIMEOUT,
        socket_connect_timeout=ANSWER_TIMEOUT,
        health_check_interval=0,
    )


@cache
def lua(name: str) -> str:
    """The source of the script `name`, in the subset of Lua that Redis 6.2 to 8 and Valkey share."""
    return files("cluster").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")


def script(redis: Redis, name: str) -> AsyncScript:
    """The script `name`, to be called as one command; loaded again where a server has forgotten it."""
    return AsyncScript(redis, lua(name))
