"""The hard level: decisions against the ranges that public actions leave.

A decision is in two parts, so that the work between them can happen anywhere: `job` says what to work out (nothing
where a table decides: before the flop, and in heads-up draw), `answer` decides by the results, with bluffs of a
controlled frequency.
"""

import random
from collections.abc import Sequence
from typing import Protocol

from bots.actions import explained
from bots.advice import Advice, drawn
from bots.draw_solver.shelf import PACKAGED, Shelf
from bots.explanation import Path
from bots.holdem import preflop_play
from bots.jobs import DrawJob, HoldemJob, Job, parts, run_part
from bots.normal_draw import NormalDraw
from bots.protocol import BotAction, Observation
from bots.situation import call_odds
from bots.styles import Temper
from engine.game import Game


class HardBot(Protocol):
    """A way of playing that works things out between its question and its answer."""

    def job(self, observation: Observation, rng: random.Random) -> Job | None:
        """What has to be worked out before the decision; nothing if it can be taken at once."""
        ...

    def answer(
        self, observation: Observation, results: Sequence[Advice | None], rng: random.Random
    ) -> BotAction:
        """The decision, given results that are enough for the job (`bots.jobs.is_enough`), or none without one."""
        ...


def may_sample(observation: Observation, shelf: Shelf = PACKAGED) -> bool:
    """Whether a decision of the turn observed has a job; by public facts alone, whatever the cards are."""
    if observation.game == Game.HOLDEM.value:
        return bool(observation.board)
    return shelf.knows(observation) is None


class HardHoldem:
    """Hold'em: tables before the flop, then values against ranges, and the river heads-up solved."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def job(self, observation: Observation, rng: random.Random) -> Job | None:
        """See `HardBot.job`."""
        del rng
        return HoldemJob(observation, self._temper) if may_sample(observation) else None

    def answer(
        self, observation: Observation, results: Sequence[Advice | None], rng: random.Random
    ) -> BotAction:
        """See `HardBot.answer`. The last part that was done is the best."""
        advice = [result for result in results if result is not None]
        if not advice:
            return preflop_play.decide(observation, self._temper, rng)
        return drawn(advice[-1], observation, rng)


class HardDraw:
    """Draw: by the shelf's tables heads-up, then by equity against the ranges that public actions leave."""

    def __init__(self, temper: Temper, shelf: Shelf = PACKAGED) -> None:
        self._temper = temper
        self._shelf = shelf

    def job(self, observation: Observation, rng: random.Random) -> Job | None:
        """See `HardBot.job`."""
        if not may_sample(observation, self._shelf):
            return None
        return DrawJob(observation, self._temper, rng.getrandbits(63))

    def answer(
        self, observation: Observation, results: Sequence[Advice | None], rng: random.Random
    ) -> BotAction:
        """See `HardBot.answer`.

        A table is played as it is, in every style: to refine its mix by what was sampled would be to leave the
        equilibrium, and could only raise what a best responder wins.
        """
        advice = [result for result in results if result is not None]
        if advice:
            return drawn(advice[-1], observation, rng)
        player = self._shelf.knows(observation)
        action = player.decide(observation, rng) if player else None
        if action is None:
            return NormalDraw(self._temper).decide(observation, rng)
        return action if observation.draw else explained(action, pot_odds=call_odds(observation))


class InOneGo:
    """A hard bot as a `Bot`: it works where it stands, without a deadline, so that a match can be repeated."""

    def __init__(self, bot: HardBot) -> None:
        self._bot = bot

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        job = self._bot.job(observation, rng)
        if job is None:
            return self._bot.answer(observation, (), rng)
        results = [run_part(job, part) for part in range(parts(job))]
        return explained(self._bot.answer(observation, results, rng), path=Path.IN_PROCESS.value)
