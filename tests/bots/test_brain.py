"""The brain comes back with a legal action, whatever happens to the samples or to the bot."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from bots import brain
from bots.advice import Advice
from bots.arena import act, deal, seated, shuffled, to_act
from bots.brain import Fallback, Means, Thought, think
from bots.equity.executor import ExecutorLost
from bots.explanation import Path
from bots.in_process import InProcess
from bots.jobs import Executor, Job, parts, run_part
from bots.protocol import BotAction, NotYourTurn, Observation, is_legal, observe
from bots.roster import bot, hard_bot
from bots.styles import TEMPERS
from engine.game import Game
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.table import Table
from engine.units import Seat
from engine.view import view_of

Run = Callable[[Job], Awaitable[tuple[Advice | None, ...]]]


class Scripted:
    """An executor that answers as told, and remembers what it was asked."""

    path = Path.WORKERS

    def __init__(self, run: Run) -> None:
        self._run = run
        self.jobs: list[Job] = []

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Advice | None, ...]:
        self.jobs.append(job)
        return await self._run(job)


async def lost(job: Job) -> tuple[Advice | None, ...]:
    raise ExecutorLost("no worker")


async def hanging(job: Job) -> tuple[Advice | None, ...]:
    await asyncio.Event().wait()
    raise AssertionError


async def empty(job: Job) -> tuple[Advice | None, ...]:
    return (None,) * parts(job)


async def partial(job: Job) -> tuple[Advice | None, ...]:
    """The first part of a job."""
    return (run_part(job, 0), *(None,) * (parts(job) - 1))


def table_on(game: Game, street: str, seed: int = 1, *, heads_up: bool = False) -> Table:
    """A table with somebody to act on `street`."""
    rng = random.Random(seed)
    players = 2 if heads_up else 3
    settings = make_settings(game, {"seats": players, "hand_limit": 100})
    assert isinstance(settings, Settings)
    while True:
        table = deal(seated(settings, players), shuffled(rng))
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
        observe(view), level=level, style=BotStyle.BALANCED, rng=rng, means=Means(executor, 20)
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
        observe(view_of(table_on(game, street), to_act(table_on(game, street)))),
        level=level,
        style=BotStyle.LOOSE,
        rng=random.Random(1),
        means=Means(InProcess(), 60_000),
    )
    assert thought.fallback is Fallback.NONE
    assert thought.action.why


async def test_a_hard_bot_decides_the_same_wherever_it_samples() -> None:
    """The arena's strength is the salon's: in one go, or through an executor."""
    table = table_on(Game.HOLDEM, "flop")
    view = view_of(table, to_act(table))
    style = BotStyle.BALANCED
    thought = await think(
        observe(view),
        level=BotLevel.HARD,
        style=style,
        rng=random.Random(4),
        means=Means(InProcess(), 60_000),
    )
    at_once = bot(Game.HOLDEM, BotLevel.HARD, style).decide(observe(view), random.Random(4))
    assert thought.action == at_once


async def test_before_the_flop_a_hard_bot_asks_nobody() -> None:
    executor = Scripted(lost)
    thought = await thought_of(table_on(Game.HOLDEM, "preflop"), executor)
    assert thought.fallback is Fallback.NONE
    assert executor.jobs == []
    assert thought.action.explanation is not None
    assert thought.action.explanation.path == Path.TABLE


async def test_a_partial_result_is_used_and_counted() -> None:
    """The rules without the river's solution."""
    thought = await thought_of(table_on(Game.HOLDEM, "river", heads_up=True), Scripted(partial))
    assert thought.fallback is Fallback.PARTIAL
    assert thought.action.explanation is not None
    assert thought.action.explanation.path == Path.WORKERS


@pytest.mark.parametrize("run", [lost, hanging, empty])
async def test_without_samples_the_normal_bot_decides(run: Run) -> None:
    """Late or lost: a worker that died, that never answers, or that did nothing in time."""
    table = table_on(Game.HOLDEM, "turn")
    executor = Scripted(run)
    thought = await thought_of(table, executor)
    assert thought.fallback is Fallback.NORMAL
    rng = random.Random(9)
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
    assert thought.action.why


def test_nobody_is_shown_a_turn_that_is_not_his() -> None:
    table = table_on(Game.HOLDEM, "flop")
    other = next(seat for seat in (1, 2, 3) if seat != to_act(table))
    with pytest.raises(NotYourTurn):
        observe(view_of(table, Seat(other)))


async def test_a_cancelled_thought_stays_cancelled() -> None:
    """A salon that drops a bot's turn is not answered."""
    task = asyncio.create_task(thought_of(table_on(Game.HOLDEM, "flop"), Scripted(hanging)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_job_is_the_observation_and_what_else_is_public_or_the_bots_own() -> None:
    """What crosses to a worker: nothing that the seat does not see."""
    for game, street in ((Game.HOLDEM, "turn"), (Game.DRAW, "draw"), (Game.DRAW, "postdraw")):
        for seed in range(8):
            table = table_on(game, street, seed)
            executor = Scripted(partial)
            await thought_of(table, executor)
            assert executor.jobs
            for job in executor.jobs:
                assert job.observation == observe(view_of(table, to_act(table)))
                assert job.temper == TEMPERS[BotStyle.BALANCED]


@pytest.mark.parametrize("street", ["predraw", "draw", "postdraw"])
async def test_heads_up_draw_is_played_by_the_table_and_asks_nobody(street: str) -> None:
    for seed in range(8):
        executor = Scripted(lost)
        thought = await thought_of(table_on(Game.DRAW, street, seed, heads_up=True), executor)
        assert thought.fallback is Fallback.NONE
        assert executor.jobs == []
        assert thought.action.explanation is not None
        assert thought.action.explanation.path == Path.TABLE


@pytest.mark.parametrize("street", ["predraw", "draw", "postdraw"])
async def test_draw_with_more_players_is_worked_out_by_workers(street: str) -> None:
    for seed in range(8):
        thought = await thought_of(table_on(Game.DRAW, street, seed), Scripted(partial))
        assert thought.fallback is Fallback.NONE
        why = thought.action.explanation
        assert why is not None
        assert why.path == Path.WORKERS
        assert why.equity is not None


def test_a_decision_asks_for_a_bounded_amount_of_work() -> None:
    """At most two parts, so that its time is that of the machine and nothing else."""
    rng = random.Random(3)
    for game in Game:
        player = hard_bot(game, BotStyle.BALANCED)
        for street in ("flop", "river") if game is Game.HOLDEM else ("predraw", "draw", "postdraw"):
            for seed in range(12):
                table = table_on(game, street, seed)
                job = player.job(observe(view_of(table, to_act(table))), rng)
                assert job is not None
                assert parts(job) <= 2
