"""A short run of chaos, as `make chaos` begins it: a few faults of several kinds, and nothing is wrong after them."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cluster.local.processes import marked

pytestmark = [pytest.mark.integration, pytest.mark.timeout(400)]

MARK = "CHAOS_TEST"
SEED = "190"
"""Its five faults: a reset, a delay, kill -9 of a gateway and of a host, and a Valkey that stops for seconds."""


def test_a_few_faults_lose_nothing_and_leave_no_process_and_no_file(tmp_path: Path) -> None:
    """Of its floors and times nothing is asked here: the machine may be busy."""
    folder = tmp_path / "report"
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("RAY_", "CROUPIER_"))}
    size = ("--faults", "5", "--minutes", "0.3", "--salons", "12")
    with tempfile.TemporaryDirectory(
        prefix="cr-", dir="/tmp", ignore_cleanup_errors=True
    ) as place:  # short enough for sockets
        run = subprocess.run(
            [sys.executable, "-m", "tests.chaos", *size, "--seed", SEED, "--report", str(folder)],
            cwd=Path(__file__).parents[2],
            env={**kept, MARK: str(tmp_path), "TMPDIR": place},
            capture_output=True,
            text=True,
            check=False,
        )
        left = list(Path(place).iterdir())
    assert (folder / "report.json").exists(), run.stderr
    report = json.loads((folder / "report.json").read_text())
    assert not report["broken"], run.stdout
    assert not report["violated"], run.stdout
    kinds = sorted(fault["kind"] for fault in report["faults"])
    assert kinds == ["delay", "freeze valkey", "kill gateway", "kill host", "reset"]
    assert report["acknowledged"] > 0
    assert report["counts"]["hands ended"] > 0
    assert run.returncode == (0 if report["good"] else 1)
    assert marked(MARK, str(tmp_path)) == []
    assert left == []
