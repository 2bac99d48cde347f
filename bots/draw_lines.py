"""Lines at draw: what an opponent did in public, of which his range is made."""

from enum import IntEnum
from typing import Final, NamedTuple

from bots.protocol import Observation


class Before(IntEnum):
    """The most that he did before the draw."""

    NOTHING = 0
    """He was not asked yet."""
    CHECKED = 1
    CALLED = 2
    BET = 3
    RAISED = 4


class After(IntEnum):
    """The most that he did after it."""

    NOTHING = 0
    CHECKED = 1
    CALLED = 2
    BET = 3
    RAISED = 4
    CALLED_A_RAISE = 5
    """Of his bet; nobody has done it yet where it is asked for, it is what a raise hopes for."""


class Line(NamedTuple):
    """What an opponent did in public."""

    drawn: int
    """Cards drawn; -1 before his draw."""
    before: Before
    after: After

    @property
    def text(self) -> str:
        """As in "called, drew 3, then bet"."""
        drew = "" if self.drawn < 0 else f"drew {self.drawn}" if self.drawn else "stood pat"
        return ", ".join(part for part in (_BEFORE[self.before], drew, _AFTER[self.after]) if part)


def line_of(observation: Observation, seat: int) -> Line:
    """The public line of a seat in this hand."""
    drawn = next(seen.drawn for seen in observation.seats if seen.seat == seat)
    done = [(each.street, each.kind) for each in observation.history if each.seat == seat]
    before = max((_DONE.get(kind, 0) for street, kind in done if street == "predraw"), default=0)
    after = max((_DONE.get(kind, 0) for street, kind in done if street == "postdraw"), default=0)
    return Line(drawn, Before(before), After(after))


def called(line: Line, *, drawn: bool) -> Line:
    """The line of one who goes on when the bot bets or raises, after the draw or before it."""
    if not drawn:
        return line._replace(before=max(line.before, Before.CALLED))
    return line._replace(
        after=After.CALLED_A_RAISE if line.after is After.BET else max(line.after, After.CALLED)
    )


_DONE: Final = {"check": 1, "call": 2, "bet": 3, "raise": 4}
_BEFORE: Final = {
    Before.NOTHING: "yet to speak",
    Before.CHECKED: "checked",
    Before.CALLED: "called",
    Before.BET: "bet",
    Before.RAISED: "raised",
}
_AFTER: Final = {
    After.NOTHING: "",
    After.CHECKED: "then checked",
    After.CALLED: "then called",
    After.BET: "then bet",
    After.RAISED: "then raised",
    After.CALLED_A_RAISE: "then called a raise",
}
