"""Density's benchmark: how many live salons a machine holds, packed into few hosts, and what each of them costs.

A live salon is one of either game that plays real hands by itself: six seats, bots of the three levels (60, 30 and 10
in 100 of all seats) at a natural pace, with a pause between hands that makes a salon act every two seconds. In one salon of a
hundred a gRPC client has a seat and acts as soon as it may; how long its answers take is measured there. What was committed is
counted in Redis, from each salon's seq before and after. An answer that has not come at the end counts with the time that it has
been waited for. Memory is what processes share with no other, beyond what a host takes with one salon, what the gateway takes
with that, and what Redis holds before it. Ray's workers, who think for the hard bots of all salons, are told of apart.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from statistics import quantiles
from typing import Any, Final

from redis.asyncio import Redis

from cluster.bench.guests import sign_in
from cluster.bench.own_cluster import OwnCluster
from cluster.bench.players import PlayPlayer, Tally
from cluster.bench.usage import Role, Watch
from cluster.client import Client, RefusedCall, new_request_id
from cluster.envelope import SalonId
from cluster.journal.salon_keys import key
from cluster.redis_door import connect
from croupier.v1.lobby_pb2 import CreateSalonRequest
from croupier.v1.salon_pb2 import JoinRequest, SitInRequest
from croupier.v1.settings_pb2 import (
    BOT_LEVEL_EASY,
    BOT_LEVEL_HARD,
    BOT_LEVEL_NORMAL,
    BOT_SPEED_NATURAL,
    GAME_DRAW,
    GAME_HOLDEM,
    BotSeat,
    SalonSettings,
)
from engine.value import value

MOST_P99_MS: Final = 250
MOST_KIB: Final = 100
MOST_PACE: Final = 2.0
"""Seconds from one commit of a salon to the next, at the mean."""
_SEATS: Final = 6
_LEVELS: Final = (BOT_LEVEL_EASY,) * 6 + (BOT_LEVEL_NORMAL,) * 3 + (BOT_LEVEL_HARD,)
"""Of ten seats in a row."""
_PAUSE_MS: Final = 10_000
"""Between hands: with it a salon of natural bots acts every two seconds or a little more often."""
_DEEP: Final = 2_000
"""Chips that a client brings: he is never broke, and has turns as long as is measured."""
_MOST_HANDS: Final = 1_000_000
_ONE_IN: Final = 100
"""Salons for each that a client sits in."""
_OWNS: Final = 100
"""Salons that one guest opens: a gateway lets him open so many at once."""
_AT_ONCE: Final = 16
_KIB: Final = 1024
_REST: Final = 2.0
_COUNTED_AT_ONCE: Final = 500


class HostLost(Exception):
    """A host was given up while it was measured."""


class Unanswered(Exception):
    """A client was told nothing while it was measured, or got no answer."""


@value
class Sat:
    """What one client saw: seconds from each command to its answer, and of one that is under way at the end; and messages."""

    answered: tuple[float, ...]
    waited: float | None
    messages: int


@value
class Found:
    """What was measured of so many salons in so many seconds."""

    salons: int
    hosts: int
    seconds: float
    commits: tuple[int, ...]
    """Of each salon."""
    clients: tuple[Sat, ...]
    cores: dict[str, float]
    """CPU seconds a second, by who used them."""
    base_bytes: int
    """Of a host with one salon."""
    gateway_bytes: float
    """A salon, in the gateway, which answers the clients of one in a hundred."""
    host_bytes: float
    """A salon, in hosts."""
    redis_bytes: float
    """A salon, in Redis."""
    workers: tuple[int, int]
    """Ray's workers that are no hosts, and the bytes of all of them."""


@value
class _Before:
    """Bytes of a host and of the gateway with one salon, and of Redis without any."""

    host: int
    gateway: int
    redis: int


async def measured(
    cluster: OwnCluster, salons: int, *, settle: float, seconds: float, opened: Callable[[], None]
) -> Found:
    """Open so many salons, let them play for `settle` seconds, and measure for `seconds` then; `opened` hears of each.

    Raises:
        Refused: a client's command was refused.
        HostLost: a host was given up meanwhile.
        Unanswered: a client was told nothing, or waits for his first answer.
    """
    redis = connect(cluster.redis_url)
    try:
        return await _Density(cluster, redis, opened).measured(salons, settle=settle, seconds=seconds)
    finally:
        await redis.aclose()


