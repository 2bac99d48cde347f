"""Sessions: who a token stands for.

Redis holds only the SHA-256 of a token. A guest's token is derived from the request_id under the cluster's
secret, so that a sign-in sent again gets the same session; the request_id of a sign-in must therefore be as
hard to guess as the token: at least 16 characters, such as a UUID.
"""

import hashlib
from typing import Any, Final

from redis.asyncio import Redis

from cluster.names import accepted_name
from cluster.redis_door import script
from cluster.secret import Secret
from engine.refusals import Reason, Refusal, refuse
from engine.units import Millis, PlayerId
from engine.value import value

REVOKED_CHANNEL: Final = "sessions:revoked"
"""Each message is the fingerprint of a token that counts no longer."""
LIFETIME: Final = Millis(30 * 24 * 3600 * 1000)
SHORTEST_REQUEST_ID: Final = 16


@value
class Session:
    """A player who has signed in. `token` is empty where it was not just given out."""

    player: PlayerId
    name: str
    expires: Millis
    token: str = ""


@value
class SignInReused:
    """The request_id belongs to a session of another name, or to one that was revoked."""


class Sessions:
    """The sessions of the cluster. Every method raises RedisError where Redis does not answer."""

    def __init__(self, redis: Redis, secret: Secret) -> None:
        self._redis = redis
        self._secret = secret
        self._sign_in = script(redis, "sign_in")

    async def sign_in_guest(self, name: str, request_id: str) -> Session | Refusal | SignInReused:
        """Begin a guest's session, or find the one that the same request began."""
        accepted = accepted_name(name)
        if isinstance(accepted, Refusal):
            return accepted
        if len(request_id) < SHORTEST_REQUEST_ID:
            return refuse(
                Reason.NAME_REFUSED,
                f"a sign-in's request_id of {len(request_id)} characters could be guessed: "
                f"send at least {SHORTEST_REQUEST_ID}, such as a UUID",
                min=SHORTEST_REQUEST_ID,
            )
        token = self._secret.token(request_id)
        args: list[str | int] = [self._secret.player(request_id), accepted, LIFETIME]
        player, known, expires, revoked = await self._sign_in([_key(fingerprint(token))], args)
        if revoked or known.decode() != accepted:
            return SignInReused()
        return Session(PlayerId(player.decode()), accepted, Millis(int(expires)), token)

    async def authenticate(self, token: str) -> Session | None:
        """Who the token stands for; None for one unknown, expired or revoked."""
        fields: list[Any] = await self._redis.hmget(
            _key(fingerprint(token)), ["player", "name", "expires", "revoked"]
        )
        player, name, expires, revoked = (field or b"" for field in fields)
        if not player or revoked:
            return None
        return Session(PlayerId(player.decode()), name.decode(), Millis(int(expires)))

    async def revoke(self, token: str) -> None:
        """End the session; every gateway is told. A sign-in with the same request_id does not bring it back."""
        mark = fingerprint(token)
        if await self._redis.exists(_key(mark)):
            await self._redis.hset(_key(mark), "revoked", "1")
        await self._redis.publish(REVOKED_CHANNEL, mark)


def fingerprint(token: str) -> str:
    """What is kept and compared in a token's place."""
    return hashlib.sha256(token.encode()).hexdigest()


def _key(mark: str) -> str:
    return f"session:{mark}"
