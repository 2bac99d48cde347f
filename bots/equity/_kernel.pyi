from collections.abc import Sequence

def load_tables(tables: bytes, /) -> None: ...
def has_avx512() -> bool: ...
def rank(cards: bytes, /) -> int: ...
def ranks(hands: bytes, size: int, /) -> bytes: ...
def histogram(size: int, /) -> bytes: ...
def holdem_sample(
    players: Sequence[tuple[bytes, bytes | None] | None],
    board: bytes,
    dead: bytes,
    seed: int,
    samples: int,
    wide: bool,
    /,
) -> list[int]: ...
def holdem_exact(
    players: Sequence[tuple[bytes, bytes | None] | None], board: bytes, dead: bytes, /
) -> list[float]: ...
def holdem_duels(
    first: tuple[bytes, bytes | None] | None,
    second: tuple[bytes, bytes | None] | None,
    board: bytes,
    dead: bytes,
    seed: int,
    boards: int,
    /,
) -> bytes: ...
def draw_sample(
    kept: bytes,
    opponents: Sequence[tuple[bytes, bytes | None, bytes | None] | None],
    dead: bytes,
    seed: int,
    samples: int,
    /,
) -> list[int]: ...
def draw_exact(
    kept: bytes, opponent: tuple[bytes, bytes | None, bytes | None] | None, dead: bytes, /
) -> list[float]: ...
def draw_outcomes(kept: bytes, dead: bytes, /) -> list[int]: ...
