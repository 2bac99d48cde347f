"""Equity at draw: how often a hand wins, estimated by dealing out what is unknown, in chunks.

Law of this file: a question holds the bot's own cards and public facts alone; the deck that it deals from is all
52 cards without those, never a server's. A chunk's result depends on the question and the chunk's number only,
and tallies are sums of whole numbers, so that the estimate is the same on any number of workers.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from math import sqrt
from typing import Final, NamedTuple

from bots.draw_ranges import Line, draw_hand
from bots.strength import strength_of
from bots.taking import take

TIE_UNITS: Final = 2520
"""A tied pot in whole parts: divisible by any number of winners up to ten."""


@dataclass(frozen=True, slots=True)
class DrawQuestion:
    """A question that workers answer; primitives alone, so that it can be sent anywhere."""

    cards: tuple[int, ...]
    """The bot's own that it keeps."""
    draws: int
    """Cards that it will get for those given up."""
    dead: tuple[int, ...]
    """Other cards known to be out of the deck: own discards, cards turned up."""
    rivals: tuple[Line, ...]
    """What public actions say of each opponent."""
    seed: int
    samples: int
    """Samples a chunk."""


class Tally(NamedTuple):
    """Sums over samples; two tallies of one question are combined by adding them."""

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


def chunk_seed(question: DrawQuestion, chunk: int) -> int:
    """The seed of a question's chunk, by its number from 0."""
    digest = blake2b(f"{question.seed}:{chunk}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def combined(tallies: Iterable[Tally]) -> Tally:
    """The sum of tallies, in any order."""
    samples = wins = ties = 0
    for tally in tallies:
        samples += tally.samples
        wins += tally.wins
        ties += tally.ties
    return Tally(samples, wins, ties)


def run_chunk(question: DrawQuestion, seed: int, samples: int) -> Tally:
    """Deal out `samples` hands of `question` and count. The opponents' cards come first: their draws say most."""
    rng = random.Random(seed)
    known = {*question.cards, *question.dead}
    lines = [Line(*rival) for rival in question.rivals]
    wins = ties = 0
    for _ in range(samples):
        used = known.copy()
        others = [strength_of(draw_hand(line, used, rng)) for line in lines]
        own = strength_of((*question.cards, *take(question.draws, used, rng)))
        best = max(others)
        if own > best:
            wins += 1
        elif own == best:
            ties += TIE_UNITS // (others.count(best) + 1)
    return Tally(samples, wins, ties)
