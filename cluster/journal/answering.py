"""What Redis answers, or that nobody knows what it did."""

from collections.abc import Awaitable
from typing import Any

from redis.exceptions import RedisError

from cluster.journal.log import LogFault


async def answer_of(asked: Awaitable[Any]) -> Any:
    """What Redis answers to a command or a pipeline. Raises LogFault where the outcome is unknown."""
    try:
        return await asked
    except (RedisError, OSError) as error:
        raise unanswered(error) from error


def unanswered(error: Exception) -> LogFault:
    """The fault that it is when Redis did not answer."""
    return LogFault(f"Redis did not answer: {error!r}")
