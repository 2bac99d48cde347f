"""A range as text, short and as players write it: spans and pluses folded, whole classes by their names.

Terms of one weight stand together, the heaviest first; among them pairs, hands of either suits, suited
hands, offsuit hands, single combos, each from the highest down.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from bots.equity.combos import COMBOS, combo_text, offsuit, pair, suited
from engine.cards import RANKS

_Cell = tuple[int, int]
"""The ranks of a class of hands, the higher first."""
_CELLS: Final = [(high, low) for high in range(12, -1, -1) for low in range(high - 1, -1, -1)]


def folded(combos: Sequence[int], weights: Sequence[float]) -> str:
    """The text of a range, in `bots.equity.notation`."""
    groups: dict[float, set[int]] = {}
    for number, weight in zip(combos, weights, strict=True):
        groups.setdefault(weight, set()).add(number)
    terms = (
        term + (f":{weight!r}" if weight != 1 else "")
        for weight in sorted(groups, reverse=True)
        for term in _terms(groups[weight])
    )
    return ",".join(terms)


def _terms(left: set[int]) -> list[str]:
    """The terms of the combos of one weight."""
    if len(left) == len(COMBOS):
        return ["random"]
    pairs = [rank for rank in range(12, -1, -1) if left.issuperset(pair(rank))]
    same = [cell for cell in _CELLS if left.issuperset(suited(*cell))]
    other = [cell for cell in _CELLS if left.issuperset(offsuit(*cell))]
    named = {number for rank in pairs for number in pair(rank)}
    named.update(number for cell in same for number in suited(*cell))
    named.update(number for cell in other for number in offsuit(*cell))
    runs_of_same, runs_of_other = _runs(same), _runs(other)
    both = [run for run in runs_of_same if run in runs_of_other]
    return [
        *_pairs(pairs),
        *_hands(both, ""),
        *_hands([run for run in runs_of_same if run not in both], "s"),
        *_hands([run for run in runs_of_other if run not in both], "o"),
        *(combo_text(number) for number in sorted(left - named, key=_height, reverse=True)),
    ]


def _runs(cells: Iterable[_Cell]) -> list[list[_Cell]]:
    """Cells of one higher card whose lower cards are neighbours, put together; the cells are descending."""
    runs: list[list[_Cell]] = []
    for high, low in cells:
        if runs and runs[-1][-1] == (high, low + 1):
            runs[-1].append((high, low))
        else:
            runs.append([(high, low)])
    return runs


def _pairs(ranks: Sequence[int]) -> list[str]:
    terms = []
    for run in _runs((12, rank) for rank in ranks):
        top, bottom = (RANKS[low] * 2 for _, low in (run[0], run[-1]))
        if len(run) == 1:
            terms.append(top)
        else:
            terms.append(f"{bottom}+" if run[0][1] == 12 else f"{top}-{bottom}")
    return terms


def _hands(runs: Sequence[list[_Cell]], suits: str) -> list[str]:
    """Runs as pluses and spans; what stands alone and falls step by step becomes a span like T9s-65s."""
    terms: list[tuple[_Cell, str]] = []
    alone = [run[0] for run in runs if len(run) == 1]
    for run in runs:
        if len(run) > 1:
            plus = run[0][1] == run[0][0] - 1
            text = _hand(run[-1], suits) + "+" if plus else f"{_hand(run[0], suits)}-{_hand(run[-1], suits)}"
            terms.append((run[0], text))
    for fall in _falls(alone):
        if len(fall) > 2:
            terms.append((fall[0], f"{_hand(fall[0], suits)}-{_hand(fall[-1], suits)}"))
        else:
            terms.extend((cell, _hand(cell, suits)) for cell in fall)
    return [text for _, text in sorted(terms, reverse=True)]


def _falls(cells: Sequence[_Cell]) -> list[list[_Cell]]:
    """Cells put together of which each has both cards one rank below those of the one before."""
    left, falls = set(cells), []
    for cell in cells:
        fall = []
        while cell in left:
            left.remove(cell)
            fall.append(cell)
            cell = (cell[0] - 1, cell[1] - 1)
        if fall:
            falls.append(fall)
    return falls


def _hand(cell: _Cell, suits: str) -> str:
    return RANKS[cell[0]] + RANKS[cell[1]] + suits


def _height(number: int) -> tuple[int, int]:
    low, high = COMBOS[number]
    return high, low
