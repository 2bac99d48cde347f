"""A schedule: everything that happens in one seed's world, from its opening to its quiet end, and what was wrong in it.

The product runs unchanged: salons, hosts, directories, caretakers and feeds, over a store in memory that is held to the
same contracts as the real one. The same seed makes the same schedule, callback by callback, in every process.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cluster.envelope import Accepted, SalonId
from cluster.journal.log import Appended, Commit, LogCorrupt, fold, replay
from cluster.routing.leases import HostName
from engine.commands import AddBot
from engine.decide import Decision, decide
from engine.game import Game
from engine.record import table_to_plain
from engine.settings import BotLevel
from engine.table import Table
from engine.units import OPERATOR, PlayerId
from engine.value import changed
from tests.cluster.salons import opening
from tests.simulation.eyes import Eye
from tests.simulation.gatehouse import Gatehouse
from tests.simulation.ground import Ground
from tests.simulation.hearing import heard
from tests.simulation.inns import Inn
from tests.simulation.logs import at_once
from tests.simulation.patrons import OWNER, AutomaticBots, Patron
from tests.simulation.timeline import Stuck
from tests.simulation.troubles import Troubles

_ANSWER_WITHIN: Final = 90.0
"""Virtual seconds after the last trouble until everybody has an answer: a start of a host that is not answered is
given up after 60."""
_GOES_ON_WITHIN: Final = 100.0
"""Virtual seconds after it until a hand goes on with nobody asking: a host looks for strays every 30 s."""
_LOOK_EVERY: Final = 0.25


@dataclass(frozen=True)
class Outcome:
    """What came of one seed."""

    seed: int
    violations: tuple[str, ...]
    counts: "Counter[str]"
    digest: str
    """Of all that happened: two runs of a seed have the same."""
    seconds: float
    """Virtual."""
    steps: int
    trace: tuple[tuple[Any, ...], ...] = ()


class Schedule:
    """One seed's world."""

    def __init__(self, seed: int, *, traced: bool = False) -> None:
        self.seed = seed
        self.ground = ground = Ground(seed, traced=traced)
        ground.bots = AutomaticBots(ground.rng)
        ground.moves.append(self._publish)
        self.inns: dict[HostName, Inn] = {}
        self.gates: list[Gatehouse] = []
        self.patrons: list[Patron] = []
        self.eyes: list[Eye] = []
        self._gates_opened = 0

    def run(self) -> Outcome:
        """Live through it."""
        ground = self.ground
        with heard(ground):
            try:
                ground.loop.run(self._live())
            except Stuck as stuck:
                ground.violate(f"stuck: {stuck}")
            finally:
                counts = Counter(ground.counts)
                complaints = list(ground.loop.complaints)
                ground.store.over = True
                ground.loop.end()
        violations = (*ground.violations, *(f"complaint: {each}" for each in complaints))
        digest = hashlib.blake2b(repr(ground.trace).encode(), digest_size=8).hexdigest()
        trace = tuple(ground.diary or ())
        return Outcome(
            self.seed, violations, counts, digest, ground.loop.now - 1_000, ground.loop.steps, trace
        )

    # Its course

    async def _live(self) -> None:
        ground, rng = self.ground, self.ground.rng
        for _ in range(rng.choice((1, 2, 2))):
            self.gates.append(self._open_gate())
        salons = [self._open_salon(number) for number in range(rng.choice((1, 1, 2)))]
        lives = [patron.live() for patron in self.patrons] + [eye.live() for eye in self.eyes]
        tasks = [ground.loop.create_task(life) for life in lives]
        if rng.random() < 0.8:
            await self._seated(within=2.0)
        ground.weather.turn_bad()
        span = rng.uniform(1, 6)
        troubles = Troubles(ground, self.inns, self.gates, self._open_gate)
        troubles.begin(span)
        await asyncio.sleep(span)
        await troubles.end()
        await self._calm(salons)
        for eye in self.eyes:
            eye.closed = True
        for task in tasks:
            if task.done() and task.exception() is not None:
                ground.violate(f"harness: {task.exception()!r}")
        self._compare(salons)

    async def _seated(self, *, within: float) -> None:
        """Wait until a hand is played, or for so long."""
        until = self.ground.loop.now + within
        while self.ground.loop.now < until and not self.ground.counts["event HandStarted"]:  # noqa: ASYNC110 - it is virtual time
            await asyncio.sleep(_LOOK_EVERY)

    async def _calm(self, salons: list[SalonId]) -> None:
        """What must be well again once nothing goes wrong any more."""
        ground = self.ground
        for patron in self.patrons:
            patron.idle = True
        for eye in self.eyes:
            eye.stays = True
        if ground.rng.random() < 0.7:
            before = {salon: ground.witness.salons[salon].seq for salon in salons if self._is_due(salon)}
            await self._within(
                _GOES_ON_WITHIN,
                lambda: [
                    salon
                    for salon, seq in before.items()
                    # Where the last who knew of something has died meanwhile, nothing may be due any more.
                    if ground.witness.salons[salon].seq == seq and self._is_due(salon)
                ],
                "no hand goes on in",
            )
        await self._within(
            _ANSWER_WITHIN,
            lambda: [patron.player for patron in self.patrons if patron.asking],
            "no answer for",
        )
        probes = [Patron(ground, salon, PlayerId("probe"), self._living_gates) for salon in salons]
        asked = [ground.loop.create_task(probe.ask(None)) for probe in probes]
        await self._within(
            _ANSWER_WITHIN,
            lambda: [probe.salon for probe, task in zip(probes, asked, strict=True) if not task.done()],
            "no look at",
        )
        for probe, task in zip(probes, asked, strict=True):
            if task.done() and not isinstance(task.result(), Accepted):
                ground.violate(f"liveness: a look at {probe.salon} is answered {task.result()}")
        await self._within(_ANSWER_WITHIN, self._blind, "behind the log is")

    def _is_due(self, salon: SalonId) -> bool:
        """Whether something will happen in the salon by itself, in a minute or less."""
        table = self.ground.witness.upheld(salon)
        people = any(player is not None and player.level is None for player in table.players)
        starts = bool(table.next_hand_at) and (people or table.settings.plays_unwatched)
        return not table.over and (table.in_hand or starts)

    def _blind(self) -> list[str]:
        """The viewers who were not shown the last commit, of those that are to see it at once."""
        late = []
        for eye in self.eyes:
            chronicle = self.ground.witness.salons[eye.salon]
            delayed = chronicle.table.settings.spectator_delay and eye.player not in chronicle.table.seat_of
            if not delayed and (
                eye.place is None or eye.place[1] < chronicle.seq or eye.place in chronicle.lost
            ):
                late.append(f"{eye.player} at {eye.place}")
        return late

    async def _within(self, seconds: float, left: Callable[[], list[Any]], what: str) -> None:
        until = self.ground.loop.now + seconds
        while missing := left():
            if self.ground.loop.now > until:
                self.ground.violate(f"liveness: {what} {missing} after {seconds:g} quiet seconds")
                return
            await asyncio.sleep(_LOOK_EVERY)

    def _compare(self, salons: list[SalonId]) -> None:
        """The log, read back, makes the very table that its commits made; so does the memory of who runs it."""
        ground = self.ground
        for salon in salons:
            chronicle = ground.witness.salons[salon]
            truth = _everything(chronicle.table)
            loaded = at_once(ground.store.logs.load(salon))
            assert loaded is not None
            if loaded.head.quarantine:
                ground.violate(f"quarantine: {salon}: {loaded.head.quarantine}")
            try:
                if _everything(replay(loaded)) != truth:
                    ground.violate(f"replay: the log of {salon} makes another table")
            except LogCorrupt as error:
                ground.violate(f"replay: the log of {salon} cannot be read: {error}")
            for inn in self.inns.values():
                running = inn.host._salons.get(salon)
                memory = running._memory if running else None
                if memory is None or inn.process.dead or memory.epoch != loaded.head.epoch:
                    continue
                if memory.seq > chronicle.seq:
                    ground.violate(f"lost: {inn.name} knows more of {salon} than the log")
                if memory.seq == chronicle.seq and _everything(memory.table) != truth:
                    ground.violate(f"memory: {inn.name} has another table of {salon} than the log")

    # What is in it

    def _open_gate(self) -> Gatehouse:
        self._gates_opened += 1
        return Gatehouse(self.ground, self.inns, f"gateway:{self._gates_opened}")

    def _open_salon(self, number: int) -> SalonId:
        ground, rng = self.ground, self.ground.rng
        salon = SalonId(f"s{number}")
        game = rng.choice(list(Game))
        given: dict[str, Any] = {
            "seats": rng.randint(2, 4),
            "turn_time": rng.choice((1_000, 2_000)),
            "time_bank": rng.choice((0, 1_000)),
            "between_hands": rng.choice((1, 200, 700)),
            "spectator_delay": rng.choice((0, 0, 0, 1)),
            "plays_unwatched": rng.random() < 0.3,
            "hand_limit": rng.choice((3, 100)),
        }
        if game is Game.HOLDEM:
            given |= {"min_buy_in": 2 * rng.randint(1, 4), "max_buy_in": rng.choice((10, 40))}
        else:
            given |= {"all_in": rng.random() < 0.7, "raise_cap": 1, "min_buy_in": 20, "max_buy_in": 40}
        first = _with_bots(opening(game, salon, at=ground.millis(), **given), rng.choice((0, 0, 1, 2)))
        assert isinstance(at_once(ground.store.logs.create(first)), Appended)
        players = [OWNER, *(PlayerId(name) for name in ("ann", "bob", "cid")[: rng.randint(1, 3)])]
        for player in players:
            patron = Patron(ground, salon, player, self._living_gates)
            self.patrons.append(patron)
            ground.moves.append(patron.moved)
        for viewer in rng.sample([PlayerId("eve"), *players], rng.choice((0, 0, 1, 2))):
            self.eyes.append(Eye(ground, salon, viewer, self._living_gates))
        return salon

    def _living_gates(self) -> list[Gatehouse]:
        return [gate for gate in self.gates if not gate.process.dead]

    def _publish(self, salon: SalonId, seq: int) -> None:
        for gate in self.gates:
            if not gate.process.dead:
                gate.ring(salon, f"{salon} {self.ground.witness.salons[salon].place[0]}-{seq}".encode())


def _with_bots(first: Commit, bots: int) -> Commit:
    """The first commit of a salon that is opened with bots, as the lobby writes it."""
    table, events = Table(), first.events
    fold(table, events)
    for number in range(bots):
        seating = AddBot(OPERATOR, PlayerId(f"bot-{number}"), "Ada", BotLevel.EASY)
        seated = decide(table, seating, now=first.at)
        if isinstance(seated, Decision):
            table, events = seated.table, events + seated.events
    return changed(first, events=events)


def _everything(table: Any) -> Any:
    return table_to_plain(table), table.hand.deck if table.hand is not None else ()


def run(seed: int, *, traced: bool = False) -> Outcome:
    """Live through one seed."""
    return Schedule(seed, traced=traced).run()
