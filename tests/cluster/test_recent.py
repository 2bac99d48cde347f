"""Recent: what was set longest ago is forgotten first."""

from cluster.recent import Recent


def test_what_was_set_longest_ago_goes_first() -> None:
    recent: Recent[str, int] = Recent(2)
    recent["a"], recent["b"] = 1, 2
    recent["a"] = 3
    recent["c"] = 4
    assert list(recent.items()) == [("a", 3), ("c", 4)]


def test_what_is_set_again_makes_nothing_else_go() -> None:
    recent: Recent[str, int] = Recent(2)
    recent["a"], recent["b"] = 1, 2
    recent["b"] = 3
    assert list(recent.items()) == [("a", 1), ("b", 3)]
