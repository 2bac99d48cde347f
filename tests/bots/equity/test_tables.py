"""The packaged tables: what they are made of, and that they are what their builder makes."""

import subprocess
import sys
from itertools import combinations, combinations_with_replacement

import pytest

from bots.equity import tables
from engine.cards import Card
from engine.ranking import rank

TABLES = tables.load()


def entries(part: memoryview) -> list[int]:
    return [int.from_bytes(part[i : i + 2], "little") for i in range(0, len(part), 2)]


def strength_scale() -> dict[int, int]:
    """1 to 7462 by the engine's strength, from one hand of each kind."""
    suited = [[Card(4 * each) for each in ranks] for ranks in combinations(range(13), 5)]
    offsuit = [spread(ranks) for ranks in combinations_with_replacement(range(13), 5) if ranks[0] != ranks[4]]
    return {
        strength: i for i, strength in enumerate(sorted({rank(hand) for hand in suited + offsuit}), start=1)
    }


def spread(ranks: tuple[int, ...]) -> list[Card]:
    """Cards of these ranks in suits that make no flush."""
    return [Card(4 * each + i % 4) for i, each in enumerate(ranks)]


SCALE = strength_scale()


def test_the_packaged_tables_are_what_the_builder_makes() -> None:
    assert tables.FILE.read_bytes() == tables.build()


def test_there_are_7462_strengths() -> None:
    """The published number of different hands of five cards."""
    assert len(SCALE) == sum(tables.CATEGORY_SIZES) == 7462


@pytest.mark.parametrize("size, hands", [(5, 6_175), (7, 49_205)])
def test_every_multiset_of_ranks_finds_its_strength(size: int, hands: int) -> None:
    seven = size == 7
    displace = entries(TABLES.displace7 if seven else TABLES.displace5)
    strengths = entries(TABLES.strength7 if seven else TABLES.strength5)
    found = 0
    for ranks in combinations_with_replacement(range(13), size):
        if max(map(ranks.count, ranks)) > 4:
            continue
        key = sum(TABLES.weights[each] for each in ranks) & 0xFFFFFFFF
        slot = key + displace[key >> (19 if seven else 22)]
        assert strengths[slot & len(strengths) - 1] == SCALE[rank(spread(ranks))]
        found += 1
    assert found == hands


def test_every_set_of_ranks_in_a_suit_finds_its_flush() -> None:
    for mask, strength in enumerate(entries(TABLES.flush)):
        suited = [Card(4 * each + 2) for each in range(13) if mask >> each & 1]
        if len(suited) < 5:
            assert strength == 0
        elif len(suited) <= 7:
            assert strength == SCALE[rank(suited)]
        else:
            assert strength == max(SCALE[rank(five)] for five in combinations(suited, 5))


@pytest.mark.parametrize(
    "content, wrong",
    [
        (b"", "begin with b'CRPQ0001', not with b''"),
        (b"CRPQ0002" + bytes(182_328), "not with b'CRPQ0002'"),
        (b"CRPQ0001" + bytes(182_327), "182336 bytes, not 182335"),
    ],
)
def test_other_tables_are_refused(content: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        tables.parse(content)


def test_tables_are_read_without_numpy() -> None:
    """Numpy costs 0.2 s and 17 MB where C does the work."""
    code = "import sys, bots.equity.tables as tables; tables.load(); sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
