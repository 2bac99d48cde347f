"""Logs of every released version stay readable: what each wrote is loaded, goes on, and is what it was."""

import json
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from cluster.envelope import Seq
from cluster.journal.log import replay
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.routing.hosts import Admitted
from cluster.watching.replica import Replica
from engine.record import table_from_plain, table_to_plain
from engine.units import HandNumber
from tests.cluster.bench import Bench
from tests.cluster.salons import chips
from tests.golden.journals import HANDS, HERE, put_back

pytestmark = pytest.mark.integration
GOLDEN = sorted(HERE.glob("*.json"))


def read(path: Path) -> dict[str, Any]:
    golden: dict[str, Any] = json.loads(path.read_text())
    return golden


def test_there_is_one_of_each_game_and_version() -> None:
    versions = {path.stem.partition("-")[0] for path in GOLDEN}
    assert versions >= {"v1"}
    assert [path.stem for path in GOLDEN] == sorted(
        f"{v}-{game}" for v in versions for game in ("draw", "holdem")
    )


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
async def test_a_journal_is_replayed_as_it_was_written(store: Redis, path: Path) -> None:
    """With its deck and the finished hands; a replica has the same."""
    golden = read(path)
    await put_back(store, golden["salon"], golden["keys"])
    journal = Journal(store)
    loaded = await journal.load(golden["salon"])
    assert loaded is not None
    assert loaded.head.seq == golden["seq"]
    table = replay(loaded)
    # As the version that wrote it said, with what it did not know yet.
    assert table_to_plain(table) == table_to_plain(table_from_plain(golden["table"]))
    assert table.hand is not None
    assert list(table.hand.deck) == golden["deck"]
    assert sorted(await journal.hands(golden["salon"])) == list(range(1, HANDS + 1))
    for number in range(1, HANDS + 1):
        record = await journal.hand(golden["salon"], HandNumber(number))
        assert record is not None
        assert record.events[-1] is not None
    entries = await journal.read(golden["salon"], (loaded.head.epoch, Seq(0)))
    replica = Replica(golden["salon"], await journal.snapshots(golden["salon"]), entries)
    assert replica.live.seq == golden["seq"]
    assert replica.live.table.stacks == table.stacks


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
async def test_a_journal_is_gone_on_with(store: Redis, path: Path) -> None:
    """A salon takes it up, plays the hand to its end and another one, and it is read back."""
    golden = read(path)
    await put_back(store, golden["salon"], golden["keys"])
    bench = Bench(journal=Journal(store))
    bench.name = golden["salon"]
    bench.clock.time = golden["table"]["hand"]["deadline"] - 5_000
    bench.salon = await bench.activated("host:b")
    held = chips(bench.table)
    await bench.play_out()
    await bench.ring()
    await bench.play_out()
    assert chips(bench.table) == held
    before = table_to_plain(bench.table)
    bench.salon._drop()
    assert await bench.salon.load() == Admitted()
    assert table_to_plain(bench.table) == before
    assert await bench.journal.hands(golden["salon"]) == list(range(HANDS + 2, 0, -1))
    assert int(await store.hget(key(golden["salon"], "head"), "schema") or 0) >= 2
    bench.salon.close()
