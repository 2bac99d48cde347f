"""Exact results: how many deals there are to count, when counting them all is cheap, and doing it.

What is cheap is worked out from the question and the path alone, never from the clock: the same question is
answered in the same way every time.
"""

from array import array
from math import comb, inf, prod
from typing import Final, NamedTuple

from bots.equity.chunks import NoDeal
from bots.equity.combos import COMBOS
from bots.equity.kernels import TO_DRAW, HoldemPlayer
from bots.equity.paths import Path, kernel
from bots.equity.questions import DrawQuestion, HoldemQuestion, Question
from bots.equity.tally import Estimate, counted

CHEAP: Final = 0.2
"""Seconds that an exact result may take where a sampled one would do."""
HARD: Final = 10.0
"""Seconds beyond which an exact result is refused."""
_ON_BOARD: Final = 0.5
"""The same for two players on a board."""
_UNEVEN: Final = 1000
"""Where weights differ by more, C holds each combo against each as well: see `holdem_exact.c`."""
_FEW: Final = 8
"""Up to so many combos of one of two players each is held against each of the other's; beyond, both are sorted."""


class TooManyDeals(ValueError):
    """An exact result was asked for that cannot be had; the message says why and what to do instead."""


class _Seconds(NamedTuple):
    """What a path takes on a core of 2024, as measured."""

    board: float
    """For a board."""
    any_two: float
    """For a board where a hand meets any two cards."""
    combo: float
    """For a combo on a board."""
    sorting: float
    """For a combo on a board where two ranges are sorted."""
    match: float
    """For each assignment of combos to players on a board."""
    five: float
    """For a final hand of five cards at draw, where one card is drawn at most."""
    more: float
    """The same where more are drawn."""


_COMPILED: Final = _Seconds(5e-9, 9e-8, 3.5e-9, 1.2e-8, 3e-9, 2.5e-8, 4.5e-8)
_TAKES: Final = {
    Path.AVX512: _COMPILED,
    Path.C: _COMPILED,
    Path.NUMPY: _Seconds(5e-9, 1.15e-5, 1.2e-8, 1.5e-7, 1e-8, 7.5e-8, 2.6e-7),
}


def seconds(question: Question, path: Path) -> float:
    """About how long the exact result takes on `path`; infinite where there is no way to it."""
    takes = _TAKES[path]
    if isinstance(question, DrawQuestion):
        if len(question.opponents) > 1:
            return inf
        return (takes.five if len(question.kept) >= 4 else takes.more) * _finals(question)
    sizes = sorted(_size(seat, question) for seat in question.seats)
    boards = _boards(question, held=2 * sizes.count(1))
    if len(sizes) == 2 and sizes[0] == 1 and None in question.seats:
        return boards * takes.any_two
    if len(sizes) == 2 and sizes[0] > _FEW and (path is Path.NUMPY or not _is_uneven(question)):
        return boards * (takes.board + takes.sorting * sum(sizes))
    return boards * (takes.board + takes.combo * sum(sizes) + takes.match * prod(sizes))


def is_cheap(question: Question, path: Path, *, left: float) -> bool:
    """Whether all deals are counted where samples would do, `left` seconds before a deadline.

    Heads-up on a board always, unless the deadline is near or C would have to pair all combos of two large ranges of
    uneven weights: never more than half a second, on the slowest path.
    """
    on_board = isinstance(question, HoldemQuestion) and question.players == 2 and question.board
    return seconds(question, path) <= min(_ON_BOARD if on_board else CHEAP, left / 4)


def deals(question: Question) -> int:
    """How many deals an exact result counts; for more than two players those among them too that share a card."""
    if isinstance(question, DrawQuestion):
        return _draw_deals(question)
    boards = _boards(question, held=2 * len(question.seats))
    if len(question.seats) == 2:
        return _matches(question) * boards
    return prod(_size(seat, question) for seat in question.seats) * boards


