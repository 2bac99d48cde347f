"""What every side of the equity benchmark is asked, and how a library says what it can be asked."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class Answer(NamedTuple):
    """What a side found, and how much it did for it."""

    done: int
    """Samples; the times that an exact result was worked out."""
    equity: float
    """The first player's, from 0 to 1."""


class Side(Protocol):
    """One spot, as one side answers it in one thread."""

    def answer(self, amount: int) -> Answer:
        """Do about `amount`; the answer says how much it was."""
        ...


@runtime_checkable
class OtherSide(Side, Protocol):
    """A library's side of a spot that is sampled."""

    def worth(self, pace: float, seconds: float) -> float:
        """How many independent samples one of its own is worth; it takes some `seconds`, at `pace` samples each."""
        ...


class Library(Protocol):
    """A library that equity is measured against. None: it does not have that, or not right."""

    @property
    def name(self) -> str:
        """What it is called where it is installed from."""
        ...

    def sampled(self, players: Sequence[str], board: str, *, variance: float) -> OtherSide | None:
        """The spot, sampled; `variance` is that of what the first player gets in a sample."""
        ...

    def counted(self, players: Sequence[str], board: str) -> Side | None:
        """The spot, exactly."""
        ...
