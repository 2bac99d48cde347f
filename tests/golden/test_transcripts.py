"""Golden transcripts: nobody sees anything other than what was read and found right."""

import pytest

from tests.golden.transcripts import HERE, SCRIPTS, golden_file, transcript


@pytest.mark.parametrize("name", SCRIPTS)
def test_everybody_sees_what_the_transcript_says(name: str) -> None:
    """S1-S5, S8, D10, D18: to the last word; `python -m tests.golden.transcripts --write` after a wanted change."""
    assert transcript(SCRIPTS[name]) == golden_file(name).read_text(encoding="utf-8")


def test_every_file_is_the_transcript_of_a_script() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(SCRIPTS)
