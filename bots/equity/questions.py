"""Questions: spots as the kernels' arguments, bytes and numbers that can be sent to any process."""

from dataclasses import dataclass

from bots.equity.kernels import DrawOpponent, HoldemPlayer, Kernel


@dataclass(frozen=True, slots=True)
class HoldemQuestion:
    """A `HoldemSpot` for a kernel."""

    seats: tuple[HoldemPlayer, ...]
    board: bytes
    dead: bytes

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.seats)

    def sample(self, kernel: Kernel, seed: int, samples: int, *, wide: bool) -> list[int]:
        """Counts over independent deals; see `Kernel`."""
        return kernel.holdem_sample(self.seats, self.board, self.dead, seed, samples, wide)

    def exact(self, kernel: Kernel) -> list[float]:
        """Weights over all deals; see `Kernel`."""
        return kernel.holdem_exact(self.seats, self.board, self.dead)

    @property
    def weighted(self) -> bool:
        """Whether deals weigh differently."""
        return any(seat is not None and seat[1] is not None for seat in self.seats)

    def unweighted(self) -> "HoldemQuestion":
        """The same deals, each of weight 1."""
        seats = tuple(None if seat is None else (seat[0], None) for seat in self.seats)
        return HoldemQuestion(seats, self.board, self.dead)


@dataclass(frozen=True, slots=True)
class DrawQuestion:
    """A `DrawSpot` for a kernel; own discards are dead."""

    kept: bytes
    opponents: tuple[DrawOpponent, ...]
    dead: bytes

    @property
    def players(self) -> int:
        """How many players there are, the own hand with them."""
        return 1 + len(self.opponents)

    def sample(self, kernel: Kernel, seed: int, samples: int, *, wide: bool) -> list[int]:
        """Counts over independent deals; see `Kernel`."""
        del wide
        return kernel.draw_sample(self.kept, self.opponents, self.dead, seed, samples)

    def exact(self, kernel: Kernel) -> list[float]:
        """Weights over all deals; there must be one opponent alone."""
        (opponent,) = self.opponents
        return kernel.draw_exact(self.kept, opponent, self.dead)


Question = HoldemQuestion | DrawQuestion