class _Density:
    def __init__(self, cluster: OwnCluster, redis: Redis, opened: Callable[[], None]) -> None:
        self._cluster = cluster
        self._redis = redis
        self._opened = opened
        self._watch = Watch(cluster.run_dir)

    async def measured(self, salons: int, *, settle: float, seconds: float) -> Found:
        tokens = await sign_in(self._cluster, -(-salons // _OWNS) + max(1, salons // _ONE_IN))
        owners, guests = tokens[: -(-salons // _OWNS)], tokens[-(-salons // _OWNS) :]
        redis_before = await self._redis_bytes()
        first = await self._open([owners[0]], 1, seated=0)
        await asyncio.sleep(_REST)
        self._watch.look()
        base = self._watch.own_memory(Role.HOSTS)
        before = _Before(base, self._watch.own_memory(Role.GATEWAY), redis_before)
        rest = await self._open(owners, salons, seated=len(guests), first=1)
        players = await self._seated(guests, rest)
        try:
            await asyncio.sleep(settle)
            return await self._counted(first + rest, players, seconds, before)
        finally:
            for player, _ in players:
                await player.leave()

    async def _counted(
        self,
        salons: Sequence[str],
        players: Sequence[tuple[PlayPlayer, Tally]],
        seconds: float,
        before: _Before,
    ) -> Found:
        self._watch.look()
        for _, tally in players:
            tally.clear()
        used, seqs, began = self._watch.cpu(), await self._seqs(salons), time.perf_counter()
        await asyncio.sleep(seconds)
        clients = []
        for player, tally in players:
            player.check()
            clients.append(Sat(tuple(tally.seconds), player.waited, tally.messages))
        see_answers(clients)
        after, ended_seqs, ended = self._watch.cpu(), await self._seqs(salons), time.perf_counter()
        self._see_hosts()
        took = ended - began
        hosts = len(self._watch.processes[Role.HOSTS])
        workers = self._watch.processes[Role.WORKERS]
        return Found(
            salons=len(salons),
            hosts=hosts,
            seconds=took,
            commits=tuple(last - first for first, last in zip(seqs, ended_seqs, strict=True)),
            clients=tuple(clients),
            cores={str(role): (after[role] - used[role]) / 1e6 / took for role in Role},
            base_bytes=before.host,
            gateway_bytes=(self._watch.own_memory(Role.GATEWAY) - before.gateway) / len(salons),
            host_bytes=(self._watch.own_memory(Role.HOSTS) - hosts * before.host) / len(salons),
            redis_bytes=(await self._redis_bytes() - before.redis) / len(salons),
            workers=(len(workers), self._watch.own_memory(Role.WORKERS)),
        )

    def _see_hosts(self) -> None:
        """See that the hosts are those that there were. Raises HostLost."""
        before = {process.pid for process in self._watch.processes[Role.HOSTS]}
        self._watch.look()
        gone = before - {process.pid for process in self._watch.processes[Role.HOSTS]}
        if gone:
            raise HostLost(
                f"{len(gone)} of {len(before)} hosts did not renew their lease in time and were given up: these salons "
                "are more than this machine holds now"
            )

    async def _open(self, owners: Sequence[str], last: int, *, seated: int, first: int = 0) -> list[str]:
        """The salons with the numbers from `first` to `last`, of whom the first `seated` leave a seat free."""
        limit = asyncio.Semaphore(_AT_ONCE)
        clients = [Client(self._cluster.address, plaintext=True, patience=120.0) for _ in owners]

        async def one(number: int) -> str:
            async with limit:
                client = clients[number // _OWNS]
                settings = settings_of(number, free=first <= number < first + seated)
                request = CreateSalonRequest(request_id=new_request_id(), settings=settings)
                salon = (await client.call(client.lobby.CreateSalon, request)).salon_id
                self._opened()
                return salon

        for client, token in zip(clients, owners, strict=True):
            client.token = token
        try:
            return await asyncio.gather(*(one(number) for number in range(first, last)))
        finally:
            for client in clients:
                await client.__aexit__()

    async def _seated(self, guests: Sequence[str], salons: Sequence[str]) -> list[tuple[PlayPlayer, Tally]]:
        """A player for each guest, who plays in a salon of his own, and what he does."""
        players = []
        for number, (token, salon) in enumerate(zip(guests, salons, strict=False)):
            async with Client(self._cluster.address, plaintext=True) as client:
                client.token = token
                join = JoinRequest(request_id=new_request_id(), salon_id=salon, buy_in=_DEEP)
                await client.call(client.salon.Join, join)
                await _post(client, salon)
            tally = Tally()
            player = PlayPlayer(self._cluster.address, token, number=number, tally=tally)
            await player.sit_down([salon])
            player.go()  # at once: a turn that ran out meanwhile would be acted in too late
            players.append((player, tally))
        return players

    async def _seqs(self, salons: Sequence[str]) -> list[int]:
        """How far each salon's log is."""
        seqs: list[int] = []
        for at in range(0, len(salons), _COUNTED_AT_ONCE):
            pipeline: Any = self._redis.pipeline(transaction=False)
            for salon in salons[at : at + _COUNTED_AT_ONCE]:
                pipeline.hget(key(SalonId(salon), "head"), "seq")
            seqs += [int(seq) for seq in await pipeline.execute()]
        return seqs

    async def _redis_bytes(self) -> int:
        memory: Any = await self._redis.info("memory")
        return int(memory["used_memory"])


async def _post(client: Client, salon: str) -> None:
    """Not to wait for the big blind, which comes to him in as many hands as there are seats."""
    post = SitInRequest(request_id=new_request_id(), salon_id=salon, post=True)
    try:
        await client.call(client.salon.SitIn, post)
    except RefusedCall as refused:
        if refused.reason != "ALREADY_SITTING_IN":
            raise


def settings_of(number: int, *, free: bool) -> SalonSettings:
    """The settings of salon `number`, with a free seat where a client comes, who may bring more than the bots do."""
    game = (GAME_HOLDEM, GAME_DRAW)[number % 2]
    first = number * _SEATS
    levels = [_LEVELS[(first + seat) % len(_LEVELS)] for seat in range(_SEATS - 1 if free else _SEATS)]
    settings = SalonSettings(
        game=game,
        seats=_SEATS,
        bots=[BotSeat(level=level) for level in levels],
        bot_speed=BOT_SPEED_NATURAL,
        between_hands_ms=_PAUSE_MS,
        plays_unwatched=True,
        max_buy_in=_DEEP if free else None,
    )
    if game == GAME_DRAW:
        settings.hand_limit = _MOST_HANDS
    return settings


def see_answers(clients: Sequence[Sat]) -> None:
    """See that each client was told something, and that none waits for the first answer of all. Raises Unanswered."""
    silent = sum(not each.messages for each in clients)
    waiting = sum(not each.answered and each.waited is not None for each in clients)
    if silent or waiting:
        raise Unanswered(
            f"of {len(clients)} clients {silent} were told nothing and {waiting} sent a command and had no answer "
            "to any: these salons are more than this machine holds now"
        )


def report(found: Found) -> dict[str, Any]:
    """All that was measured, as JSON takes it; a ratio is what was found by what is asked for."""
    answers = [seconds for each in found.clients for seconds in each.answered]
    waiting = [each.waited for each in found.clients if each.waited is not None]
    p50, p99 = (_percentile([*answers, *waiting], percent) for percent in (50, 99))
    moved_on, commits = sum(count > 0 for count in found.commits), sum(found.commits)
    pace = found.salons * found.seconds / max(1, commits)
    workers, worker_bytes = found.workers
    kib = {
        "hosts": found.host_bytes / _KIB,
        "gateway": found.gateway_bytes / _KIB,
        "redis": found.redis_bytes / _KIB,
    }
    ratios = {
        "moved_on": round(moved_on / found.salons, 4),
        "pace_by_2_s": round(pace / MOST_PACE, 3),
        "clients_answered": round(sum(bool(each.answered) for each in found.clients) / len(found.clients), 4),
        "memory_by_100_kib": round(sum(kib.values()) / MOST_KIB, 3),
    }
    if p99 is not None:
        ratios["p99_by_250_ms"] = round(p99 / MOST_P99_MS, 3)
    return {
        "ratios": ratios,
        "salons": found.salons,
        "hosts": found.hosts,
        "clients": len(found.clients),
        "seconds": round(found.seconds, 1),
        "moved_on": moved_on,
        "commits_per_second": round(commits / found.seconds, 1),
        "seconds_a_commit": round(pace, 2),
        "slowest_salon_commits": min(found.commits),
        "client_answers": {
            "count": len(answers),
            "waiting": len(waiting),
            "p50_ms": p50,
            "p99_ms": p99,
        },
        "kib_a_salon": {part: round(size, 1) for part, size in kib.items()},
        "host_base_mib": round(found.base_bytes / _KIB / _KIB, 1),
        "workers": {"count": workers, "mib": round(worker_bytes / _KIB / _KIB, 1)},
        "cores_used": {part: round(cores, 3) for part, cores in found.cores.items()},
    }


def _percentile(latencies: Sequence[float], percent: int) -> float | None:
    """In milliseconds; None where there are too few for any."""
    if len(latencies) <= 1:
        return None
    return round(1000 * quantiles(latencies, n=100, method="inclusive")[percent - 1], 1)
