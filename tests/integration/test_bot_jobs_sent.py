"""What Ray is sent for a hard bot's decision: the very bytes that it makes of a task, which tell nothing hidden."""

import pickle
import random
from collections.abc import Callable
from typing import Any

import msgpack
import pytest

from bots.brain import Fallback, Means, think
from bots.jobs import Executor, Job, parts
from bots.protocol import Observation, SeenAction, SeenSeat, observe
from bots.roster import hard_bot
from cluster.actors.bot_jobs import RayExecutor
from engine.game import Game
from engine.settings import BotLevel
from tests.bots.cheats import Tampering
from tests.bots.exposure import plain
from tests.bots.hidden_cards import Canary, Moment, marked, moments, redealt

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

DECISIONS = 200
"""With a job, a game."""
BUDGET_MS = 2_000
HEAD = 9
"""Bytes that Ray begins what it serialised with."""
PICKLED = b"\x80\x05"
"""Where a pickle begins."""
UNNAMED = b"__RAY_DUMMY__"


class Wire:
    """All that Ray serialises in this process, as the bytes that travel; by Ray's own serialiser."""

    def __init__(self, serialize: Callable[[Any], Any]) -> None:
        self._serialize = serialize
        self.sent: list[bytes] = []

    def serialize(self, value: Any) -> Any:
        made = self._serialize(value)
        self.sent.append(value if isinstance(value, bytes) else written(made.to_bytes()))
        return made


def written(data: bytes) -> bytes:
    """The bytes without those that Ray keeps free for a longer head: they are what was in memory before."""
    return data[: _head(data)[1]] + data[HEAD:]


def arrived(data: bytes) -> Any:
    """What is in the bytes that were written: a length, so much msgpack, and a list of what had to be pickled."""
    length, begins = _head(data)
    rest = data[begins + length :]
    if not rest:
        return msgpack.unpackb(data[begins:])
    return pickle.loads(rest[rest.index(PICKLED) :])[0]


def _head(data: bytes) -> tuple[int, int]:
    """The length that the bytes begin with, in msgpack, and where its own bytes end."""
    unpacker = msgpack.Unpacker()
    unpacker.feed(data[:HEAD])
    return unpacker.unpack(), unpacker.tell()


@pytest.fixture
def wire(ray_cluster: None, monkeypatch: pytest.MonkeyPatch) -> Wire:
    """Listens at the submission of tasks."""
    from ray._private.worker import global_worker  # noqa: PLC0415 - Ray reads its environment when it is imported

    context = global_worker.get_serialization_context()  # type: ignore[no-untyped-call]  # it ships none
    wire = Wire(context.serialize)
    monkeypatch.setattr(context, "serialize", wire.serialize)
    return wire


async def sent_for(moment: Moment, seed: int, wire: Wire, executor: Executor | None = None) -> list[bytes]:
    """What is sent for a decision, with the bot's own chance from `seed`."""
    wire.sent = []
    thought = await think(
        observe(moment.view),
        level=BotLevel.HARD,
        style=moment.style,
        rng=random.Random(seed),
        means=Means(executor or RayExecutor(), BUDGET_MS),
    )
    assert thought.fallback is not Fallback.PASSIVE, thought.action.why
    return wire.sent


def from_plain(packed: bytes) -> Observation:
    """The observation of `plain`, made of nothing but its bytes."""
    fields: list[Any] = msgpack.unpackb(packed)
    names = list(Observation.__dataclass_fields__)
    given: dict[str, Any] = dict(zip(names, fields, strict=True))
    given["cards"], given["board"] = tuple(given["cards"]), tuple(given["board"])
    given["seats"] = tuple(SeenSeat._make((*seat[:-1], tuple(seat[-1]))) for seat in given["seats"])
    given["history"] = tuple(SeenAction(*action) for action in given["history"])
    return Observation(**given)


@pytest.mark.parametrize("game", Game)
async def test_all_bytes_sent_for_a_decision_are_those_of_any_other_deal_of_the_hidden_cards(
    game: Game, wire: Wire
) -> None:
    """And what a worker finds in them is the job that follows from the observation's own bytes, and its part."""
    rng = random.Random(f"wire {game}")
    decisions = 0
    for moment in moments(game):
        seed = rng.getrandbits(32)
        sent = await sent_for(moment, seed, wire)
        if not sent:  # a table decides
            continue
        assert await sent_for(redealt(moment, rng), seed, wire) == sent
        seen = from_plain(plain(observe(moment.view)))
        job = hard_bot(game, moment.style).job(seen, random.Random(seed))
        assert job is not None
        assert _arguments(sent) == [(job, part, BUDGET_MS) for part in range(parts(job))]
        decisions += 1
        if decisions == DECISIONS:
            break
    assert decisions == DECISIONS


@pytest.mark.parametrize("game", Game)
async def test_one_bit_of_the_deck_in_what_is_sent_is_found_out(game: Game, wire: Wire) -> None:
    """The negative control."""
    rng = random.Random(f"bit {game}")
    for moment in moments(game)[:40]:
        sent, again = [
            await sent_for(one, 1, wire, Tampering(RayExecutor(), one.stub[0] & 1))
            for one in (moment, redealt(moment, rng))
        ]
        if sent != again:
            return
    pytest.fail("it was not")


@pytest.mark.parametrize("game", Game)
async def test_no_hidden_card_is_in_what_is_sent(game: Game, wire: Wire) -> None:
    """Hidden cards are numbers of a class of their own, which would be named in the bytes."""
    sent = []
    for moment in moments(game)[:100]:
        sent += await sent_for(marked(moment), 1, wire)
    assert len(sent) > 100
    assert not any(b"Canary" in data for data in sent)
    wire.serialize((Canary(1),))
    assert b"Canary" in wire.sent[-1]


def _arguments(sent: list[bytes]) -> list[tuple[Job, int, int]]:
    """The arguments of each task; Ray marks each by a constant before it, which says that it has no name."""
    values = [arrived(data) for data in sent if data != UNNAMED]
    return [tuple(values[at : at + 3]) for at in range(0, len(values), 3)]
