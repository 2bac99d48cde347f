"""Exposure: all that a turn of a bot shows of it, as bytes, none of which may tell of a card that its seat cannot see."""

import pickle
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import astuple
from typing import Final, NamedTuple

import msgpack

from bots.advice import Advice
from bots.brain import Means, Thought, think
from bots.explanation import Path, explanation_to_plain
from bots.hard import may_sample
from bots.jobs import Executor, Job, parts, run_part
from bots.manners import thinking_time
from bots.protocol import Observation, observe
from engine.settings import BotLevel, BotSpeed
from tests.bots.hidden_cards import Moment, redealt

NO_HURRY: Final = 600_000
"""Milliseconds: nothing is late."""


class Shown(NamedTuple):
    """What a bot saw and did in a turn, and how long it seems to take."""

    observation: Observation
    thought: Thought
    time: int


Play = Callable[[Moment, random.Random, Executor], Awaitable[Shown]]
"""A bot, honest or not, that is handed the table; the chance is its own, and the executor where its jobs are sent."""


class Exposure(NamedTuple):
    """As bytes: what a bot saw, what it sent to workers and what it did, once for each seed of its own chance."""

    observations: tuple[bytes, ...]
    jobs: tuple[bytes, ...]
    decisions: tuple[bytes, ...]
    """Action, words, mix and lot with all other figures, fallback, thinking time: so the distribution too."""


class Post:
    """An executor that keeps the bytes of jobs, and works out what arrives: the bytes, and nothing else."""

    path = Path.WORKERS

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self._done: dict[bytes, tuple[Advice | None, ...]] = {}

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Advice | None, ...]:
        sent = pickle.dumps(job)
        self.sent.append(sent)
        if sent not in self._done:
            arrived: Job = pickle.loads(sent)
            self._done[sent] = tuple(run_part(arrived, part) for part in range(parts(arrived)))
        return self._done[sent]


def honest(level: BotLevel) -> Play:
    """The product's bot, which gets the view of its seat."""

    async def play(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
        view = moment.view
        observation = observe(view)
        samples = level is BotLevel.HARD and may_sample(observation)
        time = thinking_time(observation, BotSpeed.NATURAL, chance, samples=samples)
        thought = await think(
            observation, level=level, style=moment.style, rng=chance, means=Means(executor, NO_HURRY)
        )
        return Shown(observation, thought, time)

    return play


async def exposure(play: Play, moment: Moment, seeds: Iterable[int]) -> Exposure:
    """All that a bot shows of itself in a turn."""
    post = Post()
    shown = [await play(moment, random.Random(seed), post) for seed in seeds]
    observations = (plain(one.observation) for one in shown)
    return Exposure(tuple(observations), tuple(post.sent), tuple(_decision(one) for one in shown))


async def leaks(play: Play, moments: Iterable[Moment], *, seeds: int) -> AsyncGenerator[Moment, None]:
    """The turns in which a re-deal of the hidden cards changes a byte of what the bot shows.

    The bot has the same chance of its own before and after, `seeds` times over.
    """
    rng = random.Random("re-deals")
    for moment in moments:
        own = [rng.getrandbits(32) for _ in range(seeds)]
        before = await exposure(play, moment, own)
        if await exposure(play, redealt(moment, rng), own) != before:
            yield moment


def plain(observation: Observation) -> bytes:
    """The observation's bytes: its fields in order, numbers and words."""
    packed: bytes = msgpack.packb(astuple(observation))
    return packed


def _decision(shown: Shown) -> bytes:
    action, fallback = shown.thought
    explanation = explanation_to_plain(action.explanation) if action.explanation else None
    packed: bytes = msgpack.packb(
        (action.kind, action.to, action.cards, action.why, explanation, fallback.value, shown.time)
    )
    return packed
