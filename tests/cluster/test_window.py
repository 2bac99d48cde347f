"""The window of jobs: it narrows where they come late, once for those that were asked for together, and widens again."""

from cluster.actors.window import Window


def late(window: Window, *numbers: int) -> int:
    for number in numbers:
        window.landed(number, in_time=False)
    return window.wide


def test_begins_as_wide_as_it_may_be_and_becomes_no_wider() -> None:
    window = Window(8)
    for _ in range(20):
        window.landed(window.begin(), in_time=True)
        assert window.wide == 8


def test_late_jobs_of_one_moment_halve_it_once() -> None:
    window = Window(8)
    together = [window.begin() for _ in range(8)]
    assert late(window, *together) == 4
    assert late(window, window.begin()) == 2


def test_one_job_is_tried_however_late_they_are() -> None:
    window = Window(8)
    for _ in range(50):
        assert late(window, window.begin()) >= 1


def test_widens_by_one_for_as_many_as_it_lets() -> None:
    window = Window(8)
    late(window, window.begin())
    late(window, window.begin())
    assert window.wide == 2
    widths = []
    for _ in range(6):
        window.landed(window.begin(), in_time=True)
        widths.append(window.wide)
    assert widths == [2, 2, 3, 3, 3, 4]
