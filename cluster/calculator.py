"""The calculator: a question of equity answered as far as its budget goes, with what leads to the answer.

The command line runs it in its own process, the gateway on Ray; both ask and are answered in messages, which
`cluster.codec.equity` reads and writes.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from bots.equity.budget import Budget
from bots.equity.discards import Discard, discards
from bots.equity.estimate import estimate, estimates
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
    """At draw without opponents it has one of whom nothing is known, and who is not asked about."""
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
        drawing = replace(spot, discard=asked.choices[0])
        async with aclosing(estimates(drawing, asked.budget, executor, seed=seed)) as found:
            async for estimated in found:
                yield Answer(estimated.stop, estimated, asked.choices[0], rows, (estimated,))
    else:
        async with aclosing(newest(partial(_compare, asked, spot, rows, executor, seed))) as compared:
            async for answer in compared:
                yield answer


def _rows(spot: DrawSpot, choices: tuple[tuple[int, ...], ...]) -> tuple[Discard, ...]:
    """The discards of `choices`, with what each makes of the hand."""
    found = {frozenset(row.cards): row for row in discards(spot.cards, dead=spot.dead)}
    return tuple(replace(found[frozenset(choice)], cards=choice) for choice in choices)


async def _compare(
    asked: Asked,
    spot: DrawSpot,
    rows: tuple[Discard, ...],
    executor: Executor,
    seed: int,
    tell: Callable[[Answer], None],
) -> Answer:
    """Estimate one discard after the other, all with one seed, so that chance hits them alike.

    Each gets an even share of what is left until the deadline.
    """
    clock = asyncio.get_running_loop().time
    until = clock() + (asked.budget.deadline_ms or 0) / 1000
    weighed: list[Estimate] = []
    for at, row in enumerate(rows):
        budget = asked.budget
        if budget.deadline_ms is not None:
            share = (until - clock()) / (len(rows) - at)
            budget = replace(budget, deadline_ms=max(1, int(1000 * share)))
        try:
            weighed.append(await estimate(replace(spot, discard=row.cards), budget, executor, seed=seed))
        except OutOfTime:
            if not weighed:
                raise
            return _best(rows, weighed, Stop.DEADLINE)
        if at + 1 < len(rows):
            tell(_best(rows, weighed, Stop.NONE))
    stops = {each.stop for each in weighed} - {Stop.EXACT}
    return _best(rows, weighed, Stop.DEADLINE if Stop.DEADLINE in stops else next(iter(stops), Stop.EXACT))


def _best(rows: tuple[Discard, ...], weighed: list[Estimate], stop: Stop) -> Answer:
    best = max(range(len(weighed)), key=lambda at: weighed[at].players[0].equity)
    return Answer(stop, weighed[best], rows[best].cards, rows, tuple(weighed))
