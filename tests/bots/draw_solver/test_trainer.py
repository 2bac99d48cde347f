"""The trainer: exact sums, a game that adds up to nothing, the same bytes everywhere, and how near it comes."""

import time
from collections.abc import Sequence
from hashlib import sha256
from math import fsum

import numpy as np
import pytest

from bots.draw_solver.card_sets import Numbers
from bots.draw_solver.chances import chances
from bots.draw_solver.exploitability import exploitability
from bots.draw_solver.game import DrawGame, Strategy
from bots.draw_solver.holding import HOLDINGS
from bots.draw_solver.learner import Learner
from bots.draw_solver.packing import packed, unpacked
from bots.draw_solver.stakes import DEFAULT, Stakes
from bots.draw_solver.table import WHOLE, load
from bots.draw_solver.trainer import train, usual_iterations

SMALL = Stakes(1, 1, 2, 1)


class Follower:
    """Chooses as a strategy says."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    def before(self, node: int, worth: Sequence[Numbers], /) -> Numbers:
        return mixed(self._strategy.before[node], worth)

    def draw(self, worth: Sequence[Numbers]) -> Numbers:
        return mixed(self._strategy.draw, worth)

    def after(self, node: int, worth: Sequence[Numbers], /) -> Numbers:
        return mixed(self._strategy.after[node], worth)


def mixed(shares: Numbers, worth: Sequence[Numbers]) -> Numbers:
    found: Numbers = np.sum([share * each for share, each in zip(shares, worth, strict=True)], axis=0)
    return found


def test_what_one_wins_the_other_loses() -> None:
    """With strategies in which every action is taken, after a few turns."""
    game = DrawGame(DEFAULT, chances())
    pair = unpacked(game, train(DEFAULT, 3))
    won = [game.worth(at, pair[1 - at], Follower(pair[at])) @ game.chances.dealt for at in (0, 1)]
    assert won[0] == pytest.approx(-won[1], abs=1e-4)
    assert abs(won[0]) > 0.01


def test_two_who_only_check_and_stand_pat_win_alike() -> None:
    game = DrawGame(SMALL, chances())
    worth = game.worth(0, passive(game, 1), Follower(passive(game, 0)))
    assert worth @ game.chances.dealt == pytest.approx(0, abs=2e-3)
    # The best holding wins the ante from all but itself, the worst loses it.
    assert worth[-1] == pytest.approx(1, abs=5e-2)
    assert worth[14] < -0.8


def passive(game: DrawGame, player: int) -> Strategy:
    """Checks, calls and stands pat."""
    nodes = [node if node.actor == player else None for node in game.round.nodes]
    seen = () if player == 0 else (4,)
    return Strategy(
        [always(node.actions, (HOLDINGS,)) if node else np.zeros(0) for node in nodes],
        always("k...", (*seen, game.ways, HOLDINGS)),
        [always(node.actions, (4, 4, game.ways, game.finals)) if node else np.zeros(0) for node in nodes],
    )


def always(letters: str, shape: tuple[int, ...]) -> Numbers:
    shares = np.zeros((len(letters), *shape))
    shares[min(letters.find(letter) for letter in "kc" if letter in letters)] = 1
    return shares


def test_sums_are_exact_in_any_order() -> None:
    """The law of `game`: what a library adds up in its own order is exact, so that every machine comes to the same."""
    game = DrawGame(Stakes(1, 1, 4, 10), chances())
    rng = np.random.default_rng(1)
    reach = game.chances.dealt * rng.random(len(game.chances.dealt))
    drawn = game.reach_drawn(
        0, np.broadcast_to(reach, (game.ways, len(reach))), rng.random((4, game.ways, len(reach)))
    )
    assert np.array_equal(drawn * 2.0**52, np.rint(drawn * 2.0**52))
    for draws in range(4):
        column = game._drawn[draws][:, 100]
        parts = np.rint(reach * 2.0**28) / 2.0**28 * column
        assert all(float(sum(parts[order])) == fsum(parts) for order in (slice(None), slice(None, None, -1)))
    most = game.stakes.most
    assert most * game.chances.after.max() < 2**8
    assert max(game.chances.after.max(), game.chances.before.max()) < 2**4


def test_the_same_arguments_make_the_same_bytes_everywhere() -> None:
    """The digest was made on another machine: nothing is sampled, and all sums are exact."""
    told: list[tuple[int, int]] = []
    table = train(SMALL, 5, lambda done, of: told.append((done, of)))
    assert told == [(turn, 5) for turn in range(1, 6)]
    assert sha256(table.shares).hexdigest()[:16] == DIGEST
    assert train(Stakes(7, 7, 14, 1), 5).shares == table.shares


DIGEST = "1aff8aa0d4cdd6e9"


def test_more_turns_come_nearer_to_the_equilibrium() -> None:
    few, more = (exploitability(train(SMALL, turns)) for turns in (10, 60))
    assert 0 < more < 30 < few


def test_regrets_turn_to_what_is_worth_most() -> None:
    """Against one who only ever checks and calls, betting the best hand is learned at once."""
    game = DrawGame(SMALL, chances())
    learner = Learner(game, 0)
    caller = passive(game, 1)
    for _ in range(3):
        learner.learn(caller)
    bets = learner.strategy().before[0][1]
    assert bets[-1] > 0.99
    assert bets[14] < 0.01


def test_shares_are_packed_in_255ths() -> None:
    game = DrawGame(SMALL, chances())
    table = train(SMALL, 5)
    pair = unpacked(game, table)
    for strategy in pair:
        for shares in (*strategy.before, strategy.draw, *strategy.after):
            total = np.rint(shares.sum(axis=0) * WHOLE)
            assert set(np.unique(total)) <= {0, WHOLE}
    assert packed(game, pair, 5).shares == table.shares


@pytest.mark.parametrize(
    "chips,wrong",
    [
        ((3, 2, 4, 3), "an ante of 3"),
        ((0, 2, 4, 3), "an ante of 0"),
        ((1, 2, 1, 3), "a big bet of 1"),
        ((1, 2, 9, 3), "a big bet of 9"),
        ((1, 2, 4, 0), "a cap of 0"),
        ((1, 2, 4, 11), "a cap of 11"),
    ],
)
def test_stakes_that_nobody_plays_for_are_refused(chips: tuple[int, int, int, int], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Stakes(*chips)


def test_only_the_ratios_of_stakes_matter() -> None:
    assert Stakes(5, 10, 20, 3).lowest == DEFAULT == DEFAULT.lowest


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_packaged_table_is_what_the_trainer_makes() -> None:
    """Byte by byte; and in classes of its own it is as good as unbeatable."""
    packaged = load()
    assert packaged.stakes == DEFAULT
    assert packaged.iterations == usual_iterations(DEFAULT)
    made = train(DEFAULT)
    assert made.thresholds == packaged.thresholds
    assert made.shares == packaged.shares
    assert exploitability(packaged) < 2


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("stakes", [Stakes(1, 1, 2, 10), Stakes(1, 20, 40, 3)])
def test_any_stakes_take_less_than_a_minute(stakes: Stakes) -> None:
    started = time.thread_time()
    table = train(stakes)
    assert time.thread_time() - started < 60
    assert exploitability(table) < 10
