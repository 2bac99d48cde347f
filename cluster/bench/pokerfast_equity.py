"""pokerfast's side of the equity benchmark, and the one module that imports it (the extra `bench`).

Its native library is OMPEval, the fastest calculator that pip installs. When it samples, it stops by standard
error alone, at which it looks every fifth of a second, and its Python function keeps from its caller how many
hands were dealt; so the library's own C function is called, with what that function would give it.
"""

import ctypes
from collections.abc import Sequence
from math import sqrt
from typing import Final

from pokerfast import equity

from cluster.bench.answers import Answer

_C_INTERFACE: Final = 1
"""The version of the library's C functions that is called here."""
_LOOKS_EVERY: Final = 0.2
"""Seconds from one look at the standard error to the next (OMPEval's updateInterval, as pokerfast sets it)."""


class PokerfastMissing(Exception):
    """pokerfast is installed without its library, or with another one."""


class Pokerfast:
    """What pokerfast can be asked.

    Raises:
        PokerfastMissing: it has no library on this machine.
    """

    name: Final = "pokerfast"

    def __init__(self) -> None:
        if not equity.available():
            raise PokerfastMissing(
                "pokerfast, which equity is measured against, has no library for this machine"
            )
        self._library = ctypes.CDLL(equity.find_library())
        found = self._library.pf_abi_version()
        if found != _C_INTERFACE:
            raise PokerfastMissing(
                f"pokerfast's library has C functions of version {found}: {_C_INTERFACE} is needed"
            )

    def sampled(self, players: Sequence[str], board: str, *, variance: float) -> "PokerfastSamples":
        """The spot, sampled; `variance` is that of what the first player gets in a sample."""
        return PokerfastSamples(self._library, players, board, variance=variance)

    def counted(self, players: Sequence[str], board: str) -> "PokerfastCount | None":
        """The spot, exactly, where a hand meets any other."""
        hand, *others = players
        return PokerfastCount(hand, board) if others == ["random"] else None


class PokerfastSamples:
    """One spot, sampled in one thread: a walk over the hands that are held, a new board in every step."""

    def __init__(self, library: ctypes.CDLL, players: Sequence[str], board: str, *, variance: float) -> None:
        self._sample = library.pf_equity
        self._players = (ctypes.c_char_p * len(players))(*(player.encode() for player in players))
        self._board = board.encode()
        self._variance = variance

    def answer(self, amount: int) -> Answer:
        """Samples until the standard error is that of `amount` independent ones; how many it took."""
        equities = (ctypes.c_double * len(self._players))()
        hands = ctypes.c_uint64()
        error = ctypes.c_double(sqrt(self._variance / amount))
        no_limit, one_thread, sampled = ctypes.c_double(0), ctypes.c_uint(1), ctypes.c_int(0)
        code = self._sample(
            self._players,
            ctypes.c_uint(len(self._players)),
            self._board,
            b"",
            sampled,
            error,
            one_thread,
            no_limit,
            equities,
            ctypes.byref(hands),
        )
        if code:
            raise ValueError(f"pokerfast answers with error {code}")
        return Answer(hands.value, equities[0])

    def worth(self, pace: float, seconds: float) -> float:
        """How many independent samples one of the walk is worth, measured over some `seconds` at `pace` a second.

        Its own look at its error decides; the samples since the last look but one are not held against it.
        """
        amount = round(pace * seconds)
        return amount / (self.answer(amount).done - pace * _LOOKS_EVERY)


class PokerfastCount:
    """One hand on a board, exactly against any other hand."""

    def __init__(self, hand: str, board: str) -> None:
        self._spot = (hand, board)

    def answer(self, amount: int) -> Answer:
        """The equity, worked out `amount` times in one call, which is the quickest way to ask."""
        equities = equity.equity_vs_random_many([self._spot] * amount)
        return Answer(amount, equities[0])
