"""The glossary's words are names in the code."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

import engine

TEXT = (Path(engine.__file__).parent / "GLOSSARY.md").read_text(encoding="utf-8")
ROWS = [line.strip("|").split("|") for line in TEXT.splitlines() if line.startswith("| ")]
NAMES = [name for row in ROWS for name in re.findall(r"`([\w.]+)`", row[2])]
FIELD = [
    "hand",
    "hole_cards",
    "board",
    "street",
    "button",
    "small_blind",
    "big_blind",
    "dead_button",
    "ante",
    "stack",
    "bet",
    "contribution",
    "effective_stack",
    "to_call",
    "min_raise_to",
    "max_raise_to",
    "full_raise",
    "reopens",
    "cap",
    "aggressor",
    "pot",
    "side_pot",
    "odd_chip",
    "uncalled_bet",
    "showdown",
    "muck",
    "award",
    "runout",
    "draw",
    "discard",
    "stand_pat",
    "sit_out",
    "time_bank",
    "salon",
]


def resolve(name: str) -> Any:
    """What `module.Name.field` names: a member, or a field that is declared or a slot."""
    module, *parts = name.split(".")
    found: Any = importlib.import_module(f"engine.{module}")
    for part in parts:
        declared = getattr(found, "__annotations__", {})
        found = getattr(found, part) if hasattr(found, part) else declared[part]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_glossary_exists(name: str) -> None:
    """A word that moved takes its row along."""
    assert resolve(name) is not None


@pytest.mark.parametrize("word", FIELD)
def test_a_word_of_the_field_has_a_row(word: str) -> None:
    """The field's words are told once, and mean one thing."""
    words = [entry.strip() for row in ROWS for entry in row[0].split(",")]
    assert words.count(word) == 1
