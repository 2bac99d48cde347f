"""Equity's benchmark: each path of this machine beside pokerfast (OMPEval) and eval7, doing the same work.

The same work is: one spot; in every sample all hands dealt and ranked, on a board of its own; a sample counted when
the library says that it was dealt. That both answer the same question shows in their equities, which have to
agree within their errors, or the run fails. Each side has one thread; the sides take short laps in turn in one run,
measured in CPU time, so that a busy machine or a changing clock does not favour either; a ratio is the median of
the rounds' own. Ours draws every sample independently; the others go through the hands in an order of their own,
which makes a sample of theirs worth more or less than an independent one: that is measured too.
"""

import gc
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt
from statistics import median
from typing import Any, Final

from bots.equity.estimate import question_of
from bots.equity.paths import Path, chosen
from bots.equity.spots import DrawSpot, make_draw_spot, make_holdem_spot
from cluster.bench.answers import Answer, Library, OtherSide, Side
from cluster.bench.kernel_equity import Count, Discards, Samples, counted_on, sampled_on

HAND: Final = "AsKs"
FLOP: Final = "Qs7d2s"
RANGE: Final = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
LONG: Final = 15.0
"""Laps that go into finding what a sample of the others is worth."""
_SIGMAS: Final = 5.0
"""Two that answer the same question lie further apart once in two million times."""
_ROUNDING: Final = 1e-9


class Disagreement(Exception):
    """Two sides found different equities, so that they did not do the same work."""


@dataclass(frozen=True, slots=True)
class Lap:
    """What one side did in a round."""

    answer: Answer
    seconds: float
    """Of CPU time."""

    @property
    def rate(self) -> float:
        """Samples, or exact results, a second of CPU time."""
        return self.answer.done / self.seconds


Round = Mapping[str, Lap]
"""All sides by their names, one directly after the other."""


@dataclass(frozen=True, slots=True)
class Contest:
    """One spot and those who answer it: our paths, and the libraries that can."""

    name: str
    what: str
    """For people."""
    paths: Mapping[Path, Side]
    others: Mapping[str, Side] = field(default_factory=dict)
    variance: float = 0.0
    """Of what the first player gets in a sample; 0 if exact."""

    @property
    def sides(self) -> dict[str, Side]:
        """Everyone, those beside each other who are compared most."""
        return {**{str(path): side for path, side in self.paths.items()}, **self.others}

    @property
    def in_use(self) -> Path:
        """The path that the product would take: the chosen one, or the next that has a way of its own."""
        slower = list(Path)[list(Path).index(chosen()) :]
        return next(path for path in slower if path in self.paths)


@dataclass(frozen=True, slots=True)
class Played:
    """A contest with what was measured."""

    contest: Contest
    rounds: Sequence[Round]
    worth: Mapping[str, float]
    """How many independent samples one of another side's is worth; without those that are exact."""

    def rate(self, side: str) -> float:
        """The median of a side's rounds."""
        return median(played[side].rate for played in self.rounds)

    def ratio(self, path: Path, other: str) -> float:
        """How much `path` does in the time of one of the other's."""
        return round(median(played[path].rate / played[other].rate for played in self.rounds), 2)


def contests(libraries: Sequence[Library]) -> list[Contest]:
    """All that is measured: hold'em beside the libraries, and draw, which they do not have."""
    return [
        _sampled("hu_preflop", f"{HAND} against random", [HAND, "random"], "", libraries),
        _sampled("six_way", f"{HAND} against five random", [HAND, *["random"] * 5], "", libraries),
        _sampled("flop_range", f"{HAND} on {FLOP} against a range", [HAND, RANGE], FLOP, libraries),
        _counted("exact_flop", f"{HAND} on {FLOP} against random, exact", [HAND, "random"], FLOP, libraries),
        _drawn("draw_one", "draw: a pair drawing 3 against one who drew 3", [3]),
        _drawn("draw_five", "draw: a pair drawing 3 against five random", ["random"] * 5),
        _drawn_exactly("draw_exact", "draw: a pair drawing 3 against one who drew 1, exact"),
        _discards("draw_discards", "draw: all 26 discards of a hand, exact"),
    ]


def rounds(contest: Contest, *, count: int, seconds: float) -> Iterator[Round]:
    """`count` rounds of laps of about so many seconds a side, after laps that warm all up and find their pace.

    Raises:
        Disagreement: see there. Only all rounds together tell, so it is raised after the last.
    """
    sides = contest.sides
    amounts = {name: _amount(side, seconds) for name, side in sides.items()}
    played: list[Round] = []
    for _ in range(count):
        played.append({name: _lap(side, amounts[name]) for name, side in sides.items()})
        yield played[-1]
    check(contest, played)


