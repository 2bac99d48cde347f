"""The command line as a whole: which commands there are, and that one of them does not wait for the others."""

import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from cluster.cli import app
from cluster.commands.menu import PLACES


def test_version_is_told() -> None:
    told = CliRunner().invoke(app, ["--version"])
    assert (told.exit_code, told.output) == (0, f"croupier {version('croupier')}\n")


def test_help_lists_every_command_in_order() -> None:
    told = CliRunner().invoke(app, ["--help"])
    listed = [
        line.split()[1] for line in told.output.splitlines() if line[:2] == "│ " and line[2] not in " -"
    ]
    assert (told.exit_code, listed) == (0, list(PLACES))


@pytest.mark.parametrize("name", PLACES)
def test_every_command_has_its_help(name: str) -> None:
    told = CliRunner().invoke(app, [name, "--help"])
    assert told.exit_code == 0, told.output
    assert f"{name} [OPTIONS]" in told.output


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
    print([name for name in ("ray", "cluster.commands.arena", "cluster.commands.bench") if name in sys.modules])
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[-1] == "[]"
