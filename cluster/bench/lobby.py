"""The lobby's benchmark: very many salons that nobody runs, of which some were played, and how long a page of them takes.

Salons of both games are created with all numbers of seats and bots, five stakes, and one in ten by invitation. The first of them
play: two bots, of easy and normal, alone and at once, at least one whole hand each on hosts of the cluster, then one bot is taken away
and the salon is left to the product's own passivation. The next ones are opened through the gateway as well; the rest by the
function that its CreateSalon calls, in processes of their own, all at the same time. Pages are asked for one at a time through the gateway, when nobody
runs any salon; before that all pages of some filters are read, which must say each salon that fits once, and as it was created.
Then some salons are looked for by their ids, and a player sits down in each of them. What is held to a bound is the worst that there
is: of the pages the filter, depth and size with the slowest median, pages that list nothing left out; of the memory the greatest of
what Redis counts and what is resident, before the first page and at the end.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from statistics import median, quantiles
from typing import Any, Final

from redis.asyncio import Redis

from cluster.bench import lobby_guests
from cluster.bench.guests import sign_in
from cluster.bench.lobby_pages import SIZES, WALKED, Created, Paged, Wrong, pages, walked
from cluster.bench.lobby_salons import bots_at_rest
from cluster.bench.own_cluster import OwnCluster
from cluster.bench.usage import Role, Watch
from cluster.client import Client, new_request_id
from cluster.envelope import SalonId
from cluster.journal.salon_keys import key
from cluster.redis_door import connect
from cluster.secret import Secret
from croupier.v1.lobby_pb2 import FindSalonRequest
from croupier.v1.salon_pb2 import JoinRequest
from croupier.v1.settings_pb2 import VISIBILITY_INVITATION
from engine.value import changed, value

MOST_PAGE_MS: Final = 50
MOST_BYTES: Final = 2_500_000_000
IDLE_MS: Final = 1_000
PER_ACTOR: Final = 300
"""Salons of a host, so that those that play are on several."""
_OPENERS: Final = 3
_LOOKED_FOR: Final = 200
_SAT_IN: Final = 50
_ROWS: Final = "{lobby:0}:rows"
_PARTS: Final = ("head", "log", "vault", "snap", "hands", "replies", "retired")
_SHARED: Final = (_ROWS, "{lobby:0}:index:*", "sleepers")
_SAMPLES: Final = 1_000
_PATIENCE: Final = 60.0


class OpenerLost(Exception):
    """A process that opens salons ended before it was done."""


@value
class Wanted:
    """How many salons, how many of them play and how many more are opened through the gateway, and rounds of pages."""

    salons: int
    played: int
    through_gateway: int
    rounds: int


@value
class Step:
    """A part of the work: how many salons it opened, and in how many seconds."""

    salons: int
    seconds: float


@value
class Kept:
    """What Redis takes: of memory in all, as it counts and as the system does; and of salons by part."""

    used: int
    resident: int
    most: int
    """The greater of both, and of both at the end."""
    before: int
    by_part: dict[str, float]
    """Bytes a salon of those that were looked at, by the server's MEMORY USAGE."""


@value
class Found:
    """What was measured."""

    wanted: Wanted
    steps: dict[str, Step]
    walked: dict[str, int]
    """Rows of all pages of a filter."""
    paged: tuple[Paged, ...]
    page_cpu_us: dict[str, float]
    found_by_id: int
    first_answers: tuple[float, ...]
    """Seconds until a salon that slept had a player sit down."""
    kept: Kept


async def measured(cluster: OwnCluster, wanted: Wanted, *, done: Callable[[str, int], None]) -> Found:
    """Open the salons, let them fall asleep, and measure; `done` hears of a part of the work that more of it is done.

    Raises:
        Wrong: the lobby or a salon does not say what it should.
        NotPlayed, OpenerLost: the salons are not what is to be measured.
        RefusedCall, Unreachable: the gateway did not do its part.
    """
    redis = connect(cluster.redis_url)
    try:
        return await _Lobby(cluster, redis, wanted, done).measured()
    finally:
        await redis.aclose()


