"""What the engine stands on: the standard library, and nothing that reaches out of the process."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "engine").rglob("*.py"))
IMPURE = {
    "asyncio",
    "os",
    "random",
    "secrets",
    "socket",
    "subprocess",
    "threading",
    "time",
    "uuid",
}
"""Clocks, chance and the world outside: in the engine these come in as arguments (B0, T1)."""


def imported(path: Path) -> Iterator[str]:
    """The first word of everything that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_engine_imports_the_standard_library_alone(path: Path) -> None:
    """Whatever is installed beside it, and nothing of it that is a clock, chance, input or output."""
    assert set(imported(path)) - sys.stdlib_module_names <= {"engine"}
    assert IMPURE.isdisjoint(imported(path))


def test_every_folder_of_the_engine_is_looked_at() -> None:
    assert {path.parent.name for path in FILES} >= {"engine", "history", "replay"}
