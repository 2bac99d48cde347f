"""A store that forgets, and what is asked of a salon afterwards."""

from collections.abc import Awaitable, Callable
from typing import Any

from redis.asyncio import Redis

from cluster.envelope import Accepted, Seq
from cluster.journal.log import (
    Entry,
    Loaded,
)
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from engine.events import Event
from engine.record import table_to_plain
from tests.cluster.bench import Bench
from tests.cluster.salons import SALON, join

PARTS = ("head", "log", "vault", "snap", "hands", "replies")
PLAYERS = ("ann", "bob", "cid")
Damage = Callable[["Store"], Awaitable[None]]


class Store:
    """The salon's keys, which may be taken away or brought back."""

    def __init__(self, redis: Redis) -> None:
        self.redis: Any = redis
        self.old: dict[str, bytes] = {}

    async def remember(self) -> None:
        self.old = {part: await self.redis.dump(key(SALON, part)) for part in PARTS}

    async def bring_back(self, *parts: str) -> None:
        """Let these keys, or all, be what they were when they were remembered."""
        for part in parts or PARTS:
            await self.redis.delete(key(SALON, part))
            if self.old[part]:
                await self.redis.restore(key(SALON, part), 0, self.old[part])

    async def entries(self) -> list[tuple[bytes, dict[bytes, bytes]]]:
        entries: list[tuple[bytes, dict[bytes, bytes]]] = await self.redis.xrange(key(SALON, "log"))
        return entries

    async def cut(self, count: int, *, end: bool = True) -> None:
        places = [place for place, _ in await self.entries()]
        await self.redis.xdel(key(SALON, "log"), *(places[-count:] if end else places[-count - 1 : -1]))

    async def change_the_last(self) -> None:
        """Let the last entry have happened a millisecond later."""
        entries = await self.entries()
        await self.redis.delete(key(SALON, "log"))
        entries[-1][1][b"t"] = b"%d" % (int(entries[-1][1][b"t"]) + 1)
        for place, fields in entries:
            await self.redis.xadd(key(SALON, "log"), fields, id=place)


async def two_turns_into_a_hand(store: Redis) -> Bench:
    """A second hand, two turns old; the first is finished."""
    bench = await Bench(journal=Journal(store)).opened(turn_time=20_000, time_bank=0)
    await bench.seated(*PLAYERS)
    await bench.ring()
    await bench.play_out()
    await bench.ring()
    for _ in range(2):
        await bench.done(bench.turn())
    return bench


async def loaded(bench: Bench) -> Loaded:
    found: Loaded | None = await bench.journal.load(bench.name)
    assert found is not None
    return found


async def whole(bench: Bench) -> None:
    """Nothing is missing, and what is read back is what the salon has in memory."""
    found = await loaded(bench)
    assert (found.loss, found.torn) == (None, False)
    before, seq = table_to_plain(bench.table), found.head.seq
    deck = bench.table.hand.deck if bench.table.hand else ()
    replies = found.replies
    old, bench.salon = bench.salon, await bench.activated("host:z")
    old.close()
    assert table_to_plain(bench.table) == before
    assert (bench.table.hand.deck if bench.table.hand else ()) == deck
    again = await loaded(bench)
    assert (again.head.seq, again.replies) == (seq, replies)


def happened(entries: list[Entry], kind: type[Event]) -> list[Event]:
    return [event for entry in entries for event in entry.events if isinstance(event, kind)]


async def read(bench: Bench) -> list[Entry]:
    head = await bench.journal.head(bench.name)
    entries: list[Entry] = await bench.journal.read(bench.name, (type(head.epoch)(0), Seq(0)))
    return entries


async def two_more(bench: Bench, keys: Store) -> tuple[Accepted, Accepted]:
    """Remember the store, and do two commands more."""
    await keys.remember()
    first = await bench.done(join("dan", 4), "sit")
    return first, await bench.done(bench.turn(), "turn")


async def rolled_back(keys: Store) -> None:
    await keys.bring_back()


async def entries_cut(keys: Store) -> None:
    await keys.cut(2)


async def entry_gone(keys: Store) -> None:
    await keys.cut(1, end=False)


async def log_gone(keys: Store) -> None:
    await keys.redis.xtrim(key(SALON, "log"), maxlen=0)


async def log_is_old(keys: Store) -> None:
    await keys.bring_back("log")


async def head_is_old(keys: Store) -> None:
    await keys.bring_back("head")


async def head_and_log_are_old(keys: Store) -> None:
    await keys.bring_back("head", "log")


LIVE: list[Damage] = [
    rolled_back,
    entries_cut,
    entry_gone,
    log_gone,
    log_is_old,
    head_is_old,
    head_and_log_are_old,
]
"""What may befall the log of a live salon, which writes it again."""


async def vault_gone(keys: Store) -> None:
    await keys.redis.delete(key(SALON, "vault"))


async def vault_changed(keys: Store) -> None:
    """Each part is a byte longer."""
    for seq, part in (await keys.redis.hgetall(key(SALON, "vault"))).items():
        await keys.redis.hset(key(SALON, "vault"), seq, part + b"\x00")


async def vault_changed_and_entries_cut(keys: Store) -> None:
    await vault_changed(keys)
    await keys.cut(2)


async def entry_changed(keys: Store) -> None:
    await keys.change_the_last()


async def snapshot_is_old(keys: Store) -> None:
    """The table before the first hand, and no entry of that hand any more."""
    await keys.redis.lpop(key(SALON, "snap"))
    first = (await keys.entries())[0][0]
    await keys.redis.xdel(key(SALON, "log"), first)


DEAD: list[tuple[Damage, int]] = [
    (entries_cut, 2),
    (entry_gone, 2),
    (log_gone, 4),
    (log_is_old, 2),
    (head_is_old, 0),
    (vault_gone, 0),
    (vault_changed, 0),
    (vault_changed_and_entries_cut, 2),
    (entry_changed, 1),
]
"""What may befall the log of a salon that nobody has, and how many commits are lost by it."""
