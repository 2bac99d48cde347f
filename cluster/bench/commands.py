"""The commands' benchmark: durable commands a second, beside a bare grpc.aio service that sends the same bytes.

A command is an action of a real hand at a six-seat table, accepted by the rules and on disk before it is answered;
every seat watches. The other side sends to the same streams the bytes that such commands brought in a recorded
run, with no Ray, no Redis, no rules and no other process, and without the pauses between hands. The same players play on
both sides, each with one command under way: on `Play`, or by unary calls beside a `Watch` a salon. The sides
alternate in short rounds of one run; a ratio is the median of the rounds' own. CPU time is counted over every process that
has to do with a command, the players' own too.

No side works in the other's lap. At its end the players rest, and the next lap begins when every table waits for a player
and all who watch were told: the hands that were to begin after those that ended have begun, and what they cost is counted
with the lap's commands. Since a hand begins a second after the last one's end, Croupier's lap is counted from when players have
acted for so long: as many hands begin in it as end. The bare service sends each beginning with the command before it.
"""

import asyncio
import contextlib
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final, Self

import psutil

from cluster.bench.own_cluster import OwnCluster
from cluster.bench.players import Player, PlayPlayer, Tally, UnaryPlayer
from cluster.bench.recording import Recorder, save
from cluster.bench.tables import PAUSE_MS, SEATS, Guests, seated
from cluster.bench.usage import Role, Watch, cpu_of
from engine.value import value

WARM_UP: Final = 0.25
"""Seconds of each lap that do not count, where a hand begins with the last one's end."""
_RECORDS_WITHIN: Final = 300.0
_SETTLES_WITHIN: Final = 30.0
_PAUSE: Final = 0.01
_LOOK: Final = 0.05
"""Rarer, since to look at all tables of all players costs the machine something."""
_LEAST: Final = 2
"""Commands that a lap has at least."""
_MOST_SALONS: Final = 250
_SPARE_TABLES: Final = 200
"""Tables that are between two hands, or in a hand where others are behind: so that hardly a stream waits for a turn."""


class Lane(StrEnum):
    """How commands travel."""

    PLAY = "play"
    UNARY = "unary"


class SideFault(Exception):
    """A side did not play."""


@value
class Lap:
    """What one side did in a round."""

    seconds: float
    latencies: tuple[float, ...]
    """Seconds from a command to its answer, of those answered in that time."""
    cpu: Mapping[str, float]
    """Microseconds a command, by who used them, until the side was quiet."""
    messages: float
    """That came to the players, a command."""
    bytes: float

    @property
    def rate(self) -> float:
        """Commands a second."""
        return len(self.latencies) / self.seconds

    def percentile(self, percent: int) -> float:
        """Of the latencies, in seconds."""
        return quantiles(self.latencies, n=100)[percent - 1]


@value
class Round:
    """Both sides, one directly after the other."""

    own: Lap
    bare: Lap