def check(contest: Contest, played: Sequence[Round]) -> None:
    """See that all sides of the rounds found the same equity, within five of their standard errors.

    Raises:
        Disagreement: they did not.
    """
    found = {name: _pooled([one[name].answer for one in played]) for name in contest.sides}
    for (one, mine), (other, theirs) in combinations(found.items(), 2):
        error = sqrt(contest.variance / mine.done + contest.variance / theirs.done)
        if not abs(mine.equity - theirs.equity) <= _SIGMAS * error + _ROUNDING:
            raise Disagreement(
                f"{contest.what}: {one} finds {mine.equity:.6f} and {other} {theirs.equity:.6f}, with a standard "
                f"error of {error:.6f} between them: they did not do the same work"
            )


def worth(contest: Contest, played: Sequence[Round], *, seconds: float) -> dict[str, float]:
    """For each library that samples the contest's spot, how many independent samples one of its own is worth."""
    found = Played(contest, played, {})
    return {
        name: round(side.worth(found.rate(name), LONG * seconds), 3)
        for name, side in contest.others.items()
        if isinstance(side, OtherSide)
    }


def report(measured: Sequence[Played]) -> dict[str, Any]:
    """All that was measured, as JSON takes it: rates in samples, or exact results, a second."""
    by_path: dict[str, dict[str, float]] = {}
    for played in measured:
        for path in played.contest.paths:
            ratios = by_path.setdefault(path, {})
            ratios.update({_key(played, other): played.ratio(path, other) for other in played.contest.others})
    in_use = {_key(played, other): (played, other) for played in measured for other in played.contest.others}
    return {
        "path": chosen(),
        "ratios": {
            key: played.ratio(played.contest.in_use, other) for key, (played, other) in in_use.items()
        },
        "ratios_by_path": by_path,
        "ratios_at_equal_error": {
            key: round(played.ratio(played.contest.in_use, other) / played.worth[other], 2)
            for key, (played, other) in in_use.items()
            if other in played.worth
        },
        "spots": {played.contest.name: _spot(played) for played in measured},
    }


def _key(played: Played, other: str) -> str:
    return f"{played.contest.name}_vs_{other}"


def _spot(played: Played) -> dict[str, Any]:
    contest = played.contest
    return {
        "what": contest.what,
        "path": contest.in_use,
        "exact": not contest.variance,
        "rates": {name: float(f"{played.rate(name):.4g}") for name in contest.sides},
        "equities": {
            name: round(_pooled([one[name].answer for one in played.rounds]).equity, 6)
            for name in contest.sides
        },
        "worth": dict(played.worth),
        "round_ratios": {
            other: [round(one[contest.in_use].rate / one[other].rate, 2) for one in played.rounds]
            for other in contest.others
        },
    }


def _sampled(
    name: str, what: str, players: Sequence[str], board: str, libraries: Sequence[Library]
) -> Contest:
    question = question_of(make_holdem_spot(players, board=board))
    paths = {path: Samples(question, path) for path in sampled_on(question)}
    variance = next(iter(paths.values())).variance()
    sides = {library.name: library.sampled(players, board, variance=variance) for library in libraries}
    return Contest(name, what, paths, {name: side for name, side in sides.items() if side}, variance)


def _counted(
    name: str, what: str, players: Sequence[str], board: str, libraries: Sequence[Library]
) -> Contest:
    question = question_of(make_holdem_spot(players, board=board))
    paths = {path: Count(question, path) for path in counted_on()}
    sides = {library.name: library.counted(players, board) for library in libraries}
    return Contest(name, what, paths, {name: side for name, side in sides.items() if side})


def _drawn(name: str, what: str, opponents: Sequence[int | str]) -> Contest:
    question = question_of(_pair(opponents))
    paths = {path: Samples(question, path) for path in sampled_on(question)}
    return Contest(name, what, paths, variance=next(iter(paths.values())).variance())


def _drawn_exactly(name: str, what: str) -> Contest:
    question = question_of(_pair([1]))
    return Contest(name, what, {path: Count(question, path) for path in counted_on()})


def _discards(name: str, what: str) -> Contest:
    cards = _pair(["random"]).cards
    return Contest(name, what, {path: Discards(cards, path) for path in counted_on()})


def _pair(opponents: Sequence[int | str]) -> DrawSpot:
    return make_draw_spot("AsAdTc7h4s", discard="Tc7h4s", opponents=opponents)


def _amount(side: Side, seconds: float) -> int:
    """How much the side does in so many seconds, found by doing more and more."""
    lap = _lap(side, 1)
    while lap.seconds < seconds / 4:
        lap = _lap(side, 4 * lap.answer.done)
    return max(1, round(lap.rate * seconds))


def _lap(side: Side, amount: int) -> Lap:
    gc.collect()
    started = time.process_time()
    answer = side.answer(amount)
    return Lap(answer, time.process_time() - started)


def _pooled(answers: Sequence[Answer]) -> Answer:
    done = sum(answer.done for answer in answers)
    return Answer(done, sum(answer.equity * answer.done for answer in answers) / done)
