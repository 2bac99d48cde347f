"""Balance: every move brings the nodes nearer to their shares, and none is undone."""

import random

import pytest

from cluster.routing.balance import Shift, filling, shift
from cluster.routing.drains import NodeId
from cluster.routing.hosts import Node
from cluster.routing.leases import Counted, HostName
from cluster.routing.load import Load, loads, room
from engine.units import Millis


def site(*nodes: tuple[int, int], draining: tuple[int, ...] = ()) -> list[Load]:
    """Nodes of (hosts that fit, salons), all in one packed host each."""
    return [
        Load(
            Node(NodeId(f"n{at}"), "127.0.0.1", "box", hosts, 2),
            (Counted(HostName(f"h{at}"), NodeId(f"n{at}"), salons, starting=False, given_up=False),),
            Millis(0) if at in draining else None,
        )
        for at, (hosts, salons) in enumerate(nodes)
    ]


@pytest.mark.parametrize(
    "nodes, next_shift",
    [
        ([(10, 10)], None),
        ([(10, 10), (10, 0)], Shift(NodeId("n0"), NodeId("n1"), 3)),
        ([(10, 4), (10, 0)], Shift(NodeId("n0"), NodeId("n1"), 2)),
        ([(10, 3), (10, 0)], None),
        ([(10, 12), (10, 9)], None),
        ([(40, 100), (10, 0)], Shift(NodeId("n0"), NodeId("n1"), 3)),
        ([(10, 10), (0, 0)], None),
        ([(4, 5), (4, 5), (4, 0)], Shift(NodeId("n1"), NodeId("n2"), 1)),
    ],
)
def test_the_next_shift(nodes: list[tuple[int, int]], next_shift: Shift | None) -> None:
    seen = site(*nodes)
    assert shift(seen, filling(seen, ()), 3) == next_shift


def test_no_shift_is_from_or_to_a_draining_node() -> None:
    seen = site((10, 20), (10, 0), draining=(1,))
    assert shift(seen, filling(seen, ()), 3) is None
    seen = site((10, 20), (10, 0), draining=(0,))
    assert shift(seen, filling(seen, ()), 3) is None


def test_zero_moves_at_a_time_are_none() -> None:
    seen = site((10, 10), (10, 0))
    assert shift(seen, filling(seen, ()), 0) is None


def test_a_node_that_is_being_filled_gets_its_share_and_then_little_is_let_be() -> None:
    """One salon too few does not begin it: a node that lost one is not given another at once."""
    seen = site((10, 6), (10, 5))
    assert filling(seen, ()) == set()
    seen = site((10, 6), (10, 4))
    assert filling(seen, ()) == set()
    assert filling(seen, {NodeId("n1")}) == {NodeId("n1")}


@pytest.mark.parametrize("seed", range(50))
def test_it_ends_and_no_node_both_gives_and_takes(seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(2, 6)
    nodes = [(chance.randint(1, 9), chance.randint(0, 40)) for _ in range(count)]
    gave: set[NodeId] = set()
    took: set[NodeId] = set()
    filled: set[NodeId] = set()
    moved = 0
    for _ in range(400):
        seen = site(*nodes)
        filled = filling(seen, filled)
        planned = shift(seen, filled, chance.randint(1, 5))
        if planned is None:
            break
        for node, salons in ((planned.source, -planned.salons), (planned.target, planned.salons)):
            at = int(node.removeprefix("n"))
            nodes[at] = (nodes[at][0], nodes[at][1] + salons)
        gave.add(planned.source)
        took.add(planned.target)
        moved += planned.salons
    else:
        raise AssertionError("it never ends")
    assert not gave & took
    assert moved <= sum(salons for _, salons in nodes)


def test_room_is_that_of_running_hosts_and_of_those_that_fit_beside_them() -> None:
    """Two nodes for three hosts each, one of which drains; a host starts somewhere."""
    nodes = [Node(NodeId(name), "127.0.0.1", "box", 3, 2) for name in ("n0", "n1")]
    census = [
        Counted(HostName("a"), NodeId("n0"), 2, starting=False, given_up=False),
        Counted(HostName("b"), NodeId("n1"), 0, starting=False, given_up=False),
        Counted(HostName("c"), NodeId(""), 1, starting=True, given_up=False),
    ]
    seen = loads(nodes, census, {NodeId("n1"): Millis(0)})
    assert room(seen, census, 5) == 3 + 5
