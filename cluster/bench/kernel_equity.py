"""Our own side of the equity benchmark: spots on one path, in one thread, in chunks as the product has them."""

from typing import Final

from bots.equity.chunks import CHUNK, ChunkTask, run_task
from bots.equity.discards import ways_to_draw
from bots.equity.exact import exactly
from bots.equity.paths import Path, available, kernel
from bots.equity.questions import HoldemQuestion, Question
from bots.equity.tally import equities
from cluster.bench.answers import Answer

_PAIR: Final = 1
"""The category of a pair, and of no more."""


def sampled_on(question: Question) -> tuple[Path, ...]:
    """The paths of this machine that sample the question each in its own way: AVX-512 is for hold'em."""
    return available() if isinstance(question, HoldemQuestion) else counted_on()


def counted_on() -> tuple[Path, ...]:
    """The paths of this machine that work out exact results each in its own way."""
    return tuple(path for path in available() if path is not Path.AVX512)


class Samples:
    """A question, sampled; every answer from another seed."""

    def __init__(self, question: Question, path: Path) -> None:
        self._question, self._path = question, path
        self._seed = 0

    def answer(self, amount: int) -> Answer:
        """About `amount` samples: whole chunks."""
        self._seed += 1
        chunks = max(1, round(amount / CHUNK))
        tally = run_task(ChunkTask(self._question, self._path, self._seed, first=0, count=chunks)).tally
        return Answer(tally.samples, equities(tally)[0].equity)

    def variance(self) -> float:
        """Of what the first player gets in a sample: his standard error over some, squared, times their number."""
        tally = run_task(ChunkTask(self._question, self._path, seed=0, first=0, count=8)).tally
        return equities(tally)[0].error ** 2 * tally.samples


class Count:
    """A question, exactly."""

    def __init__(self, question: Question, path: Path) -> None:
        self._question, self._path = question, path

    def answer(self, amount: int) -> Answer:
        """The equity, worked out `amount` times."""
        results = [exactly(self._question, self._path) for _ in range(amount)]
        return Answer(amount, results[0].players[0].equity)


class Discards:
    """All 26 ways to draw to a hand of five, each with its exact outcomes."""

    def __init__(self, cards: tuple[int, ...], path: Path) -> None:
        self._ways = [
            (bytes(card for card in cards if card not in discard), bytes(discard))
            for discard in ways_to_draw(cards)
        ]
        self._kernel = kernel(path)

    def answer(self, amount: int) -> Answer:
        """All 26, `amount` times; in the place of an equity, how likely the last one makes more than a pair."""
        outcomes = [0]
        for _ in range(amount):
            for kept, dead in self._ways:
                outcomes = self._kernel.draw_outcomes(kept, dead)
        return Answer(amount, sum(outcomes[_PAIR + 1 :]) / sum(outcomes))
