"""Recovery: how it is seen that play goes on, and for how long that is waited for.

Play goes on when acknowledged commands rise and every salon's log has gone on since the healing. Where that takes
longer than `BOUND` it is a finding, though play may go on in the end; where it never does the run is given up.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, Protocol

import psutil
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
    within: float | None = None
    """After its strike, by when it had to be healed, where the product is what heals it."""
    woken: bool | None = None
    """Of what was frozen until others served its salons: whether a host of it was alive when it went on."""

    @property
    def late(self) -> bool:
        """Whether play was away for longer than it may be, or the healing took too long."""
        slow = self.within is not None and self.healed > self.within
        return slow or self.whole - self.healed > BOUND


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
            return len(heads) == len(salons) and all(HostName(head.host) in living for head in heads.values())

        return all_are

    def served_anew(self, before: dict[SalonId, Head]) -> Callable[[], Awaitable[bool]]:
        """Whether each of the salons is under a later epoch than before, and play goes on in one.

        That it goes on in all is for `goes_on` to see: who was frozen shall wake while he is still there.
        """

        async def all_are() -> bool:
            heads = await self.heads(before)
            return (
                len(heads) == len(before)
                and all(head.epoch > before[salon].epoch for salon, head in heads.items())
                and any(head.seq > before[salon].seq for salon, head in heads.items())
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
            return len(waiting) == len(self._crowd.salons)

        async def everywhere() -> bool:
            if not first and self._crowd.acknowledged >= acknowledged + _RISEN:
                first.append(time.monotonic())
            for salon, head in (await self.heads(waiting)).items():
                if head.seq > waiting[salon].seq:
                    del waiting[salon]
            return bool(first) and not waiting and (over is None or await over())

        await self.until(
            counted,
            f"Redis knows all salons after {what}",
            lambda: f"it knows {len(waiting)} of {len(self._crowd.salons)}",
        )
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
            except (
                RedisError,
                OSError,
                LogFault,
                RaySilent,
                RefusedCall,
                Unreachable,
                psutil.Error,
            ) as fault:
                why = repr(fault)
            if time.monotonic() > until:
                raise Hangs(f"not in {GIVEN_UP:.0f} s: {what}; {why} {state()}")
            await asyncio.sleep(_LOOK)
