"""The data directory: one `up` at a time, and what it remembers."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cluster.local.datadir import LONGEST_RUN_DIR, DataDir, DataDirFault, make_run_dir
from cluster.local.processes import Process

HOLD = """
import sys
from pathlib import Path
from cluster.local.datadir import DataDir
DataDir(Path(sys.argv[1])).take()
print("held", flush=True)
sys.stdin.read()
"""


def test_second_holder_is_refused_with_the_first_ones_process(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(DataDirFault, match=f"process {holder.pid}.*CROUPIER_DATA_DIR"):
            DataDir(tmp_path).take()
        holder.kill()
    second = DataDir(tmp_path)
    second.take()
    second.release()


def test_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataDirFault, match="cannot be written"):
        DataDir(tmp_path / "file" / "data").take()


def test_record_survives_and_is_forgotten(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.take()
    assert data.recorded() is None
    run_dir = make_run_dir()
    data.record(run_dir, [Process("valkey", 42, 1.5)], listen="127.0.0.1:50051")
    assert data.recorded() == (run_dir, [Process("valkey", 42, 1.5)])
    assert data.listening() == "127.0.0.1:50051"
    data.forget(run_dir)
    assert data.recorded() is None
    assert not run_dir.exists()
    data.release()


def test_unreadable_record_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "up.json").write_text('{"run_dir": ')
    assert DataDir(tmp_path).recorded() is None


def test_run_directory_is_short_even_where_the_temporary_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 60)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    run_dir = make_run_dir()
    assert len(str(run_dir)) <= LONGEST_RUN_DIR
    assert run_dir.stat().st_mode & 0o777 == 0o700
    run_dir.rmdir()
