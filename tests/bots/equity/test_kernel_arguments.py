"""What no kernel can compute is refused with the same words on every path."""

import subprocess
import sys
from array import array
from collections.abc import Callable
from typing import Any, Final

import pytest

from bots.equity.kernels import Kernel
from bots.equity.paths import Path, available, kernel
from tests.bots.equity.asking import cards, seat

PATHS: Final = [path for path in available() if path is not Path.AVX512]
ACES: Final = seat("AsAh")
NAN: Final = float("nan")
INFINITE: Final = float("inf")


@pytest.fixture(params=PATHS)
def path(request: pytest.FixtureRequest) -> Kernel:
    return kernel(request.param)


def weighted(*weights: float) -> tuple[bytes, bytes]:
    return cards("AsAh") + cards("KsKh"), array("d", weights).tobytes()


HOLDEM: Final[list[tuple[list[Any], str, str, str]]] = [
    ([ACES], "", "", "2 to 9 players"),
    ([None] * 10, "", "", "2 to 9 players"),
    ([ACES, None], "2c", "", "0, 3, 4 or 5 cards"),
    ([ACES, None], "2c3c", "", "0, 3, 4 or 5 cards"),
    ([ACES, None], "2c3c4c5c6c7c", "", "0, 3, 4 or 5 cards"),
    ([ACES, None], "2c3c4c", "4c", "there twice"),
    ([ACES, None], "As3c4c", "", "no combo left"),
    ([ACES, None], "", "As", "no combo left"),
    ([ACES, seat("AsAd")], "", "", "no combo left"),
    ([ACES, seat("AsAd, KsKd"), seat("KsKh")], "", "", "no combo left"),
    ([(b"", None), None], "", "", "1 to 1326 combos"),
    ([(b"\x01\x02\x03", None), None], "", "", "1 to 1326 combos"),
    ([(b"\x01\x02" * 1327, None), None], "", "", "1 to 1326 combos"),
    ([(b"\x01\x01", None), None], "", "", "there twice"),
    ([(b"\x01\x34", None), None], "", "", "from 0 to 51"),
    ([weighted(1), None], "", "", "one weight of 8 bytes"),
    ([weighted(1, 0), None], "", "", "positive and finite"),
    ([weighted(1, -1), None], "", "", "positive and finite"),
    ([weighted(1, NAN), None], "", "", "positive and finite"),
    ([weighted(INFINITE, 1), None], "", "", "positive and finite"),
    ([None] * 9, "", "2c2d2h2s3c3d3h3s4c4d4h4s5c5d5h5s6c6d6h6s7c7d7h7s8c8d8h8s9c9d", "not enough cards"),
]


@pytest.mark.parametrize("players, board, dead, wrong", HOLDEM)
def test_impossible_holdem_is_refused(
    path: Kernel, players: list[Any], board: str, dead: str, wrong: str
) -> None:
    with pytest.raises(ValueError, match=wrong):
        path.holdem_sample(players, cards(board), cards(dead), 1, 10, False)
    with pytest.raises(ValueError, match=wrong):
        path.holdem_exact(players, cards(board), cards(dead))
    if len(players) == 2:
        with pytest.raises(ValueError, match=wrong):
            path.holdem_duels(players[0], players[1], cards(board), cards(dead), 1, 10)


@pytest.mark.parametrize(
    "board, wrong", [(b"\x34\x01\x02", "from 0 to 51"), (b"\x01\x01\x02", "there twice")]
)
def test_a_board_of_no_cards_is_refused(path: Kernel, board: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        path.holdem_exact([ACES, None], board, b"")


def entry(text: str) -> bytes:
    return cards(text).ljust(5, b"\xff")


def goes_on(*often: float) -> tuple[bytes, None, bytes]:
    return entry("KsKh"), None, array("d", often).tobytes()


DRAW: Final[list[tuple[str, list[Any], str, str]]] = [
    ("As", [None], "", "two to five cards"),
    ("AsAhAcAd2c3c", [None], "", "two to five cards"),
    ("AsAh", [None], "As", "there twice"),
    ("AsAh", [], "", "1 to 5 opponents"),
    ("AsAh", [None] * 6, "", "1 to 5 opponents"),
    ("AsAh", [(b"", None, None)], "", "five bytes"),
    ("AsAh", [(b"\x01\x02", None, None)], "", "five bytes"),
    ("AsAh", [(b"\x01\xff\x02\x03\x04", None, None)], "", "come last"),
    ("AsAh", [(b"\x01\x01\xff\xff\xff", None, None)], "", "there twice"),
    ("AsAh", [(b"\x01\x34\xff\xff\xff", None, None)], "", "from 0 to 51"),
    ("AsAh", [(entry("AsKs"), None, None)], "", "nothing left to hold"),
    ("AsAh", [(entry("QsKs"), None, None)], "Qs", "nothing left to hold"),
    ("AsAh", [(entry("QsKs"), array("d", [0]).tobytes(), None)], "", "positive and finite"),
    ("AsAh", [(entry("QsKs"), array("d", [NAN]).tobytes(), None)], "", "positive and finite"),
    ("AsAh", [(entry("QsKs"), b"\x01", None)], "", "one weight of 8 bytes"),
    ("AsAh", [goes_on(*[1.0] * 8)], "", "one probability of 8 bytes"),
    ("AsAh", [goes_on(*[1.0] * 8, 1.5)], "", "from 0 to 1"),
    ("AsAh", [goes_on(*[1.0] * 8, -0.5)], "", "from 0 to 1"),
    ("AsAh", [goes_on(*[1.0] * 8, NAN)], "", "from 0 to 1"),
    ("AsAh", [goes_on(*[0.0] * 9)], "", "goes on with something"),
    ("AsAh", [None] * 5, "2c2d2h2s3c3d3h3s4c4d4h4s5c5d5h5s6c6d6h6s7c7d7h", "not enough cards"),
]


@pytest.mark.parametrize("kept, opponents, dead, wrong", DRAW)
def test_an_impossible_draw_is_refused(
    path: Kernel, kept: str, opponents: list[Any], dead: str, wrong: str
) -> None:
    calls: list[Callable[[], object]] = [
        lambda: path.draw_sample(cards(kept), opponents, cards(dead), 1, 10),
    ]
    if len(opponents) == 1:
        calls.append(lambda: path.draw_exact(cards(kept), opponents[0], cards(dead)))
    if "opponent" not in wrong and opponents == [None]:
        calls.append(lambda: path.draw_outcomes(cards(kept), cards(dead)))
    for call in calls:
        with pytest.raises(ValueError, match=wrong):
            call()


@pytest.mark.skipif(Path.C not in PATHS, reason="there is no compiled kernel")
def test_the_compiled_kernel_refuses_other_tables_and_does_nothing_without_any() -> None:
    """In a process of its own: tables are loaded once."""
    program = """
from bots.equity import _kernel
for call, wrong in (lambda: _kernel.rank(bytes(5)), RuntimeError), (lambda: _kernel.load_tables(bytes(182336)), ValueError):
    try:
        call()
    except wrong as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["load_tables comes first", "these are not the tables of this kernel"]
