"""The command line as a whole: which commands there are, and that one of them does not wait for the others."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cluster.cli import app
from cluster.commands.menu import PLACES
from tests.edge.running import croupier


def test_version_is_told() -> None:
    told = CliRunner().invoke(app, ["--version"])
    assert (told.exit_code, told.output) == (0, f"croupier {version('croupier')}\n")


def test_help_lists_every_command_in_order(tmp_path: Path) -> None:
    told = croupier(tmp_path, "--help")
    listed = re.findall(r"^  ([a-z]+)  ", told.stdout.partition("Commands:")[2], re.MULTILINE)
    assert (told.returncode, listed) == (
        0,
        [
            *("up", "gateway", "salons", "create", "watch", "play", "history", "replay"),
            *("close", "nodes", "drain", "equity", "arena", "bench", "train", "doctor"),
        ],
    )


@pytest.mark.parametrize("name", PLACES)
def test_every_command_has_its_help(name: str) -> None:
    told = CliRunner().invoke(app, [name, "--help"])
    assert told.exit_code == 0, told.output
    assert name in told.output


def test_a_misspelt_command_is_answered_with_the_nearest() -> None:
    told = CliRunner().invoke(app, ["slaons"])
    assert told.exit_code == 2
    assert "Did you mean 'salons'?" in told.output


def test_a_command_imports_no_other() -> None:
    program = """
import sys
from cluster.cli import app
sys.argv = ["croupier", "salons", "--help"]
try:
    app()
finally:
    from cluster.commands.menu import PLACES
    print({place for place in PLACES.values() if f"cluster.commands.{place}" in sys.modules}, "ray" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[-1] == "{'salons'} False"
