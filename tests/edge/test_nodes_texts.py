"""What `croupier nodes` and `croupier drain` say of nodes."""

import io

import pytest
from rich.console import Console

from cluster.commands.nodes import has_room, nodes_table
from croupier.v1.admin_pb2 import Drain, Node

HERE = "a" * 56
THERE = "b" * 56


@pytest.mark.parametrize(
    "other, room",
    [
        (Node(salon_hosts=2, hosts=2), False),
        (Node(salon_hosts=2, hosts=1), True),
        (Node(salon_hosts=2, hosts=2, spares=1), True),
        (Node(salon_hosts=2, drain=Drain()), False),
        (Node(), False),
    ],
)
def test_room_is_on_another_node_that_does_not_drain(other: Node, room: bool) -> None:
    other.node_id = THERE
    assert has_room([Node(node_id=HERE, salon_hosts=9), other], HERE) is room


def test_a_table_says_of_each_node_what_it_has_and_whether_it_drains() -> None:
    console = Console(file=io.StringIO(), width=200)
    drains = (None, Drain(ordered=True), Drain(), Drain(deadline_ms=1, ordered=True))
    nodes = [
        Node(
            node_id=HERE,
            address="10.0.0.7",
            name="box",
            salon_hosts=9,
            hosts=3,
            spares=1,
            salons=2,
            drain=drain,
        )
        for drain in drains
    ]
    console.print(nodes_table(nodes))
    output = console.file
    assert isinstance(output, io.StringIO)
    lines = [line.split() for line in output.getvalue().splitlines()]
    assert lines[1] == ["a" * 12, "10.0.0.7", "box", "3/9", "1", "2", "0"]
    assert lines[2][-1:] == ["yes"]
    assert lines[3][-3:] == ["yes", "(by", "Ray)"]
    assert lines[4][-2] == "by"
