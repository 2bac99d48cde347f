"""The doorman: who a call's token stands for. What he knows is at most five seconds old."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Final, Protocol

from cluster.gateway.errors import Declined, sign_in_required
from cluster.sessions import Session, fingerprint
from engine.value import value

_SCHEME: Final = "bearer "
_LONGEST: Final = 256
_MOST_KNOWN: Final = 50_000
REMEMBERED: Final = 5.0
"""Seconds for which a session is not asked for again."""


@value
class Visitor:
    """Who calls. `mark` is his token's fingerprint; `operator` holds for this call alone."""

    session: Session
    mark: str
    token: str
    operator: bool = False


VISITOR: ContextVar[Visitor] = ContextVar("visitor")
"""Whose call is being answered; set by the door."""


class Authority(Protocol):
    """Whoever knows the sessions."""

    async def authenticate(self, token: str) -> Session | None:
        """Who the token stands for. Raises RedisError."""


class Doorman:
    """The sessions that this gateway saw last, and who wants to know when one ends."""

    def __init__(self, sessions: Authority, now: Callable[[], float]) -> None:
        """`now` is a monotonic clock, in seconds."""
        self._sessions = sessions
        self._now = now
        self._known: OrderedDict[str, tuple[Session, float]] = OrderedDict()
        self._leaving: defaultdict[str, set[Callable[[], None]]] = defaultdict(set)

    async def admit(self, metadata: Iterable[tuple[str, str | bytes]]) -> Visitor:
        """The caller that the metadata names. Raises Declined, RedisError."""
        token = _token(metadata)
        if not token:
            raise Declined(sign_in_required())
        visitor = await self.visitor(token)
        if visitor is None:
            raise Declined(sign_in_required())
        return visitor

    async def visitor(self, token: str) -> Visitor | None:
        """Who the token stands for, None if it counts no longer. Raises RedisError."""
        mark = fingerprint(token)
        known = self._known.get(mark)
        if known is not None and self._now() < known[1]:
            return Visitor(known[0], mark, token)
        self._known.pop(mark, None)
        session = await self._sessions.authenticate(token)
        if session is None:
            return None
        self._known[mark] = (session, self._now() + REMEMBERED)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return Visitor(session, mark, token)

    def revoked(self, mark: bytes) -> None:
        """A session has ended: forget it, and end its streams."""
        text = mark.decode("ascii", "replace")
        self._known.pop(text, None)
        for leave in list(self._leaving.get(text, ())):
            leave()

    def when_revoked(self, visitor: Visitor, leave: Callable[[], None]) -> Callable[[], None]:
        """Call `leave` when the visitor's session ends; the answer takes that back."""
        self._leaving[visitor.mark].add(leave)

        def forget() -> None:
            waiting = self._leaving[visitor.mark]
            waiting.discard(leave)
            if not waiting:
                del self._leaving[visitor.mark]

        return forget


def _token(metadata: Iterable[tuple[str, str | bytes]]) -> str:
    for key, text in metadata:
        if key == "authorization" and isinstance(text, str) and text[: len(_SCHEME)].lower() == _SCHEME:
            token = text[len(_SCHEME) :].strip()
            return token if len(token) <= _LONGEST else ""
    return ""
