"""Players' names: what may stand in one, and what to say where it may not."""

import unicodedata
from typing import Final

from engine.refusals import Reason, Refusal, refuse

LONGEST: Final = 32
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Control, format, unassigned, private and surrogate characters, and separators of lines."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that look like nothing."""
_MARKS: Final = frozenset({"Mn", "Me"})
_MOST_MARKS: Final = 2
_SENTENCE: Final = "a name has 1 to 32 visible characters, such as Ada"


def accepted_name(asked: str) -> str | Refusal:
    """The name as it will be shown (NFC, single spaces, none at the ends), or why it is refused."""
    if len(asked) > 4 * LONGEST:
        return _refused(f"a name of {len(asked)} characters is too long", len(asked))
    name = " ".join(word for word in _spaced(unicodedata.normalize("NFC", asked)).split(" ") if word)
    if not name:
        return _refused("an empty name cannot be shown", 0)
    if len(name) > LONGEST:
        return _refused(f"a name of {len(name)} characters is too long", len(name))
    marks = 0
    for character in name:
        category = unicodedata.category(character)
        if category in _HIDDEN or character in _BLANK:
            return _refused(f"U+{ord(character):04X} is not a visible character", len(name))
        marks = marks + 1 if category in _MARKS else 0
        if marks > _MOST_MARKS:
            return _refused("a letter carries more than two marks", len(name))
    return name


def _spaced(text: str) -> str:
    """The text with every kind of space as the plain one."""
    return "".join(" " if unicodedata.category(character) == "Zs" else character for character in text)


def _refused(why: str, length: int) -> Refusal:
    return refuse(Reason.NAME_REFUSED, f"{why}: {_SENTENCE}", length=length, min=1, max=LONGEST)
