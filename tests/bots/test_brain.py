"""The brain comes back with a legal action, whatever happens to the samples or to the bot."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from bots import brain
from bots.arena import act, deal, seated, shuffled, to_act
from bots.brain import Fallback, Thought, think
from bots.hard import CHUNK_SAMPLES, CHUNKS
from bots.in_process import InProcess
from bots.old_equity import EquityJob, Executor, ExecutorLost, Tally, chunk_seed, run_chunk
from bots.protocol import BotAction, NotYourTurn, Observation, is_legal, observe
from bots.roster import bot, hard_bot
from engine.game import Game
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.table import Table
from engine.units import Seat
from engine.view import view_of

Run = Callable[[EquityJob], Awaitable[Tally]]


class Scripted:
    """An executor that answers as told, and remembers what it was asked."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.jobs: list[EquityJob] = []

    async def run(self, job: EquityJob, *, chunks: int, deadline_ms: int) -> Tally:
        self.jobs.append(job)
        return await self._run(job)


async def lost(job: EquityJob) -> Tally:
    raise ExecutorLost("no worker")


async def hanging(job: EquityJob) -> Tally:
    await asyncio.Event().wait()
    raise AssertionError


async def empty(job: EquityJob) -> Tally:
    return Tally()


async def partial(job: EquityJob) -> Tally:
    return run_chunk(job, chunk_seed(job, 0), job.samples)


def table_on(game: Game, street: str, seed: int = 1) -> Table:
    """A table with somebody to act on `street`."""
    rng = random.Random(seed)
    settings = make_settings(game, {"seats": 3, "hand_limit": 100})
    assert isinstance(settings, Settings)
    while True:
        table = deal(seated(settings, 3), shuffled(rng))
        while to_act(table):
            observation = observe(view_of(table, to_act(table)))
            if observation.street == street:
                return table
            kind = "draw" if observation.draw else "check" if observation.check else "call"
            table = act(table, lambda _, kind=kind: BotAction(kind))  # type: ignore[misc]


async def thought_of(table: Table, executor: Executor, level: BotLevel = BotLevel.HARD) -> Thought:
    view = view_of(table, to_act(table))
    rng = random.Random(9)
    thought = await think(
        view, level=level, style=BotStyle.BALANCED, rng=rng, executor=executor, budget_ms=20
    )
    assert is_legal(thought.action, observe(view))
    return thought


@pytest.mark.parametrize("level", BotLevel)
@pytest.mark.parametrize(
    "game, street",
    [(Game.HOLDEM, "preflop"), (Game.HOLDEM, "turn"), (Game.DRAW, "predraw"), (Game.DRAW, "draw")],
)
async def test_every_level_thinks_of_a_legal_action_and_says_why(
    game: Game, street: str, level: BotLevel
) -> None:
    thought = await think(
        view_of(table_on(game, street), to_act(table_on(game, street))),
        level=level,
        style=BotStyle.LOOSE,
        rng=random.Random(1),
        executor=InProcess(),
        budget_ms=60_000,
    )
    assert thought.fallback is Fallback.NONE
    assert thought.explanation


async def test_a_hard_bot_decides_the_same_wherever_it_samples() -> None:
    """The arena's strength is the salon's: in one go, or through an executor."""
    table = table_on(Game.HOLDEM, "flop")
    view = view_of(table, to_act(table))
    style = BotStyle.BALANCED
    thought = await think(
        view, level=BotLevel.HARD, style=style, rng=random.Random(4), executor=InProcess(), budget_ms=60_000
    )
    at_once = bot(Game.HOLDEM, BotLevel.HARD, style).decide(observe(view), random.Random(4))
    assert thought.action == at_once
    assert str(CHUNKS * CHUNK_SAMPLES) in thought.explanation


async def test_before_the_flop_a_hard_bot_samples_nothing() -> None:
    executor = Scripted(lost)
    thought = await thought_of(table_on(Game.HOLDEM, "preflop"), executor)
    assert thought.fallback is Fallback.NONE
    assert executor.jobs == []


async def test_a_partial_estimate_is_used_and_counted() -> None:
    thought = await thought_of(table_on(Game.HOLDEM, "river"), Scripted(partial))
    assert thought.fallback is Fallback.PARTIAL
    assert "50 samples" in thought.explanation


@pytest.mark.parametrize("run", [lost, hanging, empty])
async def test_without_samples_the_normal_bot_decides(run: Run) -> None:
    """Late or lost: a worker that died, that never answers, or that did nothing in time."""
    table = table_on(Game.HOLDEM, "turn")
    executor = Scripted(run)
    thought = await thought_of(table, executor)
    assert thought.fallback is Fallback.NORMAL
    rng = random.Random(9)
    rng.getrandbits(63)
    normal = bot(Game.HOLDEM, BotLevel.NORMAL, BotStyle.BALANCED)
    assert thought.action == normal.decide(observe(view_of(table, to_act(table))), rng)


@pytest.mark.parametrize("action", [BotAction("raise", to=-5), BotAction("check"), None])
async def test_a_bot_that_fails_or_cheats_is_made_to_check_or_fold(
    action: BotAction | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def decide(self, observation: Observation, rng: random.Random) -> BotAction:
            if action is None:
                raise KeyError("a bug")
            return action

    monkeypatch.setattr(brain, "bot", lambda *_: Broken())
    thought = await thought_of(table_on(Game.HOLDEM, "preflop"), InProcess(), BotLevel.EASY)
    assert (thought.action.kind, thought.fallback) == ("fold", Fallback.PASSIVE)
    assert thought.explanation


async def test_nobody_thinks_out_of_turn() -> None:
    table = table_on(Game.HOLDEM, "flop")
    other = next(seat for seat in (1, 2, 3) if seat != to_act(table))
    with pytest.raises(NotYourTurn):
        await think(
            view_of(table, Seat(other)),
            level=BotLevel.EASY,
            style=BotStyle.TIGHT,
            rng=random.Random(1),
            executor=InProcess(),
            budget_ms=10,
        )


async def test_a_cancelled_thought_stays_cancelled() -> None:
    """A salon that drops a bot's turn is not answered."""
    task = asyncio.create_task(thought_of(table_on(Game.HOLDEM, "flop"), Scripted(hanging)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_jobs_name_no_card_but_own_public_and_given_up() -> None:
    """What crosses to a worker: nothing that the seat does not see."""
    for game, street in ((Game.HOLDEM, "turn"), (Game.DRAW, "draw"), (Game.DRAW, "postdraw")):
        for seed in range(8):
            table = table_on(game, street, seed)
            executor = Scripted(partial)
            await thought_of(table, executor)
            assert table.hand is not None
            known = {*table.hand.cards[to_act(table)], *table.hand.board}
            for job in executor.jobs:
                assert {*job.cards, *job.board, *job.dead} <= known


def test_a_decision_asks_for_a_bounded_amount_of_work() -> None:
    """At most three jobs of one size, so that its time is that of the machine and nothing else."""
    rng = random.Random(3)
    for game in Game:
        player = hard_bot(game, BotStyle.BALANCED)
        for street in ("flop", "river") if game is Game.HOLDEM else ("predraw", "draw", "postdraw"):
            for seed in range(12):
                table = table_on(game, street, seed)
                jobs = player.questions(observe(view_of(table, to_act(table))), rng)
                assert len(jobs) <= 3
                assert {job.samples for job in jobs} <= {CHUNK_SAMPLES}
