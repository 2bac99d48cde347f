"""The calculator: a question of equity answered as far as its budget goes, with what leads to the answer.

The command line runs it in its own process, the gateway on Ray; both ask and are answered in messages, which
`cluster.codec.equity` reads and writes.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from bots.equity.budget import Budget
from bots.equity.discards import Discard, discards, weigh
from bots.equity.estimate import estimates
from bots.equity.executor import Executor, in_thread
from bots.equity.newest import newest
from bots.equity.sampling import OutOfTime
from bots.equity.spots import DrawSpot, HoldemSpot
from bots.equity.tally import Estimate, Stop
from engine.value import value


@value
class Asked:
    """A question that was read, and can be answered."""

    spot: HoldemSpot | DrawSpot
    """At draw with the discard that was named, if one was; without opponents it has one of whom nothing is known, and who
    is not asked about."""
    hands: tuple[str, ...]
    """The players' as they were given; none at draw without opponents."""
    choices: tuple[tuple[int, ...], ...]
    """At draw, the discards to be estimated: the one that was named, or all."""
    budget: Budget
    seed: int | None
    """None where any will do."""


@value
class Answer:
    """What is known so far; final with any `stop` but `Stop.NONE`."""

    stop: Stop
    estimate: Estimate | None = None
    """Of the players; at draw after the best of the discards. None where they are not asked about."""
    best: tuple[int, ...] = ()
    """At draw: that discard."""
    discards: tuple[Discard, ...] = ()
    """At draw: the choices, with what each makes of the hand."""
    weighed: tuple[Estimate, ...] = ()
    """At draw: the estimates of the first of `discards`, as many as there are so far."""


async def answers(asked: Asked, executor: Executor, *, seed: int) -> AsyncGenerator[Answer, None]:
    """Partial answers, about ten a second, and the final one last.

    Whoever is slow to take them gets the newest, and holds up nothing. Close the generator
    (`contextlib.aclosing`) to end the work early.

    Raises:
        OutOfTime, TooManyDeals, NoDeal, PathMissing: see `bots.equity.estimate.estimates`.
    """
    spot = asked.spot
    if isinstance(spot, HoldemSpot):
        async with aclosing(estimates(spot, asked.budget, executor, seed=seed)) as found:
            async for estimated in found:
                yield Answer(estimated.stop, estimated)
        return
    rows = await in_thread(_rows, spot, asked.choices)
    if not asked.hands:
        yield Answer(Stop.EXACT, discards=rows, best=asked.choices[0] if len(rows) == 1 else ())
    elif len(rows) == 1:
        async with aclosing(estimates(spot, asked.budget, executor, seed=seed)) as found:
            async for estimated in found:
                yield Answer(estimated.stop, estimated, asked.choices[0], rows, (estimated,))
    else:
        weighing = weigh(spot, asked.budget, executor, seed=seed, choices=asked.choices)
        async with aclosing(newest(partial(_compare, weighing, rows))) as compared:
            async for answer in compared:
                yield answer


def _rows(spot: DrawSpot, choices: tuple[tuple[int, ...], ...]) -> tuple[Discard, ...]:
    """The discards of `choices`, with what each makes of the hand."""
    found = {frozenset(row.cards): row for row in discards(spot.cards, dead=spot.dead)}
    return tuple(replace(found[frozenset(choice)], cards=choice) for choice in choices)


async def _compare(
    weighing: AsyncGenerator[Estimate, None], rows: tuple[Discard, ...], tell: Callable[[Answer], None]
) -> Answer:
    """The answer of all estimates, or of those that there was time for."""
    weighed: list[Estimate] = []
    async with aclosing(weighing):
        try:
            async for each in weighing:
                weighed.append(each)
                if len(weighed) < len(rows):
                    tell(_best(rows, weighed, Stop.NONE))
        except OutOfTime:
            if not weighed:
                raise
            return _best(rows, weighed, Stop.DEADLINE)
    stops = {each.stop for each in weighed} - {Stop.EXACT}
    return _best(rows, weighed, Stop.DEADLINE if Stop.DEADLINE in stops else next(iter(stops), Stop.EXACT))


def _best(rows: tuple[Discard, ...], weighed: list[Estimate], stop: Stop) -> Answer:
    best = max(range(len(weighed)), key=lambda at: weighed[at].players[0].equity)
    return Answer(stop, weighed[best], rows[best].cards, rows, tuple(weighed))
