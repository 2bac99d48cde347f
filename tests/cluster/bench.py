"""A salon on a workbench: a journal in memory, a clock by hand, bots that call, and alarms that ring when told."""

import asyncio
from collections.abc import Callable
from typing import Any

from bots.explanation import Explanation
from cluster.envelope import Accepted, Envelope, SalonId
from cluster.journal.log import Activated, Appended
from cluster.lobby import Row
from cluster.routing import hosts
from cluster.routing.hosts import HostAnswer
from cluster.routing.leases import HostName
from cluster.salons.house import BotTurn, House
from cluster.salons.salon import Salon
from engine.alarms import next_alarm
from engine.cards import FULL_DECK, Card
from engine.commands import Command, StartHand
from engine.game import Game
from engine.table import Player, Table
from engine.units import HandNumber, Millis, PlayerId
from engine.value import changed
from engine.view import TableView, view_of
from tests.cluster.memory_journal import MemoryJournal
from tests.cluster.salons import SALON, easy_turn, join, opening


class HandClock:
    """A clock that stands still."""

    def __init__(self, now: int = 10_000) -> None:
        self.time = now

    def now(self) -> Millis:
        return Millis(self.time)


class CallingBots:
    """Bots that check, call and stand pat, when `may` is set."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []
        self.may = asyncio.Event()
        self.may.set()
        self.bug: Exception | None = None

    async def decide(self, view: TableView, player: Player) -> BotTurn:
        self.asked.append((view.hand, view.turn))
        await self.may.wait()
        if self.bug:
            raise self.bug
        return BotTurn(easy_turn(view, player.player), Explanation("I call"))


class Bench:
    """One salon on host:a."""

    def __init__(self, deck: tuple[Card, ...] = FULL_DECK, journal: Any = None) -> None:
        """`journal`: one in memory, or the real one."""
        self.journal: Any = journal or MemoryJournal()
        self.clock = HandClock()
        self.bots = CallingBots()
        self.watched = False
        self.idle = Millis(0)
        self.laid_down: list[tuple[SalonId, int]] = []
        self.listed: list[tuple[SalonId, str]] = []
        """Salons whose rows were settled, and the host that each was on then."""
        self.heard: int | None = None
        """When the log last answered, if that is long ago."""
        self.pulses: dict[str, int] = {}
        """When which host was last heard of."""
        self.rows: list[Callable[[], Row]] = []
        self.gone: list[SalonId] = []
        self.deck = deck
        self.name = SALON
        self._number = 0

    async def opened(self, game: Game = Game.HOLDEM, **given: Any) -> "Bench":
        began = await self.journal.create(opening(game, **given))
        assert isinstance(began, Appended)
        self.salon = await self.activated("host:a")
        return self

    async def activated(self, host: str) -> Salon:
        """The salon, on another host than before."""
        head = await self.journal.head(self.name)
        assert head is not None
        assert isinstance(await self.journal.activate(self.name, head.epoch, host), Activated)
        salon = Salon(self.name, self.house(host))
        assert await salon.load() == hosts.Admitted()
        return salon

    def house(self, host: str) -> House:
        async def watched(_: SalonId) -> bool:
            return self.watched

        return House(
            HostName(host),
            self.journal,
            self.clock,
            lambda: StartHand(self.deck, 0),
            self.bots,
            watched,
            lambda _, row: self.rows.append(row),
            self.gone.append,
            idle=self.idle,
            heard=lambda: Millis(self.clock.time if self.heard is None else self.heard),
            pulse=self._pulse,
            settled=self._settle,
            sleeps=self._sleeps,
        )

    async def _pulse(self, host: str) -> Millis:
        return Millis(self.pulses.get(host, 0))

    async def _settle(self, salon: SalonId) -> None:
        head = await self.journal.head(salon)
        assert head is not None
        self.listed.append((salon, head.host))

    async def _sleeps(self, salon: SalonId, at: Millis) -> None:
        self.laid_down.append((salon, at))

    @property
    def table(self) -> Table:
        memory = self.salon._memory
        assert memory is not None, "the salon has dropped its table"
        return memory.table

    def envelope(self, command: Command | None, request_id: str = "", *, view: bool = False) -> Envelope:
        self._number += 1
        player = PlayerId(getattr(command, "player", getattr(command, "by", "")))
        return Envelope(self.name, player, request_id or f"r{self._number}", command, view)

    async def ask(self, command: Command | None, request_id: str = "", *, view: bool = False) -> HostAnswer:
        (answer,) = await self.salon.handle([self.envelope(command, request_id, view=view)])
        return answer

    async def done(self, command: Command | None, request_id: str = "", *, view: bool = False) -> Accepted:
        answer = await self.ask(command, request_id, view=view)
        assert isinstance(answer, Accepted), answer
        return answer

    async def ask_in_hand(self, command: Command, hand: int, request_id: str) -> HostAnswer:
        """Ask for something that comes too late once a hand after `hand` has begun."""
        envelope = changed(self.envelope(command, request_id), expected_hand=HandNumber(hand))
        (answer,) = await self.salon.handle([envelope])
        return answer

    async def seated(self, *players: str) -> "Bench":
        for seat, player in enumerate(players, 1):
            await self.done(join(player, seat))
        return self

    async def ring(self) -> None:
        """Let the time of the next alarm come, and its timer ring."""
        alarm = next_alarm(self.table)
        assert alarm is not None, "nothing is due"
        self.clock.time = max(self.clock.time, alarm.at)
        await self.salon._ring()

    async def rest(self) -> None:
        """Let the salon have been idle long enough, and look whether it is."""
        self.clock.time += self.idle
        await self.salon._rest()

    def mover(self) -> str:
        hand = self.table.hand
        assert hand is not None
        player = self.table.players[hand.to_act]
        assert player is not None
        return player.player

    def turn(self, *, fold: bool = False) -> Command:
        """An easy turn of whoever is to act."""
        hand = self.table.hand
        assert hand is not None
        return easy_turn(view_of(self.table, hand.to_act), self.mover(), fold=fold)

    async def play_out(self) -> None:
        """Let everybody check and call to the hand's end."""
        while (hand := self.table.hand) is not None and not hand.over:
            await self.done(self.turn())

    async def settled(self) -> None:
        """Let the tasks that the salon has begun come to their ends."""
        while self.salon._tasks:
            await asyncio.gather(*self.salon._tasks)

    async def until(self, reached: Callable[[], bool]) -> None:
        """Let the loop run until `reached`; fails after five seconds."""
        async with asyncio.timeout(5):
            while not reached():  # noqa: ASYNC110 - what is awaited is no event of ours
                await asyncio.sleep(0.001)
