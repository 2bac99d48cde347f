"""The units of every number and name in the engine.

Chips, times and turns are reckoned with at every action. To the type checker their sums and differences are of the
same unit again, so that no call that does nothing stands around each; at run time they are types like the others.
"""

from typing import TYPE_CHECKING, Final, NewType

if TYPE_CHECKING:
    from typing import Self

    class _Number(int):
        def __add__(self, other: int, /) -> Self: ...
        def __sub__(self, other: int, /) -> Self: ...

    class Chips(_Number):
        """Whole virtual chips, 0 to 2**63 - 1."""

    class Millis(_Number):
        """Milliseconds: a duration, or an absolute time since the Unix epoch by the log's clock."""

    class Turn(_Number):
        """A turn's number in its hand, from 1. (hand, turn) is the turn's identity: a command names it."""

else:
    Chips = NewType("Chips", int)
    Millis = NewType("Millis", int)
    Turn = NewType("Turn", int)

Seat = NewType("Seat", int)
"""A seat's number, from 1 clockwise; 0 means "no seat", "any seat" or "a spectator", as the place says."""

HandNumber = NewType("HandNumber", int)
"""A hand's number in its salon, from 1, never used twice (a void hand keeps its number)."""

PlayerId = NewType("PlayerId", str)
"""A player's identity, a person's or a bot's, the same in every salon."""

NOBODY: Final = Seat(0)
OPERATOR: Final = PlayerId("")
"""Stands in `by` for an operator, or for the server itself."""

TIMER_SLACK: Final = Millis(300)
"""A turn's timer fires this long after its deadline, unshown and charged to nobody (B6)."""
LEAST_OUTAGE: Final = Millis(2_000)
"""An interruption that is shorter is not noticed, unless a turn's time ran out in it."""
