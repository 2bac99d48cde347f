"""Every line of the rules is cited by a test: its tag, or a setting's name, stands at the start of a docstring."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = ROOT.parent / "shared" / "rules.md"
TAG = re.compile(r"\b(?:[NRAPSBTLVCD]\d+[a-z]?)\b")
SERIES = {"N": 21, "R": 1, "A": 5, "P": 10, "S": 8, "B": 12, "T": 1, "L": 4, "V": 2, "C": 1, "D": 18}
BRANCHES = {"B3b", "B3c", "B8a"}


@pytest.fixture(scope="module")
def rules() -> str:
    """The text of the rules; absent in a checkout without its surroundings, but never where they are required."""
    if not RULES.exists():
        if os.environ.get("CROUPIER_REQUIRE_SHARED") == "1":
            pytest.fail(f"the rules are required here and not found at {RULES}")
        pytest.skip("the rules stand beside the project, at ../shared/rules.md, and are not there")
    return RULES.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cited() -> set[str]:
    """The tags and setting names at the start of the tests' docstrings."""
    return {name for docstring in docstrings() for name in cited_by(docstring)}


def docstrings() -> Iterator[str]:
    """Of every test function under tests/."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield ast.get_docstring(node) or ""


def cited_by(docstring: str) -> set[str]:
    """What a docstring cites before its first colon: tags, ranges such as N3-N5, and `settings`."""
    head = docstring.split(":", 1)[0]
    names = set(TAG.findall(head)) | set(re.findall(r"`(\w+)`", docstring.split("\n", 1)[0]))
    for letter, first, last in re.findall(r"\b([A-Z])(\d+)-\1(\d+)\b", head):
        names |= {f"{letter}{number}" for number in range(int(first), int(last) + 1)}
    return names


def tags_of(rules: str) -> set[str]:
    """The tags that head a line or a sentence of the rules: at a line's start, or after a full stop."""
    heads = re.findall(r"(?m)(?:^- |[.*\]] |: )([NRAPSBTLVCD]\d+[a-z]?) ", rules)
    return set(heads)


def settings_of(rules: str) -> set[str]:
    """The names in the first column of the settings table."""
    table = rules.split("## Settings of a salon")[1].split("\n\n", maxsplit=1)[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_rules_have_the_series_that_are_known(rules: str) -> None:
    """A new line in the rules is noticed here first."""
    known = {f"{letter}{number}" for letter, last in SERIES.items() for number in range(1, last + 1)}
    known |= BRANCHES | {"B0"}
    found = tags_of(rules)
    assert found - known == set(), "tags of the rules that this test does not know"
    assert known - set(TAG.findall(rules)) == set(), "tags that the rules no longer have"


def test_every_tag_of_the_rules_is_cited(rules: str, cited: set[str]) -> None:
    """Each line of the rules has a test that says so."""
    known = {f"{letter}{number}" for letter, last in SERIES.items() for number in range(1, last + 1)}
    wanted = tags_of(rules) | known | BRANCHES | {"B0"}
    assert sorted(wanted - cited) == []


def test_every_row_of_the_settings_table_is_cited(rules: str, cited: set[str]) -> None:
    """Each setting has a test that names it."""
    names = settings_of(rules)
    assert len(names) > 20
    assert sorted(names - cited) == []


@pytest.mark.parametrize(
    "docstring, names",
    [
        ("B3, W-L 151: the dead button, not B4.", {"B3"}),
        ("N3-N5: three rules.", {"N3", "N4", "N5"}),
        ("`seats`: 2-9.", {"seats"}),
        ("No rule at all.", set()),
    ],
)
def test_a_citation_is_what_stands_before_the_colon(docstring: str, names: set[str]) -> None:
    """Or the settings named in the first line."""
    assert cited_by(docstring) == names
