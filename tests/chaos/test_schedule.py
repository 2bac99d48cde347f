"""The schedule: one seed, one schedule, with as many faults of each kind as of any other."""

from collections import Counter
from itertools import pairwise

import pytest

from tests.chaos.schedule import GATEWAYS, LINES, NODES, Kind, Planned, plan


def test_a_seed_is_a_schedule() -> None:
    assert plan(200, 1_200, 7) == plan(200, 1_200, 7)
    assert plan(200, 1_200, 7) != plan(200, 1_200, 8)


def test_kinds_are_as_many_as_each_other_and_spread_over_the_time() -> None:
    lines, others = plan(200, 1_200, 7)
    counts = Counter(planned.kind for planned in (*lines, *others))
    assert set(counts) == set(Kind)
    assert sum(counts.values()) == 200
    assert set(counts.values()) == {15, 16}
    assert {planned.kind for planned in lines} == set(LINES)
    for lane in (lines, others):
        times = [planned.at for planned in lane]
        assert times == sorted(times)
        assert 0 <= times[0] < 60
        assert 1_140 < times[-1] < 1_200


@pytest.mark.parametrize("needy,between", [(NODES, 1), (GATEWAYS, 2)])
def test_those_that_need_the_same_parts_stand_apart(needy: tuple[Kind, ...], between: int) -> None:
    for seed in range(20):
        _, others = plan(200, 1_200, seed)
        at = [number for number, planned in enumerate(others) if planned.kind in needy]
        assert len(at) >= 15 * len(needy)
        assert all(after - before > between for before, after in pairwise(at))


def test_every_victim_can_be_picked_and_none_beyond_them() -> None:
    picked = {Planned(0, Kind.DRAIN, pick / 100, 1).of(3) for pick in range(100)}
    assert picked == {0, 1, 2}
