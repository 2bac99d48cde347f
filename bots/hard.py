"""The hard level: decisions against the ranges that public actions leave.

A decision is in two parts, so that the work between them can happen anywhere: `job` says what to work out (nothing
before the flop, where tables decide), `answer` decides by the results, with bluffs of a controlled frequency.
"""

import random
from collections.abc import Sequence
from typing import Final, Protocol

from bots import five_cards, odds
from bots.actions import discard, explained
from bots.draw_equity import DrawQuestion, Tally
from bots.draw_ranges import line_of
from bots.explanation import Path
from bots.holdem import preflop_play
from bots.holdem.advice import Advice, drawn
from bots.jobs import DrawJob, HoldemJob, Job, Result, parts, run_part
from bots.protocol import BotAction, Observation
from bots.situation import rivals
from bots.styles import Temper
from engine.game import Game

CHUNK_SAMPLES: Final = 50


class HardBot(Protocol):
    """A way of playing that works things out between its question and its answer."""

    def job(self, observation: Observation, rng: random.Random) -> Job | None:
        """What has to be worked out before the decision; nothing if it can be taken at once."""
        ...

    def answer(
        self, observation: Observation, results: Sequence[Result | None], rng: random.Random
    ) -> BotAction:
        """The decision, given results that are enough for the job (`bots.jobs.is_enough`), or none without one."""
        ...


def may_sample(observation: Observation) -> bool:
    """Whether a decision of the turn observed may have a job; by public facts alone, whatever the cards are."""
    return observation.game != Game.HOLDEM.value or bool(observation.board)


class HardHoldem:
    """Hold'em: tables before the flop, then values against ranges, and the river heads-up solved."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def job(self, observation: Observation, rng: random.Random) -> Job | None:
        """See `HardBot.job`."""
        del rng
        return HoldemJob(observation, self._temper) if may_sample(observation) else None

    def answer(
        self, observation: Observation, results: Sequence[Result | None], rng: random.Random
    ) -> BotAction:
        """See `HardBot.answer`. The last part that was done is the best."""
        advice = [result for result in results if isinstance(result, Advice)]
        if not advice:
            return preflop_play.decide(observation, self._temper, rng)
        return drawn(advice[-1], observation, rng)


class HardDraw:
    """Draw: equity of the standard draw before it, of every sensible draw at it, of the five cards after it."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def job(self, observation: Observation, rng: random.Random) -> Job | None:
        """See `HardBot.job`. The choices at the draw share a seed, so that chance hits them alike."""
        choices = _choices(observation)
        if observation.draw and len(choices) == 1:
            return None
        seed = rng.getrandbits(63)
        lines = tuple(line_of(observation, rival.seat) for rival in rivals(observation))
        return DrawJob(
            tuple(
                DrawQuestion(
                    cards=five_cards.discards(observation.cards, given_up),
                    draws=len(given_up),
                    dead=given_up + _turned_up(observation),
                    rivals=lines,
                    seed=seed,
                    samples=CHUNK_SAMPLES,
                )
                for given_up in choices
            )
        )

    def answer(
        self, observation: Observation, results: Sequence[Result | None], rng: random.Random
    ) -> BotAction:
        """See `HardBot.answer`."""
        tallies = [result for result in results if isinstance(result, Tally)]
        if not observation.draw:
            action = odds.decide(observation, tallies[0].win, self._temper, rng)
            return explained(action, error=tallies[0].error, samples=tallies[0].samples)
        choices = _choices(observation)
        if not tallies:
            return discard(choices[0], "one sensible draw")
        margins = [tally.win - (tally.error if at else 0.0) for at, tally in enumerate(tallies)]
        best = max(range(len(choices)), key=margins.__getitem__)
        return discard(choices[best], f"draws {len(choices[best])}, wins {tallies[best].win:.0%}")


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


def _choices(observation: Observation) -> tuple[tuple[int, ...], ...]:
    """The discards to weigh: all that are sensible at the draw, the standard ones before it, none after it."""
    if observation.draw:
        return five_cards.best_draws(observation.cards)
    if observation.street == "postdraw":
        return ((),)
    return five_cards.best_draws(observation.cards)[:1]


def _turned_up(observation: Observation) -> tuple[int, ...]:
    """Cards of others that everybody sees."""
    return tuple(card for seat in observation.seats for card in seat.shown)
