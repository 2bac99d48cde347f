"""Equity: how often a hand wins, estimated by dealing out what is unknown, in chunks for any executor.

Law of this file: a job holds the bot's own cards and public facts alone; the deck that it deals from is all
52 cards without those, never a server's. A chunk's result depends on the job and the chunk's number only,
and tallies are sums of whole numbers, so that the estimate is the same on any number of workers.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from math import sqrt
from typing import Final, NamedTuple, Protocol

from bots.draw_ranges import Line, draw_hand
from bots.holdem_ranges import Range, draw_pair, least_strength
from bots.strength import strength_of
from bots.taking import take

_Dealer = Callable[[set[int]], tuple[int, list[int]]]
"""Deals one hand out of what is not gone: the own strength, and the opponents'."""
TIE_UNITS: Final = 2520
"""A tied pot in whole parts: divisible by any number of winners up to ten."""


class ExecutorLost(Exception):
    """An executor could not run a job at all; there is no tally."""


@dataclass(frozen=True, slots=True)
class EquityJob:
    """A question that workers answer; primitives alone, so that it can be sent anywhere."""

    game: str
    cards: tuple[int, ...]
    """The bot's own; at draw those that it keeps."""
    draws: int
    """Cards that it will get for those given up."""
    board: tuple[int, ...]
    dead: tuple[int, ...]
    """Other cards known to be out of the deck: own discards, cards turned up."""
    rivals: tuple[Range, ...] | tuple[Line, ...]
    """What public actions say of the opponents: a `Range` each at hold'em, a `Line` each at draw."""
    seed: int
    samples: int
    """Samples a chunk."""


class Tally(NamedTuple):
    """Sums over samples; two tallies of one job are combined by adding them."""

    samples: int = 0
    wins: int = 0
    ties: int = 0
    """The bot's shares of tied pots, in parts of which a pot has `TIE_UNITS`."""

    @property
    def win(self) -> float:
        """The estimated win probability, ties by their share; 0 without samples."""
        return (self.wins + self.ties / TIE_UNITS) / self.samples if self.samples else 0.0

    @property
    def error(self) -> float:
        """The standard error of `win`."""
        win = self.win
        return sqrt(win * (1 - win) / self.samples) if self.samples else 1.0


class Executor(Protocol):
    """Where jobs run: in this process, or on workers."""

    async def run(self, job: EquityJob, *, chunks: int, deadline_ms: int) -> Tally:
        """The tally of as many of the job's `chunks` as were done `deadline_ms` from now.

        Fewer samples are no error, and no samples are an empty tally.

        Raises:
            ExecutorLost: nothing could be run.
        """
        ...


def chunk_seed(job: EquityJob, chunk: int) -> int:
    """The seed of a job's chunk, by its number from 0."""
    digest = blake2b(f"{job.seed}:{chunk}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def combined(tallies: Iterable[Tally]) -> Tally:
    """The sum of tallies, in any order."""
    samples = wins = ties = 0
    for tally in tallies:
        samples += tally.samples
        wins += tally.wins
        ties += tally.ties
    return Tally(samples, wins, ties)


def run_chunk(job: EquityJob, seed: int, samples: int) -> Tally:
    """Deal out `samples` hands of `job` and count. The one boundary that a compiled kernel replaces."""
    rng = random.Random(seed)
    known = {*job.cards, *job.board, *job.dead}
    deal = (_holdem_dealer if job.game == "holdem" else _draw_dealer)(job, known, rng)
    wins = ties = 0
    for _ in range(samples):
        own, others = deal(known.copy())
        best = max(others)
        if own > best:
            wins += 1
        elif own == best:
            ties += TIE_UNITS // (others.count(best) + 1)
    return Tally(samples, wins, ties)


def _holdem_dealer(job: EquityJob, known: set[int], rng: random.Random) -> _Dealer:
    ranges = [Range(*rival) for rival in job.rivals]
    rivals = [(held, least_strength(held, job.board, known, rng)) for held in ranges]

    def deal(used: set[int]) -> tuple[int, list[int]]:
        pairs = [draw_pair(held, least, job.board, used, rng) for held, least in rivals]
        board = (*job.board, *take(5 - len(job.board), used, rng))
        return strength_of((*job.cards, *board)), [strength_of((*pair, *board)) for pair in pairs]

    return deal


def _draw_dealer(job: EquityJob, known: set[int], rng: random.Random) -> _Dealer:
    """The opponents' cards come first, since their draws say most about them."""
    del known
    lines = [Line(*rival) for rival in job.rivals]

    def deal(used: set[int]) -> tuple[int, list[int]]:
        hands = [draw_hand(line, used, rng) for line in lines]
        own = (*job.cards, *take(job.draws, used, rng))
        return strength_of(own), [strength_of(hand) for hand in hands]

    return deal