class _Lobby:
    def __init__(
        self, cluster: OwnCluster, redis: Redis, wanted: Wanted, done: Callable[[str, int], None]
    ) -> None:
        self._cluster = cluster
        self._redis = redis
        self._wanted = wanted
        self._done = done
        self._chance = random.Random(1)
        self._numbers: dict[str, int] = {}
        self._steps: dict[str, Step] = {}

    async def measured(self) -> Found:
        before = (await self._memory())["used_memory"]
        await self._open()
        created = Created(self._numbers, self._wanted.played)
        await lobby_guests.asleep(
            self._redis, [salon for salon, n in self._numbers.items() if n < self._wanted.played]
        )
        kept = await self._kept(before)
        if (rows := await self._redis.hlen(_ROWS)) != self._wanted.salons:
            raise Wrong(f"the lobby has {rows} rows of {self._wanted.salons} salons")
        (token,) = await sign_in(self._cluster, 1)
        async with Client(self._cluster.address, plaintext=True, patience=_PATIENCE) as client:
            client.token = token
            cursors: dict[tuple[int, int], list[str]] = {}
            lengths: dict[str, int] = {}
            for asked in WALKED:
                rows_of: list[int] = []
                cursors[asked] = await walked(client, created, asked, paged=rows_of.append)
                lengths[f"game_{asked[0]}_free_{asked[1]}"] = sum(rows_of)
                self._done("reading all pages", 1)
            paged, cpu = await self._pages(client, cursors[WALKED[0]])
            found = await self._found(client, created)
            answers = await self._woken(client, created)
        return Found(
            wanted=self._wanted,
            steps=self._steps,
            walked=lengths,
            paged=tuple(paged),
            page_cpu_us=cpu,
            found_by_id=found,
            first_answers=tuple(answers),
            kept=changed(kept, most=max(kept.most, *(await self._memory()).values())),
        )

    # Opening

    async def _open(self) -> None:
        """Open all salons, in all ways at the same time. Raises OpenerLost, NotPlayed, RefusedCall."""
        wanted = self._wanted
        through = min(wanted.salons, wanted.played + wanted.through_gateway)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._opened_by_guests("played", range(wanted.played)))
            tasks.create_task(self._opened_by_guests("through_gateway", range(wanted.played, through)))
            tasks.create_task(self._opened_by_function(range(through, wanted.salons)))
        if len(self._numbers) != wanted.salons:
            raise OpenerLost(f"{len(self._numbers)} salons of {wanted.salons} were opened")

    async def _opened_by_guests(self, step: str, numbers: range) -> None:
        began = time.perf_counter()
        ids = await lobby_guests.opened(
            self._cluster,
            self._redis,
            numbers,
            plays=step == "played",
            done=lambda more: self._done("opening", more),
        )
        self._numbers.update((salon, number) for number, salon in ids.items())
        self._steps[step] = Step(len(numbers), time.perf_counter() - began)

    async def _opened_by_function(self, numbers: range) -> None:
        began = time.perf_counter()
        bounds = [numbers.start + len(numbers) * part // _OPENERS for part in range(_OPENERS + 1)]
        async with asyncio.TaskGroup() as tasks:
            for first, last in pairwise(bounds):
                tasks.create_task(self._opened_apart(first, last))
        self._steps["by_its_function"] = Step(len(numbers), time.perf_counter() - began)

    async def _opened_apart(self, first: int, last: int) -> None:
        """Have a process open salons. Raises OpenerLost."""
        run_dir = self._cluster.run_dir
        with (run_dir / "openers.log").open("ab") as log:
            opener = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "cluster.bench.lobby_opener"),
                *(self._cluster.redis_url, str(first), str(last)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert opener.stdout, "not a pipe"
        try:
            while line := (await opener.stdout.readline()).decode():
                number, salon = line.split()
                self._numbers[salon] = int(number)
                self._done("opening", 1)
            if await opener.wait():
                said = (run_dir / "openers.log").read_text(errors="replace").strip().splitlines()
                raise OpenerLost(
                    f"a process that opens salons ended: {said[-1] if said else 'it said nothing'}"
                )
        finally:
            with suppress(ProcessLookupError):
                opener.terminate()
            await opener.wait()

    # Measuring

    async def _pages(self, client: Client, cursors: list[str]) -> tuple[list[Paged], dict[str, float]]:
        watch = Watch(self._cluster.run_dir)
        used = watch.cpu()
        paged = await pages(client, cursors, rounds=self._wanted.rounds, chance=self._chance)
        after = watch.cpu()
        self._done("pages", len(paged))
        return paged, {str(role): (after[role] - used[role]) / len(paged) for role in Role}

    async def _found(self, client: Client, created: Created) -> int:
        """Look for some salons by their ids. Raises Wrong, RefusedCall."""
        some = self._some(_LOOKED_FOR)
        for salon in some:
            code = await self._code(salon, created)
            row = (
                await client.call(
                    client.lobby.FindSalon, FindSalonRequest(salon_id=salon, invitation_code=code)
                )
            ).salon
            if row.salon_id != salon or row.seats != created.settings(created.numbers[salon]).seats:
                raise Wrong(f"salon {salon} was looked for and {row} found")
        return len(some)

    async def _woken(self, client: Client, created: Created) -> list[float]:
        """Sit down in some salons that sleep. Raises Wrong, RefusedCall."""
        times = []
        for salon in self._some(_SAT_IN, least_free=1):
            head = await self._redis.hmget(key(SalonId(salon), "head"), ["seq", "host"])
            if head[1]:
                raise Wrong(f"salon {salon} is run by {head[1]!r} when it should sleep")
            bots = bots_at_rest(created.settings(self._numbers[salon]))
            code = await self._code(salon, created)
            join = JoinRequest(request_id=new_request_id(), salon_id=salon, invitation_code=code)
            began = time.perf_counter()
            answer = (await client.call(client.salon.Join, join)).accepted
            times.append(time.perf_counter() - began)
            if answer.seq != int(head[0] or 0) + 1 or len(answer.view.seats) != bots + 1:
                raise Wrong(f"salon {salon} went on with commit {answer.seq} after {head[0]!r}")
        return times

    def _some(self, count: int, *, least_free: int = 0) -> list[str]:
        """Salons by chance; with `least_free` such as have room."""
        created = Created(self._numbers, self._wanted.played)
        salons = [*self._numbers]
        self._chance.shuffle(salons)
        found: list[str] = []
        for salon in salons:
            if len(found) == count:
                break
            settings = created.settings(self._numbers[salon])
            if settings.seats - len(settings.bots) >= least_free:
                found.append(salon)
        return found

    async def _code(self, salon: str, created: Created) -> str:
        """What lets anybody in, where the salon is by invitation."""
        if created.settings(created.numbers[salon]).visibility != VISIBILITY_INVITATION:
            return ""
        return (await Secret.read(self._redis)).invitation(SalonId(salon))

    async def _memory(self) -> dict[str, int]:
        memory: Any = await self._redis.info("memory")
        return {name: int(memory[name]) for name in ("used_memory", "used_memory_rss")}

    async def _kept(self, before: int) -> Kept:
        memory = await self._memory()
        some = self._some(_LOOKED_FOR)
        by_part: dict[str, float] = {}
        for part in _PARTS:
            pipeline: Any = self._redis.pipeline(transaction=False)
            for salon in some:
                pipeline.memory_usage(key(SalonId(salon), part), samples=0)
            by_part[part] = round(sum(size or 0 for size in await pipeline.execute()) / len(some), 1)
        for pattern in _SHARED:
            names: Any = (
                [name async for name in self._redis.scan_iter(pattern, count=10_000)]
                if "*" in pattern
                else [pattern]
            )
            sizes = [await self._redis.memory_usage(name, samples=_SAMPLES) or 0 for name in names]
            by_part[pattern] = round(sum(sizes) / self._wanted.salons, 1)
        used, resident = memory["used_memory"], memory["used_memory_rss"]
        return Kept(used, resident, max(used, resident), before, by_part)


def report(found: Found) -> dict[str, Any]:
    """All that was measured, as JSON takes it; a ratio is what was found by what is asked for, at the worst."""
    wanted, kept = found.wanted, found.kept
    slowest = _slowest(found.paged)
    return {
        "ratios": {
            "page_median_by_50_ms": round(slowest["p50_ms"] / MOST_PAGE_MS, 3),
            "redis_by_2_5_gb": round(kept.most / MOST_BYTES, 4),
        },
        "salons": wanted.salons,
        "played": wanted.played,
        "opened": {
            name: {
                "salons": step.salons,
                "seconds": round(step.seconds, 1),
                "per_second": round(step.salons / max(step.seconds, 1e-3), 1),
            }
            for name, step in found.steps.items()
        },
        "all_pages": found.walked,
        "pages": {
            **{
                name: _milliseconds([each.seconds for each in found.paged if chosen(each)])
                for name, chosen in _KINDS.items()
            },
        },
        "slowest": slowest,
        "rows": sum(page.rows for page in found.paged),
        "page_cpu_us": {role: round(us) for role, us in found.page_cpu_us.items()},
        "found_by_id": found.found_by_id,
        "first_commands": _milliseconds(found.first_answers),
        "redis": {
            "used_bytes": kept.used,
            "resident_bytes": kept.resident,
            "most_bytes": kept.most,
            "bytes_before": kept.before,
            "bytes_a_salon": round((kept.used - kept.before) / wanted.salons),
            "by_part": kept.by_part,
        },
    }


_KINDS: Final[dict[str, Callable[[Paged], bool]]] = {
    "every": lambda _: True,
    "with_rows": lambda page: page.rows > 0,
    "first": lambda page: not page.deep,
    "deep": lambda page: page.deep,
    "no_filter": lambda page: not page.game and not page.least_free,
    "of_50": lambda page: page.size == min(SIZES),
    "of_100": lambda page: page.size == max(SIZES),
}


def _slowest(paged: Sequence[Paged]) -> dict[str, Any]:
    """The filter, depth and size whose median is the greatest, of pages that list a salon."""
    kinds: dict[tuple[bool, int, int, int], list[float]] = {}
    for page in paged:
        if page.rows:
            kinds.setdefault((page.deep, page.game, page.least_free, page.size), []).append(page.seconds)
    (deep, game, free, size), times = max(kinds.items(), key=lambda kind: median(kind[1]))
    return {"deep": deep, "game": game, "least_free": free, "size": size} | _milliseconds(times)


def _milliseconds(times: Sequence[float]) -> dict[str, Any]:
    p99 = quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0]
    return {
        "count": len(times),
        "p50_ms": round(1000 * median(times), 2),
        "p99_ms": round(1000 * p99, 2),
        "most_ms": round(1000 * max(times), 2),
    }
