"""The trainer: two learners play each other, and their average strategies become a table."""

from collections.abc import Callable
from typing import Final

from bots.draw_solver.chances import chances
from bots.draw_solver.game import DrawGame
from bots.draw_solver.learner import Learner
from bots.draw_solver.packing import packed
from bots.draw_solver.stakes import Stakes
from bots.draw_solver.table import Table

Progress = Callable[[int, int], None]
"""Told how many turns are done, and of how many."""

_LARGE: Final = 4
"""Above this cap the tree is so large that fewer turns have to do."""


def usual_iterations(stakes: Stakes) -> int:
    """Turns after which a strategy is good, in less than a minute of one core."""
    return 300 if stakes.raise_cap <= _LARGE else 200


def train(stakes: Stakes, iterations: int = 0, progress: Progress = lambda _done, _of: None) -> Table:
    """The table for some stakes; 0 iterations are the usual number.

    The same to the byte for the same arguments, on every machine: nothing is sampled. It takes one core some ten
    seconds at the default cap, and 200 MB; under a minute and a gigabyte at the highest.
    """
    wanted = iterations or usual_iterations(stakes)
    game = DrawGame(stakes.lowest, chances())
    first, second = Learner(game, 0), Learner(game, 1)
    for turn in range(1, wanted + 1):
        first.learn(second.strategy())
        second.learn(first.strategy())
        progress(turn, wanted)
    return packed(game, (first.average(), second.average()), wanted)
