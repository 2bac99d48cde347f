"""Tables are trained once a machine, in a child that leaves the host's process as it is."""

import asyncio
import fcntl
import os
from pathlib import Path

import pytest

from bots.draw_solver.shelf import PACKAGED, Shelf, kept
from bots.draw_solver.stakes import Stakes
from bots.draw_solver.table import file_name
from cluster.salons.table_trainer import TableTrainer, main, shelf_at

STAKES = Stakes(ante=1, small_bet=1, big_bet=2, raise_cap=1)
pytestmark = pytest.mark.timeout(120)


def counted(trainer: TableTrainer, monkeypatch: pytest.MonkeyPatch) -> list[Stakes]:
    """The trainings that it begins."""
    begun: list[Stakes] = []
    command = trainer._command

    def noted(stakes: Stakes) -> list[str]:
        begun.append(stakes)
        return command(stakes)

    monkeypatch.setattr(trainer, "_command", noted)
    return begun


async def test_what_a_shelf_misses_is_trained_and_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "data" / "tables"
    trainer = TableTrainer(directory, iterations=2)
    begun = counted(trainer, monkeypatch)
    shelf = Shelf(directory, trainer.want)
    assert [shelf.find(STAKES) for _ in range(3)] == [None] * 3
    await trainer.done()
    assert shelf.find(STAKES) is not None
    assert begun == [STAKES]
    assert {path.name for path in directory.iterdir()} == {file_name(STAKES), "training.lock"}


async def test_two_hosts_that_want_one_table_train_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = [TableTrainer(tmp_path, iterations=2, patience=0.05) for _ in range(2)]
    begun = [counted(host, monkeypatch) for host in hosts]
    for host in hosts:
        host.want(STAKES)
    await asyncio.gather(*(host.done() for host in hosts))
    assert sum(map(len, begun)) == 1
    assert kept(tmp_path, STAKES) is not None


async def test_a_file_that_is_no_table_is_trained_anew(tmp_path: Path) -> None:
    (tmp_path / file_name(STAKES)).write_bytes(b"no table")
    trainer = TableTrainer(tmp_path, iterations=2)
    trainer.want(STAKES)
    await trainer.done()
    assert kept(tmp_path, STAKES) is not None


async def test_while_another_trains_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = os.open(tmp_path / "training.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    trainer = TableTrainer(tmp_path, iterations=2, patience=0.01)
    begun = counted(trainer, monkeypatch)
    trainer.want(STAKES)
    waiting = asyncio.ensure_future(trainer.done())
    await asyncio.wait({waiting}, timeout=0.2)
    assert not waiting.done()
    assert not begun
    os.close(lock)
    await waiting
    assert begun == [STAKES]


async def test_a_directory_that_cannot_be_written_costs_strength_alone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    shelf = shelf_at(str(tmp_path / "file" / "tables"))
    assert shelf.find(STAKES) is None
    await asyncio.sleep(0)
    assert shelf.find(STAKES) is None


def test_without_a_directory_there_is_the_packaged_table() -> None:
    assert shelf_at("") is PACKAGED


def test_a_child_whose_parent_is_gone_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parents = iter([1, 1, 2])
    monkeypatch.setattr("os.getppid", lambda: next(parents))
    monkeypatch.setattr("os.nice", lambda _: 0)
    with pytest.raises(SystemExit):
        main([str(tmp_path), "1", "1", "2", "1", "50"])
    assert not list(tmp_path.iterdir())
