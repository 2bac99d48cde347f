"""Discards: what each way to draw makes of a hand at five-card draw, and how often it wins.

What becomes of a hand is exact, over every draw from the cards that are not known. How often it wins against
opponents who have drawn is an estimate like any other.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from bots.equity.budget import Budget
from bots.equity.estimate import estimate
from bots.equity.executor import Executor
from bots.equity.holdings import ANY
from bots.equity.paths import chosen, kernel
from bots.equity.spots import MOST_DISCARDS, Cards, DrawSpot, make_draw_spot
from bots.equity.tally import Estimate


@dataclass(frozen=True, slots=True)
class Discard:
    """Cards given up for new ones, and what comes of that."""

    cards: tuple[int, ...]
    """What is given up: up to three of the hand, none to stand pat."""
    outcomes: tuple[int, ...]
    """By category of the final hand, high card first: how many of all draws make it."""

    @property
    def draws(self) -> int:
        """How many draws there are, each as likely as any other."""
        return sum(self.outcomes)

    @property
    def chances(self) -> tuple[float, ...]:
        """By category of the final hand, high card first: how likely it is."""
        return tuple(outcome / self.draws for outcome in self.outcomes)


def ways_to_draw(cards: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """What can be discarded: nothing, then one card, two, three, in the order of the hand; 26 ways of five cards."""
    return tuple(chain.from_iterable(combinations(cards, count) for count in range(MOST_DISCARDS + 1)))


def discards(cards: Cards, *, dead: Cards = ()) -> tuple[Discard, ...]:
    """Each way to draw to a hand of five, with its exact outcomes. Blocks, for a millisecond or so.

    Raises:
        SpotError: it is no hand of five, or a card is there twice.
    """
    spot = make_draw_spot(cards, opponents=(ANY,), dead=dead)
    path_kernel = kernel(chosen())
    found: list[Discard] = []
    for discard in ways_to_draw(spot.cards):
        drawing = replace(spot, discard=discard)
        outcomes = path_kernel.draw_outcomes(bytes(drawing.kept), bytes(drawing.gone))
        found.append(Discard(discard, tuple(outcomes)))
    return tuple(found)


async def weigh(
    spot: DrawSpot,
    budget: Budget,
    executor: Executor,
    *,
    seed: int,
    choices: Sequence[tuple[int, ...]] | None = None,
) -> AsyncGenerator[Estimate, None]:
    """What a spot is worth after each of `choices`, all 26 by default, one after the other in their order.

    What the spot itself discards does not count; the own hand is the first player. The deadline is for all of them
    together: each gets an even share of what is left. The other rules are for each. All are sampled with one seed,
    so that chance hits them alike. Close the generator (`contextlib.aclosing`) to end the work early.

    Raises:
        SpotError: a choice is no discard of the hand, or leaves too few cards; nothing was estimated.
        As `estimate`; OutOfTime where the next one got nothing: those before it stand.
    """
    clock = asyncio.get_running_loop().time
    spots = [spot.discarding(cards) for cards in (ways_to_draw(spot.cards) if choices is None else choices)]
    until = clock() + (budget.deadline_ms or 0) / 1000
    for at, drawing in enumerate(spots):
        share = budget
        if budget.deadline_ms is not None:
            left = (until - clock()) / (len(spots) - at)
            share = replace(budget, deadline_ms=max(1, int(1000 * left)))
        yield await estimate(drawing, share, executor, seed=seed)
