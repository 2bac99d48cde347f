"""The push/fold charts: how often each class is all-in or calls, by stack, near the equilibrium.

`charts.bin` has a byte a frequency, in 255ths: for each stack of `STACKS`, 169 for the small blind's all-in and 169
for the big blind's call. `python -m bots.push_fold.charts` solves them again, in half a minute: regret matching with
floored regrets and strategies averaged by iteration (Tammelin 2014, as in the river solver).
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bots.equity.combos import COMBOS
from bots.hand_classes import CLASSES, class_of
from bots.push_fold.game import PushFold

if TYPE_CHECKING:
    from bots.push_fold.game import Frequencies

STACKS: Final = tuple(range(1, 13))
"""Big blinds."""
ITERATIONS: Final = 6000
_FILE: Final = Path(__file__).with_name("charts.bin")
_MOST: Final = 255


def jam_frequency(cards: Sequence[int], stack: float) -> float:
    """How often the small blind is all-in with its cards at a stack in big blinds."""
    return _between(cards, stack, 0)


def call_frequency(cards: Sequence[int], stack: float) -> float:
    """How often the big blind calls an all-in of so many big blinds with its cards."""
    return _between(cards, stack, CLASSES)


@lru_cache(maxsize=1024)
def jam_share(stack: float) -> float:
    """The share of all hands that is all-in at a stack."""
    return sum(jam_frequency(pair, stack) for pair in COMBOS) / len(COMBOS)


@cache
def chart(stack: int) -> tuple[float, ...]:
    """The frequencies of one of `STACKS`: 169 all-ins, then 169 calls."""
    at = STACKS.index(stack) * 2 * CLASSES
    return tuple(byte / _MOST for byte in _FILE.read_bytes()[at : at + 2 * CLASSES])


def _between(cards: Sequence[int], stack: float, at: int) -> float:
    """A frequency on the line between the two nearest stacks."""
    at += class_of(cards[0], cards[1])
    stack = min(max(stack, STACKS[0]), STACKS[-1])
    below = int(stack)
    above = min(below + 1, STACKS[-1])
    return chart(below)[at] + (stack - below) * (chart(above)[at] - chart(below)[at])


def solve(stack: float, iterations: int = ITERATIONS) -> tuple["Frequencies", "Frequencies"]:
    """Frequencies near the equilibrium: all-ins, and calls."""
    import numpy as np  # noqa: PLC0415 - most bots never need it

    game = PushFold(stack)
    jam, fold, call, no = np.zeros((4, CLASSES))
    jams = calls = np.full(CLASSES, 0.5)
    all_jams, all_calls = np.zeros((2, CLASSES))
    for turn in range(1, iterations + 1):
        gain = game.jamming(calls)
        jam = np.maximum(jam + (1 - jams) * gain, 0)
        fold = np.maximum(fold - jams * gain, 0)
        jams = _matched(jam, fold)
        gain = game.calling(jams)
        call = np.maximum(call + (1 - calls) * gain, 0)
        no = np.maximum(no - calls * gain, 0)
        calls = _matched(call, no)
        all_jams += turn * jams
        all_calls += turn * calls
    weight = iterations * (iterations + 1) / 2
    return all_jams / weight, all_calls / weight


def _matched(regret: "Frequencies", other: "Frequencies") -> "Frequencies":
    """The share of an action by its regret; a half where there is none."""
    import numpy as np  # noqa: PLC0415 - as above

    total = regret + other
    found: Frequencies = np.where(total > 0, regret / np.where(total > 0, total, 1), 0.5)
    return found


def _write() -> None:
    rows = (frequency for stack in STACKS for part in solve(stack) for frequency in part)
    _FILE.write_bytes(bytes(round(float(frequency) * _MOST) for frequency in rows))


if __name__ == "__main__":
    _write()
