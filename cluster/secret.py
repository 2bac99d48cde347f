"""What only the servers know, and the identities derived from it.

A new salon's id, a guest's token and an invitation's code are keyed hashes of what the caller sent, so that
a retry gets the same one, and nobody outside can tell or guess one.
"""

import base64
import hashlib
import hmac
import os
from typing import Final

from redis.asyncio import Redis

from cluster.envelope import SalonId
from engine.units import PlayerId

_KEY: Final = "secret"
_BYTES: Final = 32


class Secret:
    """The key of this cluster; `read` makes it once and for all."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    async def read(cls, redis: Redis) -> "Secret":
        """The cluster's key, created by whoever asks first. Raises RedisError."""
        await redis.set(_KEY, os.urandom(_BYTES), nx=True)
        key = await redis.get(_KEY)
        assert isinstance(key, bytes), "the secret was just written"
        return cls(key)

    def token(self, request_id: str) -> str:
        """A guest's token, 256 bits."""
        return self._derived("token", request_id, 52)

    def player(self, request_id: str) -> PlayerId:
        """A guest's identity; the token cannot be told from it."""
        return PlayerId(self._derived("player", request_id, 20))

    def salon(self, owner: PlayerId, request_id: str) -> SalonId:
        """A new salon's id."""
        return SalonId(self._derived("salon", f"{owner}\n{request_id}", 20))

    def bot(self, salon: SalonId, request_id: str) -> PlayerId:
        """The identity of a bot that `request_id` adds to a salon."""
        return PlayerId("bot" + self._derived("bot", f"{salon}\n{request_id}", 17))

    def invitation(self, salon: SalonId) -> str:
        """The code that lets a player into a salon by invitation, 130 bits."""
        return self._derived("invitation", salon, 26)

    def invites(self, salon: SalonId, code: str) -> bool:
        """Whether `code` is the salon's, in a time that does not depend on where it differs."""
        return hmac.compare_digest(self.invitation(salon).encode(), code.encode())

    def _derived(self, use: str, text: str, length: int) -> str:
        digest = hmac.digest(self._key, f"{use}\n{text}".encode(), hashlib.sha256)
        return base64.b32encode(digest).decode().lower()[:length]
