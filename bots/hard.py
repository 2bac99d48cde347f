"""The hard level: win probability by dealing out what is unknown against the ranges that public actions leave.

A decision is in two parts, so that the sampling between them can happen anywhere: `questions` says what to
sample (nothing before the flop, where position tables decide), `answer` decides from the tallies by the odds,
with bluffs of a controlled frequency.
"""

import random
from collections.abc import Sequence
from typing import Final, Protocol

from bots import five_cards, odds, preflop
from bots.actions import discard
from bots.draw_ranges import line_of
from bots.holdem_ranges import range_of
from bots.old_equity import EquityJob, Tally, chunk_seed, combined, run_chunk
from bots.protocol import BotAction, Observation
from bots.situation import rivals
from bots.styles import Temper
from engine.game import Game

CHUNKS: Final = 6
CHUNK_SAMPLES: Final = 50


class HardBot(Protocol):
    """A way of playing that samples between its question and its answer."""

    def questions(self, observation: Observation, rng: random.Random) -> tuple[EquityJob, ...]:
        """What has to be sampled before the decision; nothing if it can be taken at once."""
        ...

    def answer(self, observation: Observation, tallies: Sequence[Tally], rng: random.Random) -> BotAction:
        """The decision, given a tally with at least one sample for each question."""
        ...


def may_sample(observation: Observation) -> bool:
    """Whether a decision of the turn observed may be sampled; by public facts alone, whatever the cards are."""
    return observation.game != Game.HOLDEM.value or bool(observation.board)


class HardHoldem:
    """Hold'em: tables before the flop, then equity against ranges."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def questions(self, observation: Observation, rng: random.Random) -> tuple[EquityJob, ...]:
        """See `HardBot.questions`."""
        if not may_sample(observation):
            return ()
        ranges = tuple(range_of(observation, rival.seat) for rival in rivals(observation))
        job = EquityJob(
            game=observation.game,
            cards=observation.cards,
            draws=0,
            board=observation.board,
            dead=_turned_up(observation),
            rivals=ranges,
            seed=rng.getrandbits(63),
            samples=CHUNK_SAMPLES,
        )
        return (job,)

    def answer(self, observation: Observation, tallies: Sequence[Tally], rng: random.Random) -> BotAction:
        """See `HardBot.answer`."""
        if not tallies:
            return preflop.decide(observation, self._temper, rng)
        return odds.decide(observation, tallies[0].win, self._temper, rng)


class HardDraw:
    """Draw: equity of the standard draw before it, of every sensible draw at it, of the five cards after it."""

    def __init__(self, temper: Temper) -> None:
        self._temper = temper

    def questions(self, observation: Observation, rng: random.Random) -> tuple[EquityJob, ...]:
        """See `HardBot.questions`. The choices at the draw share a seed, so that chance hits them alike."""
        choices = _choices(observation)
        if observation.draw and len(choices) == 1:
            return ()
        seed = rng.getrandbits(63)
        lines = tuple(line_of(observation, rival.seat) for rival in rivals(observation))
        return tuple(
            EquityJob(
                game=observation.game,
                cards=five_cards.discards(observation.cards, given_up),
                draws=len(given_up),
                board=(),
                dead=given_up + _turned_up(observation),
                rivals=lines,
                seed=seed,
                samples=CHUNK_SAMPLES,
            )
            for given_up in choices
        )

    def answer(self, observation: Observation, tallies: Sequence[Tally], rng: random.Random) -> BotAction:
        """See `HardBot.answer`."""
        if not observation.draw:
            return odds.decide(observation, tallies[0].win, self._temper, rng)
        choices = _choices(observation)
        if not tallies:
            return discard(choices[0], "one sensible draw")
        margins = [tally.win - (tally.error if at else 0.0) for at, tally in enumerate(tallies)]
        best = max(range(len(choices)), key=margins.__getitem__)
        return discard(choices[best], f"draws {len(choices[best])}, wins {tallies[best].win:.0%}")


class InOneGo:
    """A hard bot as a `Bot`: it samples where it stands, without a deadline, so that a match can be repeated."""

    def __init__(self, bot: HardBot, chunks: int = CHUNKS) -> None:
        self._bot = bot
        self._chunks = chunks

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        jobs = self._bot.questions(observation, rng)
        tallies = [
            combined(run_chunk(job, chunk_seed(job, at), job.samples) for at in range(self._chunks))
            for job in jobs
        ]
        return self._bot.answer(observation, tallies, rng)


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
