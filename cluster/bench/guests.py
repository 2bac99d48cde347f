"""Guests' sessions for a benchmark, begun in Redis: a gateway lets one address begin only a few a second."""

from cluster.bench.own_cluster import OwnCluster
from cluster.client import new_request_id
from cluster.redis_door import connect
from cluster.secret import Secret
from cluster.sessions import Session, Sessions


async def sign_in(cluster: OwnCluster, count: int) -> list[str]:
    """The tokens of `count` new guests. Raises RedisError."""
    redis = connect(cluster.redis_url)
    try:
        sessions = Sessions(redis, await Secret.read(redis))
        begun = [await sessions.sign_in_guest(f"Guest {number}", new_request_id()) for number in range(count)]
    finally:
        await redis.aclose()
    return [session.token for session in begun if isinstance(session, Session)]
