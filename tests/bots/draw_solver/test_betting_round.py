"""The tree of one betting round."""

import pytest

from bots.draw_solver.betting_round import bets_in, betting_round
from tests.bots.draw_solver.limit_round import actions, both_paid, endings, folder


@pytest.mark.parametrize("cap", [1, 3, 10])
def test_a_round_is_what_the_rules_allow(cap: int) -> None:
    """Against the best responder's own writing of it: D3, D5, and no fold where a check is free."""
    betting = betting_round(cap)
    ends = {end.history: end for end in betting.ends}
    assert set(ends) == set(endings(cap))
    for history, end in ends.items():
        assert end.bets == both_paid(history)
        assert end.folder == (folder(history) if history.endswith("f") else -1)
    for node in betting.nodes:
        assert node.actions == actions(node.history, cap)
        assert node.actor == len(node.history) % 2


@pytest.mark.parametrize("cap,nodes,called", [(1, 6, 5), (3, 10, 9), (10, 24, 23)])
def test_its_size_grows_with_the_cap(cap: int, nodes: int, called: int) -> None:
    betting = betting_round(cap)
    assert (len(betting.nodes), len(betting.called)) == (nodes, called)
    assert max(bets_in(node.history) for node in betting.nodes) == cap + 1


def test_children_come_after_their_node() -> None:
    betting = betting_round(3)
    for at, node in enumerate(betting.nodes):
        for action, child in zip(node.actions, node.children, strict=True):
            after = betting.nodes[child] if child >= 0 else betting.ends[-1 - child]
            assert after.history == node.history + action
            assert child < 0 or child > at
