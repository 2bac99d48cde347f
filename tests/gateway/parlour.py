"""A parlour: salons whose logs are in memory, a feed that watches them, and nothing of Ray, Redis or gRPC."""

import asyncio
import copy
import random
from collections.abc import Callable, Sequence
from typing import Any

from bots.explanation import Explanation
from cluster.envelope import Accepted, Answer, Envelope, Refused, SalonId, Seq, UnknownSalon
from cluster.journal.log import Appended
from cluster.journal.salon_keys import channel
from cluster.salons.memory import Memory, Origin, digest_of
from cluster.secret import Secret
from cluster.watching.admission import Ticket
from cluster.watching.feed import Feed
from cluster.watching.watched import Watcher
from croupier.v1 import refusal_pb2, salon_pb2, watch_pb2
from engine.cards import FULL_DECK
from engine.commands import Command, StartHand, TurnCommand
from engine.decide import Decision, decide
from engine.game import Game
from engine.table import Table
from engine.units import NOBODY, Millis, PlayerId
from engine.view import view_of
from tests.cluster.memory_journal import MemoryJournal
from tests.cluster.salons import SALON, easy_turn, join, opening

SECRET = Secret(b"k" * 32)


class HandClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 1_000

    def now(self) -> Millis:
        return Millis(self.at)


class Bell:
    """Wake-ups by hand: `lost` ones are not delivered, `bare` ones bring a seq and no entry, as earlier hosts' did."""

    bare = False

    def __init__(self) -> None:
        self.listeners: dict[str, Callable[[bytes], None]] = {}
        self.lost = False

    def listen(self, channel: str, listener: Callable[[bytes], None]) -> None:
        self.listeners[channel] = listener

    def forget(self, channel: str) -> None:
        self.listeners.pop(channel, None)

    def ring(self, salon: SalonId, epoch: int, seq: int) -> None:
        listener = self.listeners.get(channel(salon))
        if listener and not self.lost:
            listener(str(seq).encode() if self.bare else f"{salon} {epoch}-{seq}".encode())


class Announced:
    """What the feed said of salons that are watched."""

    def __init__(self) -> None:
        self.said: list[tuple[str, SalonId]] = []

    async def opened(self, salon: SalonId) -> None:
        self.said.append(("opened", salon))

    async def still_open(self, salon: SalonId) -> None:
        self.said.append(("still open", salon))

    async def closed(self, salon: SalonId) -> None:
        self.said.append(("closed", salon))