def exactly(question: Question, path: Path) -> Estimate:
    """Count all deals, in this thread. Blocks, for about `seconds`.

    Raises:
        NoDeal: there is none.
    """
    weights = question.exact(kernel(path))
    if not any(weights):
        raise NoDeal("no deal is possible: the hands leave each other no cards")
    return counted(weights, _deals_in(question, weights, path), path)


def check(question: Question, path: Path, *, left: float) -> None:
    """See that an exact result can be had, `left` seconds before a deadline. Raises TooManyDeals."""
    if isinstance(question, DrawQuestion) and len(question.opponents) > 1:
        raise TooManyDeals(
            f"exact is for one opponent at draw, and here are {len(question.opponents)}: sample instead, "
            "such as to a standard error of 0.001"
        )
    expected = seconds(question, path)
    if expected > min(HARD, left):
        limit = f"{HARD:.0f} s is the limit" if expected > HARD else f"the deadline leaves {left:.3f} s"
        raise TooManyDeals(
            f"exact would be {deals(question):,} deals, about {expected:.3g} s on the path {path}, and {limit}: "
            "sample instead, such as to a standard error of 0.001, or ask about narrower ranges or a later street"
        )


def _deals_in(question: Question, weights: list[float], path: Path) -> int:
    """The deals that were counted, whatever they weigh."""
    if isinstance(question, DrawQuestion) or (question.weighted and len(question.seats) == 2):
        return deals(question)
    if question.weighted:
        weights = question.unweighted().exact(kernel(path))
    n = question.players
    return round(sum(weight / (at % n + 1) for at, weight in enumerate(weights)))


def _is_uneven(question: HoldemQuestion) -> bool:
    """Whether a player's weights differ much."""
    weights = (array("d", seat[1]) for seat in question.seats if seat is not None and seat[1] is not None)
    return any(max(each) > _UNEVEN * min(each) for each in weights)


def _size(seat: HoldemPlayer, question: HoldemQuestion) -> int:
    """How many combos a player may have, or a few more."""
    return comb(52 - len(question.board) - len(question.dead), 2) if seat is None else len(seat[0]) // 2


def _boards(question: HoldemQuestion, *, held: int) -> int:
    """How many boards there are beside `held` hole cards."""
    return comb(52 - len(question.board) - len(question.dead) - held, 5 - len(question.board))


def _matches(question: HoldemQuestion) -> int:
    """How many pairs of combos without a card in common two players may hold."""
    known = {*question.board, *question.dead}
    one, other = (_combos(seat, known) for seat in question.seats)
    if len(one) > len(other):
        one, other = other, one
    holding = [0] * 52
    for a, b in other:
        holding[a] += 1
        holding[b] += 1
    same = set(other)
    return sum(len(other) - holding[a] - holding[b] + ((a, b) in same) for a, b in one)


def _combos(seat: HoldemPlayer, known: set[int]) -> list[tuple[int, int]]:
    pairs = COMBOS if seat is None else [*zip(seat[0][::2], seat[0][1::2], strict=True)]
    return [(a, b) for a, b in pairs if a not in known and b not in known]


def _finals(question: DrawQuestion) -> int:
    """How many hands of five there are to rank: the own ones and the opponent's."""
    live = 52 - len(question.kept) - len(question.dead)
    return comb(live, 5 - len(question.kept)) + sum(
        comb(live - keeps, 5 - keeps) for keeps in _kept(question)
    )


def _draw_deals(question: DrawQuestion) -> int:
    live, draws = 52 - len(question.kept) - len(question.dead), 5 - len(question.kept)
    return sum(comb(live - keeps, draws) * comb(live - keeps - draws, 5 - keeps) for keeps in _kept(question))


def _kept(question: DrawQuestion) -> list[int]:
    """How many cards each of the hands that the opponent may have kept has."""
    (opponent,) = question.opponents
    if opponent is None:
        return [0]
    known = {*question.kept, *question.dead}
    entries = (opponent[0][at : at + 5] for at in range(0, len(opponent[0]), 5))
    return [5 - entry.count(TO_DRAW) for entry in entries if known.isdisjoint(entry)]