@dataclass(frozen=True, slots=True)
class Contest:
    """One lane with so many streams, and what was measured."""

    lane: Lane
    streams: int
    salons_each: int
    rounds: list[Round] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Such as play_128."""
        return f"{self.lane}_{self.streams}"


def salons_each(streams: int) -> int:
    """In how many salons a stream sits, so that it hardly waits for its turn."""
    return min(_MOST_SALONS, 12 + -(-6 * _SPARE_TABLES // streams))


class Side:
    """Players who play against one address.

    `cpu` says the microseconds that each part has used so far; `warm_up` is in seconds of each lap that do not count.
    """

    def __init__(
        self,
        players: Sequence[Player],
        tally: Tally,
        cpu: Callable[[], Mapping[str, int]],
        *,
        warm_up: float = WARM_UP,
    ) -> None:
        self.players = players
        self.tally = tally
        self._cpu = cpu
        self._warm_up = warm_up
        self._tables: frozenset[str] = frozenset()

    async def sit_down(self, guests: Guests) -> None:
        """Let all watch their salons. Raises SideFault, Refused."""
        self._tables = guests.tables
        try:
            async with asyncio.timeout(_SETTLES_WITHIN):
                await asyncio.gather(
                    *(player.sit_down(of) for player, of in zip(self.players, guests.salons, strict=True))
                )
        except TimeoutError:
            raise SideFault("not every salon has shown itself to its players") from None

    async def lap(self, seconds: float) -> Lap:
        """Let all play for so long, and be quiet again. Raises SideFault, Refused."""
        gc.collect()
        self.tally.clear()
        used = self._cpu()
        self.go()
        await asyncio.sleep(self._warm_up)
        first, began = len(self.tally.seconds), time.perf_counter()
        await asyncio.sleep(seconds)
        last, ended = len(self.tally.seconds), time.perf_counter()
        await self.rest()
        await self.quiet()
        if last - first < _LEAST:
            raise SideFault(
                f"{last - first} commands in {seconds} s say nothing: play longer rounds or more salons"
            )
        after = self._cpu()
        done = len(self.tally.seconds)
        return Lap(
            ended - began,
            tuple(self.tally.seconds[first:last]),
            {part: (after[part] - used[part]) / done for part in used},
            self.tally.messages / done,
            self.tally.bytes / done,
        )

    def go(self) -> None:
        """Let all play."""
        for player in self.players:
            player.go()

    async def rest(self) -> None:
        """Let nobody begin anything, and what is under way be answered. Raises SideFault, Refused."""
        for player in self.players:
            player.pause()
        await self._until(
            lambda: not any(player.busy for player in self.players),
            fault="a command was not answered",
            pause=_PAUSE,
        )

    async def quiet(self) -> None:
        """Wait until every table waits for a player who rests, and all who watch know. Raises SideFault, Refused."""
        await self._until(self._is_quiet, fault="not every table has gone on to a player's turn", pause=_LOOK)

    def _is_quiet(self) -> bool:
        # A table has one turn at a time. The quick question first: this is asked again and again.
        if sum(player.waiting for player in self.players) < len(self._tables):
            return False
        told: dict[str, int] = {}
        return all(
            told.setdefault(salon, seq) == seq
            for player in self.players
            for salon, seq in player.places.items()
        )

    async def _until(self, done: Callable[[], bool], *, fault: str, pause: float) -> None:
        try:
            async with asyncio.timeout(_SETTLES_WITHIN):
                while not done():
                    for player in self.players:
                        player.check()
                    await asyncio.sleep(pause)
        except TimeoutError:
            raise SideFault(f"{fault} in {_SETTLES_WITHIN:.0f} s") from None

    async def leave(self) -> None:
        """End all streams."""
        for player in self.players:
            await player.leave()


class BareService:
    """The other side's process, from `__aenter__` to `__aexit__`."""

    def __init__(self, recording: Path) -> None:
        self._recording = recording
        self._process: asyncio.subprocess.Process | None = None
        self.address = ""

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cluster.bench.echo", str(self._recording)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdout, "not a pipe"
        self.address = (await self._process.stdout.readline()).decode().strip()
        if not self.address:
            raise SideFault("the bare service ended at once")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process, "not begun"
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    def cpu(self) -> dict[str, int]:
        """What it and the players have used."""
        assert self._process, "not begun"
        return {Role.CLIENTS: cpu_of([psutil.Process()]), "echo": cpu_of([psutil.Process(self._process.pid)])}


async def rounds(
    cluster: OwnCluster, contest: Contest, tokens: Sequence[str], *, count: int, seconds: float
) -> AsyncIterator[Round]:
    """`count` rounds of so many seconds a side, kept in the contest.

    Raises:
        SideFault, Refused: what was played is not what is measured.
    """
    guests = await seated(cluster.address, tokens, salons_each=contest.salons_each)
    watch = Watch(cluster.run_dir)
    own = _side(
        contest.lane,
        cluster.address,
        tokens,
        lambda: {str(role): used for role, used in watch.cpu().items()},
        warm_up=PAUSE_MS / 1000,
    )
    recording = cluster.run_dir / f"{contest.name}.recording"
    try:
        await own.sit_down(guests)
        await _record(own, guests, recording)
        async with BareService(recording) as service:
            bare = _side(contest.lane, service.address, tokens, service.cpu)
            try:
                await bare.sit_down(guests)
                for number in range(count):
                    # Who was first in one round is second in the next.
                    first, second = (own, bare) if number % 2 == 0 else (bare, own)
                    laps = {first: await first.lap(seconds), second: await second.lap(seconds)}
                    contest.rounds.append(Round(laps[own], laps[bare]))
                    yield contest.rounds[-1]
            finally:
                await bare.leave()
    finally:
        await own.leave()