class Eyes:
    """A sink that keeps what it was shown."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.updates: list[watch_pb2.SalonUpdate] = []
        self.end: refusal_pb2.Refusal | None = None

    def update(self, update: bytes) -> None:
        self.raw.append(update)
        self.updates += salon_pb2.PlayResponse.FromString(update).updates

    def ended(self, salon: SalonId, refusal: refusal_pb2.Refusal) -> None:
        del salon
        self.end = refusal

    @property
    def kinds(self) -> list[str]:
        return [update.WhichOneof("content") or "bare" for update in self.updates]

    @property
    def seqs(self) -> list[int]:
        return [update.seq for update in self.updates]


class Parlour:
    """Salons, and the feed of one gateway."""

    def __init__(self) -> None:
        self.journal = MemoryJournal()
        self.clock = HandClock()
        self.bell = Bell()
        self.doors = Announced()
        self.heard: list[tuple[SalonId, Seq]] = []
        self.feed = Feed(
            self.journal, self.bell, self.clock, self.doors, heard=lambda *told: self.heard.append(told)
        )
        self.rng = random.Random(7)
        self.thinks: Callable[[Table], Explanation] | None = None
        """What whoever takes a turn says about it, as a bot does; nothing if it is None."""
        self._memories: dict[SalonId, Memory] = {}
        self._requests = 0

    # Salons

    async def open(self, game: Game = Game.HOLDEM, salon: SalonId = SALON, **given: Any) -> SalonId:
        first = opening(game, salon, at=self.clock.at, **given)
        assert isinstance(await self.journal.create(first), Appended)
        await self.activate(salon)
        return salon

    async def activate(self, salon: SalonId = SALON) -> None:
        """Have the salon taken up under a new epoch."""
        head = await self.journal.head(salon)
        assert head is not None
        await self.journal.activate(salon, head.epoch, "host:1")
        loaded = await self.journal.load(salon)
        assert loaded is not None
        self._memories[salon] = Memory(loaded)

    def table(self, salon: SalonId = SALON) -> Table:
        return self._memories[salon].table

    async def done(self, command: Command, salon: SalonId = SALON) -> Seq:
        """Do a command that is legal, ring, and let the feed read on."""
        answer = await self._execute(Envelope(salon, PlayerId(""), self._request(), command))
        assert isinstance(answer, Accepted), answer
        self.bell.ring(salon, answer.epoch, answer.seq)
        await settled()
        return answer.seq

    def _request(self) -> str:
        self._requests += 1
        return f"request-{self._requests}"

    async def call(
        self, salon: SalonId, envelopes: Sequence[Envelope], *, patience: float = 10.0
    ) -> list[Answer]:
        """As a directory does."""
        del patience
        answers = [await self._execute(envelope) for envelope in envelopes]
        if salon in self._memories:
            self.bell.ring(salon, self._memories[salon].epoch, self._memories[salon].seq)
        return answers

    async def _execute(self, envelope: Envelope) -> Answer:
        memory = self._memories.get(envelope.salon)
        if memory is None:
            return UnknownSalon()
        if envelope.command is not None:
            decision = decide(memory.table, envelope.command, now=self.clock.now())
            if not isinstance(decision, Decision):
                return Refused(decision)
            thinks = self.thinks if isinstance(envelope.command, TurnCommand) else None
            note = thinks(memory.table) if thinks else None
            origin = Origin(envelope.player, envelope.request_id, digest_of(envelope.command), note)
            step = await memory.step(envelope.salon, decision, origin, at=self.clock.now(), log=self.journal)
            outcome = await self.journal.append(step.commit)
            assert isinstance(outcome, Appended)
            memory.advance(step, outcome.chain)
        seat = memory.table.seat_of.get(envelope.player, NOBODY)
        view = view_of(memory.table, seat) if envelope.wants_view else None
        return Accepted(memory.epoch, memory.seq, view)

    def remembered(self) -> tuple[Any, ...]:
        """The log's store and the salons as they are."""
        return copy.deepcopy((self.journal.salons, self._memories))

    def bring_back(self, remembered: tuple[Any, ...]) -> None:
        """Let both be what they were."""
        self.journal.salons, self._memories = remembered

    # Hands

    async def seat(self, *players: str, salon: SalonId = SALON) -> None:
        for seat, player in enumerate(players, 1):
            await self.done(join(player, seat), salon)

    async def deal(self, salon: SalonId = SALON) -> None:
        self.clock.at = max(self.clock.at, self.table(salon).next_hand_at)
        deck = list(FULL_DECK)
        self.rng.shuffle(deck)
        await self.done(StartHand(tuple(deck), self.rng.randrange(2520)), salon)

    async def act(self, salon: SalonId = SALON, *, fold: bool = False) -> None:
        table = self.table(salon)
        assert table.hand is not None
        player = table.players[table.hand.to_act]
        assert player is not None
        await self.done(easy_turn(view_of(table, table.hand.to_act), player.player, fold=fold), salon)

    async def play_hand(self, salon: SalonId = SALON, *, fold: bool = False) -> None:
        """One hand, dealt and played to its end."""
        await self.deal(salon)
        while (hand := self.table(salon).hand) is not None and not hand.over:
            await self.act(salon, fold=fold)

    # Watching

    async def watch(
        self, player: str, resume: tuple[Any, Any] | None = None, *, invited: bool = False
    ) -> Eyes:
        eyes = Eyes()
        watcher = await self.feed.watch(SALON, Ticket(PlayerId(player), invited), eyes, resume=resume)
        assert isinstance(watcher, Watcher), watcher
        await settled()
        return eyes

    async def refused(self, player: str, *, invited: bool = False) -> refusal_pb2.Reason.ValueType:
        """Why the player may not watch."""
        answer = await self.feed.watch(SALON, Ticket(PlayerId(player), invited), Eyes())
        assert isinstance(answer, refusal_pb2.Refusal), answer
        return answer.reason


async def settled() -> None:
    """Let every task do what it can without waiting for anything outside."""
    for _ in range(20):
        await asyncio.sleep(0)
