"""Versions: what a release of the product knows how to read, and what a salon's log needs to be known.

A host says with its lease what it knows, so that during a rolling upgrade a salon is placed only where its log can be read.
"""

from typing import Final

from engine.game import RULES_VERSION
from engine.record import SCHEMA_VERSION
from engine.value import value


@value
class Versions:
    """The latest schema of events and snapshots, and the latest rules, such as "1.0.0"."""

    schema: int
    rules: str

    def cover(self, needed: "Versions") -> bool:
        """Whether who knows these can play what needs those: nobody, where it is not known what that is."""
        try:
            return self.schema >= needed.schema and numbers_of(self.rules) >= numbers_of(needed.rules)
        except ValueError:
            return False


KNOWN: Final = Versions(SCHEMA_VERSION, RULES_VERSION)
"""What this release knows."""
UNSAID: Final = Versions(2, "1.0.0")
"""What every host knows that says nothing: it is of the last release whose hosts did not."""


def numbers_of(rules: str) -> tuple[int, ...]:
    """A version of the rules, to be compared with others. Raises ValueError."""
    return tuple(int(number) for number in rules.split("."))


def versions_to_text(versions: Versions) -> str:
    """As a host says it in Redis."""
    return f"{versions.schema} {versions.rules}"


def versions_from_text(text: str) -> Versions:
    """What a host said, as far as it is known here; UNSAID where it said nothing that is.

    A later release may say more, or say it otherwise: it can what the release before could.
    """
    try:
        schema, rules = text.split(" ")[:2]
        numbers_of(rules)
        return Versions(int(schema), rules)
    except ValueError:
        return UNSAID