def _side(
    lane: Lane,
    address: str,
    tokens: Sequence[str],
    cpu: Callable[[], Mapping[str, int]],
    *,
    warm_up: float = WARM_UP,
) -> Side:
    tally = Tally()
    kind = PlayPlayer if lane is Lane.PLAY else UnaryPlayer
    players = [kind(address, token, number=number, tally=tally) for number, token in enumerate(tokens)]
    return Side(players, tally, cpu, warm_up=warm_up)


async def _record(side: Side, guests: Guests, recording: Path) -> None:
    """Play until each salon has had a whole hand, and write down what came. Raises SideFault, Refused."""
    recorder = Recorder(guests.tables, streams=SEATS)
    side.tally.heard, side.tally.answered = recorder.heard, recorder.answered
    side.go()
    try:
        async with asyncio.timeout(_RECORDS_WITHIN):
            while not recorder.complete:
                for player in side.players:
                    player.check()
                await asyncio.sleep(_LOOK)
    except TimeoutError:
        raise SideFault(f"not every salon has played a hand in {_RECORDS_WITHIN:.0f} s") from None
    await side.rest()
    await side.quiet()
    side.tally.heard = side.tally.answered = None
    save(recording, list(guests.tokens), recorder.scripts())


def report(measured: Sequence[Contest]) -> dict[str, Any]:
    """All that was measured, as JSON takes it.

    A key of `ratios` is a contest for the throughput, with `_p50` and `_p99` behind it for how many times as
    long an answer takes, and with `_cpu` for how many times as much CPU time a command costs.
    """
    ratios: dict[str, float] = {}
    for contest in measured:
        ratios[contest.name] = _ratio(contest, lambda lap: lap.rate)
        ratios[f"{contest.name}_p50"] = _ratio(contest, lambda lap: lap.percentile(50))
        ratios[f"{contest.name}_p99"] = _ratio(contest, lambda lap: lap.percentile(99))
        ratios[f"{contest.name}_cpu"] = _ratio(contest, lambda lap: sum(lap.cpu.values()))
    return {"ratios": ratios, "contests": {contest.name: _figures(contest) for contest in measured}}


def _ratio(contest: Contest, of: Callable[[Lap], float]) -> float:
    return round(median(of(each.own) / of(each.bare) for each in contest.rounds), 3)


def _figures(contest: Contest) -> dict[str, Any]:
    return {
        "lane": contest.lane.value,
        "streams": contest.streams,
        "salons_each": contest.salons_each,
        "croupier": _side_figures([each.own for each in contest.rounds]),
        "bare": _side_figures([each.bare for each in contest.rounds]),
        "round_ratios": [round(each.own.rate / each.bare.rate, 3) for each in contest.rounds],
    }


def _side_figures(laps: Sequence[Lap]) -> dict[str, Any]:
    return {
        "commands_per_second": round(median(lap.rate for lap in laps), 1),
        "p50_ms": round(1000 * median(lap.percentile(50) for lap in laps), 2),
        "p99_ms": round(1000 * median(lap.percentile(99) for lap in laps), 2),
        "cpu_us": {str(part): round(median(lap.cpu[part] for lap in laps), 1) for part in laps[0].cpu},
        "messages": round(median(lap.messages for lap in laps), 2),
        "bytes": round(median(lap.bytes for lap in laps)),
        "commands": sum(len(lap.latencies) for lap in laps),
    }
