"""A gateway's insides for tests: a directory over real hosts, and players who act through it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import psutil
from redis.asyncio import Redis

from cluster.actors.ray_hosts import RayHosts
from cluster.actors.salon_actor import HostSettings
from cluster.clock import RedisClock
from cluster.envelope import Accepted, Answer, Envelope, SalonId
from cluster.journal.log import replay
from cluster.journal.redis_journal import Journal
from cluster.routing.caretaker import Caretaker
from cluster.routing.directory import Directory
from cluster.routing.leases import HostName, Leases
from cluster.salons.opening import Opening
from cluster.secret import Secret
from engine.commands import Command, OpenSalon
from engine.game import Game
from engine.table import Table
from engine.units import NOBODY, Millis, PlayerId
from engine.view import TableView, view_of
from tests.cluster.salons import OWNER, easy_turn, join, settings_of

DEADLINE = 20.0
LEASE = Millis(1_500)


class Site:
    """One gateway's way to salons on real hosts."""

    def __init__(
        self, store: Redis, url: str, *, salons_per_host: int = 1, call_timeout: float = 2.0
    ) -> None:
        self.journal = Journal(store)
        self.leases = Leases(store)
        self.hosts = RayHosts(HostSettings(url, LEASE))
        self.directory = Directory(
            self.hosts,
            self.journal,
            self.leases,
            salons_per_host=salons_per_host,
            call_timeout=call_timeout,
        )
        self.caretaker = Caretaker(self.leases, self.directory, f"site-{id(self)}", lease=LEASE)
        self.store = store
        self._number = 0

    async def open(self, game: Game = Game.HOLDEM, request_id: str = "open", **given: Any) -> SalonId:
        clock = RedisClock(self.store)
        await clock.synchronise()
        opening = Opening(self.journal, clock, await Secret.read(self.store))
        opened = await opening.open(OpenSalon(OWNER, settings_of(game, **given)), request_id)
        assert isinstance(opened.answer, Accepted), opened
        return opened.salon

    def envelope(
        self, salon: SalonId, command: Command | None, request_id: str = "", *, view: bool = False
    ) -> Envelope:
        self._number += 1
        player = PlayerId(getattr(command, "player", getattr(command, "by", "")))
        return Envelope(salon, player, request_id or f"{id(self)}-{self._number}", command, view)

    async def ask(self, salon: SalonId, command: Command | None, request_id: str = "") -> Answer:
        envelope = self.envelope(salon, command, request_id)
        (answer,) = await self.directory.call(salon, [envelope], patience=DEADLINE)
        return answer

    async def done(self, salon: SalonId, command: Command | None, request_id: str = "") -> Accepted:
        answer = await self.ask(salon, command, request_id)
        assert isinstance(answer, Accepted), answer
        return answer

    async def seated(self, game: Game = Game.HOLDEM, request_id: str = "open", **given: Any) -> SalonId:
        """A salon with ann, bob and cid in their seats."""
        salon = await self.open(game, request_id, **{"between_hands": 1_000, "time_bank": 0, **given})
        for seat, player in enumerate(("ann", "bob", "cid"), 1):
            await self.done(salon, join(player, seat))
        return salon

    async def table(self, salon: SalonId) -> Table:
        """The table as the log says it is."""
        loaded = await self.journal.load(salon)
        assert loaded is not None
        return replay(loaded)

    async def mover(self, salon: SalonId) -> tuple[str, TableView]:
        """Who is to act, and what he sees; waits for a turn to start."""
        found: list[Table] = []

        async def somebody() -> bool:
            found[:] = [await self.table(salon)]
            hand = found[0].hand
            return hand is not None and not hand.over and hand.to_act != NOBODY

        await until(somebody)
        hand = found[0].hand
        assert hand is not None
        player = found[0].players[hand.to_act]
        assert player is not None
        return player.player, view_of(found[0], hand.to_act)

    async def act(self, salon: SalonId, request_id: str = "") -> Accepted:
        """Let whoever is to act check, call or stand pat."""
        player, view = await self.mover(salon)
        return await self.done(salon, easy_turn(view, player), request_id)

    async def host(self, salon: SalonId) -> HostName:
        head = await self.journal.head(salon)
        assert head is not None
        return HostName(head.host)

    async def process(self, salon: SalonId) -> psutil.Process:
        """The process of the salon's host."""
        return psutil.Process(await self.hosts.pid(await self.host(salon)))

    async def close(self) -> None:
        """End the hosts that this test has made."""
        await self.directory.close()
        for host in await self.leases.living() + await self.leases.condemned():
            self.hosts.kill(host)


async def until(reached: Callable[[], Awaitable[bool]], within: float = DEADLINE) -> None:
    """Ask until it is so; fails at a deadline, so many seconds from now."""
    async with asyncio.timeout(within):
        while not await reached():  # noqa: ASYNC110 - what is awaited happens in other processes
            await asyncio.sleep(0.02)
