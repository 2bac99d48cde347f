"""The shelf: the packaged table, tables in files, and telling what is missing."""

import os
import random
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bots.draw_solver.shelf import PACKAGED, Shelf, kept, stakes_of
from bots.draw_solver.stakes import DEFAULT, Stakes
from bots.draw_solver.strengths import strength_of_five
from bots.draw_solver.table import Table, file_name, save
from bots.draw_solver.trainer import train
from tests.bots.draw_solver.deals import strengths
from tests.bots.draw_solver.test_draw_table import at_random, felt, turns

OTHER = Stakes(ante=1, small_bet=1, big_bet=2, raise_cap=1)


@cache
def other() -> Table:
    """A table for other stakes, trained for a moment."""
    return train(OTHER, 2)


def test_the_packaged_table_is_for_the_usual_stakes_in_chips_of_any_size() -> None:
    assert PACKAGED.find(DEFAULT) is Shelf().find(Stakes(5, 10, 20, 3)) is not None


def test_what_is_missing_is_told_whenever_it_is_asked_for_and_found_once_it_is_there(tmp_path: Path) -> None:
    told: list[Stakes] = []
    shelf = Shelf(tmp_path, told.append)
    assert shelf.find(Stakes(5, 5, 10, 1)) is None
    assert shelf.find(OTHER) is None
    assert told == [OTHER, OTHER]
    save(other(), tmp_path / file_name(OTHER))
    assert shelf.find(OTHER) is not None
    (tmp_path / file_name(OTHER)).unlink()
    assert shelf.find(OTHER) is not None, "what was found is not lost again"
    assert len(told) == 2


@pytest.mark.parametrize("wrong", ["nothing", "half", "another's"])
def test_a_file_that_is_no_table_for_its_stakes_counts_as_none(wrong: str, tmp_path: Path) -> None:
    path = tmp_path / file_name(OTHER)
    save(other(), path)
    content = path.read_bytes()
    told: list[Stakes] = []
    shelf = Shelf(tmp_path, told.append)
    if wrong == "another's":
        path.rename(tmp_path / file_name(replace(OTHER, big_bet=4)))
        wanted = replace(OTHER, big_bet=4)
    else:
        path.write_bytes(b"" if wrong == "nothing" else content[: len(content) // 2])
        wanted = OTHER
    assert kept(tmp_path, wanted) is None
    assert shelf.find(wanted) is None
    assert told == [wanted]
    if wrong != "another's":
        path.write_bytes(content)
        os.utime(path, ns=(1, 1))
        assert shelf.find(wanted) is not None, "a new file is looked at again"


def test_a_shelf_without_a_directory_has_the_packaged_table_alone() -> None:
    assert PACKAGED.find(OTHER) is None


@pytest.mark.parametrize(
    "given", [{}, {"ante": 2}, {"raise_cap": 5}, {"small_bet": 3, "big_bet": 6, "ante": 1}]
)
def test_the_stakes_of_a_turn_are_those_of_its_salon(given: dict[str, int]) -> None:
    seen = turns(felt(given=dict(given)), 1, at_random())[0]
    usual = {"ante": 1, "small_bet": 2, "big_bet": 4, "raise_cap": 3}
    assert stakes_of(seen) == Stakes(**{**usual, **given})


def test_a_shelf_knows_a_turn_by_public_facts_alone() -> None:
    """Every turn heads-up at its stakes, whatever the cards are; none of more players, nor of hold'em."""
    rng = random.Random(3)
    for seen in turns(felt(), 300, at_random()):
        assert PACKAGED.knows(seen)
        other_cards = tuple(rng.sample(range(52), 5))
        assert PACKAGED.knows(replace(seen, cards=other_cards))
    for seen in (*turns(felt(3), 60, at_random()), *turns(felt(given={"ante": 2}), 60, at_random())):
        assert PACKAGED.knows(seen) is None
    assert PACKAGED.knows(replace(turns(felt(), 1, at_random())[0], game="holdem", ante=0)) is None


def test_five_cards_have_the_strength_that_the_solver_gives_them() -> None:
    rng = random.Random(4)
    hands = [rng.sample(range(52), 5) for _ in range(3000)]
    hands += [[48, 0, 4, 8, 12], [32, 36, 40, 44, 48], [0, 4, 8, 12, 20]]
    assert [strength_of_five(hand) for hand in hands] == strengths(np.array(hands, np.uint8)).tolist()


def test_to_play_by_a_table_takes_neither_numpy_nor_much_memory() -> None:
    """In a process of its own, as a salon's is."""
    code = (
        "import resource, sys\n"
        "from bots.brain import think\n"
        "from bots.draw_solver.shelf import PACKAGED\n"
        "from bots.draw_solver.stakes import DEFAULT\n"
        "from bots.draw_solver.strengths import strength_of_five\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "assert PACKAGED.find(DEFAULT) and strength_of_five([0, 5, 10, 15, 20])\n"
        "assert 'numpy' not in sys.modules\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 6_000, "KiB"
