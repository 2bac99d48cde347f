"""Golden journals: salons as a version of the product wrote them into Redis, key by key, and how to write new ones.

    python -m tests.golden.journals VERSION REDIS_URL    writes journals/VERSION-GAME.json for each game

Those of earlier versions are never written again: whatever is released later must go on with them.
"""

import asyncio
import base64
import json
import random
import sys
from pathlib import Path
from typing import Any

from cluster.envelope import SalonId
from cluster.journal.log import Activated, Appended
from cluster.journal.redis_journal import Journal
from cluster.journal.salon_keys import key
from cluster.redis_door import connect
from cluster.salons.memory import Memory, Origin, digest_of
from engine.cards import FULL_DECK
from engine.commands import Command, StartHand
from engine.decide import Decision, decide
from engine.game import Game
from engine.record import table_to_plain
from engine.units import Millis, PlayerId
from engine.view import view_of
from tests.cluster.salons import easy_turn, join, opening

HERE = Path(__file__).parent / "journals"
HANDS = 3
PLAYERS = ("ann", "bob", "cid")


class Scribe:
    """Plays a salon into a journal: three whole hands, and a fourth until its third turn."""

    def __init__(self, journal: Journal, salon: SalonId) -> None:
        self.journal = journal
        self.salon = salon
        self.rng = random.Random(7)
        self.now = 1_000_000

    async def write(self, game: Game) -> Memory:
        assert isinstance(await self.journal.create(opening(game, self.salon, at=self.now)), Appended)
        head = await self.journal.head(self.salon)
        assert head is not None
        assert isinstance(await self.journal.activate(self.salon, head.epoch, "host:golden"), Activated)
        loaded = await self.journal.load(self.salon)
        assert loaded is not None
        self.memory = Memory(loaded)
        for seat, player in enumerate(PLAYERS, 1):
            await self.do(join(player, seat), player)
        for _ in range(HANDS):
            await self.deal()
            while self.memory.table.in_hand:
                await self.act()
        await self.deal()
        for _ in range(2):
            await self.act()
        return self.memory

    async def deal(self) -> None:
        deck = self.rng.sample(FULL_DECK, 52)
        self.now = max(self.now, self.memory.table.next_hand_at)
        await self.do(StartHand(tuple(deck), self.rng.randrange(2_520)))

    async def act(self) -> None:
        table = self.memory.table
        assert table.hand is not None
        player = table.players[table.hand.to_act]
        assert player is not None
        await self.do(easy_turn(view_of(table, table.hand.to_act), player.player), player.player)

    async def do(self, command: Command, player: str = "") -> None:
        self.now += 1_000
        decision = decide(self.memory.table, command, now=Millis(self.now))
        assert isinstance(decision, Decision), decision
        origin = Origin()
        if player:
            origin = Origin(PlayerId(player), f"r{self.now}", digest_of(command))
        step = await self.memory.step(self.salon, decision, origin, at=Millis(self.now), log=self.journal)
        assert isinstance(await self.journal.append(step.commit), Appended)
        self.memory.advance(step)


async def keys_of(store: Any, salon: SalonId) -> dict[str, Any]:
    """What stands in the salon's keys, as JSON takes it."""
    found: dict[str, Any] = {}
    for part in ("head", "vault", "hands", "replies"):
        found[part] = {
            _text(name): _coded(raw) for name, raw in (await store.hgetall(key(salon, part))).items()
        }
    found["snap"] = [_coded(raw) for raw in await store.lrange(key(salon, "snap"), 0, -1)]
    found["log"] = [
        [_text(at), {_text(name): _coded(raw) for name, raw in fields.items()}]
        for at, fields in await store.xrange(key(salon, "log"))
    ]
    return found


async def put_back(store: Any, salon: SalonId, found: dict[str, Any]) -> None:
    """Let the salon's keys be what they were."""
    for part in ("head", "vault", "hands", "replies"):
        if found[part]:
            fields = {name: base64.b64decode(raw) for name, raw in found[part].items()}
            await store.hset(key(salon, part), mapping=fields)
    for raw in found["snap"]:
        await store.rpush(key(salon, "snap"), base64.b64decode(raw))
    for at, fields in found["log"]:
        entry = {name: base64.b64decode(raw) for name, raw in fields.items()}
        await store.xadd(key(salon, "log"), entry, id=at)


def _coded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _text(raw: Any) -> str:
    return raw.decode() if isinstance(raw, bytes) else str(raw)


async def main(version: str, url: str) -> None:
    """Write the journals of this version."""
    store = connect(url)
    for game in Game:
        salon = SalonId(f"golden{game.value}")
        memory = await Scribe(Journal(store), salon).write(game)
        golden = {
            "salon": salon,
            "keys": await keys_of(store, salon),
            "table": table_to_plain(memory.table),
            "deck": list(memory.table.hand.deck) if memory.table.hand else [],
            "seq": memory.seq,
        }
        (HERE / f"{version}-{game.value}.json").write_text(
            json.dumps(golden, indent=1, sort_keys=True) + "\n"
        )
    await store.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
