"""The table's file: what it holds, and what is said of one that is no good."""

import struct
from pathlib import Path

import pytest

from bots.draw_solver import table as module
from bots.draw_solver.betting_round import betting_round
from bots.draw_solver.holding import HOLDINGS
from bots.draw_solver.stakes import DEFAULT, Stakes
from bots.draw_solver.table import NoTable, Table, dump, file_name, load, parse, save

THRESHOLDS = (0, 1278, 4138, 5854)


def small(stakes: Stakes = DEFAULT) -> Table:
    """A table whose bytes tell where they stand."""
    ways = len(betting_round(stakes.raise_cap).called)
    actions = sum(len(node.actions) for node in betting_round(stakes.raise_cap).nodes)
    size = actions * HOLDINGS + 5 * ways * HOLDINGS * 4 + actions * 16 * ways * len(THRESHOLDS)
    return Table(stakes, 7, THRESHOLDS, bytes(at * 7 % 256 for at in range(size)))


def test_a_table_comes_back_from_its_file(tmp_path: Path) -> None:
    table = small(Stakes(10, 20, 40, 2))
    file = tmp_path / file_name(table.stakes)
    save(table, file)
    again = load(file)
    assert again.stakes == Stakes(1, 2, 4, 2)
    assert (again.iterations, again.thresholds, again.shares) == (7, THRESHOLDS, table.shares)
    assert [each.name for each in tmp_path.iterdir()] == ["draw-1-2-4-2.table"]


def test_a_write_that_fails_half_way_leaves_the_old_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "some.table"
    save(small(), file)
    write = Path.write_bytes

    def half(path: Path, content: bytes) -> int:
        write(path, content[: len(content) // 2])
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(OSError, match="no space left"):
        save(small(), file)
    assert load(file).shares == small().shares
    assert list(tmp_path.iterdir()) == [file]


def test_a_table_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        save(small(), tmp_path / "taken")
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


def test_every_decision_has_bytes_of_its_own() -> None:
    table = small()
    nodes = betting_round(3).nodes
    ways = [way.history for way in betting_round(3).called]
    found = [table.before(node.history, holding) for node in nodes for holding in range(HOLDINGS)]
    found += [table.draws(way, holding) for way in ways for holding in range(HOLDINGS)]
    found += [
        table.draws(way, holding, seen) for seen in range(4) for way in ways for holding in range(HOLDINGS)
    ]
    found += [
        table.after(way, (first, second), node.history, strength)
        for node in nodes
        for first in range(4)
        for second in range(4)
        for way in ways
        for strength in (1, 1278, 5853, 7462)
    ]
    assert b"".join(found) == table.shares


def test_the_stronger_of_two_finals_has_the_later_class() -> None:
    table = small()
    found = [table.after("kk", (0, 0), "", strength) for strength in (1, 1277, 1278, 4137, 4138, 5854, 7462)]
    assert [found.index(each) for each in found] == [0, 0, 2, 2, 4, 5, 5]


GOOD = dump(small())


@pytest.mark.parametrize(
    "content,wrong",
    [
        (b"", "begins with"),
        (b"PNG" + GOOD[3:], "begins with b'CRPDRAW1', not with b'PNG"),
        (GOOD[:8] + struct.pack("<H", 99) + GOOD[10:], "version 99"),
        (GOOD[:20], "damaged"),
        (GOOD[:60], "damaged"),
        (GOOD[:-40], "damaged"),
        (GOOD[:-9] + b"123456789", "damaged"),
        (GOOD[:30] + bytes([GOOD[30] ^ 1]) + GOOD[31:], "damaged"),
        (GOOD[:10] + struct.pack("<3IB", 1, 2, 4, 2) + GOOD[23:], "damaged"),
        (GOOD[:10] + struct.pack("<3IB", 3, 2, 4, 3) + GOOD[23:], "an ante of 3"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(NoTable, match=wrong):
        parse(content)
    file = tmp_path / "some.table"
    file.write_bytes(content)
    with pytest.raises(NoTable, match=f"some.table: .*{wrong}"):
        load(file)


def test_the_packaged_table_is_for_a_salon_that_names_no_stakes() -> None:
    table = load()
    assert table.stakes == DEFAULT
    assert module.PACKAGED.stat().st_size < 1_000_000
