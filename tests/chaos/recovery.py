"""Recovery: how it is seen that play goes on, and for how long that is waited for.

Play goes on when acknowledged commands rise and every salon's log has gone on since the healing. Where that takes
longer than `BOUND` it is a finding, though play may go on in the end; where it never does the run is given up.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, Protocol

from redis.exceptions import RedisError

from cluster.client import RefusedCall, Unreachable
from cluster.envelope import SalonId
from cluster.journal.log import Head, LogFault
from cluster.routing.leases import HostName
from engine.value import value
from tests.chaos.machines import RaySilent
from tests.chaos.schedule import Kind
from tests.chaos.town import Town

BOUND: Final = 30.0
"""Seconds after its healing by which a fault is over."""
GIVEN_UP: Final = 180.0
_LOOK: Final = 0.2
_RISEN: Final = 5
"""Acknowledged commands that say that there are such again."""


class GoesOn(Protocol):
    """Who plays in the town."""

    @property
    def acknowledged(self) -> int:
        """Commands that were accepted so far."""

    @property
    def salons(self) -> Sequence[str]:
        """The salons that are played in."""


class Hangs(Exception):
    """What should have come did not, in all the time that there is."""


@value
class Happened:
    """A fault that is over. Times are in seconds."""

    kind: Kind
    victim: str
    at: float
    """After the start of the run."""
    healed: float
    """After it struck."""
    first: float
    """From its strike to the first commands that were acknowledged after its healing."""
    whole: float
    """From its strike until play went on in every salon."""

    @property
    def late(self) -> bool:
        """Whether play was away for longer than it may be; a zombie is healed when others serve its salons."""
        zombie = self.kind in (Kind.FREEZE_HOST, Kind.FREEZE_RAYLET)
        return self.whole - self.healed > BOUND or (zombie and self.healed > BOUND)


class Recovery:
    """Looks at a town in which `crowd` plays."""

    def __init__(self, town: Town, crowd: GoesOn) -> None:
        self._town = town
        self._crowd = crowd

    def elsewhere(self, salons: set[SalonId], hosts: set[HostName]) -> Callable[[], Awaitable[bool]]:
        """Whether each of the salons has a host that lives, which is none of `hosts`."""

        async def all_are() -> bool:
            living = set(await self._town.leases.living()) - hosts
            heads = await self.heads(salons)
            return all(HostName(head.host) in living for head in heads.values())

        return all_are

    def served_anew(self, before: dict[SalonId, Head]) -> Callable[[], Awaitable[bool]]:
        """Whether each of the salons has had a commit under another epoch than before."""

        async def all_are() -> bool:
            heads = await self.heads(before)
            return all(
                head.epoch > before[salon].epoch and head.seq > before[salon].seq
                for salon, head in heads.items()
            )

        return all_are

    async def heads(self, salons: Iterable[str]) -> dict[SalonId, Head]:
        found = {}
        for salon in sorted(salons):
            head = await self._town.journal.head(SalonId(salon))
            if head is not None:
                found[SalonId(salon)] = head
        return found

    async def goes_on(self, what: str, over: Callable[[], Awaitable[bool]] | None) -> tuple[float, float]:
        """Wait until play goes on in every salon, and `over` too; when first in one, and when in all. Raises Hangs."""
        acknowledged = self._crowd.acknowledged
        waiting: dict[SalonId, Head] = {}
        first: list[float] = []

        async def counted() -> bool:
            waiting.update(await self.heads(self._crowd.salons))
            return True

        async def everywhere() -> bool:
            if not first and self._crowd.acknowledged >= acknowledged + _RISEN:
                first.append(time.monotonic())
            for salon, head in (await self.heads(waiting)).items():
                if head.seq > waiting[salon].seq:
                    del waiting[salon]
            return bool(first) and not waiting and (over is None or await over())

        await self.until(counted, f"Redis answers after {what}")
        await self.until(
            everywhere,
            f"play goes on after {what}",
            lambda: (
                f"acknowledged {self._crowd.acknowledged - acknowledged} more, waiting for {sorted(waiting)}"
            ),
        )
        return first[0], time.monotonic()

    async def until(
        self, reached: Callable[[], Awaitable[bool]], what: str, state: Callable[[], str] = str
    ) -> None:
        """Ask until it is so; that nobody answers means not yet. Raises Hangs."""
        until = time.monotonic() + GIVEN_UP
        while True:
            why = ""
            try:
                if await reached():
                    return
            except (RedisError, OSError, LogFault, RaySilent, RefusedCall, Unreachable) as fault:
                why = repr(fault)
            if time.monotonic() > until:
                raise Hangs(f"not in {GIVEN_UP:.0f} s: {what}; {why} {state()}")
            await asyncio.sleep(_LOOK)
